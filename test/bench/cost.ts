// `npm run bench cost [-- --only single typical storm]`: AWS requests and dollars per pod, counted in one thread on a virtual clock and
// multiplied by list prices (lib/api/list-prices.ts). Counted are the relay's sends, what event sources receive and delete, invocations, and
// the functions' calls. Exits 1 when a bound is missed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { alarmResources } from '../../infra/alarms.ts';
import { FUNCTION_GB, LIST_PRICES, PRICES_AS_OF, PRICES_REGION } from '../../lib/api/list-prices.ts';
import { LogRecorder } from '../../lib/adapters/telemetry/log-recorder.ts';
import { isJobFinished } from '../../lib/kinds/job/terms/owner-facts.ts';
import { TRACKING_FINALIZER } from '../../lib/objects/pods/pod-facts.ts';
import type { Pod } from '../../lib/objects/kubernetes.ts';
import { aJob, World } from '../world/world.ts';
import { BATCH, QueueCounter, QUEUES } from './queue-counter.ts';
import { MetricLines } from './metric-lines.ts';
import { ownMillisecondsOf } from './own-time.ts';
import { partsOf } from '../script-options.ts';

/** What a virtual clock cannot tell; docs/costs.md says what stands behind each. */
const assumed: Record<
  | 'ownMs'
  | 'ownMsPerPass'
  | 'awsRequestMs'
  | 'apiServerRequestMs'
  | 'apiServerRequestsAtOnce'
  | 'logBytesPerInvocation'
  | 'metricBytesAtRest'
  | 'logBytesPerLine',
  number
> = JSON.parse(readFileSync(join(import.meta.dirname, 'assumed.json'), 'utf8'));
const million = 1e6;
const per = (name: keyof typeof LIST_PRICES): number => LIST_PRICES[name].dollars * million;
const perMillion = {
  sqsStandardRequests: per('sqsStandardRequest'),
  sqsFairRequests: per('sqsFairRequest'),
  sqsFifoRequests: per('sqsFifoRequest'),
  lambdaInvocations: per('lambdaInvocation'),
  dynamodbWriteUnits: per('dynamodbWriteUnit'),
  dynamodbReadUnits: per('dynamodbReadUnit'),
};
const perMonth = {
  alarm: LIST_PRICES.alarmMonth.dollars,
  customMetric: LIST_PRICES.customMetricMonth.dollars,
  secret: LIST_PRICES.secretMonth.dollars,
};
const lambdaArmGbSecond = LIST_PRICES.lambdaArmGbSecond.dollars;
const logsPerGb = LIST_PRICES.logGb.dollars;

const GIGABYTES = { events: FUNCTION_GB.ingest, wakes: FUNCTION_GB.reconcile, timers: FUNCTION_GB.timers };
const indexOfPod = ({ metadata: { labels } }: Pod): number => Number(labels?.['batch.kubernetes.io/job-completion-index'] ?? -1);

async function finish(world: World): Promise<void> {
  await world.until(
    async () =>
      (await world.pods()).every(({ metadata }) => !metadata.finalizers?.includes(TRACKING_FINALIZER)) &&
      (await Promise.all([...jobNames(world)].map(async (name) => isJobFinished(await world.job(name))))).every(Boolean),
    { seconds: 600 },
  );
}
const applied = new WeakMap<World, string[]>();
const jobNames = (world: World): string[] => applied.get(world) ?? [];

interface Run {
  world: World;
  counter: QueueCounter;
  metricLines: MetricLines;
  pods: number;
}

