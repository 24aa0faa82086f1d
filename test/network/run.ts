// `npm run test:network -- [--strikes N]`: Farloop on a real API server behind a hostile network. Its only way there is a proxy that
// cuts, stalls, slows, goes mute and corrupts; the API server is killed, and made to forget, so that watches and lists meet a 410.
// Jobs arrive all the while. In the end each has run exactly, and what Farloop knows is what the cluster holds. `SEED=` replays.
import { join } from 'node:path';
import { seededRandom } from '../../lib/adapters/embedded/seeded-chance.ts';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import { metricsText } from '../../lib/api/metrics.ts';
import type { LocalInstance } from '../../lib/cli/local/local-instance.ts';
import { startLocalInstance } from '../../lib/cli/local/local-instance.ts';
import type { Job } from '../../lib/objects/kubernetes.ts';
import { compareResourceVersions } from '../../lib/objects/values/resource-version.ts';
import { factsFor } from '../../lib/kinds/facts.ts';
import { viewDigestOf } from '../../lib/reconciler/cluster/digest-mismatch.ts';
import { readMarker } from '../../lib/reconciler/cluster/heartbeats.ts';
import { readView } from '../../lib/reconciler/view/view-access.ts';
import { digestOf } from '../../lib/wire/words/digest.ts';
import type { WatchState } from '../../lib/wire/words/observations.ts';
import type { ControlPlane } from '../cluster/control-plane.ts';
import { compact } from '../cluster/control-plane.ts';
import type { CreationWitness } from './etcd.ts';
import { writeAlienKey } from './etcd.ts';
import { openHostileCluster } from './hostile-cluster.ts';
import type { Order } from './orders.ts';
import { Customer, faultsOf, hasFinalizer, isFinished, nameOf, NAMESPACE, orderOf } from './orders.ts';
import type { HostileProxy } from './proxy.ts';
import { RelayCalls } from './relay-calls.ts';
import { check, until } from '../claims.ts';
import { wholeNumber } from '../../lib/cli/terminal/arguments.ts';
import { script } from '../script-options.ts';

const KINDS = ['cut', 'stall', 'slow', 'corrupt', 'mute', 'restart', 'forget'] as const;
type Kind = (typeof KINDS)[number];

const PODS_PER_JOB = 50;
const MOST_UNFINISHED = 3;
/**
 * Shorter than in production, so that minutes are enough; a bookmark comes once a minute only, so a watch of what does not change counts as
 * silent too. A comparison waits longer than that: what is muted is found by its silence.
 */
const RELAY = { silentMs: 4_000, heartbeatMs: 3_000, auditMs: 20_000, auditGraceMs: 6_000, pageSize: 30, longestBackoffMs: 4_000 };
const TOUCH_EVERY_MS = 200;
/** Farloop must be through with everything so long after the last strike. */
const RECOVERY_MS = 60_000;
const { strikes: strikesPerKind } = script('npm run test:network --')
  .option('--strikes <number>', 'of each kind', wholeNumber({ min: 1, max: 1000 }), 3)
  .parse()
  .opts<{ strikes: number }>();
/** Three strikes of each kind are through within two minutes on a machine with nothing else to do; this ends what hangs, not what is slow. */
const WHOLE_RUN_MS = 60_000 * Math.max(10, strikesPerKind * 3);
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const clock = new SystemClock();
const between = (random: () => number, least: number, most: number): number => Math.round(least + random() * (most - least));

/** One thing that is done to the network; its own chance, so that what else happens does not change it. */
interface Strike {
  kind: Kind;
  random: () => number;
}

interface Scene {
  plane: ControlPlane;
  proxy: HostileProxy;
  farloop: LocalInstance;
  calls: RelayCalls;
  customer: Customer;
  witness: CreationWitness;
  orders: Order[];
}

