// A cluster that is reached through its relay's queue: queues, table and ingest in one process, and what carries out the commands.
import { EmbeddedClusters } from '../../lib/adapters/embedded/clusters.ts';
import { EmbeddedQueue } from '../../lib/adapters/embedded/queue.ts';
import { RecordingTelemetry } from '../world/recording-telemetry.ts';
import { EmbeddedStore } from '../../lib/adapters/embedded/store.ts';
import { RelayedCluster } from '../../lib/adapters/sqs/relayed-cluster.ts';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';
import type { Ports } from '../../lib/ports/ports.ts';
import { ingestBatch } from '../../lib/reconciler/ingest.ts';
import { answerAsks } from '../../lib/relay/commands/asks.ts';
import { ALL_FACTS } from '../../lib/kinds/facts.ts';
import { allowedTo, Commands, type Allowed } from '../../lib/relay/commands/commands.ts';

export interface RelayedWorld {
  cluster: RelayedCluster;
  ports: Ports & { queue: EmbeddedQueue; store: EmbeddedStore };
  telemetry: RecordingTelemetry;
  /** Of a world that was opened without: the relay begins to receive. */
  startRelay: () => void;
  close: () => Promise<void>;
}

export interface RelayedWorldOptions {
  name?: string;
  executor: Cluster;
  allowed?: readonly Allowed[];
  namespaces?: readonly string[];
  /** Whose commands the relay takes; passes send as `local`. */
  commander?: string | undefined;
  /** Whom the record believes; the relay sends as `local`. */
  senders?: readonly string[];
  clock?: Clock;
  /** The relay's own. */
  relayClock?: Clock;
  /** The relay receives nothing. */
  isDeaf?: boolean;
  chaos?: { seed: number; duplicates: number; maxDelayMs: number };
}

export async function openRelayedWorld({
  name = 'far',
  executor,
  allowed = allowedTo(ALL_FACTS.filter(({ ownersOn }) => !ownersOn)),
  namespaces = [],
  commander = 'local',
  senders = ['local'],
  clock = new SystemClock(),
  relayClock,
  isDeaf = false,
  chaos,
}: RelayedWorldOptions): Promise<RelayedWorld> {
  const [queue, store] = [EmbeddedQueue.open({ clock, ...(chaos && { chaos }) }), EmbeddedStore.open({ clock })];
  const clusters = EmbeddedClusters.open();
  const telemetry = new RecordingTelemetry();
  const budget = { writesPerSecond: 1_000, burst: 1_000 };
  await clusters.put({ name, era: 0, manages: ['all-jobs'], namespaces: [], senders, budget, access: 'relayed' }, 0);
  const unused = (): never => {
    throw new Error('nothing here asks for it');
  };
  const cluster = new RelayedCluster({ cluster: name, queue, store, clock });
  const ports = {
    clock,
    clusters,
    connect: () => cluster,
    queue,
    recorder: { append: unused, passes: unused, pass: unused },
    store,
    telemetry,
  };
  const ending = new AbortController();
  const { signal } = ending;
  const ingesting = (async () => {
    while (!signal.aborted) {
      const messages = await queue.receive('events', { max: 10, waitSeconds: 20, visibilitySeconds: 30, signal });
      const undone = new Set(await ingestBatch(messages, ports));
      const done = messages.filter(({ messageId }) => !undone.has(messageId));
      if (done.length > 0)
        await queue.delete(
          'events',
          done.map(({ receiptHandle }) => receiptHandle),
        );
    }
  })();
  const own = relayClock ?? clock;
  const setup = {
    executor,
    commander,
    queue,
    clock: own,
    telemetry,
    cluster: name,
    namespaces,
    kubeSystemUid: () => 'uid-of-kube-system',
    allowed,
  };
  const commands = new Commands(setup);
  let relaying = Promise.resolve();
  const startRelay = (): void => {
    relaying = answerAsks({ queue, clock: own, telemetry, cluster: name, answer: () => Promise.resolve(), commands, signal });
  };
  if (!isDeaf) startRelay();
  return {
    cluster,
    ports,
    telemetry,
    startRelay,
    close: async () => {
      ending.abort();
      await Promise.all([ingesting, relaying]);
      queue.close();
      store.close();
    },
  };
}
