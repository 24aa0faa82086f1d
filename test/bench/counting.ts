// What is counted of a world by `npm run bench counts`, and the bounds that it is held to.
import type { World } from '../world/world.ts';

export interface Figures {
  apiWrites: number;
  eventObjects: number;
  writeUnits: number;
  /** Of `writeUnits`: for the summaries that lists are made of. They have a bound of their own. */
  summaryUnits: number;
  indexUnits: number;
  passes: number;
}

/** Bounds that were missed. */
export const misses: string[] = [];

/** @returns the figure with its bound, for people; one above it is a miss */
export function bound(what: string, figure: number, most: number, digits = 3): string {
  if (figure > most) misses.push(`${what}: ${figure.toFixed(digits)} > ${most}`);
  return `${figure.toFixed(digits)} (at most ${most})`;
}

export const figuresOf = (world: World): Figures => ({
  apiWrites: world.cluster.writes.length,
  eventObjects: world.cluster.calls.filter(({ plural, verb }) => plural === 'events' && verb === 'create').length,
  writeUnits: world.store.meter.writeUnits,
  summaryUnits: world.store.meter.byOperation['putSummary']?.writeUnits ?? 0,
  indexUnits: world.store.meter.indexUnits,
  passes: world.passes.length,
});

export const since = (before: Figures, after: Figures): Figures =>
  Object.fromEntries(Object.entries(after).map(([name, value]) => [name, value - before[name as keyof Figures]])) as unknown as Figures;

/** The most frequent first. */
export function breakdown(counts: Map<string, number>, per: number): string {
  return [...counts]
    .toSorted((a, b) => b[1] - a[1])
    .map(([name, count]) => `${name} ${(count / per).toFixed(4)}`)
    .join(', ');
}

export function writesByKind(world: World): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { verb, plural, subresource } of world.cluster.writes) {
    const name = [verb, subresource ?? plural].join(' ');
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

export const unitsByOperation = (world: World, before = new Map<string, number>()): Map<string, number> =>
  new Map(
    Object.entries(world.store.meter.byOperation)
      .map(([name, { writeUnits }]): [string, number] => [name, writeUnits - (before.get(name) ?? 0)])
      .filter(([, units]) => units > 0),
  );

/** Ten minutes in which nothing happens. */
export async function converged(world: World): Promise<void> {
  await world.until(() => true);
  const before = figuresOf(world);
  const sent = (await world.queue.depth('wakes')).visible;
  for (let minute = 0; minute < 10; minute++) {
    await world.clock.advance(60_000);
    await world.report();
    await world.run();
  }
  const { apiWrites, writeUnits, passes } = since(before, figuresOf(world));
  console.log(
    `  converged, 10 minutes                    ${apiWrites} writes, ${passes + sent} wakes, ${writeUnits} write units (0 expected)`,
  );
  if (apiWrites + passes + sent + writeUnits > 0) misses.push('a converged workload costs something');
}
