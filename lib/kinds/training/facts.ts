// The facts of a training job for relay, ingest, loop and onboarding: one row for each kind, made of its names.
import { secondsOf } from '../../objects/values/unix-seconds.ts';
import { isActive, isReady, type PodFacts } from '../../objects/pods/pod-facts.ts';
import type { Resource } from '../../objects/resources.ts';
import { fieldsOf, isFields } from '../../objects/values/untyped-fields.ts';
import type { KindFacts, Urgency } from '../rows/kind.ts';
import { defineFacts } from '../rows/define-facts.ts';
import { trainingActions } from './acting.ts';
import { childrenOf } from './children.ts';
import { isOver } from './status/conditions.ts';
import type { FrameworkNames } from './names/framework-names.ts';
import { PRIORITY_CLASSES } from './objects/gang.ts';
import type { TrainingJob } from './terms/job-types.ts';
import { ownerFields, trainingFactsOf, trainingFaultOf } from './owner-facts.ts';
import { PODS_COUNTED } from './metrics.ts';
import { TRAINING_OPTIONS } from './options.ts';
import { GANG_SCHEDULER, MULTI_KUEUE, TRAINING_JOBS } from './names/settings.ts';
import { indexIn, JOB_ROLE, MOST_INDEXES, nameInSlot, numberOfSlot, REPLICA_TYPE } from './names/slots.ts';
import { baseLabels } from './names/slots.ts';

export const resourceOf = ({ kind, plural }: Pick<FrameworkNames, 'kind' | 'plural'>): Resource => ({
  apiVersion: 'kubeflow.org/v1',
  kind,
  plural,
  namespaced: true,
});

const REPEATED = ['Pod', 'Service'].flatMap((what) =>
  ['SuccessfulCreate', 'FailedCreate', 'SuccessfulDelete', 'FailedDelete'].map((verb) => `${verb}${what}`),
);

export const trainingFacts = (names: FrameworkNames): KindFacts =>
  defineFacts<TrainingJob>({
    resource: resourceOf(names),
    fields: ownerFields(names),
    component: names.controller,
    repeatedReasons: new Set(REPEATED),
    factsOf: (job) => trainingFactsOf(names, job),
    faultOf: (told) => trainingFaultOf(names, told),
    options: TRAINING_OPTIONS,
    settings: [{ word: TRAINING_JOBS, takes: 'all training jobs of kubeflow.org' }],
    isManaged: (job, manages) => manages.includes(TRAINING_JOBS) && (names.isOfBase === true || managerOf(job) !== MULTI_KUEUE),
    managerOf,
    hasStarted: ({ status }) => status?.startTime !== undefined,
    runsSince: ({ status }) => secondsOf(status?.startTime),
    isFinished: ({ status }) => isOver(status?.conditions),
    actions: trainingActions(names),
    expectedChildren: (job) => totalIn(names, job),
    labels: (name) => baseLabels(names, name),
    urgencyOfOwner: ({ metadata, status }) =>
      metadata.deletionTimestamp !== undefined || status?.conditions === undefined || (metadata.generation ?? 1) > 1 ? 'now' : 'soon',
    pods: {
      asks: ['node', 'podReason', 'containerWords', 'unmetCondition', 'slotFailures', 'jobFailures'],
      adopts: true,
      plannerTellsOfTakenNames: true,
      refusedAlone: true,
      counted: PODS_COUNTED,
      slotOf: (pod) => slotIn(names, pod),
      replicaOf: ({ labels }) => replicaIn(names, labels),
      successOutlivesPod: true,
      nameOf: (job, { slot }) => nameIn(names, job, slot),
      urgencyOf: urgencyOfPod,
    },
    children: childrenOf(names, resourceOf(names)),
    furtherRights: [
      // Completed replicas whose pod is gone stand in an annotation of the job.
      { resource: resourceOf(names), verbs: ['patch'] },
      ...(names.rightsToGrant ?? []),
      { resource: PRIORITY_CLASSES, verbs: ['get'], isUsed: ({ options }) => options?.[GANG_SCHEDULER] !== undefined },
    ],
  });

const managerOf = ({ spec }: TrainingJob): string | undefined => {
  const managedBy = fieldsOf(spec.runPolicy)['managedBy'];
  return typeof managedBy === 'string' ? managedBy : undefined;
};

/**
 * Whether a job runs hangs on a master, or on the first of a type. Of the others a start changes only counts, and the hosts of a launcher.
 */
function urgencyOfPod(pod: PodFacts): Urgency {
  const isFirst = pod.labels[JOB_ROLE] !== undefined || indexIn(pod.labels) === 0;
  const isUnderWay = isActive(pod) && pod.containers.every(({ restarts }) => restarts === 0);
  return isUnderWay && !(isFirst && isReady(pod)) ? 'debounced' : 'soon';
}

function totalIn({ replicasField }: FrameworkNames, { spec }: TrainingJob): number {
  const counts = Object.values(fieldsOf(spec[replicasField])).map((replicas) => fieldsOf(replicas)['replicas'] ?? 1);
  return counts.reduce((sum: number, count) => sum + (typeof count === 'number' && count > 0 ? Math.min(count, MOST_INDEXES) : 0), 0);
}

/** The types in the order of their roles: those of the API, then others by name. */
function typesIn({ types, replicasField }: FrameworkNames, { spec }: TrainingJob): readonly string[] {
  const specs = spec[replicasField];
  if (!isFields(specs)) return types;
  return [
    ...types,
    ...Object.keys(specs)
      .filter((type) => !types.includes(type))
      .toSorted(),
  ];
}

function slotIn({ types, leader }: FrameworkNames, { labels }: Pick<PodFacts, 'labels'>): number | undefined {
  const role = types.findIndex((type) => type.toLowerCase() === labels[REPLICA_TYPE]);
  const index = indexIn(labels) ?? (leader && types[role] === leader.type ? 0 : undefined);
  return role < 0 || index === undefined || index < 0 || index >= MOST_INDEXES ? undefined : numberOfSlot(role, index);
}

function replicaIn({ leader }: FrameworkNames, labels: PodFacts['labels']): string | undefined {
  const type = labels[REPLICA_TYPE];
  const index = indexIn(labels) ?? (leader && type === leader.type.toLowerCase() ? 0 : undefined);
  return type === undefined || index === undefined ? undefined : `${type}-${index}`;
}

function nameIn(names: FrameworkNames, job: TrainingJob, slot: number): string {
  const { name = '' } = job.metadata;
  const type = typesIn(names, job)[Math.floor(slot / MOST_INDEXES)] ?? '';
  return nameInSlot(names, name, { type, index: slot % MOST_INDEXES });
}
