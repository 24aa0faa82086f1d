// The planner rows: what the loop and `farloop plan` need of each kind in addition to its facts.
import { ownEntry } from '../objects/values/untyped-fields.ts';
import type { Kind } from './facts.ts';
import { jobRow } from './job/row.ts';
import { orphanPodRow } from './orphan-pod/row.ts';
import type { PlannerRow } from './rows/planner-row.ts';
import { jax } from './training/frameworks/jax.ts';
import { mpi } from './training/frameworks/mpi.ts';
import { mxnet } from './training/frameworks/mxnet.ts';
import { paddle } from './training/frameworks/paddle.ts';
import { pytorch } from './training/frameworks/pytorch.ts';
import { tensorflow } from './training/frameworks/tensorflow.ts';
import { xgboost } from './training/frameworks/xgboost.ts';
import { trainingRow } from './training/row.ts';
import { virtualNodeRow } from './virtual-node/row.ts';
import { virtualPodRow } from './virtual-pod/row.ts';

export const PLANNERS = {
  Job: jobRow,
  OrphanPod: orphanPodRow,
  TFJob: trainingRow(tensorflow),
  PyTorchJob: trainingRow(pytorch),
  MPIJob: trainingRow(mpi),
  XGBoostJob: trainingRow(xgboost),
  PaddleJob: trainingRow(paddle),
  MXJob: trainingRow(mxnet),
  JAXJob: trainingRow(jax),
  VirtualNode: virtualNodeRow,
  VirtualPod: virtualPodRow,
} as const satisfies Record<Kind, PlannerRow>;

/** @throws Error for a kind that this build does not know */
export function plannerRowFor(kind: string): PlannerRow {
  const row = ownEntry<PlannerRow>(PLANNERS, kind);
  if (!row) throw new Error(`no kind ${kind} is known to this version of Farloop`);
  return row;
}
