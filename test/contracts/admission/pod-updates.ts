// Changes of a stored pod and of its status that the API server takes, and those it refuses.
import type { Container, Pod, PodSpec, PodStatus } from '../../../lib/objects/kubernetes.ts';
import { aPod } from './judge.ts';
import type { PodCase } from './judge.ts';

type Change = (stored: Pod) => Pod;

const toSpec =
  (spec: Partial<PodSpec>): Change =>
  (pod) => ({ ...pod, spec: { ...pod.spec, ...spec } });
const toMain =
  (container: Partial<Container>): Change =>
  (pod) => ({ ...pod, spec: { ...pod.spec, containers: pod.spec.containers.map((stored) => ({ ...stored, ...container })) } });
const toMetadata =
  (metadata: Pod['metadata']): Change =>
  (pod) => ({ ...pod, metadata: { ...pod.metadata, ...metadata } });
const toTolerations =
  (change: (tolerations: object[]) => object[]): Change =>
  (pod) => ({ ...pod, spec: { ...pod.spec, tolerations: change(Array.isArray(pod.spec['tolerations']) ? pod.spec['tolerations'] : []) } });

const taken = (name: string, pod: Pod, change: Change): PodCase => ({ name, pod, change, code: 200 });
const refused = (name: string, pod: Pod, change: Change, ...fields: string[]): PodCase => ({
  name,
  pod,
  change,
  code: 422,
  fields: fields.toSorted(),
});
const gated = (spec: Partial<PodSpec> = {}): Pod => aPod({ schedulingGates: [{ name: 'example.com/gate' }], ...spec });
const affinityTo = (...zones: string[]) => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: zones.map((zone) => ({ key: zone, operator: 'Exists' })) }],
    },
  },
});

export const podUpdates: PodCase[] = [
  taken('nothing changes', aPod(), (pod) => pod),
  taken('an image', aPod(), toMain({ image: 'other' })),
  taken('labels', aPod(), toMetadata({ labels: { a: 'b' } })),
  taken('a finalizer', aPod(), toMetadata({ finalizers: ['batch.kubernetes.io/job-tracking'] })),
  taken('an active deadline', aPod(), toSpec({ activeDeadlineSeconds: 50 })),
  taken('a shorter deadline', aPod({ activeDeadlineSeconds: 50 }), toSpec({ activeDeadlineSeconds: 5 })),
  taken(
    'another toleration',
    aPod(),
    toTolerations((tolerations) => [...tolerations, { key: 'a', operator: 'Exists' }]),
  ),
  taken(
    'seconds of a toleration',
    aPod(),
    toTolerations((tolerations) => tolerations.map((toleration) => ({ ...toleration, tolerationSeconds: 5 }))),
  ),
  taken('a gate is opened', gated(), toSpec({ schedulingGates: [] })),
  taken('a node selector while gated', gated({ nodeSelector: { a: 'b' } }), toSpec({ nodeSelector: { a: 'b', c: 'd' } })),
  taken('a node affinity while gated', gated(), toSpec({ affinity: affinityTo('a') })),
  taken('a narrower node affinity while gated', gated({ affinity: affinityTo('a') }), toSpec({ affinity: affinityTo('a', 'b') })),
  taken(
    'a grace period of 1 after a negative one',
    aPod({ terminationGracePeriodSeconds: -5 }),
    toSpec({ terminationGracePeriodSeconds: 1 }),
  ),
  refused('an image that is empty', aPod(), toMain({ image: '' }), 'spec.containers[0].image'),
  refused('a longer deadline', aPod({ activeDeadlineSeconds: 5 }), toSpec({ activeDeadlineSeconds: 50 }), 'spec.activeDeadlineSeconds'),
  refused(
    'no deadline any more',
    aPod({ activeDeadlineSeconds: 5 }),
    toSpec({ activeDeadlineSeconds: undefined }),
    'spec.activeDeadlineSeconds',
  ),
  refused(
    'a toleration less',
    aPod({ tolerations: [{ key: 'a', operator: 'Exists' }] }),
    toTolerations((tolerations) => tolerations.slice(1)),
    'spec.tolerations',
  ),
  refused('a new gate', aPod(), toSpec({ schedulingGates: [{ name: 'a/b' }] }), 'spec.schedulingGates[0].name'),
  refused(
    'another node selector while gated',
    gated({ nodeSelector: { a: 'b' } }),
    toSpec({ nodeSelector: { a: 'c' } }),
    'spec.nodeSelector',
  ),
  refused(
    'a wider node affinity while gated',
    gated({ affinity: affinityTo('a', 'b') }),
    toSpec({ affinity: affinityTo('a') }),
    'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]',
  ),
  refused(
    'no node affinity any more while gated',
    gated({ affinity: affinityTo('a') }),
    toSpec({ affinity: undefined }),
    'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms',
  ),
  refused('a node selector', aPod(), toSpec({ nodeSelector: { a: 'b' } }), 'spec'),
  refused('a command', aPod(), toMain({ command: ['sleep'] }), 'spec'),
  refused('resources', aPod(), toMain({ resources: { requests: { cpu: '1' } } }), 'spec'),
  refused('the node', aPod(), toSpec({ nodeName: 'node-1' }), 'spec'),
  refused('the grace period', aPod(), toSpec({ terminationGracePeriodSeconds: 1 }), 'spec'),
  refused('the restart policy', aPod(), toSpec({ restartPolicy: 'Never' }), 'spec'),
  refused(
    'another container',
    aPod(),
    (pod) => toSpec({ containers: [...pod.spec.containers, { name: 'more', image: 'busybox' }] })(pod),
    'spec.containers',
  ),
  refused('an init container', aPod(), toSpec({ initContainers: [{ name: 'first', image: 'busybox' }] }), 'spec.initContainers'),
];

const ended = (exitCode: number): PodStatus => ({
  phase: 'Running',
  containerStatuses: [
    { ...statusOfMain, state: { terminated: { exitCode, startedAt: '2026-01-02T03:04:05Z', finishedAt: '2026-01-02T03:04:06Z' } } },
  ],
});
const statusOfMain = { name: 'main', image: 'busybox', imageID: '', ready: false, restartCount: 0, lastState: {} };
const running: PodStatus = {
  phase: 'Running',
  containerStatuses: [{ ...statusOfMain, state: { running: { startedAt: '2026-01-02T03:04:07Z' } } }],
};

export const podStatuses: PodCase[] = [
  { name: 'an end', pod: aPod({ restartPolicy: 'Never' }), before: [running], status: ended(0), code: 200 },
  { name: 'no class, which stays', pod: aPod(), status: running, code: 200 },
  { name: 'another class', pod: aPod(), status: { ...running, qosClass: 'Guaranteed' }, code: 422, fields: ['status.qosClass'] },
  {
    name: 'a container that rises again',
    pod: aPod({ restartPolicy: 'Never' }),
    before: [ended(1)],
    status: running,
    code: 422,
    fields: ['status.containerStatuses[0].state'],
  },
  {
    name: 'a container that rises again after success',
    pod: aPod({ restartPolicy: 'OnFailure' }),
    before: [ended(0)],
    status: running,
    code: 422,
    fields: ['status.containerStatuses[0].state'],
  },
  {
    name: 'a container that is started again after a failure',
    pod: aPod({ restartPolicy: 'OnFailure' }),
    before: [ended(1)],
    status: running,
    code: 200,
  },
  {
    name: 'a container that is always started again',
    pod: aPod({ restartPolicy: 'Always' }),
    before: [ended(0)],
    status: running,
    code: 200,
  },
];
