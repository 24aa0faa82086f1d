// The API server's rules for a Job's status. Most rules are asked only when the part of the status that they speak of changes,
// so that a status which a change of the spec has made wrong can still be mended.
import { isSameValue } from '../equality.ts';
import type { FieldError } from '../../objects/field-error.ts';
import { checkIndexes, firstCommonIndex } from '../../objects/values/index-text.ts';
import type { Job, JobStatus } from '../../objects/kubernetes.ts';
import { validateObjectMetaUpdate } from '../metadata/object-metadata-validation.ts';
import {
  duplicateValue,
  fieldIsImmutable,
  invalid,
  invalidValue,
  requiredValue,
  uniqueRefusals,
  unlessNonNegative,
} from '../../objects/refusals.ts';

const conditionTypes = ['Complete', 'Failed', 'FailureTarget', 'SuccessCriteriaMet'] as const;
type ConditionType = (typeof conditionTypes)[number];

/** A status with the questions that the rules ask of it. */
interface StatusFacts {
  readonly status: JobStatus;
  readonly isTrue: Readonly<Record<ConditionType, boolean>>;
  readonly isFinished: boolean;
}

/** The refusals of a change of a Job's status; of `next`, its spec is not read. */
export function validateJobStatusUpdate(next: Job, previous: Job): FieldError[] {
  const job: Job = { ...next, spec: previous.spec };
  const [now, before] = [factsOf(job), factsOf(previous)];
  const changes = changesBetween(now, before);
  return uniqueRefusals([
    ...validateObjectMetaUpdate(next.metadata, previous.metadata),
    ...validateCounters(now.status),
    ...validateUncounted(now.status),
    ...validateConditions(now, before, changes, job),
    ...validateTimes(now, before, changes, job),
    ...validateFinished(now, changes),
    ...validateIndexTexts(job, now.status, changes),
    ...validateDirection(now, before, job),
  ]);
}

function factsOf({ status = {} }: Job): StatusFacts {
  const isTrueNow = (type: ConditionType): boolean => hasCondition(status, type, 'True');
  const isTrue = {
    Complete: isTrueNow('Complete'),
    Failed: isTrueNow('Failed'),
    FailureTarget: isTrueNow('FailureTarget'),
    SuccessCriteriaMet: isTrueNow('SuccessCriteriaMet'),
  };
  return { status, isTrue, isFinished: isTrue.Complete || isTrue.Failed };
}

/** Whether any condition of the type has this status: the API server does not stop at the first one. */
const hasCondition = ({ conditions = [] }: JobStatus, type: string, status: string): boolean =>
  conditions.some((condition) => condition.type === type && condition.status === status);

/** Which parts of the status differ. */
function changesBetween(now: StatusFacts, before: StatusFacts) {
  const hasTurned = (type: ConditionType): boolean => now.isTrue[type] !== before.isTrue[type];
  const [a, b] = [now.status, before.status];
  return {
    finished: now.isFinished !== before.isFinished,
    complete: hasTurned('Complete'),
    failed: hasTurned('Failed'),
    failureTarget: hasTurned('FailureTarget'),
    successCriteriaMet: hasTurned('SuccessCriteriaMet'),
    completedIndexes: (a.completedIndexes ?? '') !== (b.completedIndexes ?? ''),
    failedIndexes: a.failedIndexes !== b.failedIndexes,
    active: (a.active ?? 0) !== (b.active ?? 0),
    ready: a.ready !== b.ready,
    terminating: a.terminating !== b.terminating,
    startTime: !isSameTime(a.startTime, b.startTime),
    completionTime: !isSameTime(a.completionTime, b.completionTime),
    uncounted: !isSameUncounted(a.uncountedTerminatedPods, b.uncountedTerminatedPods),
  };
}
type Changes = ReturnType<typeof changesBetween>;

const isSameTime = (a: string | undefined, b: string | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && Date.parse(a) === Date.parse(b));

/** None at all differs from two empty lists. */
const isSameUncounted = (a: JobStatus['uncountedTerminatedPods'], b: JobStatus['uncountedTerminatedPods']): boolean =>
  (a === undefined) === (b === undefined) && isSameValue(a, b);

