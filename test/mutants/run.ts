// npm run mutants: each mutant is put into a copy of the sources, and the simulator must notice within 40 s
// of the core's time, of one half as fast within twice that.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { BLIND_SEEDS, type Found, type Hunted } from './hunt.ts';
import { INVARIANT_NAMES } from '../simulation/invariants/table.ts';
import { script } from '../script-options.ts';
import { sliceFrom, type Slice } from '../simulation/slices.ts';
import { COLLECTION } from '../simulation/workers.ts';
import { editsOf, MUTANTS, type Mutant } from './mutants.ts';
import { declarationsIn, edited, placeOf, type Edit, type Place } from './places.ts';
import { DECISION, decisionWith, UNTRIPPED } from './tables.ts';

const root = resolve(import.meta.dirname, '../..');
const declarations = declarationsIn(root);
const FOR_MS = 80_000;
/** Of the core's time, for one that turns in circles: on a busy machine the hunt takes minutes and has done little. */
const HANGS_AFTER_CORE_SECONDS = (3 * FOR_MS) / 1_000;
/** For one that waits for what never comes, which takes no time of the core. */
const HANGS_AFTER_MS = 1_800_000;
const LEAST = 30;

interface Outcome {
  mutant: Mutant;
  found: Found | undefined;
  /** It could not be put in, or does not run. */
  problem: string | undefined;
  /** Of the core's time. */
  coreSeconds: number;
}

