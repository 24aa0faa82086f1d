// A relay on a virtual clock, between a scripted API server and an embedded queue that can refuse.
import { EmbeddedQueue } from '../../lib/adapters/embedded/queue.ts';
import { VirtualClock } from '../world/virtual-clock.ts';
import { UnknownOutcomeError } from '../../lib/ports/errors.ts';
import { ALL_FACTS } from '../../lib/kinds/facts.ts';
import type { KindFacts } from '../../lib/kinds/rows/kind.ts';
import type { OutgoingMessage, Queue, QueueName } from '../../lib/ports/queue.ts';
import type { Telemetry } from '../../lib/ports/telemetry.ts';
import type { RelayOptions } from '../../lib/relay/relay-setup.ts';
import type { Relay } from '../../lib/relay/relay.ts';
import { startRelay } from '../../lib/relay/relay.ts';
import { decodeEvents } from '../../lib/wire/events.ts';
import type { EventMessage, WorkloadReport } from '../../lib/wire/words/observations.ts';
import type { aPod } from './scripted-source.ts';
import { aJob, ScriptedSource } from './scripted-source.ts';
import { podListIn, podsIn } from '../wire/told-children.ts';

/** A queue that refuses while it is told to. */
class ClosableQueue implements Queue {
  readonly inner: EmbeddedQueue;
  closed = false;
  refused = 0;

  constructor(inner: EmbeddedQueue) {
    this.inner = inner;
  }

  async send(queue: QueueName, messages: readonly OutgoingMessage[]): Promise<void> {
    if (this.closed) {
      this.refused += 1;
      throw new UnknownOutcomeError('the queue does not answer');
    }
    await this.inner.send(queue, messages);
  }

  receive: Queue['receive'] = (queue, options) => this.inner.receive(queue, options);
  delete: Queue['delete'] = (queue, handles) => this.inner.delete(queue, handles);
  changeVisibility: Queue['changeVisibility'] = (queue, handle, seconds) => this.inner.changeVisibility(queue, handle, seconds);
  deadLetters: Queue['deadLetters'] = (queue, limit) => this.inner.deadLetters(queue, limit);
  redrive: Queue['redrive'] = (queue, ids) => this.inner.redrive(queue, ids);
  drop: Queue['drop'] = (queue, ids) => this.inner.drop(queue, ids);
  depth: Queue['depth'] = (queue) => this.inner.depth(queue);
}

export interface Bench {
  clock: VirtualClock;
  source: ScriptedSource;
  queue: ClosableQueue;
  relay: Relay;
  log: { level: string; message: string }[];
  counted: { metric: string; value: number; labels: Record<string, string> }[];
  /** Messages that have come since the last call. */
  messages: () => Promise<EventMessage[]>;
  reports: () => Promise<WorkloadReport[]>;
  ready: () => Promise<void>;
}

const open: (() => Promise<void>)[] = [];

/** For afterEach: the relays that the test has started end, and their queues close. */
export async function endRelays(): Promise<void> {
  for (const close of open.splice(0)) await close();
}

/** Two Jobs, and one pod. */
export const twoJobs =
  (pod: ReturnType<typeof aPod>) =>
  (source: ScriptedSource): void => {
    source.put('jobs', aJob('a'));
    source.put('jobs', aJob('b'));
    source.put('pods', pod);
  };

/** A relay that has begun to watch; `before`: what the API server holds by then. */
export function start({
  options,
  manages = ['all-jobs'],
  namespaces = [],
  standby = false,
  kinds = ALL_FACTS,
  before = () => {},
}: {
  options?: Partial<RelayOptions>;
  manages?: readonly string[];
  namespaces?: string[];
  standby?: boolean;
  kinds?: readonly KindFacts[];
  before?: (source: ScriptedSource) => void;
} = {}): Bench {
  const clock = new VirtualClock();
  const source = new ScriptedSource(clock);
  const inner = EmbeddedQueue.open({ clock });
  const queue = new ClosableQueue(inner);
  const log: Bench['log'] = [];
  const line = (level: string) => (message: string) => void log.push({ level, message });
  const counted: Bench['counted'] = [];
  const count: Telemetry['count'] = (metric, value, _unit, labels = {}) => void counted.push({ metric, value, labels });
  before(source);
  const telemetry = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error'), count };
  const relay = startRelay({
    source,
    queue,
    clock,
    telemetry,
    cluster: 'west',
    manages,
    namespaces,
    era: 3,
    standby,
    kinds,
    ...(options && { options }),
  });
  relay.ready.catch(() => {});
  open.push(async () => {
    const stopped = relay.stop();
    await clock.advance(1);
    await stopped;
    inner.close();
  });
  const findKind = (name: string): KindFacts | undefined => kinds.find(({ kind }) => kind === name);
  const messages = async (): Promise<EventMessage[]> => {
    const decoded: EventMessage[] = [];
    for (;;) {
      const received = await inner.receive('events', { max: 10, waitSeconds: 0, visibilitySeconds: 30 });
      if (received.length === 0) return decoded;
      decoded.push(...received.map(({ body }) => decodeEvents(body, { findKind })));
      await inner.delete(
        'events',
        received.map(({ receiptHandle }) => receiptHandle),
      );
    }
  };
  const ready = async (): Promise<void> => {
    await clock.advance(2_000);
    await relay.ready;
  };
  return {
    clock,
    source,
    queue,
    relay,
    log,
    counted,
    messages,
    reports: async () => (await messages()).flatMap(({ reports }) => reports),
    ready,
  };
}

/** A report in one line for each pod. */
export const brief = (report: WorkloadReport) => {
  const { owner, observed } = report;
  const whole = podListIn(report);
  return {
    job: owner.name,
    ...(observed && { observed: observed.deleted ? 'deleted' : observed.object.metadata.resourceVersion }),
    pods: podsIn(report)
      .map(({ child: pod, presence }) => `${pod.name}${presence === 'deleted' ? ' deleted' : ` ${pod.phase}`}`)
      .toSorted((a, b) => a.localeCompare(b)),
    ...(whole && { whole: whole.slots === 'all' ? whole.floor : whole }),
  };
};
