// Which features of a Job a case shows, so that a run can say how often each was compared.
import { controls, INDEX, isTrue } from './sides.mjs';

const jobOf = ({ objects }) => objects.find(({ kind }) => kind === 'Job');
const podsOf = (testCase) => testCase.objects.filter((object) => object.kind === 'Pod' && controls(jobOf(testCase), object));
const headOf = ({ objects }) => objects.find(({ kind }) => kind === 'Head');
const isIndexed = (testCase) => jobOf(testCase).spec.completionMode === 'Indexed';
const isActive = ({ metadata, status }) => !metadata.deletionTimestamp && status.phase !== 'Succeeded' && status.phase !== 'Failed';
const isTerminating = ({ metadata, status }) => metadata.deletionTimestamp && status.phase !== 'Succeeded' && status.phase !== 'Failed';
const indexOf = ({ metadata }) => metadata.annotations?.[INDEX];
const isGood = (index) => /^[0-9]+$/.test(index ?? '');
const hasRule = (action) => (testCase) =>
  jobOf(testCase).spec.podFailurePolicy?.rules.some((rule) => rule.action === action) &&
  podsOf(testCase).some(({ status }) => status.phase === 'Failed');
const hasReason =
  (reason) =>
  (_, { status }) =>
    (status.conditions ?? []).some((condition) => condition.reason === reason);

function hasDouble(testCase) {
  const indexes = podsOf(testCase).filter(isActive).map(indexOf).filter(isGood);
  return isIndexed(testCase) && new Set(indexes).size < indexes.length;
}

/** Name of a feature → whether a case and upstream's answer show it. */
export const FEATURES = {
  'starts pods, NonIndexed': (testCase, { creates }) => !isIndexed(testCase) && creates.length > 0,
  'starts pods, Indexed': (testCase, { creates }) => isIndexed(testCase) && creates.length > 0,
  'work queue': (testCase) => jobOf(testCase).spec.completions === undefined,
  'removes pods while the Job goes on': (_, { deletes, status }) =>
    deletes.length > 0 && !isTrue(status, 'FailureTarget', 'SuccessCriteriaMet'),
  completes: (_, { status }) => isTrue(status, 'Complete'),
  fails: (_, { status }) => isTrue(status, 'Failed'),
  'interim condition alone': (_, { status }) =>
    isTrue(status, 'FailureTarget', 'SuccessCriteriaMet') && !isTrue(status, 'Complete', 'Failed'),
  'waits for a backoff or a deadline': (_, { requeueAfterSeconds }) => requeueAfterSeconds !== null,
  'replaces failed pods alone, one terminates': (testCase) =>
    jobOf(testCase).spec.podReplacementPolicy === 'Failed' && podsOf(testCase).some(isTerminating),
  'replaces terminating pods': (testCase) => jobOf(testCase).spec.podReplacementPolicy !== 'Failed' && podsOf(testCase).some(isTerminating),
  'backoff limit passed': hasReason('BackoffLimitExceeded'),
  OnFailure: (testCase) => jobOf(testCase).spec.template.spec.restartPolicy === 'OnFailure' && podsOf(testCase).length > 0,
  'deadline passed': hasReason('DeadlineExceeded'),
  suspended: (testCase) => jobOf(testCase).spec.suspend === true,
  resumed: (_, { events }) => events.some(({ reason }) => reason === 'Resumed'),
  'an index held twice': hasDouble,
  'a pod without a usable index': (testCase) => isIndexed(testCase) && podsOf(testCase).some((pod) => !isGood(indexOf(pod))),
  'an index out of range': (testCase) =>
    isIndexed(testCase) && podsOf(testCase).some((pod) => isGood(indexOf(pod)) && Number(indexOf(pod)) >= jobOf(testCase).spec.completions),
  'uncounted uids in the status': (testCase) => Object.keys(jobOf(testCase).status.uncountedTerminatedPods ?? {}).length > 0,
  'outcomes not yet seen': (testCase) => Object.values(headOf(testCase)?.expectations ?? {}).flat().length > 0,
  'stored backoff': (testCase) => headOf(testCase)?.backoff !== undefined,
  'failures per index': (testCase) =>
    jobOf(testCase).spec.backoffLimitPerIndex !== undefined && podsOf(testCase).some(({ status }) => status.phase === 'Failed'),
  'failed indexes end the Job': (testCase, answer) =>
    hasReason('FailedIndexes')(testCase, answer) || hasReason('MaxFailedIndexesExceeded')(testCase, answer),
  'failure policy: FailJob': hasRule('FailJob'),
  'failure policy: FailIndex': hasRule('FailIndex'),
  'failure policy: Ignore': hasRule('Ignore'),
  'failure policy: Count': hasRule('Count'),
  'success policy': (testCase) => jobOf(testCase).spec.successPolicy !== undefined,
  'success policy met': hasReason('SuccessPolicy'),
  'finished before': (testCase) => isTrue(jobOf(testCase).status, 'Complete', 'Failed'),
  'the Job is being deleted': (testCase) => jobOf(testCase).metadata.deletionTimestamp !== undefined,
  'adopts a pod': (_, { adopts }) => adopts.length > 0,
  'releases a pod': (_, { releases }) => releases.length > 0,
  'another manager': (testCase) => Boolean(jobOf(testCase).spec.managedBy?.startsWith('example.com/')),
};
