// Runs drawn from a seed: a story, times of calls, faults. The same seed gives the same run; what struck is a plan that replays it.
import { seededRandom } from '../../lib/adapters/embedded/seeded-chance.ts';
import { FAULT_NAMES, FAULTS, planText, type FaultName, type Plan } from './faults.ts';
import { PROVIDER_FAULTS } from './provider-faults.ts';
import { SCENARIOS } from './scenarios.ts';
import { Simulation, type Result, type Run } from './simulation.ts';

/** Everything must have ended by then, however hard it stormed in the first minute. */
const LIMIT_MS = 3_600_000;

const FAULTS_DRAWN = FAULT_NAMES.filter((name) => !FAULTS[name].isForPlansOnly);
/** Of stories without a provider. */
const FAULTS_WITHOUT_PROVIDER = FAULTS_DRAWN.filter((name) => !(name in PROVIDER_FAULTS));

/** @param stories beginnings of names: those alone are drawn; absent: all */
export function stormOf(seed: number, stories?: readonly string[]): Run {
  const random = seededRandom(seed * 7_919 + 13);
  const from = stories ? SCENARIOS.filter(({ name }) => stories.some((beginning) => name.startsWith(beginning))) : SCENARIOS;
  const scenario = from[Math.floor(random() * from.length)];
  if (!scenario) throw new Error('there is no story to tell');
  const drawn = scenario.virtualNode === undefined ? FAULTS_WITHOUT_PROVIDER : FAULTS_DRAWN;
  const kinds = 1 + Math.floor(random() * 4);
  const faults = Array.from({ length: kinds }, () => drawn[Math.floor(random() * drawn.length)]).filter(
    (name): name is FaultName => name !== undefined,
  );
  const storm = { faults, most: 1 + Math.floor(random() * 5), chance: 0.02 + random() * 0.1 };
  return { scenario, seed, plan: [], storm, jitter: true, limitMs: LIMIT_MS };
}

/** Of a storm's seeds, every so many reach their clusters through relays. */
const RELAYED_EVERY = 8;

/** @param access `mixed`: a slice of the seeds is relayed */
export function withAccess(run: Run, access: 'direct' | 'relayed' | 'mixed'): Run {
  const isRelayed = access === 'relayed' || (access === 'mixed' && run.seed % RELAYED_EVERY === 0);
  return isRelayed ? { ...run, access: 'relayed' } : run;
}

export const simulate = async (run: Run): Promise<Result> => await new Simulation(run).simulate();

/** The same run with its faults as a plan. */
export const replayOf = ({ scenario, seed, jitter, limitMs, traced, access }: Run, plan: Plan): Run => ({
  scenario,
  seed,
  jitter,
  limitMs,
  plan,
  ...(traced === true && { traced }),
  ...(access && { access }),
});

export interface Failure {
  run: Run;
  result: Result;
}

/** Leaves out what is not needed for the same invariant to be broken. */
export async function shrink({ run, result }: Failure): Promise<Failure> {
  const broken = result.violations[0]?.invariant;
  let smallest: Failure = { run: replayOf(run, result.struck), result };
  for (let at = 0; at < smallest.run.plan.length;) {
    const plan = smallest.run.plan.filter((_, index) => index !== at);
    const smaller = replayOf(run, plan);
    const again = await simulate(smaller);
    if (again.violations.some(({ invariant }) => invariant === broken)) smallest = { run: smaller, result: again };
    else at += 1;
  }
  for (const change of [{ jitter: false, seed: 1 }, { jitter: false }, { seed: 1 }]) {
    const simpler = { ...smallest.run, ...change };
    const again = await simulate(simpler);
    if (!again.violations.some(({ invariant }) => invariant === broken)) continue;
    smallest = { run: simpler, result: again };
    break;
  }
  return smallest;
}

/** What replays a run, before `npm run simulate`. */
export const againText = ({ seed, scenario, plan, jitter, access }: Run): string =>
  `SEED=${seed} SCENARIO=${scenario.name} PLAN=${planText(plan)} JITTER=${jitter ? 1 : 0} ACCESS=${access ?? 'direct'}`;

/** For people: what broke, how to see it again, and the story with every step. */
export async function tell(failure: Failure): Promise<string> {
  const { run } = failure;
  const { timeline, violations } = await simulate({ ...run, traced: true });
  return [
    ...violations.map(({ invariant, atMs, says }) => `violated: ${invariant} at ${(atMs / 1000).toFixed(3)} s: ${says}`),
    `again:    ${againText(run)} npm run simulate`,
    ...timeline,
  ].join('\n');
}
