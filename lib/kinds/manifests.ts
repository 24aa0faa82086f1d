// How `farloop plan` reads each kind from documents: defaults, validation, and other objects that a plan reads. No function uses it.
import { ALL_FACTS, type Kind } from './facts.ts';
import { jobManifests } from './job/manifests.ts';
import type { PlannedFacts } from './rows/kind.ts';
import type { KindManifests } from './rows/kind-manifests.ts';
import type { KindShown } from './rows/kind-shown.ts';
import { orphanPodManifests } from './orphan-pod/manifests.ts';
import { plannerRowFor } from './planners.ts';
import type { PlannerRow } from './rows/planner-row.ts';
import { shownFor } from './shown.ts';
import { virtualNodeManifests } from './virtual-node/manifests.ts';
import { virtualPodManifests } from './virtual-pod/manifests.ts';
import * as names from './training/names/framework-names.ts';
import { trainingManifests } from './training/manifests.ts';

export const MANIFESTS = {
  Job: jobManifests,
  OrphanPod: orphanPodManifests,
  TFJob: trainingManifests(names.TENSORFLOW),
  PyTorchJob: trainingManifests(names.PYTORCH),
  MPIJob: trainingManifests(names.MPI),
  XGBoostJob: trainingManifests(names.XGBOOST),
  PaddleJob: trainingManifests(names.PADDLE),
  MXJob: trainingManifests(names.MXNET),
  JAXJob: trainingManifests(names.JAX),
  VirtualNode: virtualNodeManifests,
  VirtualPod: virtualPodManifests,
} as const satisfies Record<Kind, KindManifests>;

/** The rows of a kind that `farloop plan` needs. */
export interface PlannedKind {
  facts: PlannedFacts;
  /** Absent: `manifests.plan` decides alone. */
  row?: Pick<PlannerRow, 'planner'>;
  manifests: KindManifests;
  /** The words for its actions. */
  shown: Pick<KindShown, 'purposes' | 'eventsPerPod' | 'hiddenStatus'>;
}

/** All kinds of this build. */
export const plannedKinds = (): PlannedKind[] =>
  ALL_FACTS.map((facts) => ({
    facts,
    row: plannerRowFor(facts.kind),
    manifests: MANIFESTS[facts.kind as Kind],
    shown: shownFor(facts.kind),
  }));
