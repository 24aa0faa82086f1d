// The kinds that are simulated: the stories of each, and what must hold of it alone. What must hold of every kind stands in invariants/.
import type { Invariant } from '../invariants/table.ts';
import type { Scenario } from '../scenario.ts';
import { OF_JOB_PODS } from './job/pod-invariants.ts';
import { OF_JOB_STATUS } from './job/status-invariants.ts';
import { JOB_CORE_STORIES, JOB_STORIES } from './job/stories.ts';

export interface SimulatedKind {
  kind: string;
  stories: readonly Scenario[];
  /** Names of those of which every single fault is enumerated before each change is taken. */
  coreStories: readonly string[];
  /** Asked of every run: of a story of another kind they find nothing to speak of. */
  invariants: readonly Invariant[];
}

export const SIMULATED_KINDS: readonly SimulatedKind[] = [
  { kind: 'Job', stories: JOB_STORIES, coreStories: JOB_CORE_STORIES, invariants: [...OF_JOB_PODS, ...OF_JOB_STATUS] },
];
