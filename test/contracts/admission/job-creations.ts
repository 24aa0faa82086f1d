// New Jobs that the API server takes, and those it refuses, each for its own reason.
import type { Container, Job, JobSpec, PodFailurePolicyRule } from '../../../lib/objects/kubernetes.ts';
import { aJob, anIndexedJob, aTemplate } from './judge.ts';
import type { JobCase } from './judge.ts';

const taken = (name: string, job: Job): JobCase => ({ name, job, code: 201 });
const refused = (name: string, job: Job, ...fields: string[]): JobCase => ({ name, job, code: 422, fields: fields.toSorted() });

const withRules = (...rules: PodFailurePolicyRule[]): Job => aJob({ podFailurePolicy: { rules } });
const onCodes = (values: number[], operator = 'In', containerName?: string): PodFailurePolicyRule => ({
  action: 'FailJob',
  onExitCodes: { operator, values, ...(containerName !== undefined && { containerName }) },
});
const withSuccess = (...rules: { succeededIndexes?: string; succeededCount?: number }[]): Job => anIndexedJob({ successPolicy: { rules } });
const withContainer = (container: Partial<Container>): Job => aJob({}, { containers: [{ name: 'main', image: 'busybox', ...container }] });
const manual = (spec: Partial<JobSpec>, labels: Record<string, string> = { app: 'x' }): Job =>
  aJob({ manualSelector: true, template: aTemplate({}, { labels }), ...spec });

const rule = 'spec.podFailurePolicy.rules[0]';
const success = 'spec.successPolicy.rules[0]';
const container = 'spec.template.spec.containers[0]';
const many = <T>(count: number, of: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => of(at));

const numbers: JobCase[] = [
  taken('nothing but a template', aJob()),
  taken(
    'every number zero',
    aJob({ parallelism: 0, completions: 0, activeDeadlineSeconds: 0, backoffLimit: 0, ttlSecondsAfterFinished: 0 }),
  ),
  taken('a work queue', aJob({ parallelism: 3 })),
  refused('negative parallelism', aJob({ parallelism: -1 }), 'spec.parallelism'),
  refused('negative completions', aJob({ completions: -1 }), 'spec.completions'),
  refused('negative activeDeadlineSeconds', aJob({ activeDeadlineSeconds: -1 }), 'spec.activeDeadlineSeconds'),
  refused('negative backoffLimit', aJob({ backoffLimit: -1 }), 'spec.backoffLimit'),
  refused('negative ttlSecondsAfterFinished', aJob({ ttlSecondsAfterFinished: -1 }), 'spec.ttlSecondsAfterFinished'),
  refused('negative backoffLimitPerIndex', anIndexedJob({ backoffLimitPerIndex: -1 }), 'spec.backoffLimitPerIndex'),
  refused('negative maxFailedIndexes', anIndexedJob({ backoffLimitPerIndex: 1, maxFailedIndexes: -1 }), 'spec.maxFailedIndexes'),
  refused('two faults at once', aJob({ parallelism: -1, backoffLimit: -1 }), 'spec.backoffLimit', 'spec.parallelism'),
];

const modes: JobCase[] = [
  taken('Indexed', anIndexedJob()),
  taken('Indexed without parallelism', aJob({ completionMode: 'Indexed', completions: 3 })),
  taken('Indexed with no completions to reach', anIndexedJob({ completions: 0 })),
  taken('Indexed at the limit of parallelism', anIndexedJob({ completions: 100_000, parallelism: 100_000 })),
  refused('an unknown completion mode', aJob({ completionMode: 'Sorted' }), 'spec.completionMode'),
  refused('Indexed without completions', aJob({ completionMode: 'Indexed', parallelism: 1 }), 'spec.completions'),
  refused('Indexed beyond the limit of parallelism', anIndexedJob({ parallelism: 100_001 }), 'spec.parallelism'),
  refused(
    'a hostname that would be too long',
    { ...anIndexedJob({ completions: 11 }), metadata: { name: 'x'.repeat(61), namespace: 'default' } },
    'metadata.name',
  ),
  taken('a hostname that just fits', { ...anIndexedJob({ completions: 10 }), metadata: { name: 'x'.repeat(61), namespace: 'default' } }),
  refused('a dot in the name of an Indexed Job', { ...anIndexedJob(), metadata: { name: 'a.b', namespace: 'default' } }, 'metadata.name'),
  taken('a dot in the name of another Job', aJob({}, {}, { name: 'a.b-job' })),
];

