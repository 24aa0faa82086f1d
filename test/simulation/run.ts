// npm run simulate -- --seeds N [--from N] [--access direct|relayed|mixed] [--stories BEGINNING…]: storms from seeds. SEED=n replays one; with SCENARIO and PLAN it replays exactly those faults.
import { Option } from 'commander';
import { planText, parsePlan } from './faults.ts';
import { inParallelProcesses } from './workers.ts';
import { scenarioOf, SCENARIOS } from './scenarios.ts';
import { recoveryOf } from './recovery.ts';
import { replayOf, shrink, simulate, stormOf, tell, withAccess } from './storms.ts';
import type { Violation } from './checks.ts';
import type { Result, Run } from './simulation.ts';
import { wholeNumber } from '../../lib/cli/terminal/arguments.ts';
import { LARGEST_NUMBER, script } from '../script-options.ts';

const { env } = process;

const {
  seeds,
  from,
  cores,
  access,
  stories,
  seed: replayed,
} = script('npm run simulate --')
  .option('--seeds <number>', 'how many storms', wholeNumber({ min: 1, max: LARGEST_NUMBER }), 2_000)
  .option('--from <number>', 'the first seed', wholeNumber({ min: 0, max: LARGEST_NUMBER }), 1)
  .option('--cores <number>', 'processes at once', wholeNumber({ min: 1, max: 64 }), 2)
  .addOption(
    new Option('--access <way>', 'how clusters are reached').choices(['direct', 'relayed', 'mixed']).default('mixed').env('ACCESS'),
  )
  .option('--stories <beginning...>', 'only stories whose names begin so')
  .addOption(
    new Option('--seed <number>', 'this storm alone, told in full; SCENARIO, PLAN and JITTER are of this one run')
      .env('SEED')
      .argParser(wholeNumber({ min: 0, max: LARGEST_NUMBER })),
  )
  .parse()
  .opts<{ seeds: number; from: number; cores: number; access: 'direct' | 'relayed' | 'mixed'; stories?: string[]; seed?: number }>();

function runOf(seed: number): Run {
  const storm = withAccess(stormOf(seed, stories), access);
  const scenario = env['SCENARIO'] === undefined ? storm.scenario : scenarioOf(env['SCENARIO']);
  if (!scenario) throw new Error(`no story is called "${env['SCENARIO']}": one of ${SCENARIOS.map(({ name }) => name).join(' ')}`);
  if (env['PLAN'] === undefined) return { ...storm, scenario };
  return { ...replayOf(storm, parsePlan(env['PLAN'])), scenario, jitter: env['JITTER'] !== '0' };
}

/** Of a plan of one fault whose calls take the same times as without it: npm run enumerate asks for that too. */
async function recovered(run: Run, result: Result): Promise<Violation | undefined> {
  if (run.plan.length !== 1 || run.jitter || result.struck.length === 0) return undefined;
  return recoveryOf(run, { result, calm: await simulate({ ...run, plan: [] }) });
}

/** One run, told in full. */
async function replay(run: Run): Promise<void> {
  const result = await simulate(run);
  const late = result.violations.length === 0 ? await recovered(run, result) : undefined;
  const isBroken = result.violations.length > 0;
  const failure = isBroken && env['PLAN'] === undefined ? await shrink({ run, result }) : { run: replayOf(run, result.struck), result };
  console.log(await tell(failure));
  if (late) console.log(`violated: ${late.invariant}: ${late.says}`);
  console.log(isBroken || late ? 'violated' : `nothing violated; struck: ${planText(result.struck)}`);
  process.exitCode = isBroken || late ? 1 : 0;
}

/** Of the seeds, for one process. */
interface Part {
  from: number;
  seeds: number;
}

/** A process that has found so many looks no further. */
const MOST_FAILURES = 20;

interface Share {
  seeds: number;
  steps: number;
  virtualMs: number;
  struck: number;
  failed: { seed: number; invariant: string; says: string }[];
}

async function stormThrough(part: Part): Promise<Share> {
  const share: Share = { seeds: 0, steps: 0, virtualMs: 0, struck: 0, failed: [] };
  for (let seed = part.from; seed < part.from + part.seeds && share.failed.length < MOST_FAILURES; seed++) {
    const result = await simulate(withAccess(stormOf(seed, stories), access));
    share.seeds += 1;
    share.steps += result.steps;
    share.virtualMs += result.elapsedMs;
    share.struck += result.struck.length;
    const [first] = result.violations;
    if (first) share.failed.push({ seed, invariant: first.invariant, says: first.says });
  }
  return share;
}

async function main(): Promise<void> {
  if (replayed !== undefined) return await replay(runOf(replayed));
  for (const name of ['SCENARIO', 'PLAN', 'JITTER'])
    if (env[name] !== undefined) throw new Error(`${name} is of one run: say which with SEED=n, SEED=1 where nothing is drawn`);
  const startedAtMs = performance.now();
  const size = Math.ceil(seeds / cores);
  const parts = Array.from({ length: cores }, (_, core): Part => ({
    from: from + core * size,
    seeds: Math.min(size, seeds - core * size),
  }));
  const shares = await inParallelProcesses<Share>(import.meta.filename, parts, [
    '--access',
    access,
    ...(stories ? ['--stories', ...stories] : []),
  ]);
  const seconds = (performance.now() - startedAtMs) / 1000;
  const sum = (of: (share: Share) => number): number => shares.reduce((total, share) => total + of(share), 0);
  const failed = shares.flatMap((share) => share.failed);
  console.log(
    `${sum((share) => share.seeds)} seeds, ${sum((share) => share.struck)} faults, ${(sum((share) => share.virtualMs) / 3_600_000).toFixed(1)} simulated hours, ` +
      `${sum((share) => share.steps)} steps, ${seconds.toFixed(1)} s on ${cores} cores, ${(sum((share) => share.seeds) / seconds / cores).toFixed(1)} seeds per second and core`,
  );
  for (const { seed: number, invariant, says } of failed)
    console.log(`SEED=${number} ACCESS=${access}${stories ? ` --stories ${stories.join(' ')}` : ''} ${invariant}: ${says.slice(0, 300)}`);
  const [first] = failed;
  if (!first) return;
  const run = withAccess(stormOf(first.seed, stories), access);
  console.log(await tell(await shrink({ run, result: await simulate(run) })));
  process.exitCode = 1;
}

const ownPart = env['SIMULATION_PART'];
if (ownPart === undefined) await main();
else {
  console.log(JSON.stringify(await stormThrough(JSON.parse(ownPart) as Part)));
}
