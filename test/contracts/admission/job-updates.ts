// Changes of a stored Job that the API server takes, and those it refuses.
import type { Job, JobSpec, JobStatus, PodSpec, PodTemplate } from '../../../lib/objects/kubernetes.ts';
import { aJob, anIndexedJob, aTemplate } from './judge.ts';
import type { JobCase } from './judge.ts';

type Change = (stored: Job) => Job;

const taken = (name: string, job: Job, change: Change, before: JobStatus[] = []): JobCase => ({ name, job, before, change, code: 200 });
const refused = (name: string, job: Job, change: Change, fields: string[], before: JobStatus[] = []): JobCase => ({
  name,
  job,
  before,
  change,
  code: 422,
  fields: fields.toSorted(),
});

const toSpec =
  (spec: Partial<JobSpec>): Change =>
  (job) => ({ ...job, spec: { ...job.spec, ...spec } });
const without =
  (field: keyof JobSpec): Change =>
  (job) => {
    const { [field]: _gone, ...spec } = job.spec;
    return { ...job, spec };
  };
const toMetadata =
  (metadata: Job['metadata']): Change =>
  (job) => ({ ...job, metadata: { ...job.metadata, ...metadata } });
const toTemplate =
  (change: (template: PodTemplate) => PodTemplate): Change =>
  (job) => ({ ...job, spec: { ...job.spec, template: change(job.spec.template ?? aTemplate()) } });
const toPods = (spec: Partial<PodSpec>): Change => toTemplate((template) => ({ ...template, spec: { ...template.spec, ...spec } }));
const both =
  (first: Change, second: Change): Change =>
  (job) =>
    second(first(job));

const startTime = '2026-01-02T03:04:05Z';
const later = '2026-01-02T03:05:05Z';
const suspendedCondition = { type: 'Suspended', status: 'True', lastTransitionTime: later, lastProbeTime: later };
const isSuspended: JobStatus = { conditions: [suspendedCondition] };
const suspended = (template: Partial<PodSpec> = {}): Job => aJob({ suspend: true }, template);
const requests = { containers: [{ name: 'main', image: 'busybox', resources: { requests: { cpu: '2' } } }] };
const failurePolicy = { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [1] } }] };
const nodeAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution: {
    nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }],
  },
};
const podAntiAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', labelSelector: { matchLabels: { app: 'x' } } }],
};

const free: JobCase[] = [
  taken('nothing changes', aJob(), (job) => job),
  taken('parallelism', aJob(), toSpec({ parallelism: 3 })),
  taken('suspend', aJob(), toSpec({ suspend: true })),
  taken('activeDeadlineSeconds', aJob(), toSpec({ activeDeadlineSeconds: 5 })),
  taken('no activeDeadlineSeconds any more', aJob({ activeDeadlineSeconds: 5 }), without('activeDeadlineSeconds')),
  taken('backoffLimit', aJob(), toSpec({ backoffLimit: 0 })),
  taken('ttlSecondsAfterFinished', aJob(), toSpec({ ttlSecondsAfterFinished: 5 })),
  taken('maxFailedIndexes', anIndexedJob({ backoffLimitPerIndex: 1 }), toSpec({ maxFailedIndexes: 2 })),
  taken('podReplacementPolicy', aJob(), toSpec({ podReplacementPolicy: 'Failed' })),
  taken('labels and annotations', aJob(), toMetadata({ labels: { a: 'b' }, annotations: { c: 'd' } })),
  taken('fields with defaults left out', aJob(), both(without('backoffLimit'), without('completionMode'))),
  taken('another birth, which is not looked at', aJob(), toMetadata({ creationTimestamp: startTime })),
  taken('another generation, which is not looked at', aJob(), toMetadata({ generation: 77 })),
  taken('empty lists in the template', aJob(), toPods({ tolerations: [], volumes: [] })),
  taken(
    'the same amount in other words',
    aJob({}, { containers: [{ name: 'main', image: 'busybox', resources: { limits: { memory: '1Gi' } } }] }),
    toTemplate((template) => ({
      ...template,
      spec: {
        ...template.spec,
        containers: template.spec.containers.map((container) => ({ ...container, resources: { limits: { memory: '1024Mi' } } })),
      },
    })),
  ),
];

const wrong: JobCase[] = [
  refused('negative parallelism', aJob(), toSpec({ parallelism: -1 }), ['spec.parallelism']),
  refused(
    'a replacement policy that does not go with the failure policy',
    aJob({ podFailurePolicy: failurePolicy }),
    toSpec({ podReplacementPolicy: 'TerminatingOrFailed' }),
    ['spec.podReplacementPolicy'],
  ),
  refused('maxFailedIndexes beyond the completions', anIndexedJob({ backoffLimitPerIndex: 1 }), toSpec({ maxFailedIndexes: 9 }), [
    'spec.maxFailedIndexes',
  ]),
  refused('a bad label', aJob(), toMetadata({ labels: { a: 'b c' } }), ['metadata.labels']),
  refused('a finalizer without a domain', aJob(), toMetadata({ finalizers: ['mine'] }), ['metadata.finalizers[0]']),
];

