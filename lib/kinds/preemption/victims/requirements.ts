// Resources to be freed for a pod, and how far others can free them.
import type { Amounts } from '../../../objects/pods/pod-requests.ts';

/** More than nothing of a resource that is still to be freed; cpu in thousandths, everything else in whole units. */
export interface Requirement {
  readonly resource: string;
  readonly quantity: bigint;
}

/** The rest to be freed once pods that hold so much are gone, in the same order. */
export function subtracted(requirements: readonly Requirement[], held: Iterable<Amounts>): Requirement[] {
  let left = [...requirements];
  for (const amounts of held) {
    if (left.length === 0) break;
    left = left.flatMap(({ resource, quantity }) => {
      const rest = quantity - (amounts.get(resource) ?? 0n);
      return rest > 0n ? [{ resource, quantity: rest }] : [];
    });
  }
  return left;
}

/**
 * How far from enough one pod is: 0 if it is enough alone, at most the number of requirements. The squares are added as written, in
 * order: equal distances must come out equal.
 */
export function distanceTo(requirements: readonly Requirement[], amounts: Amounts): number {
  let distance = 0;
  for (const { resource, quantity } of requirements) {
    const rest = quantity - (amounts.get(resource) ?? 0n);
    if (rest <= 0n) continue;
    const share = Number(rest) / Number(quantity);
    distance += share * share;
  }
  return distance;
}

/** As upstream writes them, the last comma included. */
export const requirementsText = (requirements: readonly Requirement[]): string =>
  `[${requirements.map(({ resource, quantity }) => `(res: ${resource}, q: ${quantity}), `).join('')}]`;
