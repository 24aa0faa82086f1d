// All stories there are, of every kind.
import { SIMULATED_KINDS } from './kinds/table.ts';
import type { Scenario } from './scenario.ts';

export const SCENARIOS: readonly Scenario[] = SIMULATED_KINDS.flatMap(({ stories }) => stories);

/** Of these every single fault is enumerated before each change is taken; of the others, before a release. */
export const CORE_STORIES: readonly string[] = SIMULATED_KINDS.flatMap(({ coreStories }) => coreStories);

export const scenarioOf = (name: string): Scenario | undefined => SCENARIOS.find((scenario) => scenario.name === name);