function validateCounters(status: JobStatus): FieldError[] {
  const fields = ['active', 'succeeded', 'failed', 'ready', 'terminating'] as const;
  return fields.flatMap((field) => unlessNonNegative(`status.${field}`, status[field]));
}

function validateUncounted({ uncountedTerminatedPods }: JobStatus): FieldError[] {
  const seen = new Set<string>();
  const refusals: FieldError[] = [];
  for (const list of ['succeeded', 'failed'] as const) {
    for (const [at, uid] of (uncountedTerminatedPods?.[list] ?? []).entries()) {
      const field = `status.uncountedTerminatedPods.${list}[${at}]`;
      if (uid === '') refusals.push(invalidValue(field, uid, 'must not be empty'));
      else if (seen.has(uid)) refusals.push(duplicateValue(field, uid));
      seen.add(uid);
    }
  }
  return refusals;
}

function validateConditions({ isTrue }: StatusFacts, before: StatusFacts, changes: Changes, { spec }: Job): FieldError[] {
  const refusals: FieldError[] = [];
  const refuse = (isWrong: boolean, detail: string): void => {
    if (isWrong) refusals.push(invalid('status.conditions', detail));
  };
  const { Complete, Failed, FailureTarget, SuccessCriteriaMet } = isTrue;
  refuse((changes.complete || changes.failed) && Complete && Failed, 'cannot set Complete=True and Failed=true conditions');
  refuse(
    (changes.complete || changes.failureTarget) && Complete && FailureTarget,
    'cannot set Complete=True and FailureTarget=true conditions',
  );
  refuse(
    (changes.failed || changes.failedIndexes) && Failed && !FailureTarget,
    'cannot set Failed=True condition without the FailureTarget=true condition',
  );
  refuse(
    (changes.complete || changes.successCriteriaMet) && Complete && !SuccessCriteriaMet,
    'cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
  );
  refuse(SuccessCriteriaMet && Failed, 'cannot set SuccessCriteriaMet=True and Failed=true conditions');
  refuse(SuccessCriteriaMet && FailureTarget, 'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions');
  refuse(
    spec.successPolicy !== undefined && Complete && !SuccessCriteriaMet,
    'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True',
  );
  for (const type of ['Failed', 'Complete', 'FailureTarget'] as const) {
    refuse(before.isTrue[type] && !isTrue[type], `cannot disable the terminal ${type}=True condition`);
  }
  refuse(before.isTrue.SuccessCriteriaMet && !SuccessCriteriaMet, 'cannot disable the SuccessCriteriaMet=True condition');
  refuse(
    before.isTrue.Complete && !before.isTrue.SuccessCriteriaMet && SuccessCriteriaMet,
    'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions',
  );
  return refusals;
}

function validateTimes({ status, isTrue, isFinished }: StatusFacts, before: StatusFacts, changes: Changes, { spec }: Job): FieldError[] {
  const refusals: FieldError[] = [];
  const { startTime, completionTime } = status;
  const completionField = 'status.completionTime';
  if (changes.complete || changes.completionTime) {
    if (completionTime !== undefined && !isTrue.Complete) {
      refusals.push(invalidValue(completionField, completionTime, 'cannot set completionTime when there is no Complete=True condition'));
    }
    if (completionTime === undefined && isTrue.Complete) {
      refusals.push(requiredValue(completionField, 'completionTime is required for Complete jobs'));
    }
  }
  if ((changes.startTime || changes.completionTime) && startTime !== undefined && completionTime !== undefined) {
    if (Date.parse(completionTime) < Date.parse(startTime)) {
      refusals.push(invalidValue(completionField, completionTime, 'must be equal to or after `startTime`'));
    }
  }
  if (completionTime !== undefined && before.status.completionTime !== undefined && changes.completionTime) {
    refusals.push(invalidValue(completionField, completionTime, fieldIsImmutable));
  }
  // A Job without completions may end before it ever started.
  const mayEndUnstarted = spec.suspend === true && spec.completions === 0;
  if ((changes.finished || changes.startTime) && !mayEndUnstarted && startTime === undefined && isFinished) {
    refusals.push(requiredValue('status.startTime', 'startTime is required for finished job'));
  }
  const isResuming = hasCondition(before.status, 'Suspended', 'True') && hasCondition(status, 'Suspended', 'False');
  if (changes.startTime && before.status.startTime !== undefined && spec.suspend !== true && !isResuming) {
    refusals.push(invalidValue('status.startTime', startTime, 'field is immutable for unsuspended job once set'));
  }
  return refusals;
}

