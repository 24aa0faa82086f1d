// `npm run test:hostile [-- --only sandbox|real|messages|functions|policies|training|realTraining]`: odd objects that an API server accepts, and random bytes in what Farloop reads.
// Beside them ordinary Jobs must end in the time that they take without. `SEED=` replays.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '../../lib/adapters/embedded/seeded-chance.ts';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import { describeWorkloads, listWorkloads } from '../../lib/api/workloads.ts';
import { startLocalInstance, type LocalInstance } from '../../lib/cli/local/local-instance.ts';
import { isJobFinished } from '../../lib/kinds/job/terms/owner-facts.ts';
import type { TrainingJob } from '../../lib/kinds/training/terms/job-types.ts';
import type { Job } from '../../lib/objects/kubernetes.ts';
import type { Manages } from '../../lib/objects/manages.ts';
import { CONFIG_MAPS } from '../../lib/kinds/training/names/launcher-objects.ts';
import { JOBS } from '../../lib/objects/resources.ts';
import { formatKey, type WorkloadKey } from '../../lib/objects/workload.ts';
import { deadlineIn, type Deadline } from '../../lib/ports/clock.ts';
import { TerminalError, UnknownOutcomeError } from '../../lib/ports/errors.ts';
import type { QueueName } from '../../lib/ports/queue.ts';
import { createHead } from '../../lib/reconciler/head/heads.ts';
import { startSimulatedNode } from '../../lib/sandbox/node/simulated-node.ts';
import { ingestBatch } from '../../lib/reconciler/ingest.ts';
import { encodeEvents } from '../../lib/wire/events.ts';
import { encodeAsk, encodeTimer, encodeWake } from '../../lib/wire/messages.ts';
import { embeddedPorts } from '../api/embedded-ports.ts';
import { peakBytesOf } from '../bench/processor-time.ts';
import { check, until } from '../claims.ts';
import { startControlPlane } from '../cluster/control-plane.ts';
import { resourceOf, startTrainingCluster } from '../cluster/training-cluster.ts';
import { openNodeClient } from '../node-client.ts';
import { partsOf } from '../script-options.ts';
import { BINDINGS, bindingOf, COSTLY_RULES, judgedConfigMap, POLICIES, policyOf } from './costly-policies.ts';
import { sound } from './ingest-inputs.ts';
import { LARGE_MESSAGES } from './large-messages.ts';
import { bytesOf, oddMessage } from './odd-messages.ts';
import { oddObjects } from './odd-objects.ts';
import { oddTrainingJobs } from './odd-training-jobs.ts';

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const clock = new SystemClock();
const REQUEST_MS = 30_000;
const JOB_MS = 30_000;
/** Nothing else is delayed by more than a second; what is left is chance, on a busy machine. */
const [RATIO_MAX, SLACK_MS] = [2, 1_000];
const USUAL_JOBS = 6;
const ODD_MESSAGES = 150;
/** Of processor time that a message may cost ingest. */
const MESSAGE_MS = 300;
/** Until thousands of workers run. */
const WORKERS_MS = 180_000;
/** After so many odd things an ordinary Job is looked at. */
const ODD_PER_JOB = 4;

type Endings = (() => Promise<void> | void)[];

/** Ordinary Jobs on one installation, and how long each took. */
class Ordinary {
  readonly #farloop: LocalInstance;
  readonly #name: string;
  #count = 0;

  constructor(farloop: LocalInstance, name: string) {
    this.#farloop = farloop;
    this.#name = name;
  }

  /** @returns milliseconds from its create to its end */
  async run(): Promise<number> {
    const { access } = this.#farloop.cluster;
    const name = `${this.#name}-${++this.#count}`;
    const beganMs = performance.now();
    await access.create(
      JOBS,
      {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name, namespace: 'default' },
        spec: {
          completions: 2,
          parallelism: 2,
          template: {
            metadata: { annotations: { 'sim.farloop.dev/run-seconds': '0' } },
            spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'i' }] },
          },
        },
      },
      deadlineIn(clock, REQUEST_MS),
    );
    const job = async (): Promise<Job> =>
      (await access.get<Job>(JOBS, { namespace: 'default', name }, deadlineIn(clock, REQUEST_MS))).object;
    const isOver = async (): Promise<boolean> => isJobFinished(await job());
    await until(`the end of the ordinary Job ${name}`, isOver, JOB_MS, async () => `its status: ${JSON.stringify((await job()).status)}`);
    return performance.now() - beganMs;
  }
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function usualMs(ordinary: Ordinary): Promise<number> {
  // The first ones warm up what the compiler has not seen.
  for (let at = 0; at < 2; at++) await ordinary.run();
  const times: number[] = [];
  while (times.length < USUAL_JOBS) times.push(await ordinary.run());
  return median(times);
}

