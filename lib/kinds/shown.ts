// The table of display rows, one per kind.
import { ownEntry } from '../objects/untyped-fields.ts';
import type { Kind } from './facts.ts';
import { jobShown } from './job/shown.ts';
import type { KindShown } from './kind-shown.ts';
import { orphanPodShown } from './orphan-pod/shown.ts';
import { COMMON_REASONS } from './reasons.ts';

export const SHOWN = {
  Job: jobShown,
  OrphanPod: orphanPodShown,
} as const satisfies Record<Kind, KindShown>;

/** The closed list of reasons: the common ones, and each kind's own. */
export const ALL_REASONS: readonly string[] = [
  ...new Set([COMMON_REASONS, ...Object.values(SHOWN).map(({ reasons }) => reasons)].flatMap((reasons) => Object.keys(reasons))),
];

/** @throws Error for a kind that this build does not know */
export function shownFor(kind: string): KindShown {
  const shown = ownEntry<KindShown>(SHOWN, kind);
  if (!shown) throw new Error(`no kind ${kind} is known to this version of Farloop`);
  return shown;
}
