// Farloop's relay as the benchmark runs it: the real one, with a queue that accepts everything and counts its bytes.
import { KubernetesCluster } from '../../../lib/adapters/kubernetes-cluster.ts';
import { SystemClock } from '../../../lib/adapters/system-clock.ts';
import type { KubernetesObject } from '../../../lib/objects/kubernetes.ts';
import type { ClusterSource, WatchEvent } from '../../../lib/ports/cluster.ts';
import type { Queue } from '../../../lib/ports/queue.ts';
import { startRelay } from '../../../lib/relay/relay.ts';
import { measureEvents } from './measure.ts';

const [url = '', events = '0'] = process.argv.slice(2);
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
  depth: async () => ({ visible: 0, inFlight: 0, delayed: 0, dead: 0 }),
};

/** Counts events on their way to the relay. */
async function* countedWatch<Item extends KubernetesObject>(
  ...[resource, selection, signal]: Parameters<ClusterSource['watch']>
): AsyncGenerator<WatchEvent<Item>, void> {
  for await (const event of source.watch<Item>(resource, selection, signal)) {
    yield event;
    measure.seen(1);
  }
}
const counted: ClusterSource & Pick<KubernetesCluster, 'get'> = {
  get: (resource, target, deadline) => source.get(resource, target, deadline),
  listPage: (resource, selection, signal) => source.listPage(resource, selection, signal),
  watch: countedWatch,
};

const quiet = { debug: () => {}, info: () => {}, warn: console.error, error: console.error, count: () => {} };
const relay = startRelay({ source: counted, queue, clock, telemetry: quiet, cluster: 'bench', manage: 'all', namespaces: [], era: 0 });
await relay.ready;
measure.listed();