function judge(where: string, usual: number, times: readonly number[]): void {
  const worst = Math.max(...times);
  const most = usual * RATIO_MAX + SLACK_MS;
  console.log(
    `hostile: ${where}: an ordinary Job usually ${usual.toFixed(0)} ms; beside the odd ones ${times.map((ms) => ms.toFixed(0)).join(', ')} ms`,
  );
  const peakBytes = peakBytesOf(process.pid);
  console.log(`hostile: ${where}: memory ${(peakBytes / 1e6).toFixed(0)} MB at most, with node and tests`);
  check(worst <= most, `${where}: an ordinary Job took ${worst.toFixed(0)} ms, at most ${most.toFixed(0)} are its usual time`);
}

const start = async (folder: string, kubeconfig?: string, manages: Manages = ['all-jobs']): Promise<LocalInstance> => {
  const farloop = await startLocalInstance({
    folder,
    ...(kubeconfig !== undefined && { kubeconfig }),
    manages,
    // The init container of each worker asks for a twentieth of a cpu.
    nodeSize: { cpu: '1000', memory: '10Ti' },
    namespaces: [],
    budget: { writesPerSecond: 1_000, burst: 2_000 },
    port: 0,
    logLevel: process.env['LOG_LEVEL'] === 'warn' ? 'warn' : 'error',
  });
  await farloop.ready;
  return farloop;
};

/** Everything that is listed can be told of. */
async function showAll({ ports }: LocalInstance, where: string): Promise<void> {
  const { items } = await listWorkloads(ports, {}, { limit: 1_000 });
  for (const { cluster, kind, namespace, name } of items) await describeWorkloads(ports, { cluster, kind, namespace, name });
  const unreadable = items.filter(({ state }) => state === 'Unreadable').map(({ name }) => name);
  check(unreadable.length === 0, `${where}: cannot be shown: ${unreadable.join(', ')}`);
}

/** Odd objects on an API server, then a Farloop that finds them there, with what it knew and without. */
async function besideObjects(where: string, folder: string, kubeconfig?: string): Promise<void> {
  const random = seededRandom(seed);
  const state = join(folder, `${where}-state`);
  let farloop = await start(state, kubeconfig);
  try {
    const ordinary = new Ordinary(farloop, 'before');
    const usual = await usualMs(ordinary);
    const times: number[] = [];
    const refused: string[] = [];
    const odd = oddObjects(random);
    for (const [at, { what, resource, object, status }] of odd.entries()) {
      const running = at % ODD_PER_JOB === 0 ? ordinary.run() : undefined;
      running?.catch(() => {});
      try {
        const { access } = farloop.cluster;
        const created = await access.create(resource, object, deadlineIn(clock, REQUEST_MS));
        const { name = '', uid = '' } = created.object.metadata;
        if (status)
          await access.patch(
            resource,
            { namespace: 'default', name, uid, subresource: 'status' },
            { type: 'merge', body: { status } },
            deadlineIn(clock, REQUEST_MS),
          );
      } catch (error) {
        // Also with an answer that repeats the object, and is longer than anybody reads.
        if (!(error instanceof TerminalError || error instanceof UnknownOutcomeError)) throw error;
        refused.push(`${what}: ${error.message.slice(0, 160)}`);
      }
      if (running) times.push(await running);
    }
    times.push(await ordinary.run());
    for (const fault of refused) console.log(`hostile: ${where}: refused ${fault}`);
    check(refused.length * 4 <= odd.length, `${where}: ${refused.length} of ${odd.length} odd objects were refused, so little was tried`);
    judge(`${where}, ${odd.length - refused.length} odd objects`, usual, times);
    await showAll(farloop, where);
    if (kubeconfig === undefined) return;
    for (const [again, name] of [
      [state, 'restarted'],
      [join(folder, `${where}-anew`), 'begun anew'],
    ] as const) {
      await farloop.stop();
      farloop = await start(again, kubeconfig);
      const after = new Ordinary(farloop, name.replace(' ', '-'));
      await after.run();
      judge(`${where}, ${name}`, usual, [await after.run(), await after.run()]);
      await showAll(farloop, where);
    }
  } finally {
    await farloop.stop();
  }
}