const perIndex: JobCase[] = [
  taken('backoff per index', anIndexedJob({ backoffLimitPerIndex: 1 })),
  taken('backoff per index and a limit of failed indexes', anIndexedJob({ backoffLimitPerIndex: 0, maxFailedIndexes: 5 })),
  refused('backoff per index without indexes', aJob({ backoffLimitPerIndex: 1 }), 'spec.backoffLimitPerIndex'),
  refused('failed indexes without indexes', aJob({ maxFailedIndexes: 1 }), 'spec.backoffLimitPerIndex', 'spec.maxFailedIndexes'),
  refused('failed indexes without a backoff per index', anIndexedJob({ maxFailedIndexes: 1 }), 'spec.backoffLimitPerIndex'),
  refused('more failed indexes than there are', anIndexedJob({ backoffLimitPerIndex: 1, maxFailedIndexes: 6 }), 'spec.maxFailedIndexes'),
  refused(
    'too many failed indexes',
    anIndexedJob({ completions: 200_000, backoffLimitPerIndex: 1, maxFailedIndexes: 100_001 }),
    'spec.maxFailedIndexes',
  ),
  taken(
    'many completions within the limits',
    anIndexedJob({ completions: 100_001, parallelism: 10_000, backoffLimitPerIndex: 1, maxFailedIndexes: 10_000 }),
  ),
  refused(
    'many completions without a limit of failed ones',
    anIndexedJob({ completions: 100_001, backoffLimitPerIndex: 1 }),
    'spec.maxFailedIndexes',
  ),
  refused(
    'many completions and too much of both',
    anIndexedJob({ completions: 100_001, parallelism: 10_001, backoffLimitPerIndex: 1, maxFailedIndexes: 10_001 }),
    'spec.maxFailedIndexes',
    'spec.parallelism',
  ),
  taken('many completions without a backoff per index', anIndexedJob({ completions: 100_001, parallelism: 100_000 })),
];

