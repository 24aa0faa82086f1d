// `npm run test:frozen -- [--times N] [--seconds S]`: a real kube-apiserver stands still (SIGSTOP) again and again while Jobs run on it through
// `farloop up`. Each time API, command line and console must show that within 15 s, with its workloads waiting for that and nothing else,
// go on showing it, and show the end of it within 5 s. In the end each Job has run exactly: no index lost, no pod created twice.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import { seededRandom } from '../../lib/adapters/embedded/seeded-chance.ts';
import type { ClusterSummary } from '../../lib/api/clusters.ts';
import type { WorkloadDetail, WorkloadSummary } from '../../lib/api/told-workload.ts';
import { wholeNumber } from '../../lib/cli/terminal/arguments.ts';
import { check, until } from '../claims.ts';
import { FarloopProcess, runFarloop } from '../cli/farloop-process.ts';
import { openBrowser, View } from '../console/browser.ts';
import makeChromiumReady from '../console/chromium.ts';
import type { ControlPlane } from '../cluster/control-plane.ts';
import type { CreationWitness } from '../network/etcd.ts';
import { openHostileCluster } from '../network/hostile-cluster.ts';
import type { Order } from '../network/orders.ts';
import { Customer, faultsOf, isFinished, nameOf, orderOf } from '../network/orders.ts';
import { script } from '../script-options.ts';

const SHOWN_WITHIN_MS = 15_000;
const OVER_WITHIN_MS = 5_000;
const READY_MS = 60_000;
/** All Jobs have ended so long after the last freeze: back-offs and heartbeats are within it (docs/recovery.md). */
const RECOVERY_MS = 120_000;
const PODS_PER_JOB = 20;
const MOST_UNFINISHED = 4;
const ARRIVE_EVERY_MS = 1_000;
const LOOK_EVERY_MS = 200;
/** So long Jobs run between two freezes. */
const CALM_MS = 6_000;

const { times, seconds } = script('npm run test:frozen --')
  .option('--times <number>', 'how often it stands still', wholeNumber({ min: 1, max: 1_000 }), 10)
  .option('--seconds <number>', 'how long each time; it must show meanwhile', wholeNumber({ min: 16, max: 3_600 }), 60)
  .parse()
  .opts<{ times: number; seconds: number }>();

const clock = new SystemClock();
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
interface Scene {
  plane: ControlPlane;
  witness: CreationWitness;
  customer: Customer;
  orders: Order[];
  farloop: FarloopProcess;
  state: string;
  get: <Answer>(path: string) => Promise<Answer>;
  view: View;
}

/** Milliseconds after the freeze, or the thaw. */
interface Figures {
  shown: Record<'API' | 'command line' | 'console', number>;
  over: Record<'API' | 'command line' | 'console', number>;
}

async function main(): Promise<void> {
  const beganMs = performance.now();
  console.log(`frozen: ${times} times ${seconds} s, seed ${seed}`);
  const endings: (() => Promise<void> | void)[] = [];
  try {
    const scene = await setUp(endings);
    const load = new AbortController();
    const arriving = arrive(scene, load.signal);
    // Its failure is told where it is waited for.
    arriving.catch(() => {});
    const all: Figures[] = [];
    for (let time = 1; time <= times; time++) {
      await clock.wait(CALM_MS);
      all.push(await freeze(scene, time));
    }
    load.abort();
    await arriving;
    await settle(scene);
    report(all, scene, Math.round((performance.now() - beganMs) / 1000));
  } finally {
    for (const end of endings.toReversed()) await end();
  }
}

