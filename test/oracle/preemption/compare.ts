// Compares `farloop plan --stream` with upstream's admission of pods (preemption-oracle) on the same cases.
//   compare.ts --oracle BIN --plan "CMD" [--cases FILE | --seed N --seeds K --count M] [--show K] [--features] [--least L]
//   compare.ts --oracle BIN --self-test [--cases FILE | --seed N --seeds K --count M]
// K seeds in a row, M cases of each; a feature that fewer than L cases show counts as a failure.
// Exit 0: no differences; 1: differences; 2: could not compare.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { filter } from '../filter.ts';
import { makeCase, type AdmissionCase } from './cases.ts';
import { caseCommand, exitWith, numberFrom, type CaseOptions } from './comparing.ts';
import { differencesOf, type Difference } from './differences.ts';
import { FEATURES } from './features.ts';
import { MUTATIONS } from './mutations.ts';
import { planOf, type Planned, type Upstream } from './sides.ts';

interface Options extends CaseOptions {
  plan?: string;
  cases?: string;
  least: number;
  features?: true;
  selfTest?: true;
}

/** As many lines as go to the processes at once. */
const CHUNK_LINES = 4000;

async function* linesOf({ cases, seed, seeds, count }: Options): AsyncGenerator<string> {
  if (cases !== undefined) yield* createInterface({ input: createReadStream(cases), crlfDelay: Infinity });
  else for (let s = seed; s < seed + seeds; s++) for (let number = 0; number < count; number++) yield JSON.stringify(makeCase(s, number));
}

async function* chunksOf(options: Options): AsyncGenerator<string[]> {
  let chunk: string[] = [];
  for await (const line of linesOf(options)) {
    if (line.trim() === '' || chunk.push(line) < CHUNK_LINES) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

interface Judged {
  line: string;
  testCase: AdmissionCase;
  upstream: Upstream;
}

/** The cases of the lines with upstream's answers. What upstream could not use is an error: these cases are all its own. */
async function judge({ oracle }: Options, lines: readonly string[]): Promise<Judged[]> {
  const { answers, code } = await filter<Upstream>(oracle, [], false, lines);
  if (code !== 0) throw new Error(`the oracle ended with ${code}`);
  return lines.map((line) => {
    const testCase = JSON.parse(line) as AdmissionCase;
    const upstream = answers.get(testCase.id);
    if (upstream === undefined || upstream.unusable !== undefined)
      throw new Error(`the oracle cannot use case ${testCase.id}: ${upstream?.unusable ?? 'no answer'}`);
    return { line, testCase, upstream };
  });
}

/** Groups of differences by what differs, and the first case of each shown whole. */
class Report {
  readonly groups = new Map<string, string[]>();
  readonly show: number;
  different = 0;

  constructor(show: number) {
    this.show = show;
  }

  add(found: readonly Difference[], { line, testCase, upstream }: Judged, planned: Planned | undefined): void {
    this.different += 1;
    const name = found.map(({ what }) => what).join(' + ');
    const ids = this.groups.get(name) ?? [];
    this.groups.set(name, [...ids, testCase.id]);
    if (ids.length > 0 || this.groups.size > this.show) return;
    console.log(`\n=== ${testCase.id}: ${name}`);
    for (const { what, upstream: theirs, farloop: ours } of found)
      console.log(`  ${what}\n    upstream ${JSON.stringify(theirs)}\n    farloop  ${JSON.stringify(ours)}`);
    console.log(`--- case\n${line}\n--- upstream\n${JSON.stringify(upstream)}\n--- plan\n${JSON.stringify(planned ?? null)}`);
  }

  print(): void {
    if (this.groups.size > 0) console.log('\ncases  what differs (first ids)');
    const groups = [...this.groups].toSorted(([, one], [, other]) => other.length - one.length);
    for (const [name, ids] of groups) console.log(`${String(ids.length).padStart(5)}  ${name}  (${ids.slice(0, 5).join(', ')})`);
  }
}

async function run(options: Options & { plan: string }): Promise<boolean> {
  const report = new Report(options.show);
  const features = new Map(Object.keys(FEATURES).map((name) => [name, 0]));
  let total = 0;
  for await (const lines of chunksOf(options)) {
    const judged = await judge(options, lines);
    const { answers, code, unreadable } = await filter<Planned>(options.plan, [], true, lines);
    if (code !== 0) console.log(`the plan command ended with ${code}`);
    if (unreadable.length > 0) console.log(`${unreadable.length} lines of the plan command are not JSON: ${unreadable[0]?.slice(0, 200)}`);
    for (const one of judged) {
      total += 1;
      for (const [name, shows] of Object.entries(FEATURES))
        if (shows(one.testCase, one.upstream)) features.set(name, (features.get(name) ?? 0) + 1);
      const planned = answers.get(one.testCase.id);
      const found = differencesOf(one.testCase, one.upstream, planned);
      if (found.length > 0) report.add(found, one, planned);
    }
  }
  report.print();
  if (options.features) for (const [name, count] of features) console.log(`${String(count).padStart(6)}  ${name}`);
  const rare = [...features].filter(([, count]) => count < options.least).map(([name]) => name);
  if (rare.length > 0) console.log(`shown by fewer than ${options.least} cases: ${rare.join('; ')}`);
  console.log(`differences: ${report.different} of ${total} cases`);
  return report.different === 0 && total > 0 && rare.length === 0;
}

/** Upstream's own decisions must not differ from themselves, and each kind of mistake must be found wherever it can be made. */
async function selfTest(options: Options): Promise<boolean> {
  const tried = new Map(Object.keys(MUTATIONS).map((name) => [name, { applied: 0, found: 0 }]));
  let [total, wrong] = [0, 0];
  for await (const lines of chunksOf(options)) {
    for (const { testCase, upstream } of await judge(options, lines)) {
      total += 1;
      if (differencesOf(testCase, upstream, planOf(testCase, upstream)).length > 0) wrong += 1;
      for (const [name, mutate] of Object.entries(MUTATIONS)) {
        const plan = structuredClone(planOf(testCase, upstream));
        const counts = tried.get(name);
        if (counts === undefined || !mutate(plan)) continue;
        counts.applied += 1;
        if (differencesOf(testCase, upstream, plan).length > 0) counts.found += 1;
      }
    }
  }
  for (const [name, { applied, found }] of tried) console.log(`${name}: found in ${found} of ${applied} cases`);
  const missed = [...tried.values()].filter(({ applied, found }) => applied === 0 || found < applied).length;
  console.log(`mistakes found: ${tried.size - missed} of ${tried.size}`);
  console.log(`differences: ${wrong} of ${total} cases`);
  return wrong === 0 && missed === 0 && total > 0;
}

const options = caseCommand('compare.ts', 2000)
  .option('--plan <command>', 'what answers as `farloop plan --stream` does')
  .option('--cases <file>', 'these cases, a line of JSON each')
  .option('--least <number>', 'how many cases must show each feature', numberFrom(0), 0)
  .option('--features', 'how many cases show each feature')
  .option('--self-test', 'upstream against itself')
  .parse()
  .opts<Options>();
await exitWith(async () => {
  const { plan } = options;
  if ((plan === undefined) !== (options.selfTest === true)) throw new Error('give either --plan, what answers, or --self-test');
  return await (plan === undefined ? selfTest(options) : run({ ...options, plan }));
});
