// `npm run soak -- [--minutes N] [--seed S]`: Jobs arrive all the time on a real API server, and every five seconds Farloop is killed, or the
// API server, or every connection between the two. Each Job comes to exactly what it must, none is lost, nothing is done twice, and
// Farloop grows no fatter: at the same age its last life takes as much memory as its first.
import type { ChildProcess } from 'node:child_process';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { seededRandom } from '../../lib/adapters/embedded/seeded-chance.ts';
import { SystemClock } from '../../lib/adapters/system-clock.ts';
import type { ControlPlane } from '../cluster/control-plane.ts';
import type { CreationWitness } from '../network/etcd.ts';
import { openHostileCluster } from '../network/hostile-cluster.ts';
import type { Order } from '../network/orders.ts';
import { Customer, faultsOf, hasFinalizer, isFinished, nameOf, NAMESPACE, orderOf } from '../network/orders.ts';
import type { HostileProxy } from '../network/proxy.ts';
import { wholeNumber } from '../../lib/cli/arguments.ts';
import { LARGEST_NUMBER, script } from '../script-options.ts';

const MAIN = new URL('../../lib/cli/main.ts', import.meta.url).pathname;
const VICTIMS = ['farloop', 'API server', 'connections'] as const;
type Victim = (typeof VICTIMS)[number];

const KILL_EVERY_MS = 5_000;
const ARRIVE_EVERY_MS = 1_000;
/** More at once would measure the machine. */
const MOST_UNFINISHED = 15;
/** The age at which the memory of a life is taken, and for how long it is looked at. */
const MEASURED_FROM_MS = 15_000;
const MEASURED_AT_MS = 20_000;
const MOST_GROWTH = 1.3;
/** All must have ended so long after the last kill; the failing Jobs wait ten seconds by themselves. */
const RECOVERY_MS = 90_000;
/** A Job that has ended must be as it should so soon. */
const JUDGED_WITHIN_MS = 30_000;

const { minutes, seed } = script('npm run soak --')
  .option('--minutes <number>', 'how long Jobs arrive and kills go on', wholeNumber({ min: 1, max: 10_000 }), 10)
  .option('--seed <number>', 'of everything that is left to chance', wholeNumber({ min: 0, max: LARGEST_NUMBER }), Date.now() % 1_000_000)
  .parse()
  .opts<{ minutes: number; seed: number }>();
const stormMs = minutes * 60_000;
/** Each its own, so that none depends on how far the others are. */
const chance = { victims: seededRandom(seed), orders: seededRandom(seed + 1), proxy: seededRandom(seed + 2) };
const clock = new SystemClock();

/** One process of Farloop from its start to its SIGKILL. */
interface Life {
  child: ChildProcess;
  bornMs: number;
  /** Kibibytes, between the ages above. */
  rss: number[];
}

interface Scene {
  plane: ControlPlane;
  proxy: HostileProxy;
  customer: Customer;
  witness: CreationWitness;
  launch: () => ChildProcess;
  lives: Life[];
  /** Asked for and not judged yet; since when they stand as finished. */
  open: Map<string, { order: Order; finishedMs: number | undefined }>;
  judged: Order[];
}

async function main(): Promise<void> {
  console.log(`soak: ${minutes} minutes, seed ${seed}, a kill every ${KILL_EVERY_MS / 1000} s`);
  const endings: (() => Promise<void> | void)[] = [];
  try {
    const scene = await setUp(endings);
    const kills = await storm(scene);
    await drain(scene);
    report(scene, kills);
  } finally {
    for (const undo of endings.toReversed()) await undo();
  }
}

async function setUp(endings: (() => Promise<void> | void)[]): Promise<Scene> {
  const { folder, plane, proxy, witness, direct, kubeconfig } = await openHostileCluster(
    { name: 'soak', clock, random: chance.proxy },
    endings,
  );
  const line = [
    'up',
    '--kubeconfig',
    kubeconfig,
    '--manage',
    'all-jobs',
    '--state',
    join(folder, 'state'),
    '--port',
    '0',
    '--log-level',
    'error',
  ];
  const launch = (): ChildProcess => {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, ...line], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr?.resume();
    return child;
  };
  const lives: Life[] = [];
  endings.push(async () => {
    for (const life of lives) await end(life.child);
  });
  return { plane, proxy, customer: new Customer(direct, clock), witness, launch, lives, open: new Map(), judged: [] };
}

