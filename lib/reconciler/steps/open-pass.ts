// The pass of an acquired head: its state as far as it can be read, and the view, read after the opening (R9).
import { factsFor } from '../../kinds/facts.ts';
import { plannerRowFor } from '../../kinds/planners.ts';
import { usedOf } from '../../kinds/settings.ts';
import { withReadableKept } from '../head/kept.ts';
import { decodeState, initialState } from '../head/pass-state.ts';
import { lowestFreeNumber } from '../live/settle.ts';
import { Pass } from '../pass/pass.ts';
import { floorIn } from '../view/floors.ts';
import { readView } from '../view/view-access.ts';
import type { Acquired } from './acquire.ts';
import type { Loop } from './loop.ts';

export interface OpenedPass {
  pass: Pass;
  /** The workload is unknown, so its children are listed live first (R1). */
  isUnknown: boolean;
  /** The cluster's time is unknown; the API server then gives it (R12). */
  isTimeUnknown: boolean;
}

export async function openPass(
  { ports, memory, offsets }: Pick<Loop, 'ports' | 'memory' | 'offsets'>,
  { head, attempt, isEarly, isNext }: Acquired,
  { key, record, deadline, startedAtMs }: Pick<Pass, 'key' | 'record' | 'deadline' | 'startedAtMs'>,
): Promise<OpenedPass> {
  const row = plannerRowFor(key.kind);
  const decoded = decodeState(head.state);
  const state = decoded && withReadableKept(decoded, row.kept);
  const facts = usedOf(factsFor(key.kind), record);
  const { part, hasMissingItem, pods, children, items } = await readView(ports.store, head, record.era, memory);
  const offsetMs = await offsets.of(key.cluster);
  const pass = new Pass({
    key,
    record,
    facts,
    row,
    connect: () => ports.connect(record),
    deadline,
    startedAtMs,
    attempt,
    isEarly,
    isNext,
    head,
    state: state ?? initialState(),
    offsetMs: offsetMs ?? 0,
    known: {
      view: part,
      podSet: pods,
      items,
      parts: { parts: children, listed: (resource) => floorIn(head, resource, record.era) !== undefined, era: record.era },
    },
  });
  // Take over the numbers of vanished pods before any list of this pass removes their tombstones (R5).
  pass.pending.state = { ...pass.pending.state, ordinal: lowestFreeNumber(pass) };
  const isUnknown = hasMissingItem || state === undefined || head.era < record.era || state.listedEra !== record.era;
  return { pass, isUnknown, isTimeUnknown: offsetMs === undefined };
}
