// Upstream's own code as judges: the Job controller, and a kubelet's admission of pods. Builds each once into the cache folder, then
// holds `farloop plan --stream` against it on 5,000 random cases with a fresh seed, which it prints. Needs Go, and the Go module proxy
// the first time. Training jobs and virtual nodes are judged by what upstream's own controllers made of stories: these are played to Farloop on a sandbox.
//   run.ts [--only job|preemption|training|virtual-node] [--seed N] [--count M] [--seeds K]      M cases of each of K seeds in a row, from N on, summed
// From 50,000 cases on each feature must have been compared in 500 of them.
import { spawn, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';
import { mkdirSync, readFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Option } from 'commander';
import { wholeNumber } from '../../lib/cli/terminal/arguments.ts';
import { LARGEST_NUMBER, script } from '../script-options.ts';

const KUBERNETES_VERSION = process.env['KUBERNETES_VERSION'] ?? 'v1.36.3';
const here = dirname(fileURLToPath(import.meta.url));
/** Each judge's folder, and what compares with it there: first whole plans, then parts of them, then what comes of them. */
const JUDGES = { job: ['compare.mjs'], preemption: ['compare.ts', 'parts.ts', 'stories.ts'] };
type Judge = keyof typeof JUDGES;
const names = Object.keys(JUDGES) as Judge[];
/** Judged by what upstream itself made of stories. */
const STORIES = ['training', 'virtual-node'];

/** The oracle of these very sources, built if it is not there yet. */
function oracleBinary(judge: Judge): string {
  const digest = createHash('sha256').update(KUBERNETES_VERSION);
  for (const file of ['build.sh', 'prepare.sh', `${judge}/oracle_test.go`, `${judge}/oracle_main_test.go`])
    digest.update(readFileSync(join(here, file)));
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'farloop', 'oracle', digest.digest('hex').slice(0, 16));
  const binary = join(cache, `${judge}-oracle`);
  if (existsSync(binary)) return binary;
  console.log(`building the ${judge} oracle from kubernetes ${KUBERNETES_VERSION}: some minutes the first time, 2 GB of temporary space`);
  const building = `${cache}.building-${process.pid}`;
  mkdirSync(building, { recursive: true });
  const build = (): SpawnSyncReturns<Buffer> =>
    spawnSync('nice', ['sh', join(here, 'build.sh'), judge, building], {
      stdio: 'inherit',
      env: { ...process.env, KUBERNETES_VERSION },
    });
  // What a proxy did not deliver, it may deliver at the next try.
  let { status, error } = build();
  if (status !== 0) ({ status, error } = build());
  if (status !== 0)
    throw new Error(`the ${judge} oracle cannot be built (${error?.message ?? `exit ${status}`}): Go and the Go module proxy are needed`);
  mkdirSync(cache, { recursive: true });
  renameSync(join(building, `${judge}-oracle`), binary);
  rmSync(building, { recursive: true });
  return binary;
}

const MANY_CASES = 50_000;
const LEAST_OF_MANY = 500;

interface Cases {
  seed: number;
  seeds: number;
  count: number;
}

async function compare(judge: Judge, oracle: string, { seed, seeds, count }: Cases): Promise<boolean> {
  const again = `--only ${judge} --seed ${seed} --count ${count}${seeds > 1 ? ` --seeds ${seeds}` : ''}`;
  const which = seeds > 1 ? `seeds ${seed} to ${seed + seeds - 1}, ${count} cases of each` : `seed ${seed}, ${count} cases`;
  console.log(`${judge}: ${which} (again: npm run test:oracle -- ${again})`);
  const plan = `"${process.execPath}" "${join(here, 'plan-stream.ts')}"`;
  const least = seeds * count >= MANY_CASES ? LEAST_OF_MANY : 0;
  const whole = ['--features', '--plan', plan, '--least', String(least)];
  let areEqual = true;
  for (const [at, file] of JUDGES[judge].entries()) {
    const cases = Object.entries({ oracle, seed, seeds, count }).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const code = await codeOf([join(here, judge, file), ...cases, ...(at === 0 ? whole : [])]);
    areEqual &&= code === 0;
  }
  return areEqual;
}

function codeOf(args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], { stdio: 'inherit' });
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}

const { only, ...cases } = script('npm run test:oracle --')
  .addOption(new Option('--only <judge...>', 'these alone').choices([...names, ...STORIES]).default([...names, ...STORIES]))
  .option('--seed <number>', 'the first seed; a new one otherwise', wholeNumber({ min: 1, max: LARGEST_NUMBER }), randomInt(1, 1_000_000))
  .option('--seeds <number>', 'how many seeds, in a row', wholeNumber({ min: 1, max: 1000 }), 1)
  .option('--count <number>', 'cases of a seed', wholeNumber({ min: 1, max: LARGEST_NUMBER }), 5_000)
  .parse()
  .opts<Cases & { only: string[] }>();
let areEqual = true;
for (const judge of names) if (only.includes(judge)) areEqual = (await compare(judge, oracleBinary(judge), cases)) && areEqual;
for (const stories of STORIES) if (only.includes(stories)) areEqual = (await codeOf([join(here, stories, 'replay.ts')])) === 0 && areEqual;
process.exitCode = areEqual ? 0 : 1;