async function besideObjectsOnRealServer(folder: string): Promise<void> {
  const endings: Endings = [];
  try {
    const plane = await startControlPlane();
    endings.push(async () => await plane.stop());
    const client = openNodeClient(plane);
    const node = startSimulatedNode({ client });
    endings.push(async () => {
      await node.stop();
      client.close();
    });
    await node.ready;
    await besideObjects('real', folder, plane.kubeconfigPath);
  } finally {
    for (const end of endings.toReversed()) await end();
  }
}

/** Random bytes and costly messages in each queue, through the functions' handlers, and in views that lie in the table. */
async function besideMessages(folder: string): Promise<void> {
  const random = seededRandom(seed);
  const farloop = await start(join(folder, 'functions-state'));
  try {
    const { ports, cluster } = farloop;
    const ordinary = new Ordinary(farloop, 'beside');
    const record = await ports.clusters.get(cluster.name);
    if (!record) throw new Error('the cluster is not registered');
    const key: WorkloadKey = { cluster: cluster.name, kind: 'Job', namespace: 'default', name: 'demo', uid: 'uid-of-demo' };
    for (let at = 0; at < 20; at++) {
      const odd = { ...key, name: `damaged-${at}`, uid: `uid-of-damaged-${at}` };
      await createHead(ports, odd, record);
      await ports.store.updateHead(odd, {}, { view: bytesOf(random, 500), state: bytesOf(random, 60).toString('latin1') });
    }
    const messages = {
      events: encodeEvents(sound({ cluster: cluster.name, kubeSystemUid: record.kubeSystemUid ?? '' })),
      wake: encodeWake({ key: formatKey(key), follows: 'fence' }),
      timer: encodeTimer({ key: formatKey(key), follows: 'fence', dueAtMs: 0, attempt: 1 }),
      ask: encodeAsk({ ask: 'everything', era: 0 }),
    };
    const relayQueue: QueueName = `relay-${cluster.name}`;
    // Made before: packing them takes longer than reading them.
    const odd = Array.from({ length: ODD_MESSAGES }, () => oddMessage(random, messages, relayQueue));
    const usual = await usualMs(ordinary);
    const times: number[] = [];
    for (const [at, { queue, body }] of odd.entries()) {
      const groupId = `odd-${at}`;
      await ports.queue.send(queue, [{ body, groupId, ...(queue === 'wakes' && { deduplicationId: groupId }) }]);
      if (at % (ODD_MESSAGES / 10) === 0) times.push(await ordinary.run());
    }
    times.push(await ordinary.run());
    judge(`functions, ${ODD_MESSAGES} odd messages and 20 damaged views`, usual, times);
    const { items } = await listWorkloads(ports, {}, { limit: 1_000 });
    check(
      items.some(({ state }) => state === 'Complete'),
      'functions: the list shows the ordinary Jobs',
    );
  } finally {
    await farloop.stop();
  }
}

/** Messages about thousands of workloads: each workload is kept in a step of its own, and `bench decode` bounds their reading. */
const MANY_WORKLOADS = new Set(['as many reports of Jobs as are read', '10,000 digests']);

/** Each costly message by itself, from the queue's bytes to the view: what it takes of the processor, in the fastest of three times. */
async function costlyMessages(): Promise<void> {
  let worst = { name: '', ms: 0 };
  for (const [name, make] of Object.entries(LARGE_MESSAGES)) {
    if (MANY_WORKLOADS.has(name)) continue;
    const body = make();
    let fastestMs = Infinity;
    for (let time = 0; time < 3; time++) {
      const ports = await embeddedPorts('local');
      const began = process.cpuUsage();
      await ingestBatch([{ messageId: 'it', receiptHandle: 'it', receiveCount: 1, sentAtMs: Date.now(), body, senderId: 'local' }], ports);
      const { user, system } = process.cpuUsage(began);
      ports.close();
      fastestMs = Math.min(fastestMs, (user + system) / 1_000);
    }
    check(fastestMs <= MESSAGE_MS, `messages: ${name} cost ingest ${fastestMs.toFixed(0)} ms, at most ${MESSAGE_MS} may be`);
    if (fastestMs > worst.ms) worst = { name, ms: fastestMs };
  }
  console.log(`hostile: messages: the costliest for ingest was ${worst.name}, ${worst.ms.toFixed(0)} ms`);
}

