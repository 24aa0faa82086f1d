// Rows that somebody has chosen, by key: they stay chosen wherever they move, and also where they no longer match.
import { signal } from '@preact/signals';
import type { ListedWorkload } from './answers.ts';

export const idOf = ({ cluster, uid }: Pick<ListedWorkload, 'cluster' | 'uid'>): string => `${cluster}/${uid}`;

/** As they were when they were chosen. */
export const chosen = signal<ReadonlyMap<string, ListedWorkload>>(new Map());

export function toggleChosen(workload: ListedWorkload): void {
  const next = new Map(chosen.value);
  if (!next.delete(idOf(workload))) next.set(idOf(workload), workload);
  chosen.value = next;
}

export function choose(workloads: readonly ListedWorkload[]): void {
  chosen.value = new Map([...chosen.value, ...workloads.map((workload) => [idOf(workload), workload] as const)]);
}

export function chooseNone(): void {
  if (chosen.value.size > 0) chosen.value = new Map();
}
