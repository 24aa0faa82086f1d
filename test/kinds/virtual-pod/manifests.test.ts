// The admission of a pod to its node, planned from documents: which of them count, in which order, what is answered, what is refused.
import { describe, expect, test } from '@jest/globals';
import { aNode, anAgent, aPod, evictedBy, NOW, planned } from './documents.ts';

const small = { requests: { cpu: '100m', memory: '100Mi' } };
const large = { requests: { cpu: '900m', memory: '100Mi' } };
const web = aPod('shop/web', large);
const regarding = (name: string, namespace = 'shop') => ({ apiVersion: 'v1', kind: 'Pod', namespace, name, uid: `uid-of-${name}` });

describe('the answer', () => {
  test('to a pod that fits: nothing to do, and the status as it is', () => {
    expect(planned([aNode(), web, anAgent({ ...small, status: { phase: 'Pending' } })])).toEqual({
      workload: { ...regarding('agent', 'kube-system'), kind: 'VirtualPod' },
      actions: [],
      status: { phase: 'Pending' },
      admission: { state: 'admitted', failures: [], victims: [] },
      outcome: 'converged',
      why: ['virtual admits it: it fits beside 1 other pod'],
    });
  });

  test('H12: to a critical pod: an event and the eviction of each victim, with its status', () => {
    const why = 'for kube-system/agent: Burstable, priority 0; frees 900m of cpu';
    const message = 'Preempted in order to admit critical pod';
    const { actions, admission, outcome, requeueAfterSeconds } = planned([
      aNode(),
      aPod('shop/web', { ...large, metadata: { generation: 3 }, spec: { terminationGracePeriodSeconds: 40 } }),
      anAgent({ requests: { cpu: '200m' } }),
    ]);
    expect(actions).toEqual([
      { verb: 'event', type: 'Warning', reason: 'Preempting', message, regarding: regarding('web') },
      {
        verb: 'evict',
        ...regarding('web'),
        status: {
          phase: 'Failed',
          reason: 'Preempting',
          message,
          conditions: [
            {
              type: 'DisruptionTarget',
              status: 'True',
              reason: 'TerminationByKubelet',
              message: 'Pod was preempted by Kubelet to accommodate a critical pod.',
              lastTransitionTime: NOW,
              observedGeneration: 3,
            },
          ],
        },
        why,
      },
    ]);
    expect(admission).toEqual({
      state: 'preempting',
      failures: [{ resource: 'cpu', requested: 200, used: 900, capacity: 1000 }],
      victims: [{ namespace: 'shop', name: 'web', uid: 'uid-of-web' }],
    });
    expect({ outcome, requeueAfterSeconds }).toEqual({ outcome: 'acted', requeueAfterSeconds: 60 });
  });

  test('to a pod that does not fit: an event without and a status with the prefix', () => {
    const message = "Node didn't have enough resource: cpu, requested: 200, used: 900, capacity: 1000";
    const status = { phase: 'Failed', reason: 'OutOfcpu', message: `Pod was rejected: ${message}`, qosClass: 'Burstable' };
    const { actions, admission, outcome, why, ...rest } = planned([aNode(), web, aPod('a/late', { requests: { cpu: '200m' } })], {
      workload: 'Pod/a/late',
    });
    expect(actions).toEqual([
      { verb: 'event', type: 'Warning', reason: 'OutOfcpu', message, regarding: regarding('late', 'a') },
      { verb: 'status', status, why: 'a rejected pod is never decided on again' },
    ]);
    expect(admission).toEqual({
      state: 'rejected',
      reason: 'OutOfcpu',
      message,
      failures: [{ resource: 'cpu', requested: 200, used: 900, capacity: 1000 }],
      victims: [],
    });
    expect({ outcome, status: rest.status }).toEqual({ outcome: 'acted', status });
    expect(why).toEqual([
      'virtual rejects it: it does not fit, and only for a critical pod others go',
      'cpu: 100m missing; it asks for 200m, and 900m of 1000m are taken',
    ]);
  });

  test.each([
    {
      name: 'an early check',
      spec: { os: { name: 'windows' } },
      why: ["virtual rejects it: Failed to admit pod as the OS field doesn't match node OS"],
    },
    {
      name: 'a predicate',
      spec: { nodeSelector: { disk: 'ssd' } },
      why: [
        "virtual rejects it: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
        "NodeAffinity: node(s) didn't match Pod's node affinity/selector",
      ],
    },
  ])('to $name that fails says it in words', ({ spec, why }) => {
    expect(planned([aNode(), anAgent({ spec })])).toMatchObject({ admission: { state: 'rejected', victims: [] }, why });
  });

  test('to a critical pod for which all others are not enough', () => {
    const { admission, actions, why } = planned([aNode(), web, anAgent({ requests: { memory: '2Gi' } })]);
    expect(admission).toMatchObject({ state: 'rejected', reason: 'UnexpectedAdmissionError' });
    expect(actions).toMatchObject([{ verb: 'event', reason: 'UnexpectedAdmissionError' }, { verb: 'status' }]);
    expect(why).toEqual([
      'virtual rejects it: it is critical, but too little is left when all pods of lower rank go',
      'memory: 1148Mi missing; it asks for 2Gi, and 100Mi of 1000Mi are taken',
    ]);
  });
});