const failurePolicies: JobCase[] = [
  taken('exit codes', withRules(onCodes([1, 5, 137]))),
  taken('0 among the codes that do not count', withRules(onCodes([0, 1], 'NotIn'))),
  taken('a container by name', withRules(onCodes([1], 'In', 'main'))),
  taken(
    'an init container by name',
    aJob({ podFailurePolicy: { rules: [onCodes([1], 'In', 'first')] } }, { initContainers: [{ name: 'first', image: 'busybox' }] }),
  ),
  taken('conditions, whose status is True by default', withRules({ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] })),
  taken('no rule at all', withRules()),
  taken('twenty rules', withRules(...many(20, (at) => onCodes([at + 1])))),
  taken('255 codes', withRules(onCodes(many(255, (at) => at + 1)))),
  refused('256 codes', withRules(onCodes(many(256, (at) => at + 1))), `${rule}.onExitCodes.values`),
  refused('21 rules', withRules(...many(21, (at) => onCodes([at + 1]))), 'spec.podFailurePolicy.rules'),
  refused('no codes', withRules(onCodes([])), `${rule}.onExitCodes.values`),
  refused('code 0 with In', withRules(onCodes([0, 1])), `${rule}.onExitCodes.values[0]`),
  refused('a code twice', withRules(onCodes([1, 1])), `${rule}.onExitCodes.values[1]`),
  refused('codes out of order', withRules(onCodes([2, 1])), `${rule}.onExitCodes.values`),
  refused(
    'codes out of order, one of them twice',
    withRules(onCodes([2, 1, 2])),
    `${rule}.onExitCodes.values`,
    `${rule}.onExitCodes.values[2]`,
  ),
  refused('an unknown operator', withRules(onCodes([1], 'Near')), `${rule}.onExitCodes.operator`),
  refused('no operator', withRules(onCodes([1], '')), `${rule}.onExitCodes.operator`),
  refused('a container that is not there', withRules(onCodes([1], 'In', 'other')), `${rule}.onExitCodes.containerName`),
  refused('an unknown action', withRules({ ...onCodes([1]), action: 'Retry' }), `${rule}.action`),
  refused('no action', withRules({ ...onCodes([1]), action: '' }), `${rule}.action`),
  refused('FailIndex without a backoff per index', withRules({ ...onCodes([1]), action: 'FailIndex' }), `${rule}.action`),
  taken(
    'FailIndex with one',
    anIndexedJob({ backoffLimitPerIndex: 1, podFailurePolicy: { rules: [{ ...onCodes([1]), action: 'FailIndex' }] } }),
  ),
  refused('a rule about nothing', withRules({ action: 'Ignore' }), rule),
  refused('a rule about both', withRules({ ...onCodes([1]), onPodConditions: [{ type: 'Ready' }] }), rule),
  refused(
    'an unknown status of a condition',
    withRules({ action: 'Ignore', onPodConditions: [{ type: 'Ready', status: 'Maybe' }] }),
    `${rule}.onPodConditions[0].status`,
  ),
  refused('no type of a condition', withRules({ action: 'Ignore', onPodConditions: [{ type: '' }] }), `${rule}.onPodConditions[0].type`),
  refused(
    'a bad type of a condition',
    withRules({ action: 'Ignore', onPodConditions: [{ type: 'a b' }] }),
    `${rule}.onPodConditions[0].type`,
  ),
  refused(
    '21 conditions',
    withRules({ action: 'Ignore', onPodConditions: many(21, (at) => ({ type: `C${at}` })) }),
    `${rule}.onPodConditions`,
  ),
  refused(
    'with restart policy OnFailure',
    aJob({ podFailurePolicy: { rules: [onCodes([1])] } }, { restartPolicy: 'OnFailure' }),
    'spec.template.spec.restartPolicy',
  ),
  refused(
    'with replacement of terminating pods',
    aJob({ podFailurePolicy: { rules: [onCodes([1])] }, podReplacementPolicy: 'TerminatingOrFailed' }),
    'spec.podReplacementPolicy',
  ),
  taken('with replacement of failed pods', aJob({ podFailurePolicy: { rules: [onCodes([1])] }, podReplacementPolicy: 'Failed' })),
  refused('an unknown replacement policy', aJob({ podReplacementPolicy: 'Never' }), 'spec.podReplacementPolicy'),
];

const successPolicies: JobCase[] = [
  taken('success by indexes', withSuccess({ succeededIndexes: '0,2-4' })),
  taken('success by count', withSuccess({ succeededCount: 5 })),
  taken('success by both', withSuccess({ succeededIndexes: '1-3', succeededCount: 3 })),
  taken('success by no index', withSuccess({ succeededIndexes: '' })),
  refused('success policy without indexes', aJob({ successPolicy: { rules: [{ succeededCount: 1 }] } }), 'spec.successPolicy'),
  refused('no success rule', withSuccess(), 'spec.successPolicy.rules'),
  refused('21 success rules', withSuccess(...many(21, () => ({ succeededCount: 1 }))), 'spec.successPolicy.rules'),
  refused('an empty success rule', withSuccess({}), success),
  refused('a negative count', withSuccess({ succeededCount: -1 }), `${success}.succeededCount`),
  refused('a count beyond the completions', withSuccess({ succeededCount: 6 }), `${success}.succeededCount`),
  refused('a count beyond the indexes', withSuccess({ succeededIndexes: '0-1', succeededCount: 3 }), `${success}.succeededCount`),
  refused('an index beyond the completions', withSuccess({ succeededIndexes: '5' }), `${success}.succeededIndexes`),
  refused('a range beyond the completions', withSuccess({ succeededIndexes: '3-5' }), `${success}.succeededIndexes`),
  refused('indexes out of order', withSuccess({ succeededIndexes: '3,1' }), `${success}.succeededIndexes`),
  refused('an index twice', withSuccess({ succeededIndexes: '1,1' }), `${success}.succeededIndexes`),
  refused('a range of one', withSuccess({ succeededIndexes: '1-1' }), `${success}.succeededIndexes`),
  refused('indexes that are no numbers', withSuccess({ succeededIndexes: 'a' }), `${success}.succeededIndexes`),
  refused('a range with three ends', withSuccess({ succeededIndexes: '0-1-2' }), `${success}.succeededIndexes`),
  refused(
    'unreadable indexes with a count',
    withSuccess({ succeededIndexes: 'x', succeededCount: 1 }),
    `${success}.succeededCount`,
    `${success}.succeededIndexes`,
  ),
  refused('too long a text of indexes', withSuccess({ succeededIndexes: `${'0'.repeat(65_536)}1` }), `${success}.succeededIndexes`),
];

