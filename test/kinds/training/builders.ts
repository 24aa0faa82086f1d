// Whole training jobs, pods and services for tests of the planner: a case states only what matters.
import type { Framework, Terms } from '../../../lib/kinds/training/terms/framework.ts';
import type { ChildState } from '../../../lib/objects/child-state.ts';
import type { KindOptions } from '../../../lib/objects/kind-options.ts';
import type { KubernetesObject, ObjectMeta, PodTemplate } from '../../../lib/objects/kubernetes.ts';
import { timeOf, type ContainerFacts, type PodFacts } from '../../../lib/objects/pods/pod-facts.ts';
import { EMPTY_HEAD, type Action, type PlanHead, type Snapshot } from '../../../lib/kinds/rows/plan.ts';
import { tensorflow } from '../../../lib/kinds/training/frameworks/tensorflow.ts';
import type {
  JobCondition,
  ReplicaSpec,
  RunPolicy,
  TrainingJob,
  TrainingSpec,
  TrainingStatus,
} from '../../../lib/kinds/training/terms/job-types.ts';
import type { Kept } from '../../../lib/kinds/training/memory/kept.ts';
import { launcherName } from '../../../lib/kinds/training/names/launcher-objects.ts';
import { trainingPlanner } from '../../../lib/kinds/training/engine/planner.ts';
import type { TrainingPlan } from '../../../lib/kinds/training/engine/situation.ts';
import { baseLabels, nameOfSlot, REPLICA_TYPE, slotLabels, TRAINING_JOB } from '../../../lib/kinds/training/names/slots.ts';
import { termsOf } from '../../../lib/kinds/training/terms/terms.ts';

/** The moment of every case, in Unix seconds. */
export const NOW = 1_770_000_000;
export const at = (seconds: number): string => timeOf(NOW + seconds);
export const now = new Date(NOW * 1000);

export const JOB_UID = '6b1f0d4e-0000-4000-8000-00000000a0b1';

export interface JobParts {
  framework?: Framework;
  /** By type: how many, or the whole spec. */
  replicas?: Record<string, number | ReplicaSpec>;
  /** Of every type. */
  policy?: string;
  port?: number;
  runPolicy?: RunPolicy;
  spec?: Partial<TrainingSpec>;
  status?: TrainingStatus;
  metadata?: ObjectMeta;
}

export const templateOf = ({ container, port }: Pick<Framework, 'container' | 'port'>, number?: number): PodTemplate => ({
  spec: {
    containers: [
      {
        name: container,
        image: 'example.com/train:1',
        ...(number !== undefined && { ports: [{ name: port.name, containerPort: number }] }),
      },
    ],
  },
});

/** A TFJob `j` with one worker, unless said otherwise. */
export function aTraining(parts: JobParts = {}): TrainingJob {
  const { framework = tensorflow, replicas = { Worker: 1 }, policy, port, runPolicy = {}, spec = {}, status, metadata = {} } = parts;
  const specs = Object.entries(replicas).map(([type, given]): [string, ReplicaSpec] => [
    type,
    {
      ...(typeof given === 'number' ? { replicas: given } : given),
      template: (typeof given === 'number' ? undefined : given.template) ?? templateOf(framework, port),
      ...(policy !== undefined && { restartPolicy: policy }),
    },
  ]);
  return {
    apiVersion: 'kubeflow.org/v1',
    kind: framework.kind,
    metadata: { name: 'j', namespace: 'default', uid: JOB_UID, resourceVersion: '100', generation: 1, ...metadata },
    spec: { runPolicy, [framework.replicasField]: Object.fromEntries(specs), ...spec },
    ...(status && { status }),
  };
}

/** A condition of the kind, a minute old. */
export const aCondition = (framework: Framework, type: string, status: 'True' | 'False' = 'True'): JobCondition => ({
  type,
  status,
  reason: `${framework.kind}${type}`,
  message: `${framework.kind} j is ${type}.`,
  lastUpdateTime: at(-60),
  lastTransitionTime: at(-60),
});

let made = 0;

/** A pod of the slot: running for ten seconds. */
export function aTrainingPod(
  { framework, name }: Pick<Terms, 'framework' | 'name'>,
  { type, index }: { type: string; index: number },
  facts: Partial<PodFacts> = {},
): PodFacts {
  made += 1;
  const isLauncher = type === 'Launcher';
  return {
    uid: `pod-${made}`,
    name: isLauncher ? launcherName({ name }) : nameOfSlot(name, { type, index }),
    namespace: 'default',
    resourceVersion: String(1000 + made),
    controller: { apiVersion: 'kubeflow.org/v1', kind: framework.kind, name, uid: JOB_UID },
    labels: isLauncher ? { ...baseLabels(framework, name), [REPLICA_TYPE]: 'launcher' } : slotLabels(framework, name, { type, index }),
    tracked: false,
    phase: 'Running',
    createdAt: NOW - 10,
    assigned: true,
    conditions: [],
    containers: [],
    number: 0,
    ...facts,
  };
}

export const ended = (name: string, exitCode: number, restarts = 0): ContainerFacts => ({
  name,
  role: 'container',
  restarts,
  exitCode,
  finishedAt: NOW - 5,
});

const LETTERS: Record<string, Partial<PodFacts>> = {
  P: { phase: 'Pending', assigned: false },
  R: { phase: 'Running' },
  S: { phase: 'Succeeded' },
  F: { phase: 'Failed' },
  T: { phase: 'Running', deletedAt: NOW + 20 },
};

