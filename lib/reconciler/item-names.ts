// Which items a view is laid out in, and how the head names them: by their names every writer finds the same item for a pod.
import type { Job } from '../objects/kubernetes.ts';
import type { PodFacts } from '../objects/pod-facts.ts';
import type { Head } from '../ports/store.ts';
import type { ViewPart, WholeList } from '../wire/observations.ts';
import { END_OF_SLOTS, slotOf } from '../wire/view-layout.ts';
import { isMark, type Span } from './told-ranges.ts';

/** About 1 KB an item, since every write is billed by the whole item; larger Jobs take 2 and 8 KB, so that a storm needs fewer requests. */
const SLOTS_PER_SMALL_ITEM = 40;
const SLOTS_PER_ITEM = [
  { jobPods: 2_000, slots: SLOTS_PER_SMALL_ITEM },
  { jobPods: 20_000, slots: 104 },
  { jobPods: Infinity, slots: 400 },
];
/** Foreign pods have no slot of their own: their hash is spread over so many items. */
const HASHED_ITEMS = 16;

function slotsPerItem(part: ViewPart): number {
  const spec: Partial<Job['spec']> = part.owner?.object.spec ?? {};
  const expected = Math.max(spec.completions ?? 0, spec.parallelism ?? 0, part.pods.size);
  return SLOTS_PER_ITEM.find(({ jobPods }) => expected <= jobPods)?.slots ?? SLOTS_PER_SMALL_ITEM;
}

/** `pods/<slots per item>/<which>`, so that every writer finds the same item from the names that the head holds. */
export function itemOf(pod: PodFacts, slots: number): string {
  const known = (pod.index !== undefined && /^\d{1,9}$/.test(pod.index)) || pod.number !== undefined;
  const slot = slotOf(pod);
  return known ? `pods/${slots}/${Math.floor(slot / slots)}` : `pods/${slots}/h${slot % HASHED_ITEMS}`;
}

/** The head names neighbours together, `pods/104/0-5`, so that it stays small. */
export function namesIn({ items }: Head): string[] {
  const names = new Set<string>();
  for (const item of items) {
    if (isMark(item)) continue;
    const run = /^(pods\/\d+\/)(\d+)-(\d+)$/.exec(item);
    if (!run) names.add(item);
    else for (let at = Number(run[2]); at <= Number(run[3]); at++) names.add(`${run[1]}${at}`);
  }
  return [...names];
}

/** Whether the view has outgrown the head. */
export const hasItems = ({ items }: Head): boolean => items.some((name) => !isMark(name));

/** Names of items as the head holds them: neighbours together. */
export function runsOf(names: readonly string[]): string[] {
  const numbers = names.flatMap((name) => /^pods\/\d+\/(\d+)$/.exec(name)?.[1] ?? []).map(Number);
  const prefix = /^pods\/\d+\//.exec(names[0] ?? '')?.[0] ?? '';
  const runs: { from: number; to: number }[] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last && number === last.to + 1) last.to = number;
    else runs.push({ from: number, to: number });
  }
  const others = names.filter((name) => !/^pods\/\d+\/\d+$/.test(name));
  return [...runs.map(({ from, to }) => `${prefix}${from === to ? from : `${from}-${to}`}`), ...others];
}

/** Slots per item: what the head's names tell, else what the workload's size asks for. */
export function layoutOf(head: Head, part: ViewPart): number {
  const widths = head.items.map((name) => Number(/^pods\/(\d+)\//.exec(name)?.[1] ?? 0));
  return Math.max(0, ...widths) || slotsPerItem(part);
}

/** Whether a list of these slots speaks of the item. */
export function isInRange(name: string, { slots }: WholeList): boolean {
  if (slots === 'all') return true;
  const { from, to } = spanOf(name);
  return from < slots.to && to > slots.from;
}

/** The slots that may lie in an item; hashes come from everywhere. */
export function spanOf(name: string): Span {
  const match = /^pods\/(\d+)\/(\d+)$/.exec(name);
  if (!match) return { from: 0, to: END_OF_SLOTS };
  const [width, at] = [Number(match[1]), Number(match[2])];
  return { from: at * width, to: (at + 1) * width };
}
