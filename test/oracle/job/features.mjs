// Which features of a Job a case shows, so that a run can say how often each was compared.
import { controls, FINALIZER, INDEX, isTrue } from './sides.mjs';

const FAILURES = 'batch.kubernetes.io/job-index-failure-count';

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
const failedPods = (testCase) => podsOf(testCase).filter(({ status }) => status.phase === 'Failed');
const ruleOf = (testCase, test) => Boolean(jobOf(testCase).spec.podFailurePolicy?.rules.some(test));
const successRule = (testCase, test) => Boolean(jobOf(testCase).spec.successPolicy?.rules.some(test));
const failsAt =
  (text) =>
  (_, { status }) =>
    (status.conditions ?? []).some(({ reason, message }) => reason === 'PodFailurePolicy' && message.startsWith(text));
const pastCompletions = (testCase) => {
  const { spec, status } = jobOf(testCase);
  return (
    isIndexed(testCase) && (status.completedIndexes ?? '').split(/[-,]/).some((text) => text !== '' && Number(text) >= spec.completions)
  );
};
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
  'nothing to do': (_, { creates, deletes, strips, statusUpdates }) =>
    creates.length + deletes.length + strips.length + statusUpdates === 0,
  'parallelism 0': (testCase) => jobOf(testCase).spec.parallelism === 0,
  'more successes than completions': (_, { events }) => events.some(({ reason }) => reason === 'TooManySucceededPods'),
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
  'deadline ahead': (testCase, { requeueAfterSeconds }) =>
    jobOf(testCase).spec.activeDeadlineSeconds !== undefined && requeueAfterSeconds !== null,
  suspended: (testCase) => jobOf(testCase).spec.suspend === true,
  resumed: (_, { events }) => events.some(({ reason }) => reason === 'Resumed'),
  'an index held twice': hasDouble,
  'a pod without a usable index': (testCase) => isIndexed(testCase) && podsOf(testCase).some((pod) => !isGood(indexOf(pod))),
  'an index out of range': (testCase) =>
    isIndexed(testCase) && podsOf(testCase).some((pod) => isGood(indexOf(pod)) && Number(indexOf(pod)) >= jobOf(testCase).spec.completions),
  'completed indexes past the completions, after a scale-down': pastCompletions,
  'an index variable of their own': (testCase, { creates }) =>
    isIndexed(testCase) &&
    creates.length > 0 &&
    jobOf(testCase).spec.template.spec.containers.some(({ env }) => env?.some(({ name }) => name === 'JOB_COMPLETION_INDEX')),
  'a name that must be cut': (testCase, { creates }) => creates.length > 0 && jobOf(testCase).metadata.name.length >= 50,
  'uncounted uids in the status': (testCase) => Object.keys(jobOf(testCase).status.uncountedTerminatedPods ?? {}).length > 0,
  'outcomes not yet seen': (testCase) => Object.values(headOf(testCase)?.expectations ?? {}).flat().length > 0,
  'finalizers that were asked to come off': (testCase) => (headOf(testCase)?.expectations?.strip ?? []).length > 0,
  'stored backoff': (testCase) => headOf(testCase)?.backoff !== undefined,
  'failures per index': (testCase) =>
    jobOf(testCase).spec.backoffLimitPerIndex !== undefined && podsOf(testCase).some(({ status }) => status.phase === 'Failed'),
  'an index fails': (testCase, { status }) => (status.failedIndexes ?? '') !== (jobOf(testCase).status.failedIndexes ?? ''),
  'a failed pod kept until its index has another': (testCase, { strips }) =>
    jobOf(testCase).spec.backoffLimitPerIndex !== undefined &&
    failedPods(testCase).some(({ metadata }) => metadata.finalizers?.includes(FINALIZER) && !strips.includes(metadata.name)),
  'failures handed on to the next pod of an index': (_, { creates }) =>
    creates.some(({ pod }) => Number(pod.metadata.annotations?.[FAILURES] ?? 0) > 0),
  'failed indexes end the Job': hasReason('FailedIndexes'),
  'too many failed indexes end the Job': hasReason('MaxFailedIndexesExceeded'),
  'failure policy: FailJob': hasRule('FailJob'),
  'failure policy: FailIndex': hasRule('FailIndex'),
  'failure policy: Ignore': hasRule('Ignore'),
  'failure policy: Count': hasRule('Count'),
  'FailJob by exit code': failsAt('Container '),
  'FailJob by condition': failsAt('Pod '),
  'failure policy: NotIn': (testCase) =>
    ruleOf(testCase, ({ onExitCodes }) => onExitCodes?.operator === 'NotIn') && failedPods(testCase).length > 0,
  'failure policy: one container': (testCase) =>
    ruleOf(testCase, ({ onExitCodes }) => onExitCodes?.containerName) && failedPods(testCase).length > 0,
  'failure policy: an init container failed': (testCase) =>
    ruleOf(testCase, ({ onExitCodes }) => onExitCodes) &&
    failedPods(testCase).some(({ status }) => status.initContainerStatuses?.some(({ state }) => state?.terminated?.exitCode > 0)),
  'failure policy: a terminating pod is not judged': (testCase) =>
    jobOf(testCase).spec.podFailurePolicy !== undefined && podsOf(testCase).some(isTerminating),
  'success policy: indexes': (testCase) => successRule(testCase, (rule) => rule.succeededIndexes && rule.succeededCount === undefined),
  'success policy: count': (testCase) => successRule(testCase, (rule) => !rule.succeededIndexes),
  'success policy: both': (testCase) => successRule(testCase, (rule) => rule.succeededIndexes && rule.succeededCount !== undefined),
  'success policy: second rule met': (_, { status }) =>
    (status.conditions ?? []).some(({ reason, message }) => reason === 'SuccessPolicy' && message.endsWith(' 1')),
  'success policy: not met': (testCase, answer) =>
    jobOf(testCase).spec.successPolicy !== undefined && !hasReason('SuccessPolicy')(testCase, answer),
  'success policy': (testCase) => jobOf(testCase).spec.successPolicy !== undefined,
  'success policy met': hasReason('SuccessPolicy'),
  'finished before': (testCase) => isTrue(jobOf(testCase).status, 'Complete', 'Failed'),
  'the Job is being deleted': (testCase) => jobOf(testCase).metadata.deletionTimestamp !== undefined,
  'adopts a pod': (_, { adopts }) => adopts.length > 0,
  'releases a pod': (_, { releases }) => releases.length > 0,
  "another owner's pods beside them": ({ objects }) =>
    objects.some(
      (object) => object.kind === 'Pod' && object.metadata.ownerReferences?.some(({ controller, kind }) => controller && kind !== 'Job'),
    ),
  'a False condition put by hand': (testCase) =>
    (jobOf(testCase).status.conditions ?? []).some(({ type, status }) => status === 'False' && type !== 'Suspended'),
  'another manager': (testCase) => Boolean(jobOf(testCase).spec.managedBy?.startsWith('example.com/')),
};
