// The table of display rows, one per kind.
import { ownEntry } from '../objects/values/untyped-fields.ts';
import type { Kind } from './facts.ts';
import { jobShown } from './job/shown.ts';
import type { KindShown } from './rows/kind-shown.ts';
import { orphanPodShown } from './orphan-pod/shown.ts';
import * as names from './training/names/framework-names.ts';
import { trainingShown } from './training/shown.ts';
import { virtualNodeShown } from './virtual-node/shown.ts';
import { virtualPodShown } from './virtual-pod/shown.ts';

export const SHOWN = {
  Job: jobShown,
  OrphanPod: orphanPodShown,
  TFJob: trainingShown(names.TENSORFLOW),
  PyTorchJob: trainingShown(names.PYTORCH),
  MPIJob: trainingShown(names.MPI),
  XGBoostJob: trainingShown(names.XGBOOST),
  PaddleJob: trainingShown(names.PADDLE),
  MXJob: trainingShown(names.MXNET),
  JAXJob: trainingShown(names.JAX),
  VirtualNode: virtualNodeShown,
  VirtualPod: virtualPodShown,
} as const satisfies Record<Kind, KindShown>;

/** @throws Error for a kind that this build does not know */
export function shownFor(kind: string): KindShown {
  const shown = ownEntry<KindShown>(SHOWN, kind);
  if (!shown) throw new Error(`no kind ${kind} is known to this version of Farloop`);
  return shown;
}
