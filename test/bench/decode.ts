// `npm run bench decode [-- --rounds N]`: what the costliest messages that a queue takes cost those who read them. Each is read in a thread
// of its own whose heap is bounded, so that one that needs more ends that thread and nothing else. Exits 1 when a limit is exceeded.
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { wholeNumber } from '../../lib/cli/terminal/arguments.ts';
import { decodeAnswer, isAnswer } from '../../lib/wire/command-answers.ts';
import { decodeEvents } from '../../lib/wire/events.ts';
import { LARGE_MESSAGES } from '../hostile/large-messages.ts';
import { LARGEST_NUMBER, script } from '../script-options.ts';

const MILLISECONDS_MAX = 300;
const HEAP_MB_MAX = 64;
/** What the modules themselves hold in such a thread. */
const MODULES_MB = 12;
const YOUNG_MB = 16;
const BYTES_PER_MB = 1_048_576;

interface Cost {
  /** Of processor time, in the fastest of the rounds: the others tell about the machine. */
  ms: number;
  heapMb: number;
  said: string;
}

const read = (body: string): unknown => (isAnswer(body) ? decodeAnswer(body) : decodeEvents(body));

function costOf(body: string, rounds: number): Cost {
  const cost: Cost = { ms: Infinity, heapMb: 0, said: 'read' };
  for (let round = 0; round < rounds; round++) {
    const before = process.memoryUsage().heapUsed;
    const began = process.threadCpuUsage();
    let kept: unknown;
    try {
      kept = read(body);
    } catch (error) {
      cost.said = error instanceof Error ? error.message : String(error);
    }
    const { user, system } = process.threadCpuUsage(began);
    cost.ms = Math.min(cost.ms, (user + system) / 1_000);
    // With what is not collected yet: more than was ever needed at once.
    cost.heapMb = Math.max(cost.heapMb, (process.memoryUsage().heapUsed - before) / BYTES_PER_MB);
    if (kept === null) throw new Error('nothing was read');
  }
  return cost;
}

async function inThread(body: string, rounds: number): Promise<Cost | undefined> {
  const worker = new Worker(fileURLToPath(import.meta.url), {
    workerData: { body, rounds },
    resourceLimits: { maxOldGenerationSizeMb: MODULES_MB + HEAP_MB_MAX - YOUNG_MB, maxYoungGenerationSizeMb: YOUNG_MB },
  });
  return await new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', (error: Error & { code?: string }) =>
      error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? resolve(undefined) : reject(error),
    );
  });
}

if (isMainThread) {
  const { rounds } = script('npm run bench decode --')
    .option('--rounds <number>', 'how often each message is read', wholeNumber({ min: 1, max: LARGEST_NUMBER }), 5)
    .parse()
    .opts<{ rounds: number }>();
  console.log(`limits: ${MILLISECONDS_MAX} ms, a heap of ${HEAP_MB_MAX} MB\n`);
  console.log(`${'message'.padEnd(58)} ${'KB'.padStart(6)} ${'ms'.padStart(7)} ${'MB'.padStart(6)}  answer`);
  let worstMs = 0;
  let missed = 0;
  for (const [name, make] of Object.entries(LARGE_MESSAGES)) {
    const body = make();
    const cost = await inThread(body, rounds);
    const isMissed = cost === undefined || cost.ms > MILLISECONDS_MAX;
    if (isMissed) missed++;
    worstMs = Math.max(worstMs, cost?.ms ?? 0);
    const figures = cost ? [cost.ms.toFixed(1), cost.heapMb.toFixed(1), cost.said] : ['-', `> ${HEAP_MB_MAX}`, 'out of memory'];
    const [ms = '', mb = '', said = ''] = figures;
    console.log(
      `${name.padEnd(58)} ${(body.length / 1024).toFixed(0).padStart(6)} ${ms.padStart(7)} ${mb.padStart(6)}  ${said.slice(0, 70)}${isMissed ? '  <- TOO MUCH' : ''}`,
    );
  }
  console.log(`\nworst: ${worstMs.toFixed(0)} ms; ${missed} of ${Object.keys(LARGE_MESSAGES).length} messages beyond a limit`);
  process.exitCode = missed > 0 ? 1 : 0;
} else {
  const { body, rounds } = workerData as { body: string; rounds: number };
  parentPort?.postMessage(costOf(body, rounds), []);
}
