// Why a training job stands where it stands.
import * as v from 'valibot';
import { isActive, isAtWork, type PodFacts } from '../../objects/pods/pod-facts.ts';
import { secondsOf, timeOf } from '../../objects/values/unix-seconds.ts';
import { fieldsOf } from '../../objects/values/untyped-fields.ts';
import type { KindShown } from '../rows/kind-shown.ts';
import type { Snapshot } from '../rows/plan.ts';
import { podReasons } from '../rows/pod-states.ts';
import {
  counted,
  LEAVING,
  names,
  obstaclesOf,
  refusedReason,
  seconds,
  span,
  type Circumstances,
  type CommonReason,
  type Reason,
} from '../rows/reasons.ts';
import { stuckAt } from './objects/abnormal-pods.ts';
import { isTrue } from './status/conditions.ts';
import { secondsToDeadline, secondsToDeletion } from './status/deadlines.ts';
import type { FrameworkNames } from './names/framework-names.ts';
import type { JobCondition, TrainingJob } from './terms/job-types.ts';
import { KEPT, type Kept } from './memory/kept.ts';
import { slotSetIn } from './memory/slot-sets.ts';
import { TAKEN } from './memory/reports.ts';
import { otherOperatorIn, otherOperatorText } from './status/other-operator.ts';
import { isReadLive } from '../rows/owner-facts.ts';
import { MULTI_KUEUE, TRAINING_JOBS, trainingSettingsOf } from './names/settings.ts';

/** Its own codes, each with its state. */
export const REASONS = {
  JobSucceeded: undefined,
  JobFailed: undefined,
  JobSuspended: undefined,
  OtherOperatorAtWork: 'Waiting',
  JobInvalid: 'Waiting',
  NamesTaken: 'Waiting',
  WaitsForGroup: 'Waiting',
  ReplicasTerminating: 'Waiting',
  ReplicasRestarting: 'BackingOff',
  ReplicasRunning: 'Running',
  ReplicasStarting: 'Pending',
  NoReplicasYet: 'Pending',
} as const satisfies KindShown['reasons'];
type Code = keyof typeof REASONS | CommonReason;

export const conditionOf = ({ status }: TrainingJob, type: string): JobCondition | undefined =>
  status?.conditions?.find((condition) => condition.type === type && condition.status === 'True');

/** The replicas that its spec asks for. */
export const wantedIn = ({ replicasField }: Pick<FrameworkNames, 'replicasField'>, { spec }: TrainingJob): number =>
  Object.values(fieldsOf(spec[replicasField])).reduce((sum: number, own) => {
    const { replicas = 1 } = fieldsOf(own);
    return sum + (typeof replicas === 'number' && replicas > 0 ? replicas : 0);
  }, 0);

/** All that hold, most important first; never empty. */
export function trainingReasons(
  framework: FrameworkNames,
  snapshot: Snapshot<TrainingJob>,
  now: Date,
  circumstances: Circumstances,
): Reason<Code>[] {
  const { owner, manages } = snapshot;
  const nowMs = now.getTime();
  const end = endOf(snapshot, nowMs);
  if (end) return circumstances.isLeaving ? [...end, LEAVING] : [...end, ...obstaclesOf({ ...circumstances, isDrained: false })];
  const managedBy = owner.spec.runPolicy?.managedBy;
  if (!manages.includes(TRAINING_JOBS) || (!framework.isOfBase && managedBy === MULTI_KUEUE))
    return [{ code: 'ManagedBySomebodyElse', text: `it is managed by ${managedBy ?? 'somebody else'}; Farloop does nothing about it` }];
  const other = otherOperatorIn(owner.metadata, nowMs / 1000);
  if (other) {
    const remainingSeconds = seconds(other.remainingSeconds * 1000);
    const text = `${otherOperatorText(framework.kind, other)}; its latest write was at ${timeOf(other.wroteAt)}`;
    return [...obstaclesOf(circumstances), { code: 'OtherOperatorAtWork', text, remainingSeconds }];
  }
  const kept = keptIn(snapshot);
  const problem = kept.checked?.generation === (owner.metadata.generation ?? 0) ? kept.checked.problem : undefined;
  const hasBegun = owner.status?.startTime !== undefined;
  const { parked: _parked, ...others } = circumstances;
  const obstacles = obstaclesOf({ ...(problem === undefined ? circumstances : others), ...(hasBegun && { isDrained: false }) });
  if (problem !== undefined)
    return [...obstacles, { code: 'JobInvalid', text: `it is invalid, and left alone until its spec changes: ${problem}` }];
  if (isReadLive(owner))
    return [
      ...obstacles,
      { code: 'TooLargeForView', text: 'its spec, labels or status are too large to be kept: each pass reads them live' },
    ];
  const living = livingReasons(framework, snapshot, { kept, nowMs, refusal: circumstances.refusal });
  if (living.length > 0) return [...obstacles, ...living];
  return obstacles.length > 0 ? obstacles : [{ code: 'NoReplicasYet', text: 'none of its replicas has a pod' }];
}