async function storm(scene: Scene): Promise<Map<Victim, number>> {
  const kills = new Map<Victim, number>(VICTIMS.map((victim) => [victim, 0]));
  begin(scene);
  const endMs = performance.now() + stormMs;
  const calm = new AbortController();
  const rounds = [
    every(ARRIVE_EVERY_MS, calm.signal, async () => await order(scene)),
    every(ARRIVE_EVERY_MS, calm.signal, async () => await judge(scene)),
    every(500, calm.signal, async () => await measure(scene)),
    every(KILL_EVERY_MS, calm.signal, async () => {
      const victim = victimOf(scene, endMs - performance.now());
      await kill(victim, scene);
      kills.set(victim, (kills.get(victim) ?? 0) + 1);
    }),
    clock.wait(stormMs, calm.signal),
  ];
  try {
    // The last one ends the others; one that fails ends all.
    await Promise.race([rounds.at(-1), Promise.all(rounds.slice(0, -1))]);
  } finally {
    calm.abort();
  }
  await Promise.all(rounds);
  return kills;
}

/** The first life and the last one reach the age at which they are measured, and so does every third between them. */
function victimOf({ lives }: Scene, leftMs: number): Victim {
  const current = lives.at(-1);
  const isSpared = current !== undefined && lives.length % 3 === 1 && performance.now() - current.bornMs < MEASURED_AT_MS;
  const choice = isSpared || leftMs < MEASURED_AT_MS + KILL_EVERY_MS ? VICTIMS.slice(1) : VICTIMS;
  return choice[Math.floor(chance.victims() * choice.length)] ?? 'connections';
}

async function kill(victim: Victim, scene: Scene): Promise<void> {
  switch (victim) {
    case 'farloop': {
      const current = scene.lives.at(-1);
      if (current) await end(current.child);
      begin(scene);
      return;
    }
    case 'API server':
      await scene.plane.restartApiServer();
      return;
    case 'connections':
      scene.proxy.shut();
      await clock.wait(chance.victims() * 1_000);
      scene.proxy.open();
      return;
    default:
  }
}

const begin = ({ lives, launch }: Scene): void => {
  lives.push({ child: launch(), bornMs: performance.now(), rss: [] });
};

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

async function measure({ lives }: Scene): Promise<void> {
  const life = lives.at(-1);
  if (!life) return;
  check(life.child.exitCode === null, `farloop up ended by itself with exit code ${life.child.exitCode}`);
  const ageMs = performance.now() - life.bornMs;
  if (ageMs < MEASURED_FROM_MS || ageMs > MEASURED_AT_MS) return;
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(life.child.pid)]);
  life.rss.push(Number(stdout.trim()));
}

/** Jobs of every sort in turn, all over within seconds. */
async function order({ customer, open, judged }: Scene): Promise<void> {
  if (open.size >= MOST_UNFINISHED) return;
  const number = open.size + judged.length;
  const runSeconds = Math.round(chance.orders() * 20) / 10;
  const next = draftOf(`soak-${String(number).padStart(5, '0')}`, number, runSeconds);
  await customer.create(next);
  open.set(nameOf(next), { order: next, finishedMs: undefined });
}

function draftOf(name: string, number: number, runSeconds: number): Order {
  switch (number % 5) {
    case 0:
      return orderOf(name, { completions: 6, parallelism: 3, mode: 'NonIndexed', runSeconds });
    case 1:
      return orderOf(name, { completions: 20, parallelism: 20, mode: 'Indexed', runSeconds });
    case 2: {
      const failing = { completions: 1, parallelism: 1, mode: 'NonIndexed', backoffLimit: 1, runSeconds, exitCodes: '1' } as const;
      return orderOf(name, failing, { condition: 'Failed', succeeded: 0, failed: 2, pods: 2 });
    }
    case 3:
      return orderOf(name, { completions: 10, parallelism: 4, mode: 'Indexed', runSeconds });
    default: {
      const retrying = { completions: 3, parallelism: 3, mode: 'Indexed', backoffLimit: 3, runSeconds, exitCodes: '0,1/0,0' } as const;
      return orderOf(name, retrying, { failed: 1, pods: 4 });
    }
  }
}

