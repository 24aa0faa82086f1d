// R4, R5 and trap 6: names that are fixed and taken again when a pod has gone.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Pod } from '../../../lib/objects/kubernetes.ts';
import { PODS } from '../../../lib/objects/resources.ts';
import { TerminalError, UnknownOutcomeError } from '../../../lib/ports/errors.ts';
import { ENSEMBLES, SERVICES, type Ensemble } from '../../world/kinds/ensemble/ensemble.ts';
import { allOf, anEnsemble, ensembleOf, eventsOf, openEnsembleWorld, playing, podNamed } from '../../world/kinds/ensemble/world.ts';
import type { World } from '../../world/world.ts';

let world: World;
beforeEach(async () => {
  world = await openEnsembleWorld();
});
afterEach(() => world.close());

const TRIO = ['demo-strings-0', 'demo-strings-1', 'demo-winds-0'];
const FIRST = 'demo-strings-0';

/** A pod at the first name, made by somebody else. Its events are kept back: only a create meets it. */
async function namesake({
  metadata = {},
  owner,
  isTold = false,
}: { metadata?: Pod['metadata']; owner?: Ensemble; isTold?: boolean } = {}): Promise<void> {
  const { name = '', uid = '' } = owner?.metadata ?? {};
  const ownerReferences = [{ apiVersion: ENSEMBLES.apiVersion, kind: ENSEMBLES.kind, name, uid, controller: true }];
  if (!isTold) world.keepBack('Pod');
  await world.as('POST', PODS, {
    namespace: 'default',
    body: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: FIRST, ...metadata, ...(owner && { ownerReferences }) },
      spec: { containers: [{ name: 'main', image: 'example.com/none' }] },
    },
  });
}

/** An ensemble that has a status and no pods yet. */
async function suspended(): Promise<Ensemble> {
  await world.apply(anEnsemble('demo', { strings: 2, winds: 1, suspend: true }));
  await world.elapse(3, { play: false });
  return await ensembleOf(world);
}

async function resume(): Promise<void> {
  await world.as('PATCH', ENSEMBLES, {
    namespace: 'default',
    name: 'demo',
    type: 'application/merge-patch+json',
    body: { spec: { suspend: false } },
  });
}

const createsOf = (name: string): number =>
  world.cluster.writes.filter((call) => call.verb === 'create' && call.plural === 'pods' && call.name === name).length;

