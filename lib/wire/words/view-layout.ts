// A pod's slot among its siblings. Neighbours are stored and listed together, because a storm touches neighbours together.
import type { PodFacts } from '../../objects/pods/pod-facts.ts';

/** The completion index, else the number that its name stands for, else a hash of the uid. */
export function slotOf({ index, number, uid }: Pick<PodFacts, 'index' | 'number' | 'uid'>): number {
  if (index !== undefined && /^\d{1,9}$/.test(index)) return Number(index);
  if (number !== undefined) return number;
  let hash = 0x811c9dc5;
  for (let at = 0; at < uid.length; at++) hash = Math.imul(hash ^ uid.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** Above every slot: indexes go to 10^9, hashes to 2^32. */
export const END_OF_SLOTS = 2 ** 32;

const RUN = /^(pods\/\d+\/)(\d+)-(\d+)$/;

/** A head names neighbouring items together, `pods/104/0-5`, so that it stays small. @param names of items of one width */
export function packNames(names: readonly string[]): string[] {
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

/** The items that a head's names stand for, each once. */
export function unpackNames(names: readonly string[]): string[] {
  const unpacked = new Set<string>();
  for (const name of names) {
    const [, prefix = '', from, to] = RUN.exec(name) ?? [];
    if (from === undefined) unpacked.add(name);
    else for (let at = Number(from); at <= Number(to); at++) unpacked.add(`${prefix}${at}`);
  }
  return [...unpacked];
}