describe('which pods count', () => {
  const full = anAgent({ requests: { cpu: '200m' } });

  test('A18: those of the node in every namespace; not those of other nodes, unbound ones, and those that have ended', () => {
    const others = [
      aPod('shop/elsewhere', { ...large, spec: { nodeName: 'other' } }),
      aPod('shop/unbound', { ...large, spec: { nodeName: undefined } }),
      aPod('shop/done', { ...large, status: { phase: 'Succeeded' } }),
      aPod('shop/broken', { ...large, status: { phase: 'Failed' } }),
    ];
    expect(planned([aNode(), ...others, full])).toMatchObject({ admission: { state: 'admitted' } });
    expect(evictedBy(planned([aNode(), ...others, web, full]))).toEqual(['shop/web']);
    expect(planned([aNode(), ...others, full]).why).toEqual(['virtual admits it: it fits beside 0 other pods']);
  });

  test('with the defaults of the API server: requests from limits, ports of a host network, sums of whole thousandths', () => {
    const limits = (amounts: object) => ({ containers: [{ name: 'main', image: 'x', resources: { limits: amounts } }] });
    expect(planned([aNode(), aPod('shop/db', { spec: limits({ cpu: '900m', memory: '1Mi' }) }), full]).why).toContain(
      'cpu: 100m missing; it asks for 200m, and 900m of 1000m are taken',
    );
    const ports = { hostNetwork: true, containers: [{ name: 'main', image: 'x', ports: [{ containerPort: 80 }] }] };
    expect(planned([aNode(), aPod('shop/proxy', { spec: ports }), anAgent({ spec: ports })]).admission).toMatchObject({
      reason: 'NodePorts',
    });
    const two = { containers: ['a', 'b'].map((name) => ({ name, image: 'x', resources: { requests: { cpu: '1500u' } } })) };
    expect(planned([aNode({ cpu: '3m', pods: '9' }), anAgent({ spec: two })]).admission).toMatchObject({
      failures: [{ resource: 'cpu', requested: 4 }],
    });
  });

  test.each([
    {
      name: 'creation, whatever the zone',
      times: ['2026-05-01T08:30:00+02:00', '2026-05-01T07:00:00Z'],
      uids: ['a', 'b'],
      youngest: 'second',
    },
    {
      name: 'the uid where they are of one age',
      times: ['2026-05-01T07:00:00Z', '2026-05-01T07:00:00Z'],
      uids: ['b', 'a'],
      youngest: 'first',
    },
    { name: 'a missing time before all others', times: ['2026-05-01T07:00:00Z', undefined], uids: ['a', 'b'], youngest: 'first' },
  ])('in the order of $name: of equals the youngest goes', ({ times, uids, youngest }) => {
    const twins = ['first', 'second'].map((name, at) =>
      aPod(`shop/${name}`, { requests: { cpu: '400m' }, metadata: { uid: uids[at], creationTimestamp: times[at] } }),
    );
    for (const pods of [twins, twins.toReversed()])
      expect(evictedBy(planned([...pods, anAgent({ requests: { cpu: '300m' } }), aNode()]))).toEqual([`shop/${youngest}`]);
  });

  test('pods that end anyway are waited for, and none goes for the room that they leave', () => {
    const ending = aPod('shop/ending', { requests: { cpu: '500m' }, metadata: { deletionTimestamp: NOW } });
    const half = aPod('shop/half', { requests: { cpu: '400m' } });
    const waits = planned([aNode(), ending, half, anAgent({ requests: { cpu: '600m' } })]);
    expect(waits).toMatchObject({
      actions: [],
      admission: { state: 'preempting', failures: [{ requested: 600, used: 900 }], victims: [] },
      why: [expect.stringContaining('pods that end anyway leave enough'), expect.any(String)],
    });
    expect(evictedBy(planned([aNode(), ending, half, anAgent({ requests: { cpu: '700m' } })]))).toEqual(['shop/half']);
    expect(planned([aNode(), ending, half, anAgent({ requests: { cpu: '2' } })]).admission).toMatchObject({
      reason: 'UnexpectedAdmissionError',
      failures: [{ used: 900 }],
    });
    expect(
      planned([aNode(), ending, half, aPod('a/late', { requests: { cpu: '600m' } })], { workload: 'Pod/a/late' }).admission,
    ).toMatchObject({
      reason: 'OutOfcpu',
    });
  });

  test('--preemption-ordering priority spares pods of a high priority', () => {
    const pods = [
      aPod('shop/dear', { requests: { cpu: '400m' }, spec: { priority: 1000 } }),
      aPod('shop/db', { spec: { containers: [{ name: 'main', image: 'x', resources: { limits: { cpu: '400m', memory: '1Mi' } } }] } }),
    ];
    const asks = [aNode(), ...pods, anAgent({ requests: { cpu: '300m' } })];
    expect(evictedBy(planned(asks))).toEqual(['shop/dear']);
    expect(evictedBy(planned(asks, { options: { 'preemption-ordering': 'priority' } }))).toEqual(['shop/db']);
    expect(planned(asks, { options: { 'preemption-ordering': 'priority' } }).why).toContainEqual(expect.stringContaining('lower priority'));
  });
});