/** So many Jobs at once; of each, so many pods end each second, after all of them have been created. */
async function run(jobs: number, podsEach: number, perSecond: number, { endingOnly = false } = {}): Promise<Run> {
  const world = new World({ writesPerSecond: 100_000 });
  world.keepsSnapshots = true;
  const counter = new QueueCounter(world);
  const metricLines = new MetricLines(world);
  await world.watch();
  const names = Array.from({ length: jobs }, (_, at) => `job-${at}`);
  applied.set(world, names);
  const pods = jobs * podsEach;
  for (const name of names) await world.apply(aJob(name, { completions: podsEach, parallelism: podsEach, completionMode: 'Indexed' }));
  await world.until(async () => (await world.pods()).length === pods, { play: false, seconds: 300 });
  const all = (await world.pods()).toSorted((one, other) => indexOfPod(one) - indexOfPod(other));
  for (const pod of all) await world.startPod(pod);
  // As in `bench counts`: a storm is counted from its first event on.
  if (endingOnly) {
    await world.clock.advance(30_000);
    await world.report();
    await world.run();
    counter.reset();
    metricLines.reset();
    world.store.meter.reset();
    for (const told of [world.passes, world.snapshots, world.cluster.calls]) told.splice(0);
  }
  const step = perSecond * jobs;
  for (let at = 0; at < pods; at += step) {
    for (const pod of all.slice(at, at + step)) await world.end(pod, 0);
    await world.clock.advance(1_000);
    await world.report({ eventsPerMessage: 500 });
    await world.run();
  }
  await finish(world);
  return { world, counter, metricLines, pods };
}

const misses: string[] = [];
function bounded(what: string, figure: number, most: number, digits: number): string {
  if (figure > most) misses.push(`${what}: ${figure.toFixed(digits)} > ${most}`);
  return `${figure.toFixed(digits)} (at most ${most})`;
}

/** Bytes of the flight recorder's lines, as they are written on AWS. */
async function logged(world: World): Promise<{ bytes: number; snapshotBytes: number }> {
  const sizes: number[] = [];
  const write = (line: string): void => void sizes.push(Buffer.byteLength(line) + assumed.logBytesPerLine);
  const client = (): never => {
    throw new Error('nothing is read here');
  };
  const { requests, readUnits, writeUnits, indexUnits } = world.store.meter;
  const share = 1 / Math.max(world.passes.length, 1);
  // The digits of a usual pass.
  const spent = {
    take: () => ({ requests: requests * share, writeUnits: (writeUnits + indexUnits) * share, readUnits: readUnits * share }),
  };
  const recorder = new LogRecorder({ logGroup: undefined, client, clock: world.clock, spent, write });
  const sum = (): number => sizes.splice(0).reduce((bytes, size) => bytes + size, 0);
  for (const [at, pass] of world.passes.entries()) await recorder.append(pass, () => world.snapshots[at]);
  const bytes = sum();
  for (const pass of world.passes) await recorder.append(pass);
  return { bytes, snapshotBytes: bytes - sum() };
}