/** What is as it must be goes, as it would by and by in a cluster; what has ended and stays wrong is found here. */
async function judge({ customer, open, judged, witness }: Scene): Promise<void> {
  const asked = [...open];
  const jobs = await customer.jobs();
  for (const [name, entry] of asked) {
    const job = jobs.get(name);
    check(job !== undefined, `Job ${name} is lost`);
    if (!isFinished(job)) continue;
    entry.finishedMs ??= performance.now();
    const pods = await customer.pods(name);
    const faults = faultsOf(entry.order, { job, pods, created: witness.count(`${NAMESPACE}/${name}-`) });
    const isLate = performance.now() - entry.finishedMs > JUDGED_WITHIN_MS;
    check(faults.length === 0 || !isLate, `${JUDGED_WITHIN_MS / 1000} s after its end:\n${faults.join('\n')}`);
    if (faults.length > 0 || job === undefined) continue;
    await customer.remove(job);
    open.delete(name);
    judged.push(entry.order);
  }
}

/** No more kills and no more Jobs: all there are come to their end. */
async function drain(scene: Scene): Promise<void> {
  const { open, customer, judged, witness } = scene;
  const untilMs = performance.now() + RECOVERY_MS;
  while (open.size > 0) {
    await measure(scene);
    await judge(scene);
    check(performance.now() < untilMs, `${RECOVERY_MS / 1000} s after the last kill these have not ended: ${[...open.keys()].join(', ')}`);
    await clock.wait(250);
  }
  const left = await customer.pods();
  check(!left.some(hasFinalizer), 'a pod keeps its finalizer');
  // A pod that was created for a Job after its end counts too.
  for (const done of judged) {
    const created = witness.count(`${NAMESPACE}/${nameOf(done)}-`);
    check(created === done.expected.pods, `Job ${nameOf(done)}: ${created} pods were ever created, expected ${done.expected.pods}`);
  }
  check(left.length === 0, `${left.length} pods of Jobs that are gone are still there`);
}

function report({ lives, judged, witness }: Scene, kills: ReadonlyMap<Victim, number>): void {
  const counts = VICTIMS.map((victim) => `${victim} ${kills.get(victim) ?? 0}`).join(', ');
  console.log(`soak: killed: ${counts}`);
  console.log(`soak: ${judged.length} Jobs with ${witness.created.length} pods: 0 lost, 0 done twice, no finalizer left`);
  const measured = lives.filter(({ rss }) => rss.length > 0).map(({ rss }) => medianOf(rss) / 1024);
  const [first, last] = [measured[0], measured.at(-1)];
  check(
    first !== undefined && last !== undefined && measured.length > 1,
    'too short to compare memory: at least two lives must be measured',
  );
  const ages = `${MEASURED_FROM_MS / 1000} to ${MEASURED_AT_MS / 1000} s after a start`;
  console.log(`soak: RSS ${ages}, ${measured.length} lives: ${measured.map((megabytes) => megabytes.toFixed(0)).join(', ')} MB`);
  console.log(`soak: RSS at the start ${first?.toFixed(1)} MB, at the end ${last?.toFixed(1)} MB`);
  check((last ?? 0) <= (first ?? 0) * MOST_GROWTH, `memory grew by more than ${Math.round((MOST_GROWTH - 1) * 100)} %`);
}

const medianOf = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

async function every(ms: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  let nextMs = performance.now() + ms;
  for (;;) {
    await clock.wait(Math.max(0, nextMs - performance.now()), signal);
    if (signal.aborted) return;
    nextMs += ms;
    await work();
    nextMs = Math.max(nextMs, performance.now());
  }
}

function check(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(`soak: seed ${seed}: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  },
);
