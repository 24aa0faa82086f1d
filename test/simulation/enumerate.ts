// npm run enumerate [-- --all --slice N/M --cores N --pair-seconds N]: every call of a run without faults, struck by every fault that applies
// to it, or one of M slices of these plans; then pairs of faults by coverage, for so long. Each plan runs by itself and must end right, and soon: recovery has a bound per fault.
import { FAULT_NAMES, FAULTS, type FaultName, type Plan, type Planned } from './faults.ts';
import { lateMsOf, longestWaitMs, RECOVERY_MS, recoveryOf, waitsOf, type Access } from './recovery.ts';
import { rememberPacking } from './packing.ts';
import { relayedSinglesOf } from './relayed-singles.ts';
import { STORIES as RUN_STORIES } from './runs/run-stories.ts';
import { tellSingles } from './runs/run-singles.ts';
import type { Story as RunStory } from './runs/run-story.ts';
import type { Scenario } from './scenario.ts';
import { CORE_STORIES, SCENARIOS } from './scenarios.ts';
import { seededRandom } from '../../lib/adapters/embedded/seeded-chance.ts';
import { sliceFrom, type Slice } from './slices.ts';
import { againText, simulate } from './storms.ts';
import type { Violation } from './checks.ts';
import type { Result, Run } from './simulation.ts';
import { inParallelProcesses } from './workers.ts';
import { wholeNumber } from '../../lib/cli/terminal/arguments.ts';
import { LARGEST_NUMBER, script } from '../script-options.ts';

const LIMIT_MS = 1_800_000;

const runOf = (scenario: Scenario, plan: Plan, access?: Access): Run => ({
  scenario,
  seed: 1,
  plan,
  jitter: false,
  limitMs: LIMIT_MS,
  ...(access && { access }),
});

/** A story, and how passes reach its clusters. */
interface Story {
  scenario: Scenario;
  access?: Access;
}

/** Told through relays too, and struck wherever that makes a difference: calls one by one, many at once, children of several resources. */
const RELAYED_STORIES: readonly string[] = [
  'single',
  'non-indexed',
  ...SCENARIOS.map(({ name }) => name).filter((name) => name.startsWith('ensemble')),
];

const nameOf = ({ scenario, access }: Story): string => (access === 'relayed' ? `${scenario.name}, relayed` : scenario.name);

export interface Enumerated {
  story: string;
  access?: Access;
  plans: number;
  /** Those whose faults struck: the others do not count. */
  struck: number;
  virtualMs: number;
  steps: number;
  /** `again` replays it. */
  failed: { again: string; invariant: string; says: string }[];
  /** By fault: the longest recovery beyond a run without faults, and beyond what is allowed for. */
  recoveryMs: Partial<Record<FaultName, number>>;
}

const blank = (story: string, access?: Access): Enumerated => ({
  story,
  ...(access && { access }),
  plans: 0,
  struck: 0,
  virtualMs: 0,
  steps: 0,
  failed: [],
  recoveryMs: {},
});

function add(told: Enumerated, { elapsedMs, steps }: Result): void {
  told.plans += 1;
  told.virtualMs += elapsedMs;
  told.steps += steps;
}

const sumOf = (list: readonly Enumerated[], field: 'plans' | 'struck' | 'virtualMs' | 'steps'): number =>
  list.reduce((sum, each) => sum + each[field], 0);

/** All single faults of one story; through relays, those that strike what is other there. @param from and `every`: each so many-th plan, for slices */
async function enumerate(story: Story, slice: { from: number; every: number }): Promise<Enumerated> {
  const { scenario, access } = story;
  const told = blank(nameOf(story), access);
  const calm = await survey(scenario, [], access);
  const [first] = calm.violations;
  if (first) {
    told.failed.push(failureOf(runOf(scenario, [], access), first));
    return told;
  }
  const { struckAt } = scenario;
  const log = calm.log.map(({ call, faults }) => ({ call, faults: faults.filter((fault) => struckAt?.(call, fault) ?? true) }));
  const plans = (access === 'relayed' ? relayedSinglesOf({ log }) : singlesOf({ log })).filter((_, at) => at % slice.every === slice.from);
  for (const planned of plans) {
    const run = runOf(scenario, [planned], access);
    const result = await simulate(run);
    add(told, result);
    if (result.struck.length === 0) continue;
    told.struck += 1;
    judge(told, run, { result, calm });
  }
  return told;
}

/** The story without faults, or with those of the plan, and what could have struck each of its calls. */
export const survey = async (scenario: Scenario, plan: Plan = [], access?: Access): Promise<Result> =>
  await simulate({ ...runOf(scenario, plan, access), isSurvey: true });

/** Each call and each fault that can strike there: a plan each, none twice. */
export const singlesOf = ({ log }: Pick<Result, 'log'>): Planned[] =>
  log.flatMap(({ call, faults }) => faults.map((fault) => ({ call: call.number, fault })));

const failureOf = (run: Run, { invariant, says }: Violation): Enumerated['failed'][number] => ({ again: againText(run), invariant, says });

