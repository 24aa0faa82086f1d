// Jobs that the server must not take, each for its own reason.
import { describe, expect, test } from '@jest/globals';
import { aJob, causeFields, freshNamespace, jobs } from './objects.ts';
import type { Fields, Suite } from './objects.ts';

interface Refusal {
  name: string;
  spec?: Fields;
  template?: Fields;
  jobName?: string;
  /** `causes[].field`, sorted. */
  fields: string[];
}

const indexed: Fields = { completionMode: 'Indexed', completions: 3 };
const ignore = (rule: Fields): Fields => ({ podFailurePolicy: { rules: [{ action: 'Ignore', ...rule }] } });
const exitCodes = (values: number[], operator = 'In', more: Fields = {}): Fields => ({ onExitCodes: { operator, values, ...more } });

const refusals: Refusal[] = [
  { name: 'negative parallelism', spec: { parallelism: -1 }, fields: ['spec.parallelism'] },
  { name: 'negative completions', spec: { completions: -1 }, fields: ['spec.completions'] },
  { name: 'negative backoffLimit', spec: { backoffLimit: -1 }, fields: ['spec.backoffLimit'] },
  { name: 'negative activeDeadlineSeconds', spec: { activeDeadlineSeconds: -1 }, fields: ['spec.activeDeadlineSeconds'] },
  { name: 'negative ttlSecondsAfterFinished', spec: { ttlSecondsAfterFinished: -1 }, fields: ['spec.ttlSecondsAfterFinished'] },
  {
    name: 'two faults at once',
    spec: { parallelism: -1, backoffLimit: -1 },
    fields: ['spec.backoffLimit', 'spec.parallelism'],
  },
  { name: 'an unknown completion mode', spec: { completionMode: 'Sorted' }, fields: ['spec.completionMode'] },
  { name: 'Indexed without completions', spec: { completionMode: 'Indexed', parallelism: 1 }, fields: ['spec.completions'] },
  { name: 'Indexed with a parallelism beyond 100000', spec: { ...indexed, parallelism: 100001 }, fields: ['spec.parallelism'] },
  {
    name: 'Indexed whose last pod would have too long a hostname',
    spec: { ...indexed, completions: 100 },
    jobName: 'x'.repeat(61),
    fields: ['metadata.name'],
  },
  {
    name: 'a restart policy of Always',
    template: { spec: { restartPolicy: 'Always', containers: [{ name: 'main', image: 'x' }] } },
    fields: ['spec.template.spec.restartPolicy'],
  },
  {
    name: 'no restart policy',
    template: { spec: { containers: [{ name: 'main', image: 'x' }] } },
    fields: ['spec.template.spec.restartPolicy'],
  },
  { name: 'no containers', template: { spec: { restartPolicy: 'Never', containers: [] } }, fields: ['spec.template.spec.containers'] },
  {
    name: 'a container without an image',
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main' }] } },
    fields: ['spec.template.spec.containers[0].image'],
  },
  { name: 'an unusable managedBy', spec: { managedBy: 'no-domain' }, fields: ['spec.managedBy'] },
  { name: 'a managedBy that is too long', spec: { managedBy: `farloop.dev/${'x'.repeat(60)}` }, fields: ['spec.managedBy'] },
  { name: 'backoffLimitPerIndex without Indexed', spec: { backoffLimitPerIndex: 1 }, fields: ['spec.backoffLimitPerIndex'] },
  { name: 'negative backoffLimitPerIndex', spec: { ...indexed, backoffLimitPerIndex: -1 }, fields: ['spec.backoffLimitPerIndex'] },
  {
    name: 'maxFailedIndexes without backoffLimitPerIndex',
    spec: { ...indexed, maxFailedIndexes: 1 },
    fields: ['spec.backoffLimitPerIndex'],
  },
  {
    name: 'maxFailedIndexes above completions',
    spec: { ...indexed, backoffLimitPerIndex: 1, maxFailedIndexes: 4 },
    fields: ['spec.maxFailedIndexes'],
  },
  { name: 'an unknown podReplacementPolicy', spec: { podReplacementPolicy: 'Never' }, fields: ['spec.podReplacementPolicy'] },
  {
    name: 'a podFailurePolicy that replaces terminating pods',
    spec: { ...ignore(exitCodes([1])), podReplacementPolicy: 'TerminatingOrFailed' },
    fields: ['spec.podReplacementPolicy'],
  },
  {
    name: 'a podFailurePolicy with OnFailure',
    spec: ignore(exitCodes([1])),
    template: { spec: { restartPolicy: 'OnFailure', containers: [{ name: 'main', image: 'x' }] } },
    fields: ['spec.template.spec.restartPolicy'],
  },
  { name: 'a rule that says neither', spec: ignore({}), fields: ['spec.podFailurePolicy.rules[0]'] },
  {
    name: 'a rule that says both',
    spec: ignore({ ...exitCodes([1]), onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }),
    fields: ['spec.podFailurePolicy.rules[0]'],
  },
  {
    name: 'a rule of an unknown action',
    spec: { podFailurePolicy: { rules: [{ action: 'Hope', ...exitCodes([1]) }] } },
    fields: ['spec.podFailurePolicy.rules[0].action'],
  },
  { name: 'no exit codes', spec: ignore(exitCodes([])), fields: ['spec.podFailurePolicy.rules[0].onExitCodes.values'] },
  { name: 'exit code 0 with In', spec: ignore(exitCodes([0])), fields: ['spec.podFailurePolicy.rules[0].onExitCodes.values[0]'] },
  { name: 'exit codes out of order', spec: ignore(exitCodes([2, 1])), fields: ['spec.podFailurePolicy.rules[0].onExitCodes.values'] },
  { name: 'an exit code twice', spec: ignore(exitCodes([1, 1])), fields: ['spec.podFailurePolicy.rules[0].onExitCodes.values[1]'] },
  { name: 'an unknown operator', spec: ignore(exitCodes([1], 'About')), fields: ['spec.podFailurePolicy.rules[0].onExitCodes.operator'] },
  {
    name: 'an exit code of an unknown container',
    spec: ignore(exitCodes([1], 'In', { containerName: 'nobody' })),
    fields: ['spec.podFailurePolicy.rules[0].onExitCodes.containerName'],
  },
  {
    name: 'FailIndex without backoffLimitPerIndex',
    spec: { ...indexed, podFailurePolicy: { rules: [{ action: 'FailIndex', ...exitCodes([1]) }] } },
    fields: ['spec.podFailurePolicy.rules[0].action'],
  },
  { name: 'a success policy without Indexed', spec: { successPolicy: { rules: [{ succeededCount: 1 }] } }, fields: ['spec.successPolicy'] },
  { name: 'a success policy without rules', spec: { ...indexed, successPolicy: { rules: [] } }, fields: ['spec.successPolicy.rules'] },
  {
    name: 'a success rule that says nothing',
    spec: { ...indexed, successPolicy: { rules: [{}] } },
    fields: ['spec.successPolicy.rules[0]'],
  },
  {
    name: 'succeededIndexes beyond the completions',
    spec: { ...indexed, successPolicy: { rules: [{ succeededIndexes: '0-9' }] } },
    fields: ['spec.successPolicy.rules[0].succeededIndexes'],
  },
  {
    name: 'succeededCount beyond the completions',
    spec: { ...indexed, successPolicy: { rules: [{ succeededCount: 9 }] } },
    fields: ['spec.successPolicy.rules[0].succeededCount'],
  },
  {
    name: 'a selector of its own without manualSelector',
    spec: { selector: { matchLabels: { k: 'v' } } },
    fields: ['spec.selector', 'spec.template.metadata.labels'],
  },
  {
    name: 'a manual selector that misses its template',
    spec: { manualSelector: true, selector: { matchLabels: { k: 'v' } } },
    fields: ['spec.template.metadata.labels'],
  },
  { name: 'a manual selector that is none', spec: { manualSelector: true }, fields: ['spec.selector', 'spec.template.metadata.labels'] },
  { name: 'an unusable name', jobName: 'Not_A_Name', fields: ['metadata.name'] },
];

export function jobValidationContract({ api }: Suite): void {
  describe('jobs that are refused', () => {
    test.each(refusals)('$name', async ({ spec = {}, template = {}, jobName = 'a', fields }) => {
      const namespace = await freshNamespace(api());
      const { status, body } = await api().post(jobs(namespace), aJob(jobName, spec, template));
      expect({ status, fields: causeFields(body) }).toEqual({ status: 422, fields });
      expect(body).toMatchObject({ kind: 'Status', reason: 'Invalid', details: { group: 'batch', kind: 'Job', name: jobName } });
    });
  });
}