const managers: JobCase[] = [
  taken('managed by another controller', aJob({ managedBy: 'example.com/controller' })),
  taken('managed by the reserved name', aJob({ managedBy: 'kubernetes.io/job-controller' })),
  refused('managed by a name without a domain', aJob({ managedBy: 'controller' }), 'spec.managedBy'),
  refused('managed by an empty name', aJob({ managedBy: '' }), 'spec.managedBy'),
  refused('managed by a bad domain', aJob({ managedBy: 'Example.com/x' }), 'spec.managedBy'),
  refused('managed by a bad path', aJob({ managedBy: 'example.com/a b' }), 'spec.managedBy'),
  refused('managed by nothing behind a domain', aJob({ managedBy: 'example.com/' }), 'spec.managedBy'),
  refused('managed by too long a name', aJob({ managedBy: `example.com/${'x'.repeat(52)}` }), 'spec.managedBy'),
  taken('managed by a name that just fits', aJob({ managedBy: `example.com/${'x'.repeat(51)}` })),
];

const selectors: JobCase[] = [
  taken('a selector of its own', manual({ selector: { matchLabels: { app: 'x' } } })),
  refused('no selector though it is to be manual', manual({}), 'spec.selector', 'spec.template.metadata.labels'),
  refused('a manual selector that misses its pods', manual({ selector: { matchLabels: { app: 'y' } } }), 'spec.template.metadata.labels'),
  taken('a manual selector by expression', manual({ selector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] } })),
  refused(
    'a selector with an unknown operator',
    manual({ selector: { matchExpressions: [{ key: 'app', operator: 'Near' }] } }),
    'spec.selector.matchExpressions[0].operator',
  ),
  refused(
    'a selector In nothing',
    manual({ selector: { matchExpressions: [{ key: 'app', operator: 'In' }] } }),
    'spec.selector.matchExpressions[0].values',
  ),
  refused(
    'a selector Exists with a value',
    manual({ selector: { matchExpressions: [{ key: 'app', operator: 'Exists', values: ['x'] }] } }),
    'spec.selector.matchExpressions[0].values',
  ),
  refused(
    'a selector with a bad value',
    manual({ selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['a b'] }] } }),
    'spec.selector.matchExpressions[0].values[0]',
  ),
  refused('a selector with a bad key', manual({ selector: { matchLabels: { 'a b': 'x' } } }), 'spec.selector.matchLabels'),
  taken('an empty manual selector', manual({ selector: {} })),
  refused(
    'a selector given where one is made',
    aJob({ selector: { matchLabels: { app: 'x' } } }),
    'spec.selector',
    'spec.template.metadata.labels',
  ),
  taken(
    'a selector beside the one that is made, for a label there',
    aJob({ selector: { matchExpressions: [{ key: 'nowhere', operator: 'DoesNotExist' }] } }),
  ),
  refused(
    'a wrong job-name label',
    aJob({ template: aTemplate({}, { labels: { 'job-name': 'other' } }) }),
    'spec.template.metadata.labels[job-name]',
  ),
  refused(
    'a wrong controller-uid label',
    aJob({ template: aTemplate({}, { labels: { 'batch.kubernetes.io/controller-uid': 'other' } }) }),
    'spec.template.metadata.labels',
    'spec.template.metadata.labels[batch.kubernetes.io/controller-uid]',
  ),
];