describe('what today’s API server would refuse', () => {
  test('is planned all the same: the pod is bound already, or passed no server', () => {
    const mirror = aPod('kube-system/agent', {
      metadata: { annotations: { 'kubernetes.io/config.mirror': '' } },
      spec: { containers: [{ name: 'NOT A NAME' }], restartPolicy: 'Sometimes' },
    });
    expect(planned([aNode(), mirror])).toMatchObject({ admission: { state: 'admitted' } });
  });

  test('a Pod beside a Job is the workload where it is named, and the Job’s child where not', () => {
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'demo', namespace: 'shop' }, spec: { template: {} } };
    const spec = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'x' }] } } };
    expect(planned([{ ...job, spec }, aNode(), web, anAgent()]).workload.kind).toBe('VirtualPod');
    expect(planned([{ ...job, spec }, { ...aNode(), status: {} }, web], { workload: 'job/demo' }).workload.kind).toBe('Job');
  });
});

describe('bad input is refused in one sentence with document and field', () => {
  const withContainers = (containers: unknown) => aPod('shop/bad', { spec: { containers } });
  const withResources = (resources: object) => withContainers([{ name: 'main', image: 'x', resources }]);
  test.each<[string, object[], string]>([
    [
      'a node without allocatable',
      [aNode(null), anAgent()],
      'f.yaml:0: status.allocatable: expected the amounts that the node has for pods, found nothing',
    ],
    [
      'a node with an empty one',
      [aNode({}), anAgent()],
      'f.yaml:0: status.allocatable: expected the amounts that the node has for pods, found',
    ],
    [
      'a node with an amount that is none',
      [aNode({ cpu: 'many' }), anAgent()],
      'f.yaml:0: status.allocatable.cpu: expected a quantity, found "many"',
    ],
    [
      'a node with less than nothing',
      [aNode({ cpu: '-1' }), anAgent()],
      'f.yaml:0: status.allocatable.cpu: expected a quantity of 0 or more, found "-1"',
    ],
    ['a node without a name', [aNode({ cpu: '1' }, ''), anAgent()], 'f.yaml:0: metadata.name: expected the name of the node'],
    [
      'a pod without containers',
      [aNode(), withContainers([]), anAgent()],
      'f.yaml:1: spec.containers: expected at least one container, found []',
    ],
    [
      'a chosen pod without containers',
      [aNode(), anAgent({ spec: { containers: [] } })],
      'f.yaml:1: spec.containers: expected at least one container',
    ],
    [
      'a pod without a list of them',
      [aNode(), withContainers(undefined), anAgent()],
      'f.yaml:1: spec.containers: expected a list, found nothing',
    ],
    [
      'an amount that is none',
      [aNode(), withResources({ requests: { memory: '1Xi' } }), anAgent()],
      'f.yaml:1: spec.containers[0].resources.requests.memory: expected a quantity, found "1Xi"',
    ],
    [
      'a negative request',
      [aNode(), withResources({ requests: { cpu: '-1m' } }), anAgent()],
      'f.yaml:1: spec.containers[0].resources.requests.cpu: expected a quantity of 0 or more, found "-1m"',
    ],
    [
      'a negative limit of an init container',
      [aNode(), aPod('shop/bad', { spec: { initContainers: [{ name: 'i', resources: { limits: { cpu: '-1' } } }] } }), anAgent()],
      'f.yaml:1: spec.initContainers[0].resources.limits.cpu: expected a quantity of 0 or more, found "-1"',
    ],
    [
      'negative overhead',
      [aNode(), anAgent({ spec: { overhead: { cpu: '-1' } } })],
      'f.yaml:1: spec.overhead.cpu: expected a quantity of 0 or more, found "-1"',
    ],
    [
      'a negative request of the whole pod',
      [aNode(), anAgent({ spec: { resources: { requests: { cpu: '-2' } } } })],
      'f.yaml:1: spec.resources.requests.cpu: expected a quantity of 0 or more, found "-2"',
    ],
    [
      'a uid twice',
      [aNode(), web, aPod('a/b', { metadata: { uid: 'uid-of-web' } }), anAgent()],
      'f.yaml:2: metadata.uid: expected each pod once, found b (uid-of-web) as in f.yaml:1',
    ],
    [
      'a chosen pod of another node',
      [aNode(), anAgent({ spec: { nodeName: 'other' } })],
      'f.yaml:1: spec.nodeName: expected virtual, the Node among the documents, found other',
    ],
    [
      'a chosen pod of no node',
      [aNode(), anAgent({ spec: { nodeName: undefined } })],
      'f.yaml:1: spec.nodeName: expected virtual, the Node among the documents, found nothing',
    ],
    ['no node', [anAgent()], 'f.yaml:0: spec.nodeName: expected the Node virtual among the documents, found no Node'],
    [
      'two nodes',
      [aNode(), anAgent(), aNode({ cpu: '1' }, 'second')],
      'f.yaml:2: metadata.name: expected one Node, found second beside virtual (f.yaml:0)',
    ],
    ['a workload that is not there', [aNode(), web], 'no workload is named Pod/kube-system/agent; there are Pod/shop/web'],
    [
      'a head with an unknown state',
      [aNode(), anAgent(), { apiVersion: 'farloop.dev/v1', kind: 'Head', admission: { state: 'lost' } }],
      'f.yaml:2: admission.state: expected new, admitted, preempting, rejected or cancelled, found "lost"',
    ],
  ])('%s', (_name, objects, message) => {
    expect(() => planned(objects)).toThrow(message);
  });

  test('a pod of another node may be as it likes', () => {
    const strange = aPod('shop/strange', { requests: { cpu: '-1' }, spec: { nodeName: 'other', containers: [] } });
    expect(planned([aNode(), strange, anAgent()]).admission).toMatchObject({ state: 'admitted' });
  });
});