describe('trap 6: a taken name', () => {
  test('a foreign pod holds its own place only; it is told, tried again, and taken once it is free', async () => {
    await namesake({ isTold: true });
    await playing(world);
    expect((await ensembleOf(world)).status).toMatchObject({ phase: 'Playing', ready: { strings: 1, winds: 1 } });
    expect((await allOf(world)).services).toEqual(TRIO);
    await world.elapse(30, { play: false });
    expect(createsOf(FIRST)).toBeGreaterThan(4);
    expect(createsOf(FIRST)).toBeLessThan(16);
    const sentence = `FailedCreatePod: Error creating: pods "${FIRST}" already exists and belongs to somebody else`;
    expect((await eventsOf(world)).filter((event) => event === sentence)).toHaveLength(1);

    await world.as('DELETE', PODS, { namespace: 'default', name: FIRST, body: { gracePeriodSeconds: 0 } });
    await world.elapse(12, { play: false });
    expect((await podNamed(world, FIRST)).metadata.ownerReferences).toHaveLength(1);
  });

  test('a foreign service holds its own place only', async () => {
    await world.as('POST', SERVICES, {
      namespace: 'default',
      body: { apiVersion: 'v1', kind: 'Service', metadata: { name: FIRST }, spec: { ports: [{ port: 1 }] } },
    });
    await playing(world);
    expect(world.passes.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect((await ensembleOf(world)).status).toMatchObject({ phase: 'Playing', ready: { strings: 2, winds: 1 } });
    expect(await eventsOf(world)).toContain(
      `FailedCreateService: Error creating: services "${FIRST}" already exists and belongs to somebody else`,
    );
    const services = await world.all(SERVICES);
    await world.as('DELETE', SERVICES, { namespace: 'default', name: FIRST });
    await world.elapse(12, { play: false });
    const after = await world.all(SERVICES);
    expect(after.filter(({ metadata }) => metadata.ownerReferences)).toHaveLength(3);
    expect(services.filter(({ metadata }) => metadata.ownerReferences).map(({ metadata }) => metadata.name)).toEqual(TRIO.slice(1));
  });

  test.each([
    [
      'of another number',
      { annotations: { 'farloop.dev/number': '7' }, labels: { 'example.com/ensemble': 'demo', 'example.com/seat': 'strings-0' } },
    ],
    ['of no number, as an upstream operator makes them', { labels: { 'example.com/ensemble': 'demo', 'example.com/seat': 'strings-0' } }],
    ['without any of our labels', {}],
  ])('a pod of the owner %s is merged and planned from: it is neither success nor fault', async (_, metadata) => {
    await namesake({ owner: await suspended(), metadata });
    const before = await podNamed(world, FIRST);
    await resume();
    await world.elapse(3, { play: false });
    expect(await eventsOf(world)).not.toContain(`SuccessfulCreatePod: Created pod: ${FIRST}`);
    expect(createsOf(FIRST)).toBe(1);
    expect((await podNamed(world, FIRST)).metadata.uid).toBe(before.metadata.uid);
    expect((await allOf(world)).pods).toEqual(TRIO);
    world.tellAgain('Pod');
    for (const pod of await world.pods()) await world.startPod(pod);
    await world.elapse(6, { play: false });
    expect((await ensembleOf(world)).status?.ready).toEqual({ strings: 2, winds: 1 });
    expect(world.passes.filter(({ outcome }) => outcome === 'failed' || outcome === 'parked')).toEqual([]);
  });

  test('a terminating predecessor is waited for, and its number is not taken again', async () => {
    const owner = await suspended();
    const labels = { 'example.com/ensemble': 'demo', 'example.com/seat': 'strings-0' };
    await namesake({ owner, metadata: { labels, annotations: { 'farloop.dev/number': '4' }, finalizers: ['example.com/held'] } });
    await world.as('DELETE', PODS, { namespace: 'default', name: FIRST, body: { gracePeriodSeconds: 0 } });
    await resume();
    await world.elapse(20, { play: false });
    expect(createsOf(FIRST)).toBe(1);
    expect((await allOf(world)).pods).toEqual(TRIO);

    world.tellAgain('Pod');
    await world.as('PATCH', PODS, {
      namespace: 'default',
      name: FIRST,
      type: 'application/merge-patch+json',
      body: { metadata: { finalizers: null } },
    });
    await world.elapse(3, { play: false });
    const { metadata } = await podNamed(world, FIRST);
    expect(metadata.deletionTimestamp).toBeUndefined();
    expect(Number(metadata.annotations?.['farloop.dev/number'])).toBeGreaterThan(4);
  });
});

describe('R4, R5: nothing is done twice', () => {
  test.each([
    ['before it took effect', 'before'],
    ['after it took effect', 'after'],
  ] as const)('a create whose answer is lost %s', async (_, phase) => {
    let isLost = false;
    world.cluster.interference[phase] = ({ verb, plural, name }) => {
      if (isLost || verb !== 'create' || plural !== 'pods' || name !== FIRST) return;
      isLost = true;
      throw new UnknownOutcomeError('connection reset');
    };
    await playing(world);
    await world.elapse(5, { play: false });
    for (const pod of await world.pods()) if (pod.status?.phase === 'Pending') await world.startPod(pod);
    await world.elapse(5, { play: false });
    expect((await ensembleOf(world)).status?.ready).toEqual({ strings: 2, winds: 1 });
    expect(world.podsEver.size).toBe(3);
  });
});

test('a refused create of a service is told with its row’s own reason, comes again with a back-off, and pods go on', async () => {
  let tries = 0;
  world.cluster.interference.before = ({ verb, plural, name }) => {
    if (verb !== 'create' || plural !== 'services' || name !== FIRST) return;
    tries += 1;
    throw new TerminalError('exceeded quota: services', { code: 403, causes: [] });
  };
  await playing(world);
  expect((await ensembleOf(world)).status).toMatchObject({ phase: 'Playing', ready: { strings: 2, winds: 1 } });
  expect((await allOf(world)).services).toEqual(TRIO.slice(1));
  expect(await eventsOf(world)).toContain('FailedCreateService: Error creating: exceeded quota: services');
  const before = tries;
  await world.elapse(60, { play: false });
  expect(tries - before).toBeLessThan(12);
  world.cluster.interference = {};
  await world.elapse(70, { play: false });
  expect((await allOf(world)).services).toEqual(TRIO);
});