const immutable: JobCase[] = [
  refused('completions', aJob(), toSpec({ completions: 3 }), ['spec.completions']),
  refused('no completions any more', aJob({ completions: 2 }), without('completions'), ['spec.completions']),
  refused('completions of a work queue', aJob({ parallelism: 2 }), toSpec({ completions: 3 }), ['spec.completions']),
  refused('completionMode', aJob({ completions: 2 }), toSpec({ completionMode: 'Indexed' }), ['spec.completionMode']),
  refused('podFailurePolicy', aJob(), toSpec({ podFailurePolicy: failurePolicy, podReplacementPolicy: 'Failed' }), [
    'spec.podFailurePolicy',
  ]),
  refused('no podFailurePolicy any more', aJob({ podFailurePolicy: failurePolicy }), without('podFailurePolicy'), [
    'spec.podFailurePolicy',
  ]),
  refused('backoffLimitPerIndex', anIndexedJob(), toSpec({ backoffLimitPerIndex: 1 }), ['spec.backoffLimitPerIndex']),
  refused('managedBy', aJob(), toSpec({ managedBy: 'example.com/x' }), ['spec.managedBy']),
  refused('successPolicy', anIndexedJob(), toSpec({ successPolicy: { rules: [{ succeededCount: 1 }] } }), ['spec.successPolicy']),
  refused('the selector', aJob(), toSpec({ selector: { matchLabels: { app: 'x' } } }), ['spec.selector', 'spec.template.metadata.labels']),
  refused('no selector any more', aJob(), without('selector'), ['spec.selector', 'spec.template.metadata.labels']),
  refused('an image in the template', aJob(), toPods({ containers: [{ name: 'main', image: 'other' }] }), ['spec.template']),
  refused(
    'a label in the template',
    aJob(),
    toTemplate((template) => ({ ...template, metadata: { labels: { ...template.metadata?.labels, a: 'b' } } })),
    ['spec.template'],
  ),
  refused('a toleration in the template', aJob(), toPods({ tolerations: [{ operator: 'Exists' }] }), ['spec.template']),
];

const elastic: JobCase[] = [
  taken('up', anIndexedJob(), toSpec({ completions: 7, parallelism: 7 })),
  taken('down', anIndexedJob(), toSpec({ completions: 2, parallelism: 2 })),
  taken('to what the parallelism is already', anIndexedJob(), toSpec({ completions: 2 })),
  refused('without the parallelism', anIndexedJob(), toSpec({ completions: 7 }), ['spec.completions']),
  refused('to nothing', anIndexedJob(), without('completions'), ['spec.completions']),
];

const whileSuspended: JobCase[] = [
  taken('node selector', suspended(), toPods({ nodeSelector: { zone: 'a' } })),
  taken('tolerations', suspended(), toPods({ tolerations: [{ operator: 'Exists' }] })),
  taken('scheduling gates', suspended(), toPods({ schedulingGates: [{ name: 'example.com/gate' }] })),
  taken('node affinity', suspended(), toPods({ affinity: { nodeAffinity } })),
  taken('no node affinity any more', suspended({ affinity: { nodeAffinity } }), toPods({ affinity: undefined })),
  taken(
    'node affinity beside that of pods',
    suspended({ affinity: { podAntiAffinity } }),
    toPods({ affinity: { podAntiAffinity, nodeAffinity } }),
  ),
  refused('no affinity of pods any more', suspended({ affinity: { podAntiAffinity } }), toPods({ affinity: undefined }), [
    'spec.template.spec',
  ]),
  refused('affinity of pods', suspended(), toPods({ affinity: { podAntiAffinity } }), ['spec.template.spec']),
  taken(
    'labels and annotations of the template',
    suspended(),
    toTemplate((template) => ({
      ...template,
      metadata: { ...template.metadata, labels: { ...template.metadata?.labels, a: 'b' }, annotations: { c: 'd' } },
    })),
  ),
  taken('requests', suspended(), toPods(requests)),
  taken('requests and the end of the suspension at once', suspended(), both(toPods(requests), toSpec({ suspend: false }))),
  refused('an image', suspended(), toPods({ containers: [{ name: 'main', image: 'other' }] }), ['spec.template.spec']),
  refused('another container', suspended(), toPods({ containers: [...requests.containers, { name: 'more', image: 'busybox' }] }), [
    'spec.template.spec',
  ]),
  refused('the grace period', suspended(), toPods({ terminationGracePeriodSeconds: 5 }), ['spec.template.spec']),
  refused(
    'the suspension and the node selector at once',
    aJob(),
    both(toPods({ nodeSelector: { zone: 'a' } }), toSpec({ suspend: true })),
    ['spec.template'],
  ),
  taken('node selector of a Job that ran, suspended by now', suspended(), toPods({ nodeSelector: { zone: 'a' } }), [
    { startTime, ...isSuspended },
  ]),
  refused(
    'node selector of a Job that ran, not suspended by now',
    suspended(),
    toPods({ nodeSelector: { zone: 'a' } }),
    ['spec.template'],
    [{ startTime }],
  ),
  refused(
    'node selector while pods are left',
    suspended(),
    toPods({ nodeSelector: { zone: 'a' } }),
    ['spec.template'],
    [{ active: 1, ...isSuspended }],
  ),
  refused('requests of a Job that ran, not suspended by now', suspended(), toPods(requests), ['spec.template'], [{ startTime }]),
];

export const jobUpdates: JobCase[] = [...free, ...wrong, ...immutable, ...elastic, ...whileSuspended];
