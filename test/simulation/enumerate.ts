// npm run enumerate [-- --cores N --pair-seconds N]: every call of a run without faults, struck by every fault that applies to it; then
// pairs of faults by coverage, for so long. Each plan runs by itself and must end right, and soon: recovery has a bound per fault.
import { FAULT_NAMES, FAULTS, longestWaitMs, planText, type FaultName, type Plan } from './faults.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import { seededRandom } from '../../lib/adapters/embedded/seeded-chance.ts';
import { simulate } from './storms.ts';
import type { Result, Run } from './simulation.ts';
import { inParallelProcesses } from './workers.ts';

/** Beyond what the fault itself lasts, and what alone can bring the work back. */
export const RECOVERY_MS = 5_000;
const LIMIT_MS = 1_800_000;

const runOf = (scenario: Scenario, plan: Plan): Run => ({ scenario, seed: 1, plan, jitter: false, limitMs: LIMIT_MS });

export interface Enumerated {
  scenario: string;
  plans: number;
  /** Those whose fault struck: the others do not count. */
  struck: number;
  virtualMs: number;
  failed: { plan: string; invariant: string; says: string }[];
  /** By fault: the longest recovery beyond a run without faults, and beyond what is allowed for. */
  recoveryMs: Partial<Record<FaultName, number>>;
}

/** All single faults of one story. @param from and `every`: each so many-th plan, for slices */
export async function enumerate(scenario: Scenario, slice: { from: number; every: number } = { from: 0, every: 1 }): Promise<Enumerated> {
  const told: Enumerated = { scenario: scenario.name, plans: 0, struck: 0, virtualMs: 0, failed: [], recoveryMs: {} };
  const calm = await simulate({ ...runOf(scenario, []), traced: true });
  if (calm.violations.length > 0) {
    told.failed.push({ plan: '', invariant: calm.violations[0]?.invariant ?? '', says: calm.violations[0]?.says ?? '' });
    return told;
  }
  const plans = calm.log
    .flatMap((call) => FAULT_NAMES.map((fault) => ({ call: call.number, fault })))
    .filter((_, at) => at % slice.every === slice.from);
  for (const planned of plans) {
    if (!couldApply(planned.fault, calm, planned.call)) continue;
    told.plans += 1;
    const result = await simulate(runOf(scenario, [planned]));
    told.virtualMs += result.elapsedMs;
    if (result.struck.length === 0) continue;
    told.struck += 1;
    judge(told, [planned], { result, calm });
  }
  return told;
}

/** By what is known of the call from the calm run; what depends on the world is asked when it strikes. */
export function couldApply(fault: FaultName, { log }: Result, number: number): boolean {
  const call = log[number - 1];
  return call !== undefined && FAULTS[fault].applies(call);
}

function judge(told: Enumerated, plan: Plan, { result, calm }: { result: Result; calm: Result }): void {
  const [first] = result.violations;
  const text = planText(plan);
  if (first) {
    told.failed.push({ plan: text, invariant: first.invariant, says: first.says });
    return;
  }
  const lateMs = (result.endedAtMs ?? 0) - (calm.endedAtMs ?? 0);
  let allowedMs = RECOVERY_MS;
  for (const { fault } of plan) {
    told.recoveryMs[fault] = Math.max(told.recoveryMs[fault] ?? 0, lateMs - FAULTS[fault].lastsMs);
    allowedMs += FAULTS[fault].lastsMs + longestWaitMs(fault);
  }
  if (lateMs > allowedMs)
    told.failed.push({ plan: text, invariant: 'recovers in time', says: `${Math.round(lateMs)} ms late, allowed ${allowedMs}` });
}

/** Pairs of faults at calls drawn at random, each pair of kinds once before any comes again. */
export async function enumeratePairs(
  scenario: Scenario,
  { seconds, seed }: { seconds: number; seed: number },
): Promise<Enumerated & { pairs: number }> {
  const told = { scenario: scenario.name, plans: 0, struck: 0, virtualMs: 0, failed: [] as Enumerated['failed'], recoveryMs: {}, pairs: 0 };
  const random = seededRandom(seed);
  const calm = await simulate({ ...runOf(scenario, []), traced: true });
  const byFault = new Map(
    FAULT_NAMES.map((fault) => [fault, calm.log.filter((call) => couldApply(fault, calm, call.number)).map(({ number }) => number)]),
  );
  const pairs = FAULT_NAMES.flatMap((one) => FAULT_NAMES.map((other) => [one, other] as const)).toSorted(() => random() - 0.5);
  const endsAtMs = performance.now() + seconds * 1000;
  for (const [one, other] of pairs) {
    if (performance.now() > endsAtMs) break;
    const [first, second] = [drawn(byFault.get(one), random), drawn(byFault.get(other), random)];
    if (first === undefined || second === undefined) continue;
    const plan: Plan = [
      { call: first, fault: one },
      { call: second, fault: other },
    ];
    const result = await simulate(runOf(scenario, plan));
    told.plans += 1;
    told.virtualMs += result.elapsedMs;
    if (result.struck.length === 2) told.pairs += 1;
    const [violation] = result.violations;
    if (violation) told.failed.push({ plan: planText(plan), invariant: violation.invariant, says: violation.says });
  }
  return told;
}

