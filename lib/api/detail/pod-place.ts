// Where a pod stands among those of its workload.
import type { KindShown } from '../../kinds/rows/kind-shown.ts';
import { plainNumberOf } from '../../objects/pods/fact-values.ts';
import type { PodFacts } from '../../objects/pods/pod-facts.ts';

interface OfKind {
  row: { shown: KindShown };
}

export interface Place {
  /** Replica type. */
  type?: string;
  index?: string;
}

export const placeOf = ({ row }: OfKind, pod: PodFacts): Place =>
  row.shown.placeOf?.(pod) ?? (pod.index === undefined ? {} : { index: pod.index });

/** By type, index and name: pods that come or go move no other from one page to the next. */
export interface Position {
  type: string;
  /** Null: it has none, and comes last. */
  index: number | null;
  name: string;
}

export function positionOf(known: OfKind, pod: PodFacts): Position {
  const { type = '', index } = placeOf(known, pod);
  return { type, index: plainNumberOf(index) ?? null, name: pod.name };
}

export function comparePositions(a: Position, b: Position): number {
  if (a.type !== b.type) return a.type < b.type ? -1 : 1;
  const [one, other] = [a.index ?? Infinity, b.index ?? Infinity];
  if (one !== other) return one < other ? -1 : 1;
  return a.name === b.name ? 0 : a.name < b.name ? -1 : 1;
}

/** In the order in which pages list them. */
export const sortedPods = (known: OfKind, pods: readonly PodFacts[]): PodFacts[] =>
  pods
    .map((pod) => ({ pod, at: positionOf(known, pod) }))
    .toSorted((a, b) => comparePositions(a.at, b.at))
    .map(({ pod }) => pod);