const metadata: JobCase[] = [
  refused('a capital in the name', aJob({}, {}, { name: 'Upper' }), 'metadata.name'),
  refused('an underscore in the name', aJob({}, {}, { name: 'a_b' }), 'metadata.name'),
  refused('too long a name for a label', aJob({}, {}, { name: 'x'.repeat(64) }), 'spec.template.labels'),
  refused('a label with a bad value', aJob({}, {}, { name: 'bad-label', labels: { app: 'a b' } }), 'metadata.labels'),
  refused('a label with a bad key', aJob({}, {}, { name: 'bad-key', labels: { '-a': 'x' } }), 'metadata.labels'),
  refused('a label with too many slashes', aJob({}, {}, { name: 'slashes', labels: { 'a/b/c': 'x' } }), 'metadata.labels'),
  refused('an annotation with a bad key', aJob({}, {}, { name: 'bad-note', annotations: { 'a b': 'x' } }), 'metadata.annotations'),
  taken('an annotation with capitals', aJob({}, {}, { name: 'loud-note', annotations: { 'Example.com/Note': 'any text at all' } })),
  refused(
    'too large annotations',
    aJob({}, {}, { name: 'large-note', annotations: { note: 'x'.repeat(262_144) } }),
    'metadata.annotations',
  ),
  taken(
    'owners of fields that the server cannot read, and makes anew',
    aJob({}, {}, { name: 'owned', managedFields: [{ manager: 'x', operation: 'Sideways', fieldsType: 'V0' }] }),
  ),
  refused('a finalizer without a domain', aJob({}, {}, { name: 'loose-end', finalizers: ['mine'] }), 'metadata.finalizers[0]'),
  taken('a finalizer with one', aJob({}, {}, { name: 'tidy-end', finalizers: ['example.com/mine', 'foregroundDeletion'] })),
  refused(
    'two finalizers that exclude each other',
    aJob({}, {}, { name: 'both-ends', finalizers: ['orphan', 'foregroundDeletion'] }),
    'metadata.finalizers',
  ),
  refused(
    'an owner without a name',
    aJob({}, {}, { name: 'owned-1', ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: '', uid: 'u' }] }),
    'metadata.ownerReferences.name',
  ),
  refused(
    'two controllers',
    aJob(
      {},
      {},
      {
        name: 'owned-2',
        ownerReferences: ['a', 'b'].map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid: name, controller: true })),
      },
    ),
    'metadata.ownerReferences',
  ),
];

