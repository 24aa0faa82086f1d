// Looks for a violation in the tree that it lies in, within a bound of the core's time: calm runs, then what the mutant says, then storms.
import { FAULTS, FAULT_NAMES, longestWaitMs, planText, type FaultName, type Plan } from '../simulation/faults.ts';
import { RECOVERY_MS, singlesOf, survey } from '../simulation/enumerate.ts';
import { scenarioOf, SCENARIOS, type Scenario } from '../simulation/scenarios.ts';
import { simulate, stormOf } from '../simulation/storms.ts';
import type { Mutant } from './mutants.ts';

export interface Found {
  invariant: string;
  says: string;
  /** How to see it again. */
  again: string;
}

const LIMIT_MS = 1_800_000;

/** Of this process: what others do with the machine meanwhile takes nothing from the hunt. */
function coreMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** @param forMs of the core's time @returns what was found, undefined when time ran out */
export async function hunt(look: Mutant['look'], { forMs }: { forMs: number }): Promise<Found | undefined> {
  const isOver = (): boolean => coreMs() > forMs;
  const first = look && scenarioOf(look.scenario);
  const stories = [...(first ? [first] : []), ...(look?.faults ? [] : SCENARIOS.filter(({ name }) => name !== first?.name))];
  for (const scenario of stories) {
    if (isOver()) return undefined;
    const result = await simulate({ scenario, seed: 1, plan: [], jitter: false, limitMs: scenario.withinMs });
    const [violation] = result.violations;
    if (violation) return { ...violation, again: `SCENARIO=${scenario.name}` };
  }
  if (first && look.faults) {
    const found = await huntWithFaults(first, look.faults, isOver);
    if (found) return found;
  }
  for (let seed = 1; !isOver(); seed++) {
    const run = stormOf(seed);
    const { violations, struck } = await simulate(run);
    const [violation] = violations;
    if (violation) return { ...violation, again: `SEED=${seed} SCENARIO=${run.scenario.name} PLAN=${planText(struck)}` };
  }
  return undefined;
}

/** Each of the faults at each call, those of a kind in turn. */
async function huntWithFaults(scenario: Scenario, faults: readonly FaultName[], isOver: () => boolean): Promise<Found | undefined> {
  const calm = await survey(scenario);
  for (const planned of singlesOf(calm)) {
    if (isOver()) return undefined;
    if (!faults.includes(planned.fault)) continue;
    const plan: Plan = [planned];
    const result = await simulate({ scenario, seed: 1, plan, jitter: false, limitMs: LIMIT_MS });
    if (result.struck.length === 0) continue;
    const again = `SEED=1 SCENARIO=${scenario.name} PLAN=${planText(plan)} JITTER=0`;
    const [violation] = result.violations;
    if (violation) return { ...violation, again };
    const lateMs = (result.endedAtMs ?? 0) - (calm.endedAtMs ?? 0);
    const allowedMs = RECOVERY_MS + FAULTS[planned.fault].lastsMs + longestWaitMs(planned.fault);
    if (lateMs > allowedMs) return { invariant: 'recovers in time', says: `${lateMs} ms late, allowed ${allowedMs}`, again };
  }
  return undefined;
}

const asked = process.env['MUTANT_LOOK'];
if (asked !== undefined) {
  const { look, forMs } = JSON.parse(asked) as { look?: Mutant['look']; forMs: number };
  if (look?.faults?.some((name) => !FAULT_NAMES.includes(name))) throw new Error(`unknown fault among ${look.faults.join()}`);
  console.log(JSON.stringify((await hunt(look, { forMs })) ?? {}));
}