/** Dollars per million pods, part by part, and requests per pod. */
async function tell(title: string, { world, counter, metricLines, pods }: Run, most: { requests: number; dollars: number }): Promise<void> {
  const { sends, batches, messages } = counter;
  const { meter } = world.store;
  const { invocations, polls, sent } = counter;
  const requests = meter.requests + polls + invocations + sent;
  const apiCalls = world.cluster.calls.length;
  const rounds = Math.max(Math.ceil(apiCalls / assumed.apiServerRequestsAtOnce), Math.min(apiCalls, batches.wakes * 3));
  // Workloads of a batch are worked on side by side, passes at most ten: they wait for the table together.
  const functionMs = (name: (typeof QUEUES)[number], share: number, atOnce: number): number =>
    batches[name] * assumed.ownMs + (share * (meter.requests + sends.wakes + sends.timers) * assumed.awsRequestMs) / atOnce;
  const passesAtOnce = Math.max(1, messages.wakes / Math.max(batches.wakes, 1));
  const milliseconds = {
    events: functionMs('events', 0.3, passesAtOnce),
    wakes: functionMs('wakes', 0.6, passesAtOnce) + messages.wakes * assumed.ownMsPerPass + rounds * assumed.apiServerRequestMs,
    timers: functionMs('timers', 0.1, 1),
  };
  const gigabyteSeconds = QUEUES.reduce((sum, name) => sum + (milliseconds[name] / 1000) * GIGABYTES[name], 0);
  const passes = world.passes.length;
  const { bytes: passBytes, snapshotBytes } = await logged(world);
  const metricBytes = metricLines.bytes + metricLines.lines * assumed.logBytesPerLine;
  const logBytes = passBytes + metricBytes + invocations * assumed.logBytesPerInvocation;
  const dollars = {
    SQS:
      (sends.events + sends.timers + 2 * (batches.events + batches.timers)) * perMillion.sqsFairRequests +
      sends.asks * perMillion.sqsStandardRequests +
      (sends.wakes + 2 * batches.wakes) * perMillion.sqsFifoRequests,
    'Lambda invocations': invocations * perMillion.lambdaInvocations,
    'Lambda time': gigabyteSeconds * lambdaArmGbSecond * 1e6,
    'write units': (meter.writeUnits + meter.indexUnits) * perMillion.dynamodbWriteUnits,
    'read units': meter.readUnits * perMillion.dynamodbReadUnits,
    logs: (logBytes / 1e9) * logsPerGb * 1e6,
  };
  const total = Object.values(dollars).reduce((sum, part) => sum + part, 0) / pods;
  const perPod = (count: number): string => (count / pods).toFixed(4);
  console.log(`${title} (${pods} pods)`);
  console.log(
    `  AWS requests per pod       ${bounded(`${title} requests`, requests / pods, most.requests, 3)}: table ${perPod(meter.requests)}, sends ${perPod(sent)}, receives and deletes ${perPod(polls)}, invocations ${perPod(invocations)}`,
  );
  const requestsOf = Object.entries({
    ...Object.fromEntries(Object.entries(meter.byOperation).map(([name, { requests: count }]) => [`table ${name}`, count])),
    ...Object.fromEntries(Object.entries(sends).map(([name, count]) => [`send ${name}`, count])),
    ...Object.fromEntries(QUEUES.map((name) => [`take ${name}`, 3 * batches[name]])),
  });
  console.log(
    `  requests, one by one       ${requestsOf
      .filter(([, count]) => count > 0)
      .toSorted(([, one], [, other]) => other - one)
      .map(([name, count]) => `${name} ${perPod(count)}`)
      .join(', ')}`,
  );
  console.log(
    `  passes ${perPod(passes)}, write units ${perPod(meter.writeUnits + meter.indexUnits)}, read units ${perPod(meter.readUnits)}, log bytes ${(logBytes / pods).toFixed(0)} (snapshots ${(snapshotBytes / pods).toFixed(0)}, metrics ${(metricBytes / pods).toFixed(0)} of ${metricLines.series.size} series), GB-s ${(gigabyteSeconds / pods).toExponential(2)} per pod`,
  );
  console.log(
    `  $ per million pods         ${bounded(`${title} cost`, total, most.dollars, 3)}: ${Object.entries(dollars)
      .map(([part, sum]) => `${part} ${(sum / pods).toFixed(3)}`)
      .join(', ')}`,
  );
  world.close();
}

/** Once a minute at each cluster that is dialled; ten share what brings them, and wait side by side. */
function looksAt(clusters: number): { requests: Record<string, number>; milliseconds: number; dollars: Record<string, number> } {
  const month = 30 * 24 * 60;
  const batches = Math.ceil(clusters / BATCH.wakes);
  // Record, note, secret, one after the other; then the API server.
  const milliseconds = batches * (assumed.ownMs + 3 * assumed.awsRequestMs + assumed.apiServerRequestMs);
  return {
    requests: { 'queue requests': 3 * batches, invocations: batches, 'reads of the tables': 2 * clusters, 'reads of secrets': clusters },
    milliseconds,
    dollars: {
      queue: (month * 3 * batches * perMillion.sqsFifoRequests) / million,
      invocations: (month * batches * perMillion.lambdaInvocations) / million,
      time: ((month * milliseconds) / 1000) * FUNCTION_GB.reconcile * lambdaArmGbSecond,
      reads: (month * 2 * clusters * perMillion.dynamodbReadUnits) / million,
      secrets: month * clusters * LIST_PRICES.secretCall.dollars,
      logs: logDollarsAtRest(month * batches),
    },
  };
}