async function main(): Promise<void> {
  const beganMs = performance.now();
  console.log(`network: seed ${seed}, each of ${KINDS.join(', ')} ${strikesPerKind} times`);
  const endings: (() => Promise<void> | void)[] = [];
  try {
    const scene = await setUp(endings);
    const struck = await storm(scene);
    const calmMs = performance.now();
    await settle(scene);
    const settledMs = performance.now() - calmMs;
    await agree(scene);
    for (const [kind, strikes] of struck) console.log(`network: ${kind.padEnd(8)} struck ${strikes} times`);
    const { calls, farloop } = scene;
    const silent = await counted(farloop, 'farloop_silent_watches_total');
    const differing = await counted(farloop, 'farloop_view_mismatches_total');
    console.log(
      `network: 410 to ${calls.expiredWatches} watches and ${calls.expiredLists} lists, ${silent} silent watches, ${differing} differing views mended`,
    );
    for (const [kind, strikes] of struck) check(strikes >= 3, `${kind} must strike 3 times at least`);
    check(calls.expiredWatches >= 3, 'three watches at least must be told 410');
    check(calls.expiredLists >= 3, 'three lists at least must be told 410');
    const seconds = Math.round((performance.now() - beganMs) / 1000);
    console.log(
      `network: ${scene.orders.length} Jobs of ${PODS_PER_JOB} pods, every index exactly once; all done ${(settledMs / 1000).toFixed(1)} s after the last fault; ${seconds} s`,
    );
  } finally {
    for (const end of endings.toReversed()) await end();
  }
}

async function setUp(endings: (() => Promise<void> | void)[]): Promise<Scene> {
  const { folder, plane, proxy, witness, direct, kubeconfig } = await openHostileCluster(
    {
      name: 'network',
      clock,
      random: seededRandom(seed + 1),
      // Pages after the first come from etcd then, as on servers before 1.34, and so can be forgotten between two pages.
      apiServerFlags: ['--feature-gates=ListFromCacheSnapshot=false'],
    },
    endings,
  );
  const calls = new RelayCalls((cluster) => cluster !== direct);
  const farloop = await startLocalInstance({
    folder: join(folder, 'state'),
    kubeconfigs: [{ file: kubeconfig }],
    manages: ['all-jobs'],
    namespaces: [],
    budget: { writesPerSecond: 1_000, burst: 2_000 },
    port: 0,
    logLevel: process.env['LOG_LEVEL'] === 'warn' ? 'warn' : 'error',
    relay: RELAY,
  });
  endings.push(async () => await farloop.stop());
  await farloop.ready;
  return { plane, proxy, farloop, calls, customer: new Customer(direct, clock), witness, orders: [] };
}

async function storm(scene: Scene): Promise<Map<Kind, number>> {
  const struck = new Map<Kind, number>(KINDS.map((kind) => [kind, 0]));
  const plan = planOf();
  // A line may be bad while nobody talks: such a strike is repeated, and a plan of twice the length is enough for chance.
  for (let left = plan.length * 2, next = plan.shift(); next !== undefined && left > 0; next = plan.shift(), left--) {
    const { kind, random } = next;
    await orderOne(scene, between(random, 0, 20) / 10);
    // Early or late in the Job's life.
    await clock.wait(between(random, 100, 1_500));
    const beganMs = performance.now();
    const hit = await strike(next, scene);
    scene.proxy.open();
    if (hit) struck.set(kind, (struck.get(kind) ?? 0) + 1);
    else plan.push(next);
    const ms = Math.round(performance.now() - beganMs);
    console.log(`network: ${kind} for ${ms} ms${hit ? '' : ', which met nobody'}`);
  }
  return struck;
}

/** Every kind equally often, in an order of the seed. */
function planOf(): Strike[] {
  const random = seededRandom(seed);
  return Array.from({ length: strikesPerKind }, () => KINDS)
    .flat()
    .map((kind) => ({ kind, at: random(), random: seededRandom(Math.floor(random() * 2 ** 32)) }))
    .toSorted((one, other) => one.at - other.at);
}

async function orderOne({ customer, orders }: Scene, runSeconds: number): Promise<void> {
  const finished = await customer.jobs();
  if (orders.filter((order) => !isFinished(finished.get(nameOf(order)))).length >= MOST_UNFINISHED) return;
  const order = orderOf(`net-${String(orders.length).padStart(3, '0')}`, {
    completions: PODS_PER_JOB,
    parallelism: PODS_PER_JOB,
    mode: 'Indexed',
    runSeconds,
  });
  await customer.create(order);
  orders.push(order);
}