function copyTree(): string {
  const folder = mkdtempSync(join(tmpdir(), 'farloop-mutants-'));
  for (const part of ['infra', 'lib', 'test']) cpSync(join(root, part), join(folder, part), { recursive: true });
  for (const file of ['package.json', 'tsconfig.json', 'jest.config.mjs']) cpSync(join(root, file), join(folder, file));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Of a program in the copy: the system ends it when it has had its share of the core. */
async function run(folder: string, args: readonly string[], env: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const program = [process.execPath, '--disable-warning=ExperimentalWarning', ...COLLECTION, ...args];
  const child = spawn('sh', ['-c', 'ulimit -t "$0" && exec "$@"', String(HANGS_AFTER_CORE_SECONDS), ...program], {
    cwd: folder,
    // From mutant to mutant one file differs: what was compiled for one is there for the next.
    env: { ...process.env, NODE_COMPILE_CACHE: join(folder, '.compiled'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => (output += text));
  }
  const bound = setTimeout(() => child.kill('SIGKILL'), HANGS_AFTER_MS);
  const [code, signal] = await new Promise<[number | null, string | null]>((done) => child.on('close', (...end) => done(end)));
  clearTimeout(bound);
  return {
    code,
    output: signal === null ? output : `${signal} ended it, after ${HANGS_AFTER_CORE_SECONDS} s of the core's time at most; ${output}`,
  };
}

async function judge(folder: string, mutant: Mutant): Promise<Outcome> {
  const fails = (problem: string): Outcome => ({ mutant, found: undefined, problem, coreSeconds: 0 });
  let places: (Place & Edit)[];
  try {
    places = editsOf(mutant).map((edit) => ({ ...edit, ...placeOf(declarations, edit) }));
  } catch (error) {
    return fails((error as Error).message);
  }
  const touched = [...Map.groupBy(places, ({ file }) => join(folder, file))].map(([path, edits]) => {
    const whole = readFileSync(path, 'utf8');
    return { path, whole, broken: edited(whole, edits) };
  });
  try {
    for (const { path, broken } of touched) writeFileSync(path, broken);
    if (isTests(mutant.look)) return await judgeByTests(folder, mutant, mutant.look);
    const { code, output } = await run(folder, ['test/mutants/hunt.ts'], {
      MUTANT_LOOK: JSON.stringify({ look: mutant.look, forMs: FOR_MS }),
    });
    if (code !== 0) return fails(`it does not run: ${output.slice(0, 400)}`);
    const { found, coreSeconds } = JSON.parse(output.trim().split('\n').at(-1) ?? '') as Hunted;
    return { mutant, found, problem: undefined, coreSeconds };
  } finally {
    for (const { path, whole } of touched) writeFileSync(path, whole);
  }
}

const isTests = (look: Mutant['look']): look is `test/${string}` => typeof look === 'string' && look !== 'storms';

/** Tests must fail, and they must have run. */
async function judgeByTests(folder: string, mutant: Mutant, file: string): Promise<Outcome> {
  const beganAtMs = performance.now();
  const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--json', '--silent', '--maxWorkers=1', file];
  const { output } = await run(folder, jest, {});
  const told = output.split('\n').find((line) => line.startsWith('{"'));
  const { numFailedTests = 0, numPassedTests = 0 } = JSON.parse(told ?? '{}') as { numFailedTests?: number; numPassedTests?: number };
  const coreSeconds = (performance.now() - beganAtMs) / 1_000;
  if (numFailedTests + numPassedTests === 0)
    return { mutant, found: undefined, problem: `no test ran: ${output.slice(0, 400)}`, coreSeconds };
  const found = { invariant: file, says: `${numFailedTests} tests fail`, again: `npm run unit -- ${file}`, trips: [] };
  return { mutant, found: numFailedTests > 0 ? found : undefined, problem: undefined, coreSeconds };
}

/** In an ordinary run of CI a third of them is hunted, another third each day. */
const DAILY_SLICES = 3;

const {
  only: wanted,
  slice,
  write,
} = script('npm run mutants --')
  .option('--only <names...>', 'those whose names have one of these in them', [])
  .option('--slice <slice>', 'a part of them: N/M, or "daily" for the third whose turn it is today', sliceFrom(DAILY_SLICES), {
    number: 1,
    of: 1,
  })
  .option('--write', 'put what was tripped into the tables of the decision', false)
  .parse()
  .opts<{ only: string[]; slice: Slice; write: boolean }>();
const isWhole = wanted.length === 0 && slice.of === 1;
const mutants = MUTANTS.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part))).filter(
  (_, at) => at % slice.of === slice.number - 1,
);
if (slice.of > 1) console.log(`slice ${slice.number}/${slice.of}: --slice ${slice.number}/${slice.of} hunts them again`);
const lanes = wanted.length === 0 ? 2 : 1;
if (mutants.length === 0) {
  console.error(`no mutant has ${wanted.join(' or ')} in its name`);
  process.exit(2);
}
const waiting = [...mutants];
const outcomes: Outcome[] = [];
await Promise.all(
  Array.from({ length: lanes }, async () => {
    const folder = copyTree();
    try {
      for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
        const outcome = await judge(folder, mutant);
        outcomes.push(outcome);
        const { found, problem, coreSeconds } = outcome;
        const fate = problem ?? (found ? `${found.invariant} (${found.again})` : 'SURVIVED');
        console.log(
          `${found ? 'killed  ' : 'NOT KILLED'} ${coreSeconds.toFixed(1).padStart(5)} s  ${mutant.rule.padEnd(3)} ${mutant.name}: ${fate}`,
        );
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }),
);
const alive = outcomes.filter(({ found }) => !found);
if (wanted.length > 0) for (const { mutant, found } of outcomes) console.log(`${mutant.name} trips: ${found?.trips.join('; ')}`);
const tripped = new Map<string, string[]>();
for (const { found, mutant } of outcomes.toSorted((a, b) => MUTANTS.indexOf(a.mutant) - MUTANTS.indexOf(b.mutant)))
  for (const invariant of found?.trips ?? []) tripped.set(invariant, [...(tripped.get(invariant) ?? []), mutant.name]);
console.log(
  `\n${outcomes.length - alive.length} of ${outcomes.length} killed, by ${new Set(outcomes.map(({ found }) => found?.invariant)).size} different invariants; ${tripped.size} are tripped`,
);
const blind = outcomes.filter(({ mutant, found }) => mutant.look === 'storms' && found).map(({ mutant: { name } }) => name);
if (blind.length > 0) console.log(`found by ${BLIND_SEEDS} blind seeds without a look: ${blind.join('; ')}`);
const missed = isWhole ? INVARIANT_NAMES.filter((name) => !tripped.has(name) && UNTRIPPED[name] === undefined) : [];
for (const name of missed) console.log(`no mutant trips: ${name}`);
for (const name of Object.keys(UNTRIPPED))
  if (tripped.has(name)) console.log(`tripped after all: ${name} by ${tripped.get(name)?.join('; ')}`);
if (isWhole && write) {
  const path = join(root, DECISION);
  writeFileSync(path, decisionWith(readFileSync(path, 'utf8'), tripped));
}
if (alive.length > 0 || missed.length > 0 || (wanted.length === 0 && outcomes.length < LEAST / slice.of)) process.exitCode = 1;