async function setUp(endings: (() => Promise<void> | void)[]): Promise<Scene> {
  const { folder, plane, witness, direct } = await openHostileCluster({ name: 'frozen', clock, random: seededRandom(seed) }, endings);
  // What stands still ends all the same.
  const state = join(folder, 'state');
  const farloop = new FarloopProcess(
    ['up', '--kubeconfig', plane.kubeconfigPath, '--manage', 'all-jobs', '--state', state, '--port', '0', '--log-level', 'error'],
    { environment: { NO_COLOR: '1' } },
  );
  endings.push(async () => await farloop.destroy());
  await farloop.says('farloop ready', READY_MS);
  const { url, token } = JSON.parse(readFileSync(join(state, 'instance.json'), 'utf8')) as { url: string; token: string };
  const get = async <Answer>(path: string): Promise<Answer> => {
    const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    check(answer.ok, `${path} was answered ${answer.status}`);
    return (await answer.json()) as Answer;
  };
  makeChromiumReady();
  const browser = await openBrowser();
  endings.push(async () => await browser.close());
  const view = await View.open(browser, { url: `${url}/#token=${token}` });
  return { plane, witness, customer: new Customer(direct, clock), orders: [], farloop, state, get, view };
}

/** Jobs come all the time, but no more than run through; who asks waits as long as the server stands still. */
async function arrive({ customer, orders }: Scene, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const jobs = await calmly(async () => await customer.jobs());
    if (orders.filter((order) => !isFinished(jobs.get(nameOf(order)))).length < MOST_UNFINISHED) {
      const order = orderOf(`frozen-${String(orders.length).padStart(3, '0')}`, {
        completions: PODS_PER_JOB,
        parallelism: PODS_PER_JOB / 2,
        mode: 'Indexed',
        runSeconds: 2,
      });
      await calmly(async () => await customer.create(order));
      orders.push(order);
    }
    await clock.wait(ARRIVE_EVERY_MS, signal);
  }
}

/** The customer gives up after a minute by himself; the server may stand still for longer. */
async function calmly<Result>(call: () => Promise<Result>): Promise<Result> {
  const untilMs = clock.monotonicMs() + seconds * 1000 + RECOVERY_MS;
  for (;;)
    try {
      return await call();
    } catch (error) {
      if (clock.monotonicMs() > untilMs) throw error;
    }
}

/** What each of them shows of the cluster, as a person would read it. */
const LOOKS = {
  API: async ({ get }: Scene): Promise<string> => {
    const { items } = await get<{ items: ClusterSummary[] }>('/v1/clusters');
    return items.map(({ state }) => state).join();
  },
  'command line': async ({ state }: Scene): Promise<string> => {
    const { exitCode, stdout, stderr } = await runFarloop(['get', 'clusters', '--state', state]);
    check(exitCode === 0, `farloop get clusters ended with ${exitCode}: ${stderr}`);
    return stdout;
  },
  console: async ({ view }: Scene): Promise<string> => await view.text(),
};
type Looker = keyof typeof LOOKS;
const LOOKERS = Object.keys(LOOKS) as Looker[];

/** @returns milliseconds from then until each of them showed it, for the first time */
async function shownBy(
  scene: Scene,
  isShown: (text: string) => boolean,
  sinceMs: number,
  withinMs: number,
): Promise<Record<Looker, number>> {
  const afterMs = await Promise.all(
    LOOKERS.map(async (looker): Promise<[Looker, number]> => {
      for (;;) {
        // On a busy machine a command takes seconds to start: it must show what is so when it was given.
        const askedAfterMs = Math.round(performance.now() - sinceMs);
        const text = await LOOKS[looker](scene);
        if (isShown(text) && askedAfterMs <= withinMs) return [looker, Math.round(performance.now() - sinceMs)];
        check(askedAfterMs <= withinMs, `the ${looker} does not show it within ${withinMs / 1000} s: ${text}`);
        await clock.wait(LOOK_EVERY_MS);
      }
    }),
  );
  return Object.fromEntries(afterMs) as Record<Looker, number>;
}