/** @returns whether it met anybody */
async function strike({ kind, random }: Strike, scene: Scene): Promise<boolean> {
  const { plane, proxy } = scene;
  const before = proxy.touched;
  switch (kind) {
    case 'cut':
      proxy.shut();
      await clock.wait(between(random, 0, 2_000));
      return proxy.touched > before;
    case 'stall':
      proxy.stall();
      await clock.wait(between(random, 1_000, 4_000));
      return proxy.touched > before;
    case 'slow':
      proxy.slow(between(random, 8_000, 40_000));
      await clock.wait(between(random, 2_000, 4_000));
      return proxy.touched > before;
    case 'corrupt':
      for (let times = between(random, 1, 4); times > 0; times--) {
        proxy.corrupt();
        await clock.wait(between(random, 200, 800));
      }
      return proxy.touched > before;
    case 'mute':
      return await mute(scene);
    case 'restart':
      await plane.restartApiServer();
      return true;
    case 'forget':
      return await forget(scene);
    default:
      return false;
  }
}

/**
 * Something of all that is watched changes all the while, so that no watch is silent but one that is not let through.
 * @returns whether anything was swallowed
 */
async function mute({ proxy, farloop, customer }: Scene): Promise<boolean> {
  const touched = await customer.any();
  if (!touched) return false;
  // The first change may come to be known by a list, with a watch behind it that is not open yet.
  for (let times = 0; times < 2; times++) {
    const changed = await customer.touch(touched);
    const isObserved = ({ resource, resourceVersion }: WatchState): boolean =>
      compareResourceVersions(resourceVersion, changed.get(resource) ?? '0') >= 0;
    const watches = (): WatchState[] => farloop.relayStatus().watches;
    const seen = async (): Promise<string> => JSON.stringify({ watches: watches(), changed: [...changed] });
    await until('every watch hears what has changed', () => watches().every(isObserved), 40_000, seen);
  }
  const silences = async (): Promise<number[]> =>
    await Promise.all(['jobs', 'pods'].map(async (resource) => await counted(farloop, 'farloop_silent_watches_total', { resource })));
  const swallowed = proxy.touched;
  const before = await silences();
  proxy.mute();
  const areSilent = async (): Promise<boolean> => {
    await customer.touch(touched);
    await clock.wait(TOUCH_EVERY_MS);
    return (await silences()).every((times, index) => times > (before[index] ?? 0));
  };
  await until('the relay finds each of its muted watches silent', areSilent, 60_000, async () => JSON.stringify(await silences()));
  return proxy.touched > swallowed;
}

/**
 * Behind the relay's back the past goes: first what its watches would resume from, then what its list has begun to read.
 * @returns false when neither struck: it was listing anew anyway, or gave up the list that was held for another one
 */
async function forget({ plane, proxy, calls, farloop, customer }: Scene): Promise<boolean> {
  const { expiredWatches, expiredLists } = calls;
  // A list of one page only is never between two.
  const hasTwoPages = async (): Promise<boolean> => (await customer.pods()).length > RELAY.pageSize;
  await until('there are more pods than a page holds', hasTwoPages, 40_000);
  const held = calls.holdNextList();
  const seen = async (): Promise<string> => JSON.stringify(farloop.relayStatus());
  try {
    proxy.shut();
    await writeAlienKey(plane.etcdUrl);
    await plane.forgetHistory();
    proxy.open();
    await until('the relay lists a second page', () => held.isReached(), 40_000, seen);
    await writeAlienKey(plane.etcdUrl);
    await compact(plane.etcdUrl);
  } finally {
    held.release();
  }
  for (let tries = 0; calls.expiredLists === expiredLists && tries < 50; tries++) await clock.wait(100);
  return calls.expiredWatches > expiredWatches && calls.expiredLists > expiredLists;
}