const templates: JobCase[] = [
  taken('restart policy OnFailure', aJob({}, { restartPolicy: 'OnFailure' })),
  refused('restart policy Always', aJob({}, { restartPolicy: 'Always' }), 'spec.template.spec.restartPolicy'),
  refused('an unknown restart policy', aJob({}, { restartPolicy: 'Sometimes' }), 'spec.template.spec.restartPolicy'),
  refused(
    'no restart policy',
    aJob({ template: { spec: { containers: [{ name: 'main', image: 'busybox' }] } } }),
    'spec.template.spec.restartPolicy',
  ),
  refused('no containers', aJob({}, { containers: [] }), 'spec.template.spec.containers'),
  refused('a container without a name', withContainer({ name: '' }), `${container}.name`),
  refused('a container with a bad name', withContainer({ name: 'Main' }), `${container}.name`),
  refused('a container without an image', withContainer({ image: '' }), `${container}.image`),
  taken('an image with a blank before it', withContainer({ image: ' busybox' })),
  refused(
    'two containers of one name',
    aJob({}, { containers: [0, 1].map(() => ({ name: 'main', image: 'busybox' })) }),
    'spec.template.spec.containers[1].name',
  ),
  refused(
    'an init container of the same name',
    aJob({}, { initContainers: [{ name: 'main', image: 'busybox' }] }),
    'spec.template.spec.initContainers[0].name',
  ),
  refused('an unknown pull policy', withContainer({ imagePullPolicy: 'Often' }), `${container}.imagePullPolicy`),
  refused(
    'a request above its limit',
    withContainer({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }),
    `${container}.resources.requests`,
  ),
  taken(
    'a request below its limit',
    withContainer({ resources: { requests: { cpu: '100m', memory: '1Gi' }, limits: { cpu: 1, memory: '1024Mi' } } }),
  ),
  refused('a negative request', withContainer({ resources: { requests: { cpu: '-1' } } }), `${container}.resources.requests[cpu]`),
  refused('an unknown resource', withContainer({ resources: { requests: { luck: '1' } } }), `${container}.resources.requests[luck]`),
  refused(
    'half a device',
    withContainer({ resources: { limits: { 'example.com/device': '500m' } } }),
    `${container}.resources.limits[example.com/device]`,
  ),
  refused(
    'a device requested without a limit',
    withContainer({ resources: { requests: { 'example.com/device': '1' } } }),
    `${container}.resources.limits`,
  ),
  refused('an empty name of a variable', withContainer({ env: [{ name: '' }] }), `${container}.env[0].name`),
  refused('a bad name of a variable', withContainer({ env: [{ name: 'a=b' }] }), `${container}.env[0].name`),
  refused(
    'a variable with a value and a source',
    withContainer({ env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
    `${container}.env[0].valueFrom`,
  ),
  refused(
    'a variable from an unknown field',
    withContainer({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.colour' } } }] }),
    `${container}.env[0].valueFrom.fieldRef.fieldPath`,
  ),
  refused('a port without a number', withContainer({ ports: [{ name: 'http' }] }), `${container}.ports[0].containerPort`),
  refused('a port that is none', withContainer({ ports: [{ containerPort: 70_000 }] }), `${container}.ports[0].containerPort`),
  refused('an unknown protocol', withContainer({ ports: [{ containerPort: 80, protocol: 'HTTP' }] }), `${container}.ports[0].protocol`),
  refused(
    'a mount of nothing',
    withContainer({ volumeMounts: [{ name: 'data', mountPath: '/data' }] }),
    `${container}.volumeMounts[0].name`,
  ),
  taken(
    'a volume without a source',
    aJob(
      {},
      {
        volumes: [{ name: 'data' }],
        containers: [{ name: 'main', image: 'busybox', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      },
    ),
  ),
  refused('two volumes of one name', aJob({}, { volumes: [{ name: 'data' }, { name: 'data' }] }), 'spec.template.spec.volumes[1].name'),
  refused(
    'a volume of two kinds',
    aJob({}, { volumes: [{ name: 'data', emptyDir: {}, secret: { secretName: 's' } }] }),
    'spec.template.spec.volumes[0].secret',
  ),
  refused(
    'a bad label in the template',
    aJob({ template: aTemplate({}, { labels: { app: 'a b' } }) }),
    'metadata.labels',
    'spec.template.labels',
  ),
  refused('a bad toleration', aJob({}, { tolerations: [{ key: 'a', operator: 'Near' }] }), 'spec.template.spec.tolerations[0].operator'),
  refused('a negative active deadline of the pod', aJob({}, { activeDeadlineSeconds: -1 }), 'spec.template.spec.activeDeadlineSeconds'),
  refused('a bad node selector', aJob({}, { nodeSelector: { zone: 'a b' } }), 'spec.template.spec.nodeSelector'),
  refused('a bad service account', aJob({}, { serviceAccountName: 'No_' }), 'spec.template.spec.serviceAccountName'),
  refused('a bad hostname', aJob({}, { hostname: 'a.b' }), 'spec.template.spec.hostname'),
  refused('a gate twice', aJob({}, { schedulingGates: [{ name: 'a/b' }, { name: 'a/b' }] }), 'spec.template.spec.schedulingGates[1]'),
];

export const jobCreations: JobCase[] = [
  ...numbers,
  ...modes,
  ...perIndex,
  ...failurePolicies,
  ...successPolicies,
  ...managers,
  ...selectors,
  ...metadata,
  ...templates,
];
