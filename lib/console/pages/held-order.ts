// Nothing moves under the pointer: rows keep their places while somebody points at them, and new ones wait to be asked for.
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { WorkloadSummary } from '../state/answers.ts';

const CALM_MS = 3_000;
const LOOK_EVERY_MS = 500;
/** Somebody who looks further down does not see what changes at the top, but would feel it. */
const AT_TOP_PX = 120;

export interface HeldRow {
  workload: WorkloadSummary;
  /** It is no longer among those that match. */
  isFormer: boolean;
}

export interface HeldOrder {
  rows: readonly HeldRow[];
  /** So many wait to be shown. */
  waiting: number;
  show: () => void;
}

const idOf = ({ cluster, uid }: WorkloadSummary): string => `${cluster}/${uid}`;

/**
 * @param items as they would be shown now
 * @param selection a new one is shown at once
 */
export function useHeldOrder(
  items: readonly WorkloadSummary[] | undefined,
  selection: string,
  table: RefObject<HTMLElement | null>,
): HeldOrder {
  const held = useRef<{ selection: string; rows: readonly WorkloadSummary[] }>({ selection: '', rows: [] });
  const busyAtMs = useRef(0);
  const [, setRound] = useState(0);
  const current = new Map((items ?? []).map((item) => [idOf(item), item]));
  const adopt = (): void => {
    held.current = { selection, rows: items ?? [] };
  };
  // More rows at the end move nothing.
  const known = new Set(held.current.rows.map(idOf));
  const isAppended = items !== undefined && held.current.rows.every((row, at) => items[at] !== undefined && idOf(items[at]) === idOf(row));
  if (held.current.selection !== selection || held.current.rows.length === 0 || isAppended) {
    if (items !== undefined) adopt();
  }
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
  const differs = items !== undefined && !isAppended && held.current.rows !== items;
  useEffect(() => {
    if (!differs) return undefined;
    const timer = setInterval(() => {
      const element = table.current;
      const isPointedAt = element?.matches(':hover') === true || element?.contains(document.activeElement) === true;
      if (isPointedAt || scrollY > AT_TOP_PX || performance.now() - busyAtMs.current < CALM_MS) return;
      adopt();
      setRound((round) => round + 1);
    }, LOOK_EVERY_MS);
    return () => clearInterval(timer);
  });
  return {
    rows: held.current.rows.map((row) => ({
      workload: current.get(idOf(row)) ?? row,
      isFormer: items !== undefined && !current.has(idOf(row)),
    })),
    waiting: items === undefined ? 0 : items.filter((item) => !known.has(idOf(item)) && held.current.rows !== items).length,
    show: () => {
      adopt();
      setRound((round) => round + 1);
    },
  };
}
