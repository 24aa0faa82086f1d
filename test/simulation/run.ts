// npm run simulate -- --seeds N [--from N] [--access direct|relayed|mixed]: storms from seeds. SEED=n replays one; with SCENARIO and PLAN it replays exactly those faults.
import { planText, parsePlan } from './faults.ts';
import { inParallelProcesses } from './workers.ts';
import { scenarioOf, SCENARIOS } from './scenarios.ts';
import { replayOf, shrink, simulate, stormOf, tell, withAccess } from './storms.ts';
import type { Run } from './simulation.ts';

const { env, argv } = process;

function optionOf(name: string, otherwise: number): number {
  const at = argv.indexOf(`--${name}`);
  if (at < 0) return otherwise;
  const value = Number(argv[at + 1]);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`--${name} wants a whole number, got "${argv[at + 1]}"`);
  return value;
}

const ACCESSES = ['direct', 'relayed', 'mixed'] as const;
type Access = (typeof ACCESSES)[number];

function accessOption(): Access {
  const at = argv.indexOf('--access');
  const given = at < 0 ? (env['ACCESS'] ?? 'mixed') : argv[at + 1];
  const access = ACCESSES.find((each) => each === given);
  if (!access) throw new Error(`--access is one of ${ACCESSES.join(', ')}, got "${given}"`);
  return access;
}

function runOf(seed: number): Run {
  const storm = withAccess(stormOf(seed), accessOption());
  const scenario = env['SCENARIO'] === undefined ? storm.scenario : scenarioOf(env['SCENARIO']);
  if (!scenario) throw new Error(`no story is called "${env['SCENARIO']}": one of ${SCENARIOS.map(({ name }) => name).join(' ')}`);
  if (env['PLAN'] === undefined) return { ...storm, scenario };
  return { ...replayOf(storm, parsePlan(env['PLAN'])), scenario, jitter: env['JITTER'] !== '0' };
}

/** One seed, told in full. */
async function replay(seed: number): Promise<void> {
  const run = runOf(seed);
  const result = await simulate(run);
  const isBroken = result.violations.length > 0;
  const failure = isBroken && env['PLAN'] === undefined ? await shrink({ run, result }) : { run: replayOf(run, result.struck), result };
  console.log(await tell(failure));
  console.log(isBroken ? 'violated' : `nothing violated; struck: ${planText(result.struck)}`);
  process.exitCode = isBroken ? 1 : 0;
}

interface Share {
  seeds: number;
  steps: number;
  virtualMs: number;
  struck: number;
  failed: { seed: number; invariant: string; says: string }[];
}

async function stormThrough(
  from: number,
  seeds: number,
  { mostFailures, access }: { mostFailures: number; access: Access },
): Promise<Share> {
  const share: Share = { seeds: 0, steps: 0, virtualMs: 0, struck: 0, failed: [] };
  for (let seed = from; seed < from + seeds && share.failed.length < mostFailures; seed++) {
    const result = await simulate(withAccess(stormOf(seed), access));
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
  if (env['SEED'] !== undefined) return await replay(Number(env['SEED']));
  const [seeds, from, cores] = [optionOf('seeds', 2_000), optionOf('from', 1), optionOf('cores', 2)];
  const startedAtMs = performance.now();
  const size = Math.ceil(seeds / cores);
  const parts = Array.from({ length: cores }, (_, core) => ({ from: from + core * size, seeds: Math.min(size, seeds - core * size) }));
  const shares = await inParallelProcesses<Share>(import.meta.filename, parts, ['--access', accessOption()]);
  const seconds = (performance.now() - startedAtMs) / 1000;
  const sum = (of: (share: Share) => number): number => shares.reduce((total, share) => total + of(share), 0);
  const failed = shares.flatMap((share) => share.failed);
  console.log(
    `${sum((share) => share.seeds)} seeds, ${sum((share) => share.struck)} faults, ${(sum((share) => share.virtualMs) / 3_600_000).toFixed(1)} simulated hours, ` +
      `${sum((share) => share.steps)} steps, ${seconds.toFixed(1)} s on ${cores} cores, ${(sum((share) => share.seeds) / seconds / cores).toFixed(1)} seeds per second and core`,
  );
  for (const { seed, invariant, says } of failed) console.log(`SEED=${seed} ${invariant}: ${says.slice(0, 300)}`);
  const [first] = failed;
  if (!first) return;
  const run = withAccess(stormOf(first.seed), accessOption());
  console.log(await tell(await shrink({ run, result: await simulate(run) })));
  process.exitCode = 1;
}

const part = env['SIMULATION_PART'];
if (part === undefined) await main();
else {
  const { from, seeds } = JSON.parse(part) as { from: number; seeds: number };
  console.log(JSON.stringify(await stormThrough(from, seeds, { mostFailures: 20, access: accessOption() })));
}
