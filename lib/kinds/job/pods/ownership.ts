// Which pods are the Job's: kept, adopted, released or left alone.
import type { Job } from '../../../objects/kubernetes.ts';
import { isActive, labelsFor, TRACKING_FINALIZER, type PodFacts } from '../../../objects/pods/pod-facts.ts';
import { JOBS, PODS } from '../../../objects/resources.ts';
import { referenceTo, targetOf } from '../../rows/belonging.ts';
import type { Action } from '../../rows/plan.ts';
import { PodSet } from '../../rows/pod-set.ts';
import { headcountFold, keeperOf, quickMatcherOf } from '../tally/headcount.ts';

export interface Claims {
  /** The Job's pods, including adopted ones in their future state: controlled and tracked. */
  pods: PodSet;
  adopt: readonly PodFacts[];
  release: readonly PodFacts[];
  /** Pods without a controller that are not adopted, yet have the finalizer: nobody else would remove it. */
  orphaned: readonly PodFacts[];
}

/** For a finished Job. All its active pods were deleted before, so a pod that runs was made by a late create: delete it. */
export const isLeftRunning = (job: Job, pod: PodFacts): boolean =>
  isActive(pod) && pod.tracked && pod.controller !== undefined && pod.controller.uid === job.metadata.uid;

/** @throws LabelSelectorError the Job's selector cannot be read */
export function claimPods(job: Job, candidates: PodSet): Claims {
  const { others, misplaced } = candidates.counts(headcountFold(job, candidates));
  // A pod's place is its index, except for pods that nobody should have made.
  const indexed = job.spec.completionMode === 'Indexed';
  const found = indexed && misplaced > 0 ? PodSet.inOrder([...candidates]) : candidates;
  // Nearly always all of them are the Job's already. Then the selector is valid, and nothing needs a copy.
  if (others === 0 && candidates.size > 0) return { pods: found, adopt: [], release: [], orphaned: [] };
  const isKept = keeperOf(job);
  const { uid, namespace, deletionTimestamp } = job.metadata;
  const matches = quickMatcherOf(job.spec.selector);
  const labelsIn = labelsFor(job.spec.selector);
  const deleting = deletionTimestamp !== undefined;
  const pods: PodFacts[] = [];
  const adopt: PodFacts[] = [];
  const release: PodFacts[] = [];
  const orphaned: PodFacts[] = [];
  for (const pod of candidates) {
    if (isKept(pod)) pods.push(pod);
    else if (pod.controller !== undefined) {
      if (pod.controller.uid === uid && !deleting) release.push(pod);
    } else if (!deleting && pod.deletedAt === undefined && pod.namespace === namespace && matches(labelsIn(pod))) adopt.push(pod);
    else if (pod.tracked) orphaned.push(pod);
  }
  // Like upstream, put the Job's own pods first: among equals the first one decides.
  for (const pod of adopt) pods.push({ ...pod, tracked: true });
  return { pods: PodSet.inOrder(pods), adopt, release, orphaned };
}

/** The patches that adopt and release, each on the condition that the pod is still the same. */
export function claimActions(job: Job, { adopt, release }: Claims): Action[] {
  const { uid = '' } = job.metadata;
  const owner = referenceTo(JOBS, job);
  return [
    ...adopt.map((pod) =>
      claimPatch(pod, 'adopt', {
        metadata: { ownerReferences: [owner], finalizers: [TRACKING_FINALIZER] },
        why: 'its labels match the selector and nobody controls it',
      }),
    ),
    ...release.map((pod) =>
      claimPatch(pod, 'release', {
        metadata: { ownerReferences: [{ $patch: 'delete', uid }], '$deleteFromPrimitiveList/finalizers': OFF },
        why: 'its labels no longer match the selector',
      }),
    ),
  ];
}

const claimPatch = (pod: PodFacts, purpose: 'adopt' | 'release', { metadata, why }: { metadata: object; why: string }): PatchAction => ({
  verb: 'patch',
  resource: PODS,
  purpose,
  canBeTakenBack: false,
  ...targetOf(PODS, pod),
  type: 'strategic',
  patch: { metadata: { uid: pod.uid, ...metadata } },
  why,
});

type PatchAction = Extract<Action, { verb: 'patch' }>;

const OFF = [TRACKING_FINALIZER];

/**
 * The patch that takes the tracking finalizer off.
 * @param ifVersion only if the pod is still in the state that was judged. An active pod may have ended meanwhile, and would not be
 *   counted (R8). If a delete of the pod follows, this version is the precondition of both.
 */
export function stripAction(pod: PodFacts, why: string, { ifVersion }: { ifVersion?: string } = {}): PatchAction {
  const { uid } = pod;
  const metadata =
    ifVersion === undefined
      ? { uid, '$deleteFromPrimitiveList/finalizers': OFF }
      : { uid, resourceVersion: ifVersion, '$deleteFromPrimitiveList/finalizers': OFF };
  return {
    verb: 'patch',
    resource: PODS,
    purpose: 'strip',
    canBeTakenBack: true,
    ...targetOf(PODS, pod),
    type: 'strategic',
    patch: { metadata },
    why,
  };
}

/** Removes the finalizer of an orphan, unless the pod has changed since: it may have an owner by now (R8). */
export const stripOrphan = (pod: PodFacts, why: string): Action => ({
  ...stripAction(pod, why, { ifVersion: pod.resourceVersion }),
  purpose: 'letGo',
  canBeTakenBack: false,
});
