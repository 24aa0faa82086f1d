// The kinds, as relay, ingest, loop and onboarding need them. A kind is a folder, and one line here, in planners.ts, shown.ts, manifests.ts and,
// unless each cluster has it by itself, definitions.ts. Five tables, because a function's bundle holds only what it runs. docs/adding-a-kind.md
// goes through them.
import { ownEntry } from '../objects/values/untyped-fields.ts';
import { jobFacts } from './job/facts.ts';
import type { KindFacts } from './rows/kind.ts';
import { orphanPodFacts } from './orphan-pod/facts.ts';
import { virtualNodeFacts } from './virtual-node/facts.ts';
import { virtualPodFacts } from './virtual-pod/facts.ts';
import * as names from './training/names/framework-names.ts';
import { trainingFacts } from './training/facts.ts';

export const KIND_FACTS = {
  Job: jobFacts,
  OrphanPod: orphanPodFacts,
  TFJob: trainingFacts(names.TENSORFLOW),
  PyTorchJob: trainingFacts(names.PYTORCH),
  MPIJob: trainingFacts(names.MPI),
  XGBoostJob: trainingFacts(names.XGBOOST),
  PaddleJob: trainingFacts(names.PADDLE),
  MXJob: trainingFacts(names.MXNET),
  JAXJob: trainingFacts(names.JAX),
  VirtualNode: virtualNodeFacts,
  VirtualPod: virtualPodFacts,
} as const satisfies Record<string, KindFacts>;

/** The union of all kinds. Each of the other tables has a line for every one of them. */
export type Kind = keyof typeof KIND_FACTS;

/** All kinds, in the order in which a relay lists their owners. */
export const ALL_FACTS: readonly KindFacts[] = Object.values(KIND_FACTS);

/** Names of all kinds. */
export const kindNames = (): string[] => ALL_FACTS.map(({ kind }) => kind);

/** @returns undefined for a kind that this build does not know */
export const findFacts = (kind: string): KindFacts | undefined => ownEntry<KindFacts>(KIND_FACTS, kind);

/** @throws Error for a kind that this build does not know. Use findFacts where one may come from outside */
export function factsFor(kind: string): KindFacts {
  const facts = findFacts(kind);
  if (!facts) throw new Error(`no kind ${kind} is known to this version of Farloop`);
  return facts;
}
