// Reads an owner live because an ask names it. The answer is a change like an event of the watch.
import type { KindFacts } from '../kinds/rows/kind.ts';
import type { WorkloadObject } from '../objects/kubernetes.ts';
import { deadlineIn, type Clock } from '../ports/clock.ts';
import type { Cluster } from '../ports/cluster.ts';
import { NotFoundError } from '../ports/errors.ts';
import type { OwnerName } from '../wire/words/observations.ts';
import type { RelayCache } from './cache/cache.ts';
import type { News } from './cache/cached-children.ts';

const LIFE_MS = 10_000;

/** @returns undefined if the owner does not exist, has another uid, or is unchanged */
export async function lookUpOwner(
  { source, cache, clock }: { source: Pick<Cluster, 'get'>; cache: RelayCache; clock: Clock },
  facts: KindFacts,
  owner: OwnerName,
): Promise<News | undefined> {
  const isKnown = (): boolean => cache.workload(owner)?.known !== undefined;
  const wasKnown = isKnown();
  try {
    const { object } = await source.get<WorkloadObject>(facts.resource, owner, deadlineIn(clock, LIFE_MS), { fields: facts.fields });
    // If the watch reported its deletion while that answer was on its way, do not bring the owner back.
    const isGone = wasKnown && !isKnown();
    return object.metadata.uid === owner.uid && !isGone ? cache.putOwner(facts, object) : undefined;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