function keptIn({ kept }: Snapshot<TrainingJob>): Kept {
  const read = v.safeParse(KEPT, kept ?? {});
  return read.success ? read.output : {};
}

function endOf({ owner, pods }: Snapshot<TrainingJob>, nowMs: number): Reason<Code>[] | undefined {
  const { conditions } = owner.status ?? {};
  const said = (type: string): string => conditionOf(owner, type)?.message ?? '';
  const end: Reason<Code> | undefined = isTrue(conditions, 'Succeeded')
    ? { code: 'JobSucceeded', text: `it succeeded: ${said('Succeeded')}` }
    : isTrue(conditions, 'Failed')
      ? { code: 'JobFailed', text: `it failed: ${said('Failed')}`, ...failureEvidence(owner, pods) }
      : undefined;
  if (!end) return undefined;
  const runPolicy = owner.spec.runPolicy ?? {};
  const left = secondsToDeletion(runPolicy, owner.status ?? {}, nowMs);
  if (left === undefined) return [end];
  if (typeof left === 'object') return [end, { code: 'Expires', text: left.problem }];
  const remainingSeconds = seconds(left * 1000);
  const text = remainingSeconds === 0 ? 'it is deleted now' : `it is deleted in ${span(remainingSeconds)}`;
  return [end, { code: 'Expires', text: `${text} (ttlSecondsAfterFinished ${runPolicy.ttlSecondsAfterFinished ?? ''})`, remainingSeconds }];
}

/** The failed replica that is still there: its condition names a count alone. Of several, one that says most. */
function failureEvidence({ metadata }: TrainingJob, pods: Iterable<PodFacts>): Partial<Reason<Code>> {
  const failed = [...pods].filter(({ phase, controller }) => phase === 'Failed' && controller?.uid === metadata.uid);
  const last = failed.find(({ containerWords = [], reasons = [] }) => containerWords.length + reasons.length > 0) ?? failed[0];
  if (!last) return {};
  const code = last.containers.find(({ role, exitCode = 0 }) => role !== 'init' && exitCode !== 0)?.exitCode;
  const word = last.reasons?.[0]?.reason ?? last.containerWords?.find(({ state }) => state === 'terminated')?.reason ?? last.podReason;
  return {
    pods: names(failed),
    ...(code !== undefined && { exitCode: code }),
    ...(word !== undefined && word !== '' && { podReason: word }),
  };
}

interface Known {
  kept: Kept;
  nowMs: number;
  /** The API server's words. */
  refusal: string | undefined;
}

function livingReasons(framework: FrameworkNames, snapshot: Snapshot<TrainingJob>, { kept, nowMs, refusal }: Known): Reason<Code>[] {
  const { owner, pods, head } = snapshot;
  const runPolicy = owner.spec.runPolicy ?? {};
  const own = [...pods].filter((pod) => pod.controller?.uid === owner.metadata.uid);
  const terminating = terminatingReasons(
    own.filter(({ deletedAt }) => deletedAt !== undefined),
    nowMs,
  );
  if (owner.metadata.deletionTimestamp !== undefined)
    return [{ code: 'BeingDeleted', text: `the ${framework.kind} itself is being deleted, and all that it owns with it` }, ...terminating];
  if (runPolicy.suspend === true)
    return [{ code: 'JobSuspended', text: 'its runPolicy.suspend is true: it runs when that is false' }, ...terminating];
  const heldMs = Math.max((head.holdUntilMs ?? 0) - nowMs, (head.deleteHoldUntilMs ?? 0) - nowMs);
  const verb = (head.holdUntilMs ?? 0) > nowMs ? 'create' : 'delete';
  const left = secondsToDeadline(runPolicy, owner.status?.startTime, nowMs);
  const hasPods = own.length > 0;
  return [
    ...(heldMs > 0
      ? [refusedReason(`refused to ${verb} a pod`, refusal === undefined ? '; its events say why' : `: ${refusal}`, heldMs)]
      : []),
    ...takenReason(kept),
    ...(hasPods ? [] : groupReason(snapshot, kept)),
    ...restartReason(owner, kept),
    ...replicaReasons(own.filter(isActive), wantedIn(framework, owner)),
    ...terminating,
    ...(left === undefined || secondsOf(owner.status?.startTime) === undefined
      ? []
      : [
          {
            code: 'DeadlineAhead' as const,
            text: `it fails in ${span(seconds(left * 1000))} if it has not ended by then`,
            remainingSeconds: seconds(left * 1000),
          },
        ]),
  ];
}