function validateFinished({ status, isFinished }: StatusFacts, changes: Changes): FieldError[] {
  const refusals: FieldError[] = [];
  const { active = 0, ready, terminating, uncountedTerminatedPods } = status;
  const changed = (part: boolean): boolean => isFinished && (changes.finished || part);
  if (changed(changes.active) && active > 0) refusals.push(invalidValue('status.active', active, 'active>0 is invalid for finished job'));
  if (changed(changes.terminating) && terminating !== undefined && terminating > 0) {
    refusals.push(invalidValue('status.terminating', terminating, 'terminating>0 is invalid for finished job'));
  }
  const uncounted = [...(uncountedTerminatedPods?.failed ?? []), ...(uncountedTerminatedPods?.succeeded ?? [])];
  if (changed(changes.uncounted) && uncounted.length > 0) {
    refusals.push(invalidValue('status.uncountedTerminatedPods', uncountedTerminatedPods, 'must be empty for finished job'));
  }
  if ((changes.ready || changes.active) && ready !== undefined && ready > active) {
    refusals.push(invalidValue('status.ready', ready, 'cannot set more ready pods than active'));
  }
  return refusals;
}

function validateIndexTexts({ spec }: Job, { completedIndexes = '', failedIndexes }: JobStatus, changes: Changes): FieldError[] {
  const refusals: FieldError[] = [];
  const { completions, backoffLimitPerIndex, completionMode } = spec;
  const refuseUnreadable = (field: 'completedIndexes' | 'failedIndexes', text: string): void => {
    if (completions === undefined) return;
    const checked = checkIndexes(text, completions);
    if ('problem' in checked) refusals.push(invalidValue(`status.${field}`, text, `error parsing ${field}: ${checked.problem}`));
  };
  if (changes.completedIndexes) {
    refuseUnreadable('completedIndexes', completedIndexes);
    if (completedIndexes !== '' && completionMode !== 'Indexed') {
      const detail = 'cannot set non-empty completedIndexes when non-indexed completion mode';
      refusals.push(invalidValue('status.completedIndexes', completedIndexes, detail));
    }
  }
  if (failedIndexes === undefined) return refusals;
  if (changes.failedIndexes) {
    if (backoffLimitPerIndex !== undefined) refuseUnreadable('failedIndexes', failedIndexes);
    else {
      const detail = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null';
      refusals.push(invalidValue('status.failedIndexes', failedIndexes, detail));
    }
  }
  if (completions !== undefined && (changes.failedIndexes || changes.completedIndexes)) {
    const shared = firstCommonIndex(completedIndexes, failedIndexes, completions);
    if (shared !== undefined) {
      refusals.push(invalidValue('status.failedIndexes', failedIndexes, `failedIndexes and completedIndexes overlap at index: ${shared}`));
    }
  }
  return refusals;
}

/** Counters only grow; an elastic Job's successes may fall with its completions. */
function validateDirection({ status }: StatusFacts, before: StatusFacts, { spec }: Job): FieldError[] {
  const refusals: FieldError[] = [];
  const isElastic = spec.completionMode === 'Indexed' && spec.completions === spec.parallelism;
  const [failed, succeeded] = [status.failed ?? 0, status.succeeded ?? 0];
  if (failed < (before.status.failed ?? 0)) refusals.push(invalidValue('status.failed', failed, 'cannot decrease the failed counter'));
  if (!isElastic && succeeded < (before.status.succeeded ?? 0)) {
    refusals.push(invalidValue('status.succeeded', succeeded, 'cannot decrease the succeeded counter'));
  }
  return refusals;
}
