// All stories there are, of every kind.
import { SIMULATED_KINDS } from './kinds/table.ts';
import type { Expected, Scenario } from './scenario.ts';

export const SCENARIOS: readonly Scenario[] = SIMULATED_KINDS.flatMap(({ stories }) => stories);

/** Of these every single fault is enumerated before each change is taken; of the others, before a release. */
export const CORE_STORIES: readonly string[] = SIMULATED_KINDS.flatMap(({ coreStories }) => coreStories);

/** Each workload that a story tells the end of, where it is. */
export const endsOf = ({ clusters, ends }: Pick<Scenario, 'clusters' | 'ends'>): (Expected & { name: string; cluster: string })[] =>
  Object.entries(ends).flatMap(([name, end]) =>
    (end.onEach ? clusters : [end.cluster ?? clusters[0] ?? '']).map((cluster) => ({ ...end, name, cluster })),
  );

export const scenarioOf = (name: string): Scenario | undefined => SCENARIOS.find((scenario) => scenario.name === name);