function judge(told: Enumerated, run: Run, results: { result: Result; calm: Result }): void {
  const broken = results.result.violations[0] ?? recoveryOf(run, results);
  if (broken) told.failed.push(failureOf(run, broken));
  if (results.result.violations.length > 0) return;
  for (const { fault } of run.plan)
    told.recoveryMs[fault] = Math.max(told.recoveryMs[fault] ?? 0, lateMsOf(results.result, results.calm) - FAULTS[fault].lastsMs);
}

/** @returns pairs of kinds of faults in an order drawn from the seed, each once: pairs by coverage */
function pairsOf(random: () => number): (readonly [FaultName, FaultName])[] {
  const pairs = FAULT_NAMES.flatMap((one) => FAULT_NAMES.map((other) => [one, other] as const));
  return pairs
    .map((pair) => ({ pair, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ pair }) => pair);
}

/** Of this process: what others do with the machine meanwhile takes no pair away. */
function coreSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
}

/** Pairs of faults, each pair of kinds in one story, the stories in turn, at calls drawn from the seed; for so long, by the core's time. */
async function enumeratePairs(
  scenarios: readonly Scenario[],
  { seconds, seed, from, every }: { seconds: number; seed: number; from: number; every: number },
): Promise<Enumerated> {
  const told = blank('pairs');
  const random = seededRandom(seed);
  const pairs = pairsOf(random);
  const endsAt = coreSeconds() + seconds;
  const surveys = new Map<Scenario, Map<FaultName, Planned[]>>();
  for (const [at, [one, other]] of pairs.entries()) {
    const [first, second] = [random(), random()];
    if (at % every !== from) continue;
    if (coreSeconds() > endsAt) break;
    const scenario = scenarios[Math.floor(at / every) % scenarios.length];
    if (!scenario) break;
    const byFault = surveys.get(scenario) ?? Map.groupBy(singlesOf(await survey(scenario)), ({ fault }) => fault);
    surveys.set(scenario, byFault);
    const plan = [drawn(byFault.get(one), first), drawn(byFault.get(other), second)].filter((planned) => planned !== undefined);
    if (plan.length < 2) continue;
    const run = runOf(scenario, plan);
    const result = await simulate(run);
    add(told, result);
    if (result.struck.length === 2) told.struck += 1;
    const [violation] = result.violations;
    if (violation) told.failed.push(failureOf(run, violation));
  }
  return told;
}

const drawn = (plans: readonly Planned[] | undefined, chance: number): Planned | undefined => plans?.[Math.floor(chance * plans.length)];

interface Part {
  core: number;
  cores: number;
  pairSeconds: number;
  pairSeed: number;
  isWhole: boolean;
  slice: Slice;
}

interface Share {
  singles: Enumerated[];
  pairs: Enumerated;
}

function storiesOf(isWhole: boolean): Scenario[] {
  const wanted = process.env['SCENARIO'];
  if (wanted !== undefined) return SCENARIOS.filter(({ name }) => name === wanted);
  return SCENARIOS.filter(({ name, isForStormsOnly }) => (isWhole ? !isForStormsOnly : CORE_STORIES.includes(name)));
}

const toldOf = (isWhole: boolean): Story[] =>
  storiesOf(isWhole).flatMap((scenario): Story[] => [
    { scenario },
    ...(RELAYED_STORIES.includes(scenario.name) ? [{ scenario, access: 'relayed' as const }] : []),
  ]);

/** Told by processes and by messages; their calls and faults are their own. `SCENARIO=runs` is them alone. */
const RUN_WAYS = ['process', 'messages'] as const;
const toldRuns = (): readonly RunStory[] =>
  process.env['SCENARIO'] === undefined || process.env['SCENARIO'] === 'runs' ? RUN_STORIES : [];

async function enumerateRuns(slice: { from: number; every: number }): Promise<Enumerated> {
  const told = blank('runs');
  for (const story of toldRuns())
    for (const by of RUN_WAYS) {
      if (by === 'messages' && story.cluster) continue;
      const { plans, wrong, seconds } = await tellSingles(story, by, slice);
      told.plans += plans;
      told.struck += plans;
      told.virtualMs += seconds * 1_000;
      const again = `npm run unit -- test/simulation/runs/${by === 'process' ? 'runs' : 'by-messages'} -t ${JSON.stringify(story.name)}`;
      told.failed.push(...wrong.map((says) => ({ again, invariant: 'run', says })));
    }
  return told;
}

async function share({ core, cores, pairSeconds, pairSeed, isWhole, slice }: Part): Promise<Share> {
  const singles: Enumerated[] = [];
  // A core's share of the slice: plans of one call lie side by side, so each slice strikes nearly every call.
  const within = { from: slice.number - 1 + core * slice.of, every: slice.of * cores };
  for (const story of toldOf(isWhole)) singles.push(await enumerate(story, within));
  singles.push(await enumerateRuns(within));
  const bound = { seconds: pairSeconds, seed: pairSeed, from: core, every: cores };
  return {
    singles,
    // A story of which some faults alone are struck may take longer with the others than the bounds of pairs.
    pairs: await enumeratePairs(
      storiesOf(true).filter(({ struckAt }) => !struckAt),
      bound,
    ),
  };
}