/** Of one relayed cluster: a message there, one back by way of ingest, and an answer that is kept and waited for. */
function relayedLook(): Record<string, number> {
  const month = 30 * 24 * 60;
  // Record, note, marker; sending, and five looks for the answer, which comes within a second.
  const waitingMs = assumed.ownMs + 4 * assumed.awsRequestMs + 700;
  const ingestMs = assumed.ownMs + 2 * assumed.awsRequestMs;
  return {
    // Sent, received and deleted there; sent and deleted here, received by pollers that ask anyway; and what brings the look.
    queue: (month * (3 * perMillion.sqsStandardRequests + 3 * perMillion.sqsFairRequests + 3 * perMillion.sqsFifoRequests)) / million,
    invocations: (month * 2 * perMillion.lambdaInvocations) / million,
    time: (month * (waitingMs * FUNCTION_GB.reconcile + ingestMs * FUNCTION_GB.ingest) * lambdaArmGbSecond) / 1000,
    table: (month * (perMillion.dynamodbWriteUnits + 9 * perMillion.dynamodbReadUnits)) / million,
    logs: logDollarsAtRest(month * 2),
  };
}

/**
 * Custom metrics that are told of every minute though nothing happens; each set of values is one, and paid for by the hour. `firstCluster`
 * are the sums over all clusters, and those of the functions that do nothing without any.
 */
const TOLD_AT_REST = {
  stack: ['SweepsFinished', 'AwsRequests sweep', 'ReadUnits sweep'],
  firstCluster: [
    'EventToWakeLag',
    'WatchAge',
    'ClockOffset',
    'AwsRequests ingest',
    'ReadUnits ingest',
    'WriteUnits ingest',
    'AwsRequests reconcile',
    'ReadUnits reconcile',
  ],
  cluster: ['WatchAge by cluster', 'ClockOffset by cluster'],
};
/**
 * While passes run: of each cluster, and once for all, kinds and outcomes among them, of which there are some three; and those of the
 * built-in controllers, where Jobs succeed.
 */
const TOLD_AT_WORK = { cluster: 4, once: 11, reference: 10 };

/** Lambda's own lines, and those of the few metrics there are then. */
const logDollarsAtRest = (invocations: number): number =>
  ((invocations * (assumed.logBytesPerInvocation + assumed.metricBytesAtRest)) / 1e9) * logsPerGb;

