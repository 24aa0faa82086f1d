// The kinds that are simulated: the stories of each, and what must hold of it alone. What must hold of every kind stands in invariants/.
import { factsFor } from '../../../lib/kinds/facts.ts';
import type { Framework } from '../../../lib/kinds/training/terms/framework.ts';
import { mpi } from '../../../lib/kinds/training/frameworks/mpi.ts';
import { pytorch } from '../../../lib/kinds/training/frameworks/pytorch.ts';
import { tensorflow } from '../../../lib/kinds/training/frameworks/tensorflow.ts';
import type { WorkloadObject } from '../../../lib/objects/kubernetes.ts';
import type { KindOfHistory } from '../history.ts';
import type { Invariant } from '../invariants/table.ts';
import type { Scenario } from '../scenario.ts';
import { BEACON_CORE_STORIES, BEACON_HANDS, BEACON_STORIES, isSteady as isSteadyBeacon } from './beacon/stories.ts';
import { ENSEMBLE_HANDS, isSteady, isSuspended as isSuspendedEnsemble, OF_ENSEMBLES } from './ensemble/invariants.ts';
import { ENSEMBLE_CORE_STORIES, ENSEMBLE_STORIES } from './ensemble/stories.ts';
import { OF_JOB_ENDS } from './job/end-invariants.ts';
import { isSuspended, JOB_HANDS } from './job/hands.ts';
import { noteStripped, settle } from './job/history.ts';
import { OF_JOB_PODS } from './job/pod-invariants.ts';
import { OF_JOB_STATUS } from './job/status-invariants.ts';
import { JOB_CORE_STORIES, JOB_STORIES } from './job/stories.ts';
import { isSuspended as isSuspendedTraining, OF_TRAINING, TRAINING_HANDS } from './training/invariants.ts';
import { MPI_STORIES, OTHER_TRAINING_STORIES, PYTORCH_STORIES, TENSORFLOW_STORIES, TRAINING_CORE_STORIES } from './training/stories.ts';

import { OF_VIRTUAL_NODES } from './virtual-node/invariants.ts';
import { isRunning, VIRTUAL_NODE_CORE_STORIES, VIRTUAL_NODE_HANDS, VIRTUAL_NODE_STORIES } from './virtual-node/stories.ts';

/** What people and other controllers do to an owner in the middle of a pass. */
export interface HandsOfKind {
  /** Changes of the spec, and back; undefined where the owner is so already, or cannot be. */
  suspended?(this: void, owner: WorkloadObject): { to: object; back: object } | undefined;
  scaledDown?(this: void, owner: WorkloadObject): { to: object; back: object } | undefined;
  /** The spec as a person would write it again. */
  asWritten?(this: void, spec: object): object;
  /** What another controller of the kind writes, once or again and again; undefined while that would change nothing. */
  /** How long it leaves a workload to another controller that has written its status. */
  yieldsMs?: number;
  foreignStatus?(this: void, owner: WorkloadObject, times: 'once' | 'often'): object | undefined;
}

export interface SimulatedKind extends KindOfHistory {
  /** Whether it stands so. An end that is not of this list is told by its facts and its conditions. */
  standsAs: Readonly<Partial<Record<'suspended' | 'steady', (this: void, owner: WorkloadObject) => boolean>>>;
  hands: HandsOfKind;
  stories: readonly Scenario[];
  /** Names of those of which every single fault is enumerated before each change is taken. */
  coreStories: readonly string[];
  /** Asked of every run: of a story of another kind they find nothing to speak of. */
  invariants: readonly Invariant[];
}

const training = (framework: Framework, stories: readonly Scenario[], invariants: readonly Invariant[] = []): SimulatedKind => ({
  facts: factsFor(framework.kind),
  standsAs: { suspended: isSuspendedTraining },
  hands: TRAINING_HANDS,
  stories,
  coreStories: stories.map(({ name }) => name).filter((name) => TRAINING_CORE_STORIES.includes(name)),
  invariants,
});

export const SIMULATED_KINDS: readonly SimulatedKind[] = [
  {
    facts: factsFor('Job'),
    noteStripped,
    settle,
    standsAs: { suspended: isSuspended },
    hands: JOB_HANDS,
    stories: JOB_STORIES,
    coreStories: JOB_CORE_STORIES,
    invariants: [...OF_JOB_PODS, ...OF_JOB_STATUS, ...OF_JOB_ENDS],
  },
  {
    facts: factsFor('Ensemble'),
    standsAs: { suspended: isSuspendedEnsemble, steady: isSteady },
    hands: ENSEMBLE_HANDS,
    stories: ENSEMBLE_STORIES,
    coreStories: ENSEMBLE_CORE_STORIES,
    invariants: OF_ENSEMBLES,
  },
  // Their invariants hold for all training kinds, and are listed once.
  training(pytorch, PYTORCH_STORIES, OF_TRAINING),
  training(tensorflow, TENSORFLOW_STORIES),
  training(mpi, MPI_STORIES),
  ...OTHER_TRAINING_STORIES.map(({ framework, stories }) => training(framework, stories)),
  {
    facts: factsFor('Beacon'),
    standsAs: { steady: isSteadyBeacon },
    hands: BEACON_HANDS,
    stories: BEACON_STORIES,
    coreStories: BEACON_CORE_STORIES,
    invariants: [],
  },
  {
    facts: factsFor('VirtualPod'),
    standsAs: { steady: isRunning },
    hands: VIRTUAL_NODE_HANDS,
    stories: VIRTUAL_NODE_STORIES,
    coreStories: VIRTUAL_NODE_CORE_STORIES,
    invariants: OF_VIRTUAL_NODES,
  },
  { facts: factsFor('VirtualNode'), standsAs: {}, hands: {}, stories: [], coreStories: [], invariants: [] },
];