/** In an ordinary run of CI a fourteenth of the plans is struck, another one each day: after two weeks all have been. */
const DAILY_SLICES = 14;

interface Options {
  slice: Slice;
  cores: number;
  pairSeconds: number;
  pairSeed: number;
  least: number;
  all: boolean;
}

const options = (): Options =>
  script('npm run enumerate --')
    .option('--all', 'all stories, not the core ones alone', false)
    .option(
      '--slice <slice>',
      'a part of the plans of one fault: N/M, or "daily" for the fourteenth whose turn it is today',
      sliceFrom(DAILY_SLICES),
      {
        number: 1,
        of: 1,
      },
    )
    .option('--pair-seconds <number>', 'of a core for pairs of faults', wholeNumber({ min: 0, max: LARGEST_NUMBER }), 30)
    .option('--pair-seed <number>', 'of what pairs are drawn', wholeNumber({ min: 0, max: LARGEST_NUMBER }), 1)
    .option('--least <number>', 'fewer plans are a failure', wholeNumber({ min: 0, max: LARGEST_NUMBER }), 10_000)
    .option('--cores <number>', 'processes at once', wholeNumber({ min: 1, max: 64 }), 2)
    .parse()
    .opts<Options>();

function tellRecovery(singles: readonly Enumerated[], access: Access): void {
  const own = singles.filter((each) => each.access === access);
  if (own.length === 0) return;
  const way = access === 'relayed' ? 'through relays' : 'dialled';
  console.log(`\nlongest recovery beyond what the fault lasts, and what is allowed (seconds), clusters being reached ${way}:`);
  for (const fault of FAULT_NAMES) {
    const longestMs = Math.max(...own.map(({ recoveryMs }) => recoveryMs[fault] ?? -Infinity));
    if (longestMs === -Infinity) continue;
    const allowedMs = RECOVERY_MS + longestWaitMs(fault, access);
    console.log(
      `${fault.padEnd(20)} ${(longestMs / 1000).toFixed(1).padStart(7)} ${(allowedMs / 1000).toFixed(0).padStart(5)}  ${waitsOf(fault, access).join(' ')}`,
    );
  }
}

async function main(): Promise<void> {
  const { cores, pairSeconds, pairSeed, all: isWhole, least: asked, slice } = options();
  const least = process.env['SCENARIO'] === undefined ? Math.floor(asked / slice.of) : 0;
  if (slice.of > 1) console.log(`slice ${slice.number}/${slice.of}: --slice ${slice.number}/${slice.of} strikes it again`);
  const startedAtMs = performance.now();
  const parts: Part[] = Array.from({ length: cores }, (_, core) => ({ core, cores, pairSeconds, pairSeed, isWhole, slice }));
  const shares = await inParallelProcesses<Share>(import.meta.filename, parts);
  const singles = shares.flatMap((each) => each.singles);
  const pairs = shares.map((each) => each.pairs);
  for (const name of new Set(singles.map(({ story }) => story))) {
    const own = singles.filter(({ story }) => story === name);
    console.log(`${name.padEnd(24)} ${sumOf(own, 'struck')} plans`);
  }
  const struck = sumOf(singles, 'struck');
  const all = [...singles, ...pairs];
  const failed = all.flatMap((each) => each.failed);
  for (const access of [undefined, 'relayed'] as const) tellRecovery(singles, access);
  const seconds = (performance.now() - startedAtMs) / 1000;
  console.log(
    `\n${struck} plans of one fault, each struck, in ${toldOf(isWhole).length} stories and ${toldRuns().length} of runs${slice.of > 1 ? `, slice ${slice.number}/${slice.of}` : ''}; ` +
      `${sumOf(pairs, 'struck')} pairs of kinds of faults of ${FAULT_NAMES.length ** 2} (bound: ${pairSeconds} s a core, seed ${pairSeed}); ${failed.length} violations`,
  );
  console.log(
    `${(sumOf(all, 'virtualMs') / 3_600_000).toFixed(0)} simulated hours, ${sumOf(all, 'steps')} steps, ${seconds.toFixed(0)} s on ${cores} cores, ` +
      `${(sumOf(all, 'plans') / seconds / cores).toFixed(1)} plans per second and core`,
  );
  for (const { again, invariant, says } of failed.slice(0, 200)) console.log(`${again}  ${invariant}: ${says.slice(0, 160)}`);
  if (failed.length > 0 || struck < least) process.exitCode = 1;
  if (struck < least) console.log(`fewer than ${least} plans: the enumeration no longer means what it says`);
}

const part = process.env['SIMULATION_PART'];
if (import.meta.main) {
  if (part === undefined) await main();
  else {
    rememberPacking();
    console.log(JSON.stringify(await share(JSON.parse(part) as Part)));
  }
}
