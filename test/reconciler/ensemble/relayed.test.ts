// The same life with a real relay, with direct and with relayed access; and what it costs at rest.
import { afterEach, describe, expect, test } from '@jest/globals';
import type { KubernetesObject } from '../../../lib/objects/kubernetes.ts';
import { decodeEvents } from '../../../lib/wire/events.ts';
import { AUTOSCALERS, CONFIG_MAPS, SERVICES } from '../../world/kinds/ensemble/ensemble.ts';
import { allOf, anEnsemble, anEnsembleWorld, ensembleOf, playing, podNamed } from '../../world/kinds/ensemble/world.ts';
import type { World, WorldOptions } from '../../world/world.ts';

const TRIO = ['demo-strings-0', 'demo-strings-1', 'demo-winds-0'];

let world: World;
afterEach(() => world.close());

async function open(options: WorldOptions): Promise<void> {
  world = anEnsembleWorld(options);
  await world.startRelay();
}

describe.each([{ name: 'direct' }, { name: 'relayed', access: 'relayed' as const }])('$name access', ({ name: _name, ...options }) => {
  test('an ensemble plays, heals what somebody deletes, and ends', async () => {
    await open(options);
    const owner = await playing(world);
    expect(owner.status).toMatchObject({ phase: 'Playing', ready: { strings: 2, winds: 1 } });
    expect(await allOf(world)).toEqual({ pods: TRIO, services: TRIO, order: TRIO });

    await world.as('DELETE', SERVICES, { namespace: 'default', name: 'demo-winds-0' });
    await world.end(await podNamed(world, 'demo-winds-0'), 1);
    await world.elapse(6, { play: false });
    expect((await allOf(world)).services).toEqual(TRIO);
    expect((await podNamed(world, 'demo-winds-0')).metadata.annotations).toEqual({ 'farloop.dev/number': '1' });

    for (const each of TRIO.slice(0, 2)) await world.end(await podNamed(world, each), 0);
    await world.elapse(10, { play: false });
    expect((await ensembleOf(world)).status).toMatchObject({ phase: 'Complete', restarts: 1 });
    expect((await allOf(world)).services).toEqual([]);
  });

  test('R16: at rest, while the statuses of its children move every 15 s, it costs no write, no wake and no message', async () => {
    await open({ ...options, options: { 'ensemble-autoscaler': 'on' } });
    await playing(world);
    await world.elapse(130, { play: false });
    expect(await world.all(AUTOSCALERS)).toHaveLength(1);
    const sent: string[] = [];
    const before = { writes: world.cluster.writes.length, passes: world.passes.length, version: await headVersion() };
    // What passes, ingest and relay send; a heartbeat names no object.
    const { queue } = world;
    const send = queue.send.bind(queue);
    queue.send = async (name, messages) => {
      for (const { body } of messages) if (name !== 'events' || decodeEvents(body).reports.length > 0) sent.push(name);
      await send(name, messages);
    };
    for (let round = 0; round < 40; round++) {
      for (const resource of [AUTOSCALERS, SERVICES, CONFIG_MAPS])
        for (const child of await world.all(resource)) await touch(resource, child, round);
      await world.elapse(14, { play: false });
    }
    expect(sent).toEqual([]);
    expect({ writes: world.cluster.writes.length, passes: world.passes.length, version: await headVersion() }).toEqual(before);
  });
});

const headVersion = async (): Promise<unknown> => {
  const { head, items } = await world.store.read(await world.keyOf('demo', 'Ensemble'));
  return { head, versions: items.map(({ name, version }) => `${name} ${version}`) };
};

/** Its status; of what has none, an annotation of somebody else. */
async function touch({ plural, ...rest }: typeof SERVICES, { metadata }: KubernetesObject, round: number): Promise<void> {
  const target = { namespace: 'default', name: metadata.name ?? '', type: 'application/merge-patch+json' };
  const hasStatus = plural !== CONFIG_MAPS.plural;
  await world.as(
    'PATCH',
    { plural, ...rest },
    {
      ...target,
      ...(hasStatus && { subresource: 'status' }),
      body: hasStatus ? statusOf(plural, round) : { metadata: { annotations: { 'example.com/round': String(round) } } },
    },
  );
}

const statusOf = (plural: string, round: number): object =>
  plural === AUTOSCALERS.plural
    ? { status: { currentReplicas: round, desiredReplicas: round } }
    : {
        status: {
          conditions: [{ type: 'Moves', status: 'True', reason: `Round${round}`, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }],
        },
      };

test('trap 10: a part that no relay can tell parks its workload with one sentence, and no other; then it goes on', async () => {
  await open({});
  await playing(world);
  const selector = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`label-of-some-length-${at}`, 'x'.repeat(40)]));
  const patch = async (spec: object): Promise<void> =>
    void (await world.as('PATCH', SERVICES, {
      namespace: 'default',
      name: 'demo-winds-0',
      type: 'application/merge-patch+json',
      body: { spec },
    }));
  const latest = (): World['passes'][number] | undefined => world.passes.findLast(({ key }) => key.name === 'demo');
  await patch({ selector });
  await world.until(() => latest()?.outcome === 'parked', { seconds: 180, play: false });
  const sentence = /^Service default\/demo-winds-0: what is compared of it takes \d+ bytes of JSON; at most 512 are kept$/;
  expect(latest()?.why).toEqual([expect.stringMatching(sentence)]);
  expect((await playing(world, { strings: 1 }, 'other')).status?.phase).toBe('Playing');
  await patch({ selector: null });
  await world.until(() => latest()?.outcome === 'acted', { seconds: 300, play: false });
  const service = (await world.all<KubernetesObject & { spec?: object }>(SERVICES)).find(
    ({ metadata }) => metadata.name === 'demo-winds-0',
  );
  expect(service?.spec).toMatchObject({ selector: { 'example.com/seat': 'winds-0' } });
});

test('two of them at once do not meet', async () => {
  await open({ access: 'relayed' });
  await world.apply(anEnsemble('other', { winds: 1 }));
  await playing(world);
  expect((await allOf(world)).pods).toEqual([...TRIO, 'other-winds-0']);
});