/**
 * Pods from `Worker: R P2 S1(0) F3(137)`, one type a line or after `;`. A letter (P pending, R running, S succeeded, F failed, T running and
 * terminating), the index (absent: the next), in brackets the exit code of the default container.
 */
export function podsOf(job: TrainingJob, framework: Framework, text: string): PodFacts[] {
  const terms = termsOf(framework, job);
  return text
    .split(';')
    .filter((part) => part.trim() !== '')
    .flatMap((part) => {
      const [type = '', words = ''] = part.split(':').map((word) => word.trim());
      let next = 0;
      return words
        .split(/\s+/)
        .filter((word) => word !== '')
        .map((word) => {
          const [, letter = '', index, code] = /^([PRSFT])(-?\d+)?(?:\((\d+)\))?$/.exec(word) ?? [];
          const state = LETTERS[letter];
          if (!state) throw new Error(`"${word}" is no pod: expected such as R, S1(0), F2(137)`);
          const place = index === undefined ? next : Number(index);
          next = place + 1;
          const containers = code === undefined ? [] : [ended(framework.container, Number(code))];
          return aTrainingPod(terms, { type, index: place }, { ...state, containers });
        });
    });
}

export const aChild = (resource: string, name: string, more: Partial<ChildState> = {}): ChildState => ({
  resource,
  uid: `${resource}-${name}`,
  namespace: 'default',
  name,
  resourceVersion: '7',
  labels: { [TRAINING_JOB]: 'j' },
  part: { revision: 1, facts: null },
  ...more,
});

export const servicesOf = (
  job: TrainingJob,
  framework: Framework,
  pods: readonly { labels: Record<string, string>; name: string }[],
): ChildState[] => (termsOf(framework, job).framework.objects ? [] : pods.map(({ name, labels }) => aChild('services', name, { labels })));

export interface Situation extends JobParts {
  pods?: string | PodFacts[];
  /** Absent: one for each pod. */
  services?: ChildState[];
  children?: Record<string, ChildState[]>;
  kept?: Kept;
  head?: Partial<PlanHead>;
  options?: KindOptions;
  held?: Snapshot<TrainingJob>['held'];
  ended?: PodFacts[];
  isWhole?: boolean;
  job?: TrainingJob;
}

export function snapshotOf(situation: Situation): Snapshot<TrainingJob> {
  const {
    framework = tensorflow,
    pods: given = [],
    kept,
    head,
    options,
    held,
    ended: endedPods,
    children = {},
    isWhole = true,
  } = situation;
  const owner = situation.job ?? aTraining(situation);
  const pods = typeof given === 'string' ? podsOf(owner, framework, given) : given;
  const services = situation.services ?? servicesOf(owner, framework, pods);
  return {
    owner,
    pods,
    children: new Map(Object.entries({ services, 'horizontalpodautoscalers.autoscaling': [], ...children })),
    head: { ...EMPTY_HEAD, ...head },
    manages: ['training-jobs'],
    isWhole,
    ...(endedPods && { ended: endedPods }),
    ...(kept && { kept }),
    ...(options && { options }),
    ...(held && { held }),
  };
}

export const planFor = (situation: Situation, when = now): TrainingPlan =>
  trainingPlanner(situation.framework ?? tensorflow).plan(snapshotOf(situation), when);

type ActionOf<Verb extends Action['verb']> = Extract<Action, { verb: Verb }>;
export const actionsOf = <Verb extends Action['verb']>({ actions }: Pick<TrainingPlan, 'actions'>, verb: Verb): ActionOf<Verb>[] =>
  actions.filter((action): action is ActionOf<Verb> => action.verb === verb);

const kindOf = (action: ActionOf<'create'> | ActionOf<'delete'>): string => action.resource.kind;

/** Names of what it creates. */
export const created = (plan: Pick<TrainingPlan, 'actions'>, kind = 'Pod'): string[] =>
  actionsOf(plan, 'create')
    .filter((action) => kindOf(action) === kind)
    .map(({ object }) => object.metadata.name ?? '');
export const createdObject = (
  plan: Pick<TrainingPlan, 'actions'>,
  name: string,
  kind = 'Pod',
): KubernetesObject & { spec?: object; data?: object } => {
  const found = actionsOf(plan, 'create').find((action) => kindOf(action) === kind && action.object.metadata.name === name);
  if (!found) throw new Error(`no ${kind} ${name} is created, only ${created(plan, kind).join(', ')}`);
  return found.object;
};
export const deleted = (plan: Pick<TrainingPlan, 'actions'>, kind = 'Pod'): string[] =>
  actionsOf(plan, 'delete')
    .filter((action) => kindOf(action) === kind)
    .map(({ name }) => name);
/** `Normal Reason: message`. */
export const told = (plan: Pick<TrainingPlan, 'actions'>): string[] =>
  actionsOf(plan, 'event').map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
export const reasonsTold = (plan: Pick<TrainingPlan, 'actions'>): string[] => actionsOf(plan, 'event').map(({ reason }) => reason);
/** `Created=True Running=False`. */
export const states = ({ status }: Pick<TrainingPlan, 'status'>): string =>
  (status.conditions ?? []).map((condition) => `${condition.type}=${condition.status}`).join(' ');
/** `Worker 1/2/0`: active, succeeded, failed. */
export const countsIn = ({ status }: Pick<TrainingPlan, 'status'>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(status.replicaStatuses ?? {}).map(([type, { active = 0, succeeded = 0, failed = 0 }]) => [
      type,
      `${active}/${succeeded}/${failed}`,
    ]),
  );
