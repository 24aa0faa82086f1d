// Workloads and pod groups of scheduling.k8s.io/v1beta1, where that feature is switched on (features.ts). The sandbox's node takes every
// pod at once: they are kept and checked, and nothing waits for a gang.
import type { FieldError } from '../../objects/field-error.ts';
import type { PodGroup, PodGroupTemplate, SchedulingWorkload } from '../../objects/job-scheduling.ts';
import { validateGroupConstraints, validateSchedulingPolicy } from '../../admission/job/job-scheduling-validation.ts';
import { isSameValue } from '../../admission/equality.ts';
import { problemsOfDnsSubdomain } from '../../objects/names.ts';
import { duplicateValue, fieldIsImmutable, invalidFor, invalidValue, requiredValue, tooMany } from '../../objects/refusals.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { fieldsAt } from '../objects/api-object.ts';
import type { ResourceRow } from './resource-row.ts';
import { ageColumn, nameColumn, row } from './row.ts';

const templatesLimit = 8;

/** As the schema has checked them. */
const asWorkload = (object: ApiObject): SchedulingWorkload => ({ ...object, spec: { podGroupTemplates: [], ...fieldsAt(object, 'spec') } });
const asPodGroup = (object: ApiObject): PodGroup => ({ ...object, spec: { schedulingPolicy: {}, ...fieldsAt(object, 'spec') } });

function workloadErrors(object: ApiObject): FieldError[] {
  const { podGroupTemplates: templates } = asWorkload(object).spec;
  const field = 'spec.podGroupTemplates';
  if (templates.length === 0) return [requiredValue(field, 'must have at least one item')];
  const errors = templates.length > templatesLimit ? [tooMany(field, { count: templates.length, limit: templatesLimit })] : [];
  const names = new Set<string>();
  for (const [at, template] of templates.entries()) {
    const { name } = template;
    if (name === '') errors.push(requiredValue(`${field}[${at}].name`));
    else errors.push(...invalidFor(`${field}[${at}].name`, name, problemsOfDnsSubdomain(name)));
    if (names.has(name)) errors.push(duplicateValue(`${field}[${at}]`, { name }));
    names.add(name);
    errors.push(...groupErrors(template, `${field}[${at}]`));
  }
  return errors;
}

/** Of stored groups a gang says how many. */
function groupErrors(group: Omit<PodGroupTemplate, 'name'>, field: string): FieldError[] {
  const { gang } = group.schedulingPolicy;
  const missing = gang && gang.minCount === undefined ? [requiredValue(`${field}.schedulingPolicy.gang.minCount`)] : [];
  return [
    ...validateSchedulingPolicy(group.schedulingPolicy, `${field}.schedulingPolicy`),
    ...missing,
    ...validateGroupConstraints(group, field),
  ];
}

const withoutSize = <Group extends Pick<PodGroupTemplate, 'schedulingPolicy'>>(group: Group): Group =>
  group.schedulingPolicy.gang ? { ...group, schedulingPolicy: { gang: { minCount: 1 } } } : group;

/** A gang may change its size; all else stays. */
function workloadChanges(next: ApiObject, previous: ApiObject): FieldError[] {
  const [is, was] = [next, previous].map((object) => asWorkload(object).spec.podGroupTemplates.map(withoutSize));
  return [
    ...workloadErrors(next),
    ...(isSameValue(is, was) ? [] : [invalidValue('spec.podGroupTemplates', next.spec?.['podGroupTemplates'], fieldIsImmutable)]),
  ];
}

function podGroupChanges(next: ApiObject, previous: ApiObject): FieldError[] {
  const [is, was] = [next, previous].map((object) => withoutSize(asPodGroup(object).spec));
  const errors = groupErrors(asPodGroup(next).spec, 'spec');
  return isSameValue(is, was) ? errors : [...errors, invalidValue('spec', next.spec, fieldIsImmutable)];
}

/** The rows; their shapes are there only where the feature is on. */
export const schedulingRows = (): ResourceRow[] => [
  row({
    group: 'scheduling.k8s.io',
    version: 'v1beta1',
    plural: 'workloads',
    kind: 'Workload',
    columns: [nameColumn, ageColumn],
    rules: { validate: workloadErrors, validateUpdate: workloadChanges },
  }),
  row({
    group: 'scheduling.k8s.io',
    version: 'v1beta1',
    plural: 'podgroups',
    kind: 'PodGroup',
    hasStatus: true,
    columns: [nameColumn, ageColumn],
    rules: {
      validate: (object) => groupErrors(asPodGroup(object).spec, 'spec'),
      validateUpdate: podGroupChanges,
    },
  }),
];
