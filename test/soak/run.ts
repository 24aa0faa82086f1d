// `npm run soak -- [--minutes N] [--seed S]`: Jobs arrive all the time on a real API server, and every five seconds Farloop is killed, or its
// relay, which is a process of its own, or the API server, or every connection to it. Each Job comes to exactly what it must, none is lost,
// nothing is done twice. In the last third Farloop and its relay live on: they grow no fatter then, nor from their first lives to their last.
import type { ChildProcess } from 'node:child_process';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { seededRandom } from '../../lib/adapters/embedded/seeded-chance.ts';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import type { ControlPlane } from '../cluster/control-plane.ts';
import { freePorts } from '../cluster/control-plane.ts';
import type { CreationWitness } from '../network/etcd.ts';
import { openHostileCluster } from '../network/hostile-cluster.ts';
import type { Order } from '../network/orders.ts';
import { Customer, faultsOf, hasFinalizer, isFinished, nameOf, NAMESPACE, orderOf } from '../network/orders.ts';
import type { HostileProxy } from '../network/proxy.ts';
import { wholeNumber } from '../../lib/cli/terminal/arguments.ts';
import { LARGEST_NUMBER, script } from '../script-options.ts';
import { check, until } from '../claims.ts';
import type { Sample } from './memory.ts';
import { endOf, memoryFaults, WARM_AT_MS, warmOf } from './memory.ts';
import { queueUrlAt } from './queue-service.ts';
import { QUEUES_PORT_VARIABLE } from './relay-stand-in.ts';

const MAIN = new URL('../../lib/cli/main.ts', import.meta.url).pathname;
const RELAY_APART = new URL('./relay-apart.ts', import.meta.url).href;
/** Those of them that are processes of Farloop's. */
const PARTS = ['farloop', 'relay'] as const;
const VICTIMS = [...PARTS, 'API server', 'connections'] as const;
type Part = (typeof PARTS)[number];
type Victim = (typeof VICTIMS)[number];

/** As `farloop up` calls the cluster of this kubeconfig: by its context. */
const CLUSTER = 'test';
const KILL_EVERY_MS = 5_000;
const ARRIVE_EVERY_MS = 1_000;
/** More at once would measure the machine. */
const MOST_UNFINISHED = 15;
const MEASURED_EVERY_MS = 500;
/** Of the storm, in its end: so long Farloop and its relay are spared, so that a leak shows. */
const SPARED_PART = 1 / 3;
/** Characters of what a process wrote last. */
const LAST_WORDS = 2_000;
const READY_MS = 60_000;
/** All must have ended so long after the last kill; the failing Jobs wait ten seconds by themselves. */
const RECOVERY_MS = 90_000;
/** A Job that has ended must be as it should so soon: a heartbeat is the longest wait there (docs/recovery.md), and kills go on. */
const JUDGED_WITHIN_MS = 75_000;

const { minutes, seed } = script('npm run soak --')
  .option('--minutes <number>', 'how long Jobs arrive and kills go on', wholeNumber({ min: 2, max: 10_000 }), 10)
  .option('--seed <number>', 'of everything that is left to chance', wholeNumber({ min: 0, max: LARGEST_NUMBER }), Date.now() % 1_000_000)
  .parse()
  .opts<{ minutes: number; seed: number }>();
const stormMs = minutes * 60_000;
/** Each its own, so that none depends on how far the others are. */
const chance = { victims: seededRandom(seed), orders: seededRandom(seed + 1), proxy: seededRandom(seed + 2) };
const clock = new SystemClock();

/** One process from its start to its SIGKILL. */
interface Life {
  child: ChildProcess;
  bornMs: number;
  memory: Sample[];
  /** What it wrote last. */
  said: string;
  isReady: boolean;
}

interface Scene {
  plane: ControlPlane;
  proxy: HostileProxy;
  customer: Customer;
  witness: CreationWitness;
  launch: Record<Part, () => ChildProcess>;
  lives: Record<Part, Life[]>;
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
  const [port] = await freePorts(1);
  const toCluster = ['--kubeconfig', kubeconfig, '--manage', 'all-jobs', '--log-level', 'error'];
  const queues = ['--events-queue-url', queueUrlAt(port, 'events'), '--asks-queue-url', queueUrlAt(port, `relay-${CLUSTER}`)];
  const launch = {
    farloop: () =>
      launched(['--import', RELAY_APART, MAIN, 'up', ...toCluster, '--state', join(folder, 'state'), '--port', '0'], {
        [QUEUES_PORT_VARIABLE]: String(port),
      }),
    relay: () =>
      launched([MAIN, 'relay', ...toCluster, '--cluster', CLUSTER, ...queues], {
        AWS_ENDPOINT_URL_SQS: `http://127.0.0.1:${port}`,
        AWS_REGION: 'us-east-1',
        AWS_ACCESS_KEY_ID: 'test',
        AWS_SECRET_ACCESS_KEY: 'test',
      }),
  };
  const lives: Scene['lives'] = { farloop: [], relay: [] };
  endings.push(async () => {
    for (const life of PARTS.flatMap((part) => lives[part])) await end(life.child);
  });
  const scene = { plane, proxy, customer: new Customer(direct, clock), witness, launch, lives, open: new Map(), judged: [] };
  begin('farloop', scene);
  begin('relay', scene);
  await bothReady(scene);
  return scene;
}

const launched = (line: readonly string[], environment: Record<string, string>): ChildProcess =>
  spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...line], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });

