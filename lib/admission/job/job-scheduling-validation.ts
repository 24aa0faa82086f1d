// The API server's rules for `spec.scheduling` of a Job (alpha): its shape, and what of it may change.
import { isSameValue } from '../equality.ts';
import type { FieldError } from '../../objects/field-error.ts';
import type { GroupConstraints, JobScheduling, SchedulingPolicy } from '../../objects/scheduling-policy.ts';
import type { JobSpec } from '../../objects/kubernetes.ts';
import { problemsOfDnsLabel, problemsOfQualifiedName } from '../../objects/names.ts';
import { duplicateValue, fieldIsImmutable, invalid, invalidFor, invalidValue, requiredValue, tooMany } from '../../objects/refusals.ts';

const topologyLimit = 1;
const claimsLimit = 4;

/** The refusals of `spec.scheduling`. */
export function validateJobScheduling({ scheduling, parallelism = 1 }: JobSpec): FieldError[] {
  if (scheduling === undefined) return [];
  const field = 'spec.scheduling';
  const { schedulingPolicy } = scheduling;
  const minCount = schedulingPolicy?.gang?.minCount;
  const refusals = schedulingPolicy === undefined ? [] : validateSchedulingPolicy(schedulingPolicy, `${field}.schedulingPolicy`);
  if (minCount !== undefined && minCount > parallelism) {
    const detail = `must be less than or equal to parallelism (${parallelism})`;
    refusals.push(invalidValue(`${field}.schedulingPolicy.gang.minCount`, minCount, detail));
  }
  return [...refusals, ...validateGroupConstraints(scheduling, field)];
}

/** A gang may change its size; all else stays. */
export function validateJobSchedulingUpdate(next: JobSpec, previous: JobSpec): FieldError[] {
  if (isSameValue(withoutSize(next.scheduling), withoutSize(previous.scheduling))) return [];
  return [invalidValue('spec.scheduling', next.scheduling, fieldIsImmutable)];
}

function withoutSize(scheduling: JobScheduling | undefined): JobScheduling | undefined {
  if (scheduling?.schedulingPolicy?.gang === undefined) return scheduling;
  return { ...scheduling, schedulingPolicy: { gang: { minCount: 1 } } };
}

/** Exactly one way of scheduling. @param field its path */
export function validateSchedulingPolicy({ basic, gang }: SchedulingPolicy, field: string): FieldError[] {
  const refusals = exactlyOne({ basic, gang }, field);
  const minCount = gang?.minCount;
  if (minCount !== undefined && minCount < 1) {
    refusals.push(invalidValue(`${field}.gang.minCount`, minCount, 'must be greater than or equal to 1'));
  }
  return refusals;
}

/** @param field path of what holds them */
export function validateGroupConstraints(
  { schedulingConstraints, disruptionMode, resourceClaims = [] }: GroupConstraints,
  field: string,
): FieldError[] {
  const refusals = disruptionMode === undefined ? [] : exactlyOne({ ...disruptionMode }, `${field}.disruptionMode`, ['single', 'all']);
  const topology = schedulingConstraints?.topology ?? [];
  const topologyField = `${field}.schedulingConstraints.topology`;
  if (topology.length > topologyLimit) refusals.push(tooMany(topologyField, { count: topology.length, limit: topologyLimit }));
  for (const [at, { key = '' }] of topology.entries()) {
    const keyField = `${topologyField}[${at}].key`;
    if (key === '') refusals.push(requiredValue(keyField));
    else refusals.push(...invalidFor(keyField, key, problemsOfQualifiedName(key)));
  }
  const claimsField = `${field}.resourceClaims`;
  if (resourceClaims.length > claimsLimit) refusals.push(tooMany(claimsField, { count: resourceClaims.length, limit: claimsLimit }));
  const seen = new Set<string>();
  for (const [at, { name = '', resourceClaimName, resourceClaimTemplateName }] of resourceClaims.entries()) {
    const claim = `${claimsField}[${at}]`;
    if (name === '') refusals.push(requiredValue(`${claim}.name`));
    else refusals.push(...invalidFor(`${claim}.name`, name, problemsOfDnsLabel(name)));
    if (seen.has(name)) refusals.push(duplicateValue(claim, { name }));
    seen.add(name);
    refusals.push(...exactlyOne({ resourceClaimName, resourceClaimTemplateName }, claim));
  }
  return refusals;
}

function exactlyOne(choices: Record<string, unknown>, field: string, names: readonly string[] = Object.keys(choices)): FieldError[] {
  const given = names.filter((name) => choices[name] !== undefined);
  if (given.length === 1) return [];
  return [invalid(field, `exactly one of ${names.map((name) => `\`${name}\``).join(', ')} is required, but ${given.length} are set`)];
}
