// The facts of a Job for relay, ingest, loop and onboarding.
import { jobActions } from './acting.ts';
import { secondsOf } from '../../objects/values/unix-seconds.ts';
import { jobFactsFault } from './owner-facts-check.ts';
import { isJobFinished, JOB_FIELDS, jobFactsOf } from './terms/owner-facts.ts';
import {
  controllerUidLabel,
  jobNameLabel,
  labelledJobName,
  labelledJobUid,
  legacyControllerUidLabel,
  legacyJobNameLabel,
} from '../../objects/job-labels.ts';
import { POD_GROUPS, SCHEDULING_WORKLOADS, WORKLOAD_WITH_JOB } from '../../objects/job-scheduling.ts';
import type { Job, ObjectMeta } from '../../objects/kubernetes.ts';
import { LabelSelectorError, matcherOf, selectorTextOf, type LabelMatcher } from '../../objects/label-selector.ts';
import { isBuiltInOff, isOurs } from './terms/managed-by.ts';
import { controllerOf, isActive, isFinished, isTracked, labelsFor, type PodFacts } from '../../objects/pods/pod-facts.ts';
import { JOBS } from '../../objects/resources.ts';
import { ownEntry } from '../../objects/values/untyped-fields.ts';
import type { WorkloadKey } from '../../objects/workload.ts';
import { defineFacts } from '../rows/define-facts.ts';
import type { Membership, Urgency } from '../rows/kind.ts';
import { podNameOf } from './pods/names.ts';
import { JOB_SETTINGS } from './settings.ts';
import { terminatedPods } from './counting/terminated-pods.ts';

export const jobFacts = defineFacts<Job>({
  resource: JOBS,
  fields: JOB_FIELDS,
  repeatedReasons: new Set(['SuccessfulCreate', 'SuccessfulDelete', 'FailedCreate', 'FailedDelete']),
  refusedReasons: { create: 'FailedCreate', delete: 'FailedDelete' },
  factsOf: jobFactsOf,
  faultOf: jobFactsFault,
  settings: JOB_SETTINGS,
  isManaged: ({ spec }, manages) => isOurs(spec, manages),
  isAlone: isBuiltInOff,
  managerOf: ({ spec }) => spec.managedBy,
  hasStarted: ({ status }) => status?.startTime !== undefined,
  runsSince: ({ status }) => secondsOf(status?.startTime),
  isFinished: isJobFinished,
  actions: jobActions,
  expectedChildren: ({ spec }) => Math.max(spec.completions ?? 0, spec.parallelism ?? 0),
  urgencyOfOwner,
  pods: {
    haveTrackingFinalizer: true,
    namesHoldNumbers: true,
    membershipOf,
    // If the Job is gone. The pods also have the label with the prefix, except those made before Kubernetes 1.27.
    selection: (key, owner) => ({ labelSelector: readableSelector(owner) ?? `${legacyControllerUidLabel}=${key.uid}` }),
    strayedSelection,
    concerns: (key, { controller }) => controller === undefined || controller.uid === key.uid,
    isCountedIn,
    ownSelector,
    nameOf: (owner, { slot, number }) => podNameOf(owner, slot, number),
    urgencyOf: urgencyOfPod,
    counted: [terminatedPods],
  },
  options: [
    {
      name: WORKLOAD_WITH_JOB,
      describes: 'alpha: make each new Job known to the scheduler as a group of pods (Workload and PodGroup)',
      needs: () => [SCHEDULING_WORKLOADS, POD_GROUPS],
      feature: 'WorkloadWithJob',
    },
  ],
  // Alpha: passes make a Workload and a PodGroup, so that the scheduler treats a Job's pods as a group.
  furtherRights: [SCHEDULING_WORKLOADS, POD_GROUPS].map((resource) => ({
    resource,
    verbs: ['get', 'list', 'create', 'patch'],
    isUsed: ({ options }) => options?.[WORKLOAD_WITH_JOB] !== undefined,
  })),
  externalCountOf: ({ controllerName, count }) => ({
    metric: 'job_controller_jobs_by_external_controller_total',
    value: count,
    labels: { controller_name: controllerName },
  }),
});

