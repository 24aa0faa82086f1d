// Looks for a violation in the tree that it lies in, within a bound of the core's time: calm runs, then what the mutant says, then storms.
import { FAULT_NAMES, type FaultName, type Plan } from '../simulation/faults.ts';
import { singlesOf, survey } from '../simulation/enumerate.ts';
import { scenarioOf, SCENARIOS } from '../simulation/scenarios.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { recoveryOf } from '../simulation/recovery.ts';
import type { Result, Run } from '../simulation/simulation.ts';
import { againText, replayOf, simulate, stormOf } from '../simulation/storms.ts';
import type { Look } from './mutants.ts';

export interface Found {
  invariant: string;
  says: string;
  /** How to see it again. */
  again: string;
  /** All that it breaks, in that run and in the other stories without faults. */
  trips: string[];
}

/** What is printed, as a line of JSON. */
export interface Hunted {
  found?: Found | undefined;
  coreSeconds: number;
}

const LIMIT_MS = 1_800_000;
/** What is to be found without a look is found by these. */
export const BLIND_SEEDS = 300;
/** For what else a mutant breaks: more than all stories take that end well. Steps, so that every machine finds the same. */
const REST_STEPS = 20_000;

/** Of this process: what others do with the machine meanwhile takes nothing from the hunt. */
function coreMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** @param forMs of the core's time @returns what was found, undefined when time ran out */
export async function hunt(look: Look | 'storms' | undefined, bound: { forMs: number }): Promise<Found | undefined> {
  const found = await (look === 'storms' ? huntBlind(bound) : huntFirst(look, bound));
  if (!found) return undefined;
  const trips = new Set(found.trips);
  let steps = 0;
  for (const scenario of SCENARIOS) {
    if (steps > REST_STEPS) break;
    const result = await calmRun(scenario);
    steps += result.steps;
    for (const { invariant } of result.violations) trips.add(invariant);
  }
  return { ...found, trips: [...trips] };
}

const calmResults = new Map<Scenario, Pick<Result, 'violations' | 'steps'>>();

/** The story without faults. A run is the same each time, so what was told once is not told again. */
async function calmRun(scenario: Scenario): Promise<Pick<Result, 'violations' | 'steps'>> {
  const known = calmResults.get(scenario);
  if (known) return known;
  const { violations, steps } = await simulate(calmOf(scenario));
  calmResults.set(scenario, { violations, steps });
  return { violations, steps };
}

const calmOf = (scenario: Scenario): Run => ({ scenario, seed: 1, plan: [], jitter: false, limitMs: scenario.withinMs });

function foundIn({ violations }: Pick<Result, 'violations'>, run: Run): Found | undefined {
  const [first] = violations;
  if (!first) return undefined;
  return { invariant: first.invariant, says: first.says, again: againText(run), trips: violations.map(({ invariant }) => invariant) };
}

/** The first storms as they are drawn, and nothing else. */
async function huntBlind({ forMs }: { forMs: number }): Promise<Found | undefined> {
  for (let seed = 1; seed <= BLIND_SEEDS && coreMs() <= forMs; seed++) {
    const found = await inStorm(seed);
    if (found) return found;
  }
  return undefined;
}

async function inStorm(seed: number): Promise<Found | undefined> {
  const run = stormOf(seed);
  const result = await simulate(run);
  return foundIn(result, replayOf(run, result.struck));
}

async function huntFirst(look: Look | undefined, { forMs }: { forMs: number }): Promise<Found | undefined> {
  const isOver = (): boolean => coreMs() > forMs;
  const first = look && scenarioOf(look.scenario);
  const stories = [...(first ? [first] : []), ...(look?.faults ? [] : SCENARIOS.filter(({ name }) => name !== first?.name))];
  for (const scenario of stories) {
    if (isOver()) return undefined;
    const found = foundIn(await calmRun(scenario), calmOf(scenario));
    if (found) return found;
  }
  if (first && look.faults) {
    const found = await (look.twice ? huntWithTwo(first, look.faults, look.twice, isOver) : huntWithFaults(first, look.faults, isOver));
    if (found) return found;
  }
  for (let seed = 1; !isOver(); seed++) {
    const found = await inStorm(seed);
    if (found) return found;
  }
  return undefined;
}

/** Each of the faults at each call, those of a kind in turn. */
async function huntWithFaults(scenario: Scenario, faults: readonly FaultName[], isOver: () => boolean): Promise<Found | undefined> {
  const surveyed = await survey(scenario);
  for (const planned of singlesOf(surveyed)) {
    if (isOver()) return undefined;
    if (!faults.includes(planned.fault)) continue;
    const run: Run = { scenario, seed: 1, plan: [planned], jitter: false, limitMs: LIMIT_MS };
    const result = await simulate(run);
    if (result.struck.length === 0) continue;
    const late = recoveryOf(run, { result, calm: surveyed });
    const found = foundIn({ violations: [...result.violations, ...(late ? [late] : [])] }, run);
    if (found) return found;
  }
  return undefined;
}

/** Each of the faults at each call of that port, and then another at each of those that follow. */
async function huntWithTwo(
  scenario: Scenario,
  faults: readonly FaultName[],
  port: 'cluster' | 'store',
  isOver: () => boolean,
): Promise<Found | undefined> {
  const strikesOf = ({ log }: Result): Plan =>
    singlesOf({ log: log.filter(({ call }) => call.port === port) }).filter(({ fault }) => faults.includes(fault));
  for (const first of strikesOf(await survey(scenario))) {
    for (const second of strikesOf(await survey(scenario, [first]))) {
      if (isOver()) return undefined;
      if (second.call <= first.call) continue;
      const run: Run = { scenario, seed: 1, plan: [first, second], jitter: false, limitMs: LIMIT_MS };
      const found = foundIn(await simulate(run), run);
      if (found) return found;
    }
  }
  return undefined;
}

const asked = process.env['MUTANT_LOOK'];
if (asked !== undefined) {
  const { look, forMs } = JSON.parse(asked) as { look?: Look | 'storms'; forMs: number };
  if (look !== 'storms' && look?.faults?.some((name) => !FAULT_NAMES.includes(name)))
    throw new Error(`unknown fault among ${look.faults.join()}`);
  const found = await hunt(look, { forMs });
  console.log(JSON.stringify({ found, coreSeconds: coreMs() / 1_000 } satisfies Hunted));
}