/** Each policy is judged again and again while ordinary Jobs run, until it goes. */
async function besidePolicies(folder: string): Promise<void> {
  const farloop = await start(join(folder, 'policies-state'));
  try {
    const { access } = farloop.cluster;
    const ordinary = new Ordinary(farloop, 'beside');
    const usual = await usualMs(ordinary);
    const times: number[] = [];
    for (const [what, expression] of Object.entries(COSTLY_RULES)) {
      const name = what.replaceAll(' ', '-');
      const soon = (): Deadline => deadlineIn(clock, REQUEST_MS);
      const isRefused = async (attempt: Promise<unknown>): Promise<boolean> =>
        await attempt.then(
          () => false,
          (error: unknown) => {
            if (!(error instanceof TerminalError)) throw error;
            return true;
          },
        );
      const running = ordinary.run();
      running.catch(() => {});
      if (!(await isRefused(access.create(POLICIES, policyOf(name, expression), soon())))) {
        await access.create(BINDINGS, bindingOf(name), soon());
        check(await isRefused(access.create(CONFIG_MAPS, judgedConfigMap(name), soon())), `policies: ${what} are let through`);
        const { object } = await access.get(POLICIES, { namespace: '', name }, soon());
        await access.delete(POLICIES, { namespace: '', name, uid: object.metadata.uid ?? '' }, soon());
      }
      times.push(await running);
    }
    judge(`sandbox, ${times.length} costly policies`, usual, times);
  } finally {
    await farloop.stop();
  }
}

/** Large and odd training jobs, then the same instance started again: its relay lists, and reports, all of them anew. */
async function besideTraining(where: string, folder: string, workers: number, kubeconfig?: string): Promise<void> {
  const state = join(folder, `${where}-state`);
  const manages: Manages = ['all-jobs', 'training-jobs'];
  let farloop = await start(state, kubeconfig, manages);
  try {
    const ordinary = new Ordinary(farloop, 'before');
    const usual = await usualMs(ordinary);
    const times: number[] = [];
    for (const { what, resource, object } of oddTrainingJobs(workers)) {
      await farloop.cluster.access.create(resource, object, deadlineIn(clock, REQUEST_MS));
      for (let at = 0; at < 4; at++) times.push(await ordinary.run());
      console.log(
        `hostile: ${where}: beside ${what}: ${times
          .slice(-4)
          .map((ms) => ms.toFixed(0))
          .join(', ')} ms`,
      );
    }
    const active = async (): Promise<number> => {
      const { object } = await farloop.cluster.access.get<TrainingJob>(
        resourceOf('PyTorchJob'),
        { namespace: 'default', name: 'large' },
        deadlineIn(clock, REQUEST_MS),
      );
      return object.status?.replicaStatuses?.['Worker']?.active ?? 0;
    };
    await until(
      `${workers} workers run`,
      async () => (await active()) === workers,
      WORKERS_MS,
      async () => `${await active()} run`,
    );
    judge(`${where}, odd training jobs, one of them of ${workers} workers`, usual, times);
    await farloop.stop();
    farloop = await start(state, kubeconfig, manages);
    const after = new Ordinary(farloop, 'restarted');
    await after.run();
    judge(`${where}, odd training jobs, restarted`, usual, [await after.run(), await after.run()]);
    const known = async (): Promise<number> => {
      const { items } = await listWorkloads(farloop.ports, {}, { limit: 1_000 });
      const large = items.find(({ name }) => name === 'large');
      const key = large && { cluster: large.cluster, kind: large.kind, namespace: 'default', name: 'large' };
      const [told] = key ? await describeWorkloads(farloop.ports, key) : [];
      return told ? told.pods.length + told.podsLeftOut : 0;
    };
    await until(
      `all pods are known again`,
      async () => (await known()) === workers + 1,
      WORKERS_MS,
      async () => `${await known()} are`,
    );
  } finally {
    await farloop.stop();
  }
}

async function besideTrainingOnRealServer(folder: string): Promise<void> {
  const cluster = await startTrainingCluster();
  try {
    await besideTraining('real-training', folder, 150, cluster.controlPlane.kubeconfigPath);
  } finally {
    await cluster.stop();
  }
}

const folder = await mkdtemp(join(tmpdir(), 'farloop-hostile-'));
const began = performance.now();
console.log(`hostile: seed ${seed}; SEED=${seed} npm run test:hostile replays it`);
try {
  for (const run of partsOf('npm run test:hostile --', {
    sandbox: async () => await besideObjects('sandbox', folder),
    real: async () => await besideObjectsOnRealServer(folder),
    messages: costlyMessages,
    functions: async () => await besideMessages(folder),
    policies: async () => await besidePolicies(folder),
    training: async () => await besideTraining('training', folder, 2_500),
    realTraining: async () => await besideTrainingOnRealServer(folder),
  }))
    await run();
  console.log(`hostile: all ordinary Jobs ended in their usual time; ${((performance.now() - began) / 1000).toFixed(0)} s`);
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