function takenReason({ told = {} }: Kept): Reason<Code>[] {
  const [pods, services, scalers] = [TAKEN.pods, TAKEN.services, TAKEN.scaler].map((about) => slotSetIn(told[about]).size);
  const what = [
    ...(pods ? [counted(pods, 'pod', 'pods')] : []),
    ...(services ? [counted(services, 'service', 'services')] : []),
    ...(scalers ? ['the autoscaler'] : []),
  ].join(', ');
  if (what === '') return [];
  return [{ code: 'NamesTaken', text: `${what} cannot be made: objects of somebody else have the names, as its events say` }];
}

function groupReason({ options, owner }: Snapshot<TrainingJob>, { checked }: Kept): Reason<Code>[] {
  const { gangScheduler } = trainingSettingsOf(options);
  if (gangScheduler === '' || owner.status?.lastReconcileTime === undefined || owner.status.startTime !== undefined) return [];
  const text =
    checked?.group === undefined
      ? `its pods are made together with their PodGroup, which is not there yet (gang scheduler ${gangScheduler})`
      : `its pods are made when the gang scheduler ${gangScheduler} has taken up its PodGroup`;
  return [{ code: 'WaitsForGroup', text }];
}

function restartReason(owner: TrainingJob, { failed = 0 }: Kept): Reason<Code>[] {
  const said = conditionOf(owner, 'Restarting')?.message;
  if (said === undefined) return [];
  const { backoffLimit } = owner.spec.runPolicy ?? {};
  const limit =
    backoffLimit === undefined ? '' : ` ${counted(failed, 'failure', 'failures')} so far, ${backoffLimit} may be (backoffLimit).`;
  return [{ code: 'ReplicasRestarting', text: `${said}${limit}` }];
}

/** In the words of Jobs' pods, but that those that run or start are counted against the wanted replicas. */
function replicaReasons(active: readonly PodFacts[], wanted: number): Reason<Code>[] {
  const running = active.filter(isAtWork);
  return podReasons({ active }).map((reason): Reason<Code> => {
    if (reason.code === 'PodsRunning') {
      const text = `${running.length} of ${counted(wanted, 'replica', 'replicas')} ${running.length === 1 ? 'runs' : 'run'}`;
      return { ...reason, code: 'ReplicasRunning', text, pods: names(running) };
    }
    if (reason.code !== 'PodsPending') return reason;
    const count = active.filter((pod) => !isAtWork(pod) && (pod.reasons?.length ?? 0) === 0).length;
    return { ...reason, code: 'ReplicasStarting', text: `${counted(count, 'replica has', 'replicas have')} yet to start` };
  });
}

function terminatingReasons(terminating: readonly PodFacts[], nowMs: number): Reason<Code>[] {
  const stuck = terminating.filter((pod) => (stuckAt(pod) ?? Number.POSITIVE_INFINITY) * 1000 <= nowMs);
  const others = terminating.filter((pod) => !stuck.includes(pod));
  const [first] = stuck;
  return [
    ...(first
      ? [
          {
            code: 'NodeLost' as const,
            text: `${counted(stuck.length, 'pod was', 'pods were')} due to end minutes ago, the first on node ${first.node ?? 'unknown'}: each holds its slot until it is gone`,
            pods: names(stuck),
          },
        ]
      : []),
    ...(others.length > 0
      ? [
          {
            code: 'ReplicasTerminating' as const,
            text: `${counted(others.length, 'pod terminates and holds its slot', 'pods terminate and hold their slots')} until ${others.length === 1 ? 'it is' : 'they are'} gone`,
            pods: names(others),
          },
        ]
      : []),
  ];
}
