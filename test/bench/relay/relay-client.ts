// Farloop's relay as the benchmark runs it: the real one, with a queue that accepts everything and counts its bytes.
import { KubernetesCluster } from '../../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
import type { Queue } from '../../../lib/ports/queue.ts';
import { startRelay } from '../../../lib/relay/relay.ts';
import { keepHeapSmall } from '../../../lib/relay/small-heap.ts';
import { measureEvents } from './measure.ts';

const [url = '', events = '0'] = process.argv.slice(2);
keepHeapSmall();
const clock = new SystemClock();
const measure = measureEvents(Number(events));
const source = new KubernetesCluster({ access: { server: url, auth: { kind: 'none' } }, clock });
let sent = { messages: 0, bytes: 0 };

const nothing = async (): Promise<never[]> => {
  await clock.wait(20_000);
  return [];
};
const queue: Queue = {
  send: async (_queue, messages) => {
    for (const { body } of messages) sent = { messages: sent.messages + 1, bytes: sent.bytes + body.length };
  },
  receive: nothing,
  delete: async () => {},
  changeVisibility: async () => {},
  deadLetters: async () => [],
  redrive: async () => 0,
  drop: async () => 0,
  depth: async () => ({ visible: 0, inFlight: 0, delayed: 0, dead: 0 }),
};

const quiet = { debug: () => {}, info: () => {}, warn: console.error, error: console.error, count: () => {} };
const relay = startRelay({ source, queue, clock, telemetry: quiet, cluster: 'bench', manages: ['all-jobs'], namespaces: [], era: 0 });
await relay.ready;
measure.listed();
// Every event has the version that follows the last one's.
const versionOf = (): number => Number(relay.status().watches.find(({ resource }) => resource === 'pods')?.resourceVersion ?? 0);
let seen = versionOf();
setInterval(() => {
  const version = versionOf();
  if (version > seen) measure.seen(version - seen);
  seen = version;
}, 5);
