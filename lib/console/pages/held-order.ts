// Nothing moves under the pointer: rows keep their places while somebody points at them, and new ones wait to be asked for.
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ListedWorkload } from '../state/answers.ts';
import { idOf } from '../state/selection.ts';

const CALM_MS = 3_000;
const LOOK_EVERY_MS = 500;
/** Somebody who looks further down does not see what changes at the top, but would feel it. */
const AT_TOP_PX = 120;

export interface HeldRow {
  workload: ListedWorkload;
  /** It is no longer among those that match. */
  isFormer: boolean;
}

export interface HeldOrder {
  rows: readonly HeldRow[];
  /** So many wait to be shown. */
  waiting: number;
  show: () => void;
}

interface Wanted {
  /** As they would be shown now; undefined before the first answer. */
  items: readonly ListedWorkload[] | undefined;
  /** Pages of the API that these are: rows of a further one come at the end. */
  pages: number;
  /** Another one is shown at once. */
  selection: string;
}

interface Held {
  ids: readonly string[];
  pages: number;
  selection: string;
}

/** The order to go on with: the one that is held, unless nobody could notice another one. */
function nextHeld(held: Held, { items, pages, selection }: Wanted): Held {
  if (items === undefined) return held;
  const ids = items.map(idOf);
  if (held.selection !== selection || held.ids.length === 0 || held.ids.every((id, at) => ids[at] === id)) return { ids, pages, selection };
  if (pages <= held.pages) return held;
  const known = new Set(held.ids);
  return { ids: [...held.ids, ...ids.filter((id) => !known.has(id))], pages, selection };
}

export function useHeldOrder(wanted: Wanted, table: RefObject<HTMLElement | null>): HeldOrder {
  const { items, pages, selection } = wanted;
  const held = useRef<Held>({ ids: [], pages: 0, selection: '' });
  /** The latest look at each, for those that are gone meanwhile. */
  const seen = useRef(new Map<string, ListedWorkload>());
  const busyAtMs = useRef(0);
  const [, setRound] = useState(0);
  held.current = nextHeld(held.current, wanted);
  const current = new Map((items ?? []).map((item) => [idOf(item), item]));
  const adopt = (): void => {
    held.current = { ids: [...current.keys()], pages, selection };
    setRound((round) => round + 1);
  };
  const rows = held.current.ids.flatMap((id): HeldRow[] => {
    const workload = current.get(id) ?? seen.current.get(id);
    return workload === undefined ? [] : [{ workload, isFormer: items !== undefined && !current.has(id) }];
  });
  seen.current = new Map(rows.map(({ workload }) => [idOf(workload), workload]));
  const known = new Set(held.current.ids);
  const waiting = [...current.keys()].filter((id) => !known.has(id)).length;
  const isDifferent = items !== undefined && (rows.length !== items.length || rows.some(({ workload }, at) => workload !== items[at]));
  useEffect(() => {
    const note = (): void => {
      busyAtMs.current = performance.now();
    };
    const element = table.current;
    const events = ['pointermove', 'pointerdown', 'focusin', 'keydown'] as const;
    for (const event of events) element?.addEventListener(event, note, { passive: true });
    return () => {
      for (const event of events) element?.removeEventListener(event, note);
    };
  }, [table.current]);
  useEffect(() => {
    if (!isDifferent) return undefined;
    const timer = setInterval(() => {
      const element = table.current;
      const isPointedAt = element?.matches(':hover') === true || element?.contains(document.activeElement) === true;
      if (!isPointedAt && scrollY <= AT_TOP_PX && performance.now() - busyAtMs.current >= CALM_MS) adopt();
    }, LOOK_EVERY_MS);
    return () => clearInterval(timer);
  });
  return { rows, waiting, show: adopt };
}