/** Without a start time the Job is new. A generation above 1 was edited, now or earlier: at worst that costs one look too many. */
function urgencyOfOwner({ metadata, status }: Job): Urgency {
  const isNew = metadata.deletionTimestamp !== undefined || status?.startTime === undefined || (metadata.generation ?? 1) > 1;
  return isNew ? 'now' : 'soon';
}

/** A pod that starts or runs changes only the count of ready pods. One that has ended without the finalizer is counted already. */
function urgencyOfPod(pod: PodFacts): Urgency {
  const isUnderWay = pod.tracked ? isActive(pod) && pod.containers.every(({ restarts }) => restarts === 0) : isFinished(pod);
  return isUnderWay ? 'debounced' : 'soon';
}

/** The Job that a pod belongs to: its controller; if it has none, the Job that its labels name. */
function membershipOf(metadata: ObjectMeta): Membership | undefined {
  const { namespace = '', labels = {} } = metadata;
  const controller = controllerOf(metadata.ownerReferences);
  if (controller?.kind === 'Job' && controller.apiVersion.startsWith('batch/'))
    return { kind: 'Job', namespace, name: controller.name, uid: controller.uid, by: 'controller' };
  // Another controller's pod, unless our finalizer is on it: nobody but us would ever remove that.
  if (controller && !isTracked(metadata)) return undefined;
  const [uid, name] = [labelledJobUid(labels), labelledJobName(labels)];
  return uid === undefined || name === undefined ? undefined : { kind: 'Job', namespace, name, uid, by: 'labels' };
}

/** The uid label in a generated selector → the name label that goes with it. */
const NAME_LABELS: Record<string, string> = { [controllerUidLabel]: jobNameLabel, [legacyControllerUidLabel]: legacyJobNameLabel };

/**
 * By the name label, which the API server sets together with the uid label. With a selector that a person chose, the label may be missing.
 */
function strayedSelection({ name }: WorkloadKey, owner: Job | undefined): { labelSelector: string } | undefined {
  const { matchLabels = {}, matchExpressions = [] } = owner?.spec.selector ?? {};
  const [[label, uid] = ['', ''], ...others] = Object.entries(matchLabels);
  const nameLabel = ownEntry(NAME_LABELS, label);
  if (!nameLabel || others.length > 0) return undefined;
  // If the selector also has expressions, it may miss a pod whose uid label is still right.
  return { labelSelector: matchExpressions.length > 0 ? `${nameLabel}=${name}` : `${nameLabel}=${name},${label}!=${uid}` };
}

/** The Job's own selector as a text. Undefined if it has none, or an invalid one, for which its planner parks it. */
function readableSelector(owner: Job | undefined): string | undefined {
  try {
    return selectorTextOf(owner?.spec.selector);
  } catch (error) {
    if (error instanceof LabelSelectorError) return undefined;
    throw error;
  }
}

function isCountedIn({ metadata: { uid }, spec: { selector } }: Job): (pod: PodFacts) => boolean {
  const matches = readableMatcher(selector) ?? (() => false);
  const labelsIn = labelsFor(selector);
  return (pod) => (pod.controller ? pod.controller.uid === uid : labelledJobUid(pod.labels) === uid || matches(labelsIn(pod)));
}

/** An invalid selector chooses nothing; the planner says so. */
function ownSelector({ spec }: Job): LabelMatcher | undefined {
  return spec.manualSelector === true ? readableMatcher(spec.selector) : undefined;
}

function readableMatcher(selector: Job['spec']['selector']): LabelMatcher | undefined {
  try {
    return matcherOf(selector);
  } catch (error) {
    if (error instanceof LabelSelectorError) return undefined;
    throw error;
  }
}