const drawn = (calls: readonly number[] | undefined, random: () => number): number | undefined =>
  calls?.[Math.floor(random() * calls.length)];

interface Part {
  core: number;
  cores: number;
  pairSeconds: number;
}

interface Share {
  singles: Enumerated[];
  pairs: (Enumerated & { pairs: number })[];
}

async function share({ core, cores, pairSeconds }: Part): Promise<Share> {
  const wanted = process.env['SCENARIO'];
  const scenarios = SCENARIOS.filter(({ name, isForStormsOnly }) => (wanted === undefined ? !isForStormsOnly : name === wanted));
  const singles: Enumerated[] = [];
  const pairs: Share['pairs'] = [];
  for (const scenario of scenarios) singles.push(await enumerate(scenario, { from: core, every: cores }));
  for (const [at, scenario] of scenarios.entries())
    if (at % cores === core && pairSeconds > 0)
      pairs.push(await enumeratePairs(scenario, { seconds: (pairSeconds * cores) / scenarios.length, seed: at + 1 }));
  return { singles, pairs };
}

function optionOf(name: string, otherwise: number): number {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : Number(process.argv[at + 1]);
}

async function main(): Promise<void> {
  const [cores, pairSeconds] = [optionOf('cores', 2), optionOf('pair-seconds', 60)];
  const least = process.env['SCENARIO'] === undefined ? optionOf('least', 10_000) : 0;
  const startedAtMs = performance.now();
  const parts: Part[] = Array.from({ length: cores }, (_, core) => ({ core, cores, pairSeconds }));
  const shares = await inParallelProcesses<Share>(import.meta.filename, parts);
  const singles = shares.flatMap((each) => each.singles);
  const pairs = shares.flatMap((each) => each.pairs);
  for (const name of new Set(singles.map(({ scenario }) => scenario))) {
    const own = singles.filter(({ scenario }) => scenario === name);
    console.log(`${name.padEnd(24)} ${own.reduce((sum, { struck }) => sum + struck, 0)} plans`);
  }
  const struck = singles.reduce((sum, each) => sum + each.struck, 0);
  const hours = [...singles, ...pairs].reduce((sum, { virtualMs }) => sum + virtualMs, 0) / 3_600_000;
  const pairsRun = pairs.reduce((sum, each) => sum + each.pairs, 0);
  const failed = [...singles, ...pairs].flatMap(({ scenario, failed: list }) => list.map((each) => ({ scenario, ...each })));
  console.log('\nlongest recovery beyond what the fault lasts, and what is allowed (seconds):');
  for (const fault of FAULT_NAMES) {
    const longest = Math.max(...singles.map(({ recoveryMs }) => recoveryMs[fault] ?? -Infinity));
    if (longest > -Infinity)
      console.log(
        `${fault.padEnd(20)} ${(longest / 1000).toFixed(1).padStart(7)} ${((RECOVERY_MS + longestWaitMs(fault)) / 1000).toFixed(0).padStart(5)}  ${FAULTS[fault].waits.join(' ')}`,
      );
  }
  const seconds = (performance.now() - startedAtMs) / 1000;
  console.log(
    `\n${struck} plans of one fault, ${pairsRun} of two (bound: ${pairSeconds} s a core), ${hours.toFixed(0)} simulated hours, ${seconds.toFixed(0)} s, ${failed.length} violations`,
  );
  for (const { scenario, plan, invariant, says } of failed.slice(0, 200))
    console.log(`SEED=1 SCENARIO=${scenario} PLAN=${plan} JITTER=0  ${invariant}: ${says.slice(0, 160)}`);
  if (failed.length > 0 || struck < least) process.exitCode = 1;
  if (struck < least) console.log(`fewer than ${least} plans: the enumeration no longer means what it says`);
}

const part = process.env['SIMULATION_PART'];
if (import.meta.main) {
  if (part === undefined) await main();
  else console.log(JSON.stringify(await share(JSON.parse(part) as Part)));
}
