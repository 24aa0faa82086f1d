// What a kind keeps in its workloads' heads beside what every workload keeps, and the other workloads that a pass has yet to wake.
import * as v from 'valibot';
import type { KindKept } from '../../kinds/planner-row.ts';
import type { PassState } from './pass-state.ts';

/** Every write of a head is billed by its size, and one of a usual workload stays under 1 KB. */
const LARGEST_BYTES = 600;

/** The planner's own mistake: it parks the workload. */
export class KeptTooLargeError extends Error {}

/**
 * The state with what its kind keeps, also where the build before held it in fields of the state's own.
 * @returns undefined when the kind cannot read it: as good as a missing head (R1)
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
export function keptToStore(kept: object): PassState['kept'] {
  const bytes = Buffer.byteLength(JSON.stringify(kept));
  if (bytes > LARGEST_BYTES) throw new KeptTooLargeError(`its kind keeps ${bytes} bytes in its head, expected ${LARGEST_BYTES} at most`);
  return { ...kept };
}

/** Of a state as it is stored: what must be durable before a plan that changes it is carried out. */
export const durableText = ({ kept, tells }: Pick<PassState, 'kept' | 'tells'>): string => JSON.stringify([kept, tells]);