async function bothReady(scene: Scene): Promise<void> {
  const lastOf = (part: Part): Life | undefined => scene.lives[part].at(-1);
  await until(
    'Farloop and its relay are ready',
    () => PARTS.every((part) => lastOf(part)?.isReady === true),
    READY_MS,
    async () => PARTS.map((part) => `${part}: ${lastOf(part)?.said}`).join('\n'),
  );
}

async function storm(scene: Scene): Promise<Map<Victim, number>> {
  const kills = new Map<Victim, number>(VICTIMS.map((victim) => [victim, 0]));
  const sparedMs = stormMs * SPARED_PART;
  const sparedFromMs = performance.now() + stormMs - sparedMs;
  const victims = new Victims();
  const spared = Promise.withResolvers<void>();
  let areSpared = false;
  const strike = async (victim: Victim): Promise<void> => {
    await kill(victim, scene);
    kills.set(victim, (kills.get(victim) ?? 0) + 1);
  };
  const calm = new AbortController();
  const rounds = [
    every(ARRIVE_EVERY_MS, calm.signal, async () => await order(scene)),
    every(ARRIVE_EVERY_MS, calm.signal, async () => await judge(scene)),
    every(MEASURED_EVERY_MS, calm.signal, async () => {
      watchOver(scene);
      await measure(scene);
    }),
    every(KILL_EVERY_MS, calm.signal, async () => {
      const isLastThird = performance.now() >= sparedFromMs;
      if (isLastThird && !areSpared) {
        // Their last lives begin together, and are that long however late it is by now.
        areSpared = true;
        for (const part of PARTS) await strike(part);
        await bothReady(scene);
        spared.resolve();
        return;
      }
      await strike(victims.next(isLastThird ? () => false : (part) => isMeasured(part, scene)));
    }),
    spared.promise.then(async () => await clock.wait(sparedMs, calm.signal)),
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

/** Whoever is killed next: each as often as the others, in an order of the seed. */
class Victims {
  #left: Victim[] = [];

  /** @param mayDie whether a part of Farloop's may be chosen now */
  next(mayDie: (part: Part) => boolean): Victim {
    const isAllowed = (victim: Victim): boolean => (victim === 'farloop' || victim === 'relay' ? mayDie(victim) : true);
    if (!this.#left.some(isAllowed))
      this.#left = VICTIMS.map((victim) => ({ victim, at: chance.victims() }))
        .toSorted((one, other) => one.at - other.at)
        .map(({ victim }) => victim);
    const victim = this.#left.find(isAllowed) ?? 'connections';
    this.#left = this.#left.filter((other) => other !== victim);
    return victim;
  }
}

/** The first life is spared until its memory is known. */
const isMeasured = (part: Part, { lives }: Scene): boolean => {
  const [first, ...others] = lives[part];
  return others.length > 0 || (first !== undefined && performance.now() - first.bornMs > WARM_AT_MS && warmOf(first.memory) !== undefined);
};

async function kill(victim: Victim, scene: Scene): Promise<void> {
  switch (victim) {
    case 'farloop':
    case 'relay': {
      const current = scene.lives[victim].at(-1);
      if (current) await end(current.child);
      begin(victim, scene);
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

function begin(part: Part, { lives, launch }: Scene): void {
  const life: Life = { child: launch[part](), bornMs: performance.now(), memory: [], said: '', isReady: false };
  for (const stream of [life.child.stdout, life.child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      life.said = (life.said + text).slice(-LAST_WORDS);
      life.isReady ||= life.said.includes(' ready\n');
    });
  lives[part].push(life);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

async function measure({ lives }: Scene): Promise<void> {
  for (const part of PARTS) {
    const life = lives[part].at(-1);
    if (!life) continue;
    const ageMs = performance.now() - life.bornMs;
    const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(life.child.pid)]).catch(() => ({ stdout: '' }));
    // It may have been killed meanwhile.
    if (Number(stdout) > 0) life.memory.push({ ageMs, mebibytes: Number(stdout) / 1024 });
  }
}

/** Nobody ends but by a kill; who finds no API server at its start does, and is started again, as a kubelet would. */
function watchOver(scene: Scene): void {
  for (const part of PARTS) {
    const life = scene.lives[part].at(-1);
    if (!life || life.child.exitCode === null) continue;
    check(!life.isReady, `${part} ended by itself with exit code ${life.child.exitCode}: ${life.said}`);
    begin(part, scene);
  }
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
    watchOver(scene);
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
  console.log(`soak: killed: ${[...kills].map(([victim, times]) => `${victim} ${times}`).join(', ')}`);
  console.log(`soak: ${judged.length} Jobs with ${witness.created.length} pods: 0 lost, 0 done twice, no finalizer left`);
  const faults: string[] = [];
  for (const part of PARTS) {
    const [first = [], last = []] = [lives[part][0]?.memory, lives[part].at(-1)?.memory];
    const [warm, warmOfLast, atEnd] = [warmOf(first), warmOf(last), endOf(last)].map((megabytes) => `${megabytes?.toFixed(0) ?? '?'} MB`);
    const spared = Math.round((last.at(-1)?.ageMs ?? 0) / 1000);
    console.log(
      `soak: RSS of ${part}: first life ${warm} once warm; last of ${lives[part].length} lives ${warmOfLast} once warm, ${atEnd} after ${spared} s`,
    );
    faults.push(...memoryFaults(first, last).map((fault) => `${part}: ${fault}`));
  }
  check(faults.length === 0, faults.join('\n'));
  for (const [victim, times] of kills) check(times > 0, `${victim} was never killed`);
}

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

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(`soak: seed ${seed}: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  },
);
