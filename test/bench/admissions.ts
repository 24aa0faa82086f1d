// `npm run bench admissions [-- --cases N]`: admissions a second of `farloop plan --stream`, each of a pod to a node with thirty others,
// from the text of a line to the text of its answer. Cases are those that the oracle compares, from one seed. Of the laps the fastest
// counts: the slow ones tell about the machine. Exits 1 when the bound is missed.
import { Readable, Writable } from 'node:stream';
import { wholeNumber } from '../../lib/cli/terminal/arguments.ts';
import { planStream } from '../../lib/cli/manifests/plan-stream.ts';
import { randomAdmission, shuffled } from '../kinds/preemption/random-admissions.ts';
import { LARGEST_NUMBER, script } from '../script-options.ts';

const { cases: CASES } = script('npm run bench admissions --')
  .option('--cases <number>', 'admissions of a lap', wholeNumber({ min: 1, max: LARGEST_NUMBER }), 1_000)
  .parse()
  .opts<{ cases: number }>();
const LAPS = 8;
const OTHERS = 30;
const LEAST_PER_SECOND = 1_000;

function lineOf(number: number): string {
  const { node, pods, incoming } = randomAdmission(1, number, OTHERS);
  const { namespace, name } = incoming.metadata;
  const objects = shuffled(number, [node, ...pods.slice(0, OTHERS), incoming]);
  return `${JSON.stringify({ id: number, now: '2026-02-01T00:00:00Z', workload: `Pod/${namespace}/${name}`, objects })}\n`;
}

const lines = Array.from({ length: CASES }, (_, number) => lineOf(number));
const rates: { bySeconds: number; byProcessor: number }[] = [];
for (let lap = 0; lap < LAPS; lap += 1) {
  const states = new Set<unknown>();
  const output = new Writable({
    write(block: Buffer, _encoding, done) {
      for (const [, state] of block.toString().matchAll(/"admission":\{"state":"(\w+)"/g)) states.add(state);
      done();
    },
  });
  const [began, processor] = [process.hrtime.bigint(), process.cpuUsage()];
  const { unplanned } = await planStream(Readable.from(lines), output);
  const seconds = Number(process.hrtime.bigint() - began) / 1e9;
  const { user, system } = process.cpuUsage(processor);
  // Nothing is timed that decided nothing.
  if (unplanned > 0 || states.size < 3) throw new Error(`${unplanned} cases without a plan; decided: ${[...states].join(', ')}`);
  rates.push({ bySeconds: CASES / seconds, byProcessor: CASES / ((user + system) / 1e6) });
}
const best = rates.toSorted((one, other) => other.bySeconds - one.bySeconds)[0] ?? { bySeconds: 0, byProcessor: 0 };
if (best.bySeconds < LEAST_PER_SECOND) process.exitCode = 1;
console.log(
  `${best.bySeconds.toFixed(0)} admissions a second with ${OTHERS} pods each (at least ${LEAST_PER_SECOND}); ${best.byProcessor.toFixed(0)} a second of processor time`,
);