async function settle({ customer, orders, witness }: Scene): Promise<void> {
  let faults: string[] = [];
  const untilMs = performance.now() + RECOVERY_MS;
  do {
    await clock.wait(250);
    const jobs = await customer.jobs();
    const pods = Map.groupBy(await customer.pods(), ({ metadata }) => metadata.labels?.['job-name'] ?? '');
    faults = orders.flatMap((order) => {
      const name = nameOf(order);
      return faultsOf(order, { job: jobs.get(name), pods: pods.get(name) ?? [], created: witness.count(`${NAMESPACE}/${name}-`) });
    });
  } while (faults.length > 0 && performance.now() < untilMs);
  check(faults.length === 0, `${RECOVERY_MS / 1000} s after the last fault:\n${faults.join('\n')}`);
}

/** What lies in the table is what the cluster holds, and no digest says otherwise. */
async function agree({ farloop, customer, orders, plane, witness }: Scene): Promise<void> {
  await until(
    'the views are what the cluster holds',
    async () => (await differingViews(farloop, customer)).length === 0,
    30_000,
    async () => (await differingViews(farloop, customer)).join(', '),
  );
  const { ports, cluster } = farloop;
  const marker = async (): Promise<{ heardAtMs: number; suspects: object } | undefined> => (await readMarker(ports, cluster.name))?.marker;
  const calmMs = clock.nowMs();
  await until(
    'two heartbeats without a differing digest',
    async () => {
      const now = await marker();
      return now !== undefined && now.heardAtMs > calmMs + RELAY.heartbeatMs * 2 && Object.keys(now.suspects).length === 0;
    },
    30_000,
    async () => JSON.stringify(await marker()),
  );
  const waiting = (): number => farloop.relayStatus().waiting;
  await until(
    'the relay has no more news',
    () => waiting() === 0,
    RELAY.heartbeatMs * 5,
    async () => `but of ${waiting()} workloads`,
  );
  const status = farloop.relayStatus();
  check(status.pods === orders.length * PODS_PER_JOB, `the relay knows ${status.pods} pods, expected ${orders.length * PODS_PER_JOB}`);
  check(!(await customer.pods()).some(hasFinalizer), `a pod at ${plane.url} keeps its finalizer`);
  check(
    witness.created.length === orders.length * PODS_PER_JOB,
    `${witness.created.length} pods were ever created, expected ${orders.length * PODS_PER_JOB}`,
  );
}

async function differingViews({ ports, cluster }: LocalInstance, customer: Customer): Promise<string[]> {
  const record = await ports.clusters.get(cluster.name);
  const jobs = await customer.jobs();
  const pods = Map.groupBy(await customer.pods(), ({ metadata }) => metadata.labels?.['job-name'] ?? '');
  const { keys } = await ports.store.workloads(cluster.name, { limit: 1_000 });
  const digests = new Map<string, string>();
  for (const key of keys) {
    const head = await ports.store.readHead(key);
    if (!head) continue;
    const { part, hasMissingItem } = await readView(ports.store, head, record?.era ?? 0);
    digests.set(key.name, hasMissingItem ? 'missing item' : viewDigestOf(factsFor(key.kind), part));
  }
  const member = ({ metadata }: Pick<Job, 'metadata'>): { uid: string; resourceVersion: string } => ({
    uid: metadata.uid ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
  });
  return [...jobs].flatMap(([name, job]) => {
    const live = digestOf([job, ...(pods.get(name) ?? [])].map(member));
    return digests.get(name) === live ? [] : [`${name} (${digests.get(name) ?? 'unknown'})`];
  });
}

/** The sum of a counter over all its labels but those, as the metrics page shows it. */
async function counted({ ports }: LocalInstance, family: string, labels: Readonly<Record<string, string>> = {}): Promise<number> {
  const wanted = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  const lines = (await metricsText(ports))
    .split('\n')
    .filter((line) => line.startsWith(`${family}{`) || line.startsWith(`${family} `))
    .filter((line) => wanted.every((label) => line.includes(label)));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

const hung = clock.wait(WHOLE_RUN_MS).then(() => Promise.reject(new Error(`not through after ${WHOLE_RUN_MS / 1000} s`)));
Promise.race([main(), hung]).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(`network: replay with SEED=${seed}: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  },
);