/** What stands there costs though nothing happens. */
function idle(): void {
  const month = 30 * 24 * 60;
  // Five pollers per queue, each asking every 20 s.
  const polls = month * 3 * 5;
  const alarms = Object.values(alarmResources({ name: 'farloop-prod', namespace: 'Farloop/prod', alarmActions: [] })).filter((resource) =>
    JSON.stringify(resource).includes('AWS::CloudWatch::Alarm'),
  ).length;
  const sweepMs = assumed.ownMs + 8 * assumed.awsRequestMs;
  const stack = {
    // Empty answers carry no group: the plain price, also of the fair queues.
    polling: (2 * polls * perMillion.sqsStandardRequests + polls * perMillion.sqsFifoRequests) / million,
    sweep: (month * perMillion.lambdaInvocations) / million + ((month * sweepMs) / 1000) * 0.5 * lambdaArmGbSecond,
    'sweep table': (month * 4 * perMillion.dynamodbReadUnits) / million,
    logs: logDollarsAtRest(month),
    alarms: alarms * perMonth.alarm,
    dashboard: LIST_PRICES.dashboardMonth.dollars,
    metrics: TOLD_AT_REST.stack.length * perMonth.customMetric,
  };
  const heartbeatMs = assumed.ownMs + 4 * assumed.awsRequestMs;
  const cluster = {
    heartbeats: (month * 3 * perMillion.sqsFairRequests) / million,
    'relay polling': (month * 3 * perMillion.sqsStandardRequests) / million,
    // Every tenth sweep asks for the depth of the relay's queue and of its dead letters.
    'relay dead letters': ((month / 10) * 2 * perMillion.sqsStandardRequests) / million,
    ingest: (month * perMillion.lambdaInvocations) / million + ((month * heartbeatMs) / 1000) * 0.5 * lambdaArmGbSecond,
    table: (month * 2 * (perMillion.dynamodbWriteUnits + perMillion.dynamodbReadUnits)) / million,
    logs: logDollarsAtRest(month),
    secret: perMonth.secret,
    looks: Object.values(looksAt(1).dollars).reduce((sum, part) => sum + part, 0),
    metrics: TOLD_AT_REST.cluster.length * perMonth.customMetric,
  };
  for (const [what, parts] of Object.entries({ 'idle stack': stack, 'idle cluster': cluster })) {
    const total = Object.values(parts).reduce((sum, part) => sum + part, 0);
    console.log(
      `${what}: $ ${total.toFixed(2)} a month: ${Object.entries(parts)
        .map(([part, sum]) => `${part} ${sum.toFixed(2)}`)
        .join(', ')}`,
    );
  }
  for (const clusters of [1, 100]) {
    const { requests, milliseconds, dollars } = looksAt(clusters);
    const counts = Object.entries(requests).map(([what, count]) => `${what} ${count}`);
    const total = Object.values(dollars).reduce((sum, part) => sum + part, 0);
    console.log(
      `looks at ${clusters} dialled clusters: ${counts.join(', ')} a minute, ${milliseconds} ms of functions; $ ${total.toFixed(2)} a month, ${(total / clusters).toFixed(2)} each: ${Object.entries(
        dollars,
      )
        .map(([part, sum]) => `${part} ${sum.toFixed(2)}`)
        .join(', ')}`,
    );
  }
  const relayed = Object.entries(relayedLook());
  console.log(
    `looks at a relayed cluster: $ ${relayed.reduce((sum, [, part]) => sum + part, 0).toFixed(2)} a month: ${relayed
      .map(([part, sum]) => `${part} ${sum.toFixed(2)}`)
      .join(', ')}`,
  );
  const { cluster: ofCluster, once, reference } = TOLD_AT_WORK;
  const [first, busy, underReferenceNames, busyCluster] = [TOLD_AT_REST.firstCluster.length, once, reference, ofCluster].map(
    (series) => `${series} series, $ ${(series * perMonth.customMetric).toFixed(2)} a month`,
  );
  console.log(
    `custom metrics besides: with the first cluster ${first}; at work all month: ${busy}, under the built-in controllers' names ${underReferenceNames}, and of each cluster ${busyCluster}`,
  );
}

/** Of a processor that Lambda gives to 1,024 MB: a whole one comes with 1,769 MB. */
const PROCESSOR_SHARE = 1_024 / 1_769;

/** Measured, to be held beside what is assumed: our own code, an invocation. */
async function time(): Promise<void> {
  for (const [title, jobs, podsEach, perSecond] of [
    ['S = 1', 50, 1, 1],
    ['typical', 20, 100, 10],
  ] as const) {
    const count = { invocations: 0, passes: 0 };
    const milliseconds = await ownMillisecondsOf(async () => {
      const { world, counter } = await run(jobs, podsEach, perSecond);
      count.invocations = counter.invocations;
      count.passes = counter.messages.wakes;
      world.close();
    });
    const assumedMs = count.invocations * assumed.ownMs + count.passes * assumed.ownMsPerPass;
    console.log(
      `${title}: our own code takes ${milliseconds.toFixed(0)} ms of this machine's processor for ${count.invocations} invocations with ${count.passes} passes, ${(milliseconds / PROCESSOR_SHARE).toFixed(0)} ms of the share that comes with 1,024 MB; assumed ${assumedMs} ms`,
    );
  }
}

const PARTS: Record<string, () => Promise<void> | void> = {
  single: async () => await tell('S = 1', await run(50, 1, 1), { requests: 12, dollars: 10 }),
  typical: async () => await tell('typical', await run(50, 100, 10), { requests: 1.5, dollars: 1 }),
  storm: async () => await tell('storm', await run(1, 10_000, 1_000, { endingOnly: true }), { requests: 0.05, dollars: 0.15 }),
  idle,
  time,
};
console.log(`list prices of ${PRICES_REGION}, compared on ${PRICES_AS_OF}; no free tier, no discount`);
for (const part of partsOf('npm run bench cost --', PARTS)) await part();
if (misses.length > 0) {
  console.log(`missed: ${misses.join('; ')}`);
  process.exitCode = 1;
}
