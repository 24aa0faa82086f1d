// The part of a head's state that its kind keeps, and the other workloads that a pass has yet to wake.
import * as v from 'valibot';
import type { KindKept } from '../../kinds/rows/planner-row.ts';
import type { PassState } from './pass-state.ts';

/** Every write of a head is billed by its size. A usual workload keeps 600 bytes at most, so that its head stays under 1 KB. */
const LARGEST_BYTES = 16_384;

/** A mistake of the planner. It parks the workload. */
export class KeptTooLargeError extends Error {}

/**
 * The state with its kind's part, also if the build before stored that part in fields of the state itself.
 * @returns undefined if the kind cannot read it, which counts as a missing head (R1)
 */
export function withReadableKept(state: PassState, kept: KindKept | undefined): PassState | undefined {
  if (!kept) return state;
  const before = Object.entries(state).filter(([field]) => kept.fieldsBefore?.includes(field));
  if (state.kept === undefined && before.length === 0) return state;
  const read = v.safeParse(kept.schema, state.kept ?? Object.fromEntries(before));
  if (!read.success) return undefined;
  const others = Object.fromEntries(Object.entries(state).filter(([field]) => !kept.fieldsBefore?.includes(field))) as PassState;
  return { ...others, kept: { ...read.output } };
}

/** @throws KeptTooLargeError */
export function keptToStore(kept: object, { mostBytes = LARGEST_BYTES }: Pick<KindKept, 'mostBytes'> = {}): PassState['kept'] {
  const bytes = Buffer.byteLength(JSON.stringify(kept));
  if (bytes > mostBytes) throw new KeptTooLargeError(`its kind keeps ${bytes} bytes in its head, expected ${mostBytes} at most`);
  return { ...kept };
}

/** The part of a stored state that must be durable before a plan that changes it is carried out. */
export function durableText(
  { kept, tells }: Pick<PassState, 'kept' | 'tells'>,
  { seenAgain = [] }: Pick<KindKept, 'seenAgain'> = {},
): string {
  return JSON.stringify([kept && Object.entries(kept).filter(([field]) => !seenAgain.includes(field)), tells]);
}