async function freeze(scene: Scene, time: number): Promise<Figures> {
  const { plane, get } = scene;
  const pending = async (): Promise<WorkloadSummary[]> =>
    (await get<{ items: WorkloadSummary[] }>('/v1/workloads?limit=1000')).items.filter(
      ({ state }) => !['Succeeded', 'Failed'].includes(state),
    );
  await until('a Job is at work', async () => (await pending()).length > 0, 30_000);
  const frozenAtMs = performance.now();
  await plane.freezeApiServer();
  try {
    const shown = await shownBy(scene, (text) => text.includes('Unreachable'), frozenAtMs, SHOWN_WITHIN_MS);
    for (const workload of await pending()) await checkReasons(scene, workload);
    while (performance.now() - frozenAtMs < seconds * 1000) {
      const state = await LOOKS.API(scene);
      check(state === 'Unreachable', `it stands still, and shows as ${state} after ${Math.round(performance.now() - frozenAtMs)} ms`);
      await clock.wait(LOOK_EVERY_MS);
    }
    const thawedAtMs = performance.now();
    await plane.thawApiServer();
    const over = await shownBy(scene, (text) => text.includes('Watching') && !text.includes('Unreachable'), thawedAtMs, OVER_WITHIN_MS);
    console.log(`frozen: ${time}. shown after ${timesText(shown)}; over after ${timesText(over)}`);
    return { shown, over };
  } finally {
    await plane.thawApiServer();
  }
}

const timesText = (ms: Record<Looker, number>): string =>
  LOOKERS.map((looker) => `${(ms[looker] / 1000).toFixed(1)} s (${looker})`).join(', ');

/** It waits for the cluster, since a moment of this freeze, and is tried again at a time that is one; a Job for which no pass is due has none. */
async function checkReasons({ get }: Scene, { cluster, kind, namespace, name }: WorkloadSummary): Promise<void> {
  const { items } = await get<{ items: WorkloadDetail[] }>(`/v1/workloads/${[cluster, kind, namespace, name].join('/')}`);
  const reasons = items[0]?.reasons ?? [];
  // It ended meanwhile, or its end was all that was missing.
  if (reasons.some(({ code }) => code === 'Completed')) return;
  const [first] = reasons;
  const said = JSON.stringify(reasons);
  check(first?.code === 'Unreachable', `${name} does not wait for its cluster: ${said}`);
  check(
    /^no answer from the cluster since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC: .*; tried again (now|in \d+ s|when something happens)$/.test(
      first?.text ?? '',
    ),
    said,
  );
  check((first?.remainingSeconds ?? 0) <= 120, `${name} is tried again too late: ${said}`);
  check(!reasons.some(({ code }) => code === 'RefusedByApiServer'), `${name} is said to be refused: ${said}`);
}

async function settle({ customer, orders, witness }: Scene): Promise<void> {
  let faults: string[] = [];
  const isRight = async (): Promise<boolean> => {
    const jobs = await customer.jobs();
    const pods = Map.groupBy(await customer.pods(), ({ metadata }) => metadata.labels?.['job-name'] ?? '');
    faults = orders.flatMap((order) => {
      const name = nameOf(order);
      const seen = { job: jobs.get(name), pods: pods.get(name) ?? [], created: witness.count(`default/${name}-`) };
      return faultsOf(order, seen);
    });
    return faults.length === 0;
  };
  await until('every Job has run exactly', isRight, RECOVERY_MS, async () => faults.slice(0, 5).join('\n'));
  const twice = witness.created.filter((name, at, all) => all.indexOf(name) !== at);
  check(twice.length === 0, `created twice: ${twice.join(', ')}`);
}

function report(all: readonly Figures[], { orders, witness }: Scene, tookSeconds: number): void {
  const most = (which: keyof Figures): string => (Math.max(...all.flatMap((each) => Object.values(each[which]))) / 1000).toFixed(1);
  console.log(
    `frozen: ${all.length} of ${times} shown within ${most('shown')} s, over within ${most('over')} s; ${orders.length} Jobs, ` +
      `${witness.created.length} pods created, each once, every index exactly once; ${tookSeconds} s`,
  );
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(`frozen: SEED=${seed}: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  },
);
