// All parts of a local instance on a virtual clock, from the API server's watch to its next call: how soon a quiet cluster gets an answer.
import { afterEach, describe, expect, test } from '@jest/globals';
import type { SqsHandler } from '../../lib/adapters/embedded/event-source.ts';
import { startEventSource } from '../../lib/adapters/embedded/event-source.ts';
import { messageOf } from '../../lib/adapters/sqs/sqs-records.ts';
import type { KubernetesObject } from '../../lib/objects/kubernetes.ts';
import { JOBS, pathOf, type Resource } from '../../lib/objects/resources.ts';
import type { Cluster, ClusterSource, WatchEvent, WatchSelection } from '../../lib/ports/cluster.ts';
import { reconcileBatch } from '../../lib/reconciler/batch.ts';
import { ingestBatch } from '../../lib/reconciler/ingest.ts';
import { FUNCTION_SECONDS, VISIBILITY_SECONDS } from '../../lib/reconciler/head/timeouts.ts';
import { startRelay } from '../../lib/relay/relay.ts';
import { aJob, CLUSTER, World } from '../world/world.ts';

const TURNS = 20;

/** The relay's side of a world's API server. */
class WatchedWorld implements ClusterSource, Pick<Cluster, 'get'> {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  signOfLife: ClusterSource['signOfLife'] = async () => {};

  get: Cluster['get'] = async (resource, target, deadline) => await this.#world.cluster.get(resource, target, deadline);

  listPage: ClusterSource['listPage'] = async (resource) => await this.#world.cluster.list(resource, {}, this.#world.deadline());

  async *watch<Item extends KubernetesObject>(
    resource: Resource,
    { resourceVersion }: WatchSelection,
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent<Item>> {
    const answer = await this.#world.api.handle({
      method: 'GET',
      path: pathOf(resource),
      query: new URLSearchParams({ watch: 'true', resourceVersion }),
      headers: {},
      body: '',
    });
    if (!('stream' in answer)) throw new Error(`no watch: ${answer.body}`);
    const events: WatchEvent<Item>[] = [];
    let wake = (): void => {};
    const write = (text: string): void => {
      for (const line of text.split('\n')) if (line !== '') events.push(JSON.parse(line) as WatchEvent<Item>);
      wake();
    };
    const breakOff = answer.stream({ write, end: () => {} });
    signal.addEventListener('abort', () => wake(), { once: true });
    try {
      while (!signal.aborted) {
        const event = events.shift();
        if (event) yield event;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      breakOff();
    }
  }
}

const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function start(): Promise<World> {
  const world = new World();
  const { clock, queue, ports, reconciler } = world;
  const { telemetry } = ports;
  const handler =
    (work: (deliveries: ReturnType<typeof messageOf>[]) => Promise<string[]>): SqsHandler =>
    async ({ Records }) => ({
      batchItemFailures: (await work(Records.map((record) => messageOf(record)))).map((itemIdentifier) => ({ itemIdentifier })),
    });
  const every = { queue, clock, telemetry, batchSize: 10, visibilitySeconds: VISIBILITY_SECONDS, timeoutSeconds: FUNCTION_SECONDS };
  const ingest = handler(async (deliveries) => await ingestBatch(deliveries, ports));
  const reconcile = handler(async (deliveries) => await reconcileBatch(deliveries, { reconciler, ports, hasTime: () => true }));
  const sources = [
    startEventSource({ ...every, name: 'events', functionName: 'ingest', handler: ingest, maxConcurrency: 4 }),
    startEventSource({ ...every, name: 'wakes', functionName: 'reconcile', handler: reconcile, maxConcurrency: 8 }),
  ];
  const relay = startRelay({
    source: new WatchedWorld(world),
    queue,
    clock,
    telemetry,
    cluster: CLUSTER,
    manages: ['all-jobs'],
    namespaces: [],
    era: 0,
  });
  relay.ready.catch(() => {});
  open.push(async () => {
    const ended = Promise.all([relay.stop(), ...sources.map((source) => source.stop({ drainMs: 100 }))]);
    await clock.advance(1_000);
    await ended;
    world.close();
  });
  await clock.advance(5_000);
  await relay.ready;
  return world;
}

/** So little time, with turns of the event loop enough for all that is done in it. */
async function moments({ clock }: World, milliseconds: number): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await clock.advance(milliseconds / TURNS);
}

describe('a quiet cluster', () => {
  test('R9: a new Job and a changed spec each have their pod within 5 ms', async () => {
    const world = await start();
    await world.apply(aJob('a', { completions: 5, parallelism: 1 }));
    await moments(world, 5);
    expect(await world.pods()).toHaveLength(1);

    await world.clock.advance(10_000);
    const { metadata } = await world.job('a');
    const target = { namespace: 'default', name: 'a', uid: metadata.uid ?? '' };
    await world.cluster.patch(JOBS, target, { type: 'merge', body: { spec: { parallelism: 3 } } }, world.deadline());
    await moments(world, 5);
    expect(await world.pods()).toHaveLength(3);
  });

  test('R16: a burst of Jobs takes one message more than tenths of a second', async () => {
    const world = await start();
    await world.clock.advance(10_000);
    const sent = { events: 0 };
    const send = world.queue.send.bind(world.queue);
    world.queue.send = async (name, messages) => {
      if (name === 'events') sent.events += messages.length;
      await send(name, messages);
    };
    for (let at = 0; at < 25; at += 1) {
      await world.apply(aJob(`job-${at}`, { completions: 1, parallelism: 1 }));
      await world.clock.advance(8);
    }
    // The last of them, and the pods of all.
    await world.clock.advance(200);
    expect(await world.pods()).toHaveLength(25);
    expect(sent.events).toBeLessThanOrEqual(5);
  });
});
