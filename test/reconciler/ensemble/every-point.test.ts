// R4 to R8 with a kind whose names are taken again: one fault at each call, and still no pod, service or count too many.
import { expect, test } from '@jest/globals';
import { ConflictError, NotDoneError, TerminalError, ThrottledError, UnknownOutcomeError } from '../../../lib/ports/errors.ts';
import { enumerateFaults, type Enumeration } from '../../world/enumerate.ts';
import { SERVICES } from '../../world/kinds/ensemble/ensemble.ts';
import { allOf, anEnsemble, anEnsembleWorld, ensembleOf, podNamed } from '../../world/kinds/ensemble/world.ts';
import type { Point } from '../../world/process.ts';
import { expectQuiet } from '../../world/right.ts';
import type { World } from '../../world/world.ts';

/** A pod fails, a service is deleted by somebody, and in the end all is cleaned up. */
async function life(world: World): Promise<void> {
  const hasServices = async (count: number): Promise<boolean> => (await allOf(world)).services.length === count;
  await world.apply(anEnsemble('demo', { strings: 1, winds: 1 }));
  await world.until(async () => (await world.pods()).length === 2 && (await hasServices(2)), { play: false });
  for (const pod of await world.pods()) await world.startPod(pod);
  await world.elapse(6, { play: false });
  await world.as('DELETE', SERVICES, { namespace: 'default', name: 'demo-winds-0' });
  await world.end(await podNamed(world, 'demo-winds-0'), 1);
  const isReplaced = async (): Promise<boolean> =>
    (await world.pods()).some(({ metadata, status }) => metadata.name === 'demo-winds-0' && status?.phase === 'Pending');
  await world.until(async () => (await isReplaced()) && (await hasServices(2)), { play: false });
  await world.end(await podNamed(world, 'demo-strings-0'), 0);
  await world.until(async () => (await ensembleOf(world)).status?.phase === 'Complete' && (await hasServices(0)), { seconds: 240 });
}

async function check(world: World): Promise<void> {
  const pods = [...world.podsEver.values()].map(({ metadata }) => metadata.name ?? '');
  expect(pods.toSorted((a, b) => a.localeCompare(b))).toEqual(['demo-strings-0', 'demo-winds-0', 'demo-winds-0']);
  expect((await ensembleOf(world)).status).toMatchObject({ phase: 'Complete', restarts: 1 });
  expect(world.passes.filter(({ outcome }) => outcome === 'parked')).toEqual([]);
  await expectQuiet(world, 1);
}

const isOfPass = ({ port }: Point): boolean => port !== 'recorder';
const isOfCluster = ({ port }: Point): boolean => port === 'cluster';
/** The API server answers 403 or 409 to a write. A status that is forbidden is a right that is missing, and parks. */
const isChildWrite = ({ port, method, args: [resource] }: Point): boolean =>
  port === 'cluster' && ['create', 'delete', 'patch'].includes(method) && (resource as typeof SERVICES).plural !== 'ensembles';

const raising = (error: Error): Enumeration['fault'] => {
  return () => {
    throw error;
  };
};

interface Case {
  name: string;
  phase: Point['phase'];
  fits: (point: Point) => boolean;
  fault: Enumeration['fault'];
}

const CASES: readonly Case[] = [
  { name: 'the process dies before it', phase: 'before', fits: isOfPass, fault: (_, process) => process.kill() },
  { name: 'the process dies after it', phase: 'after', fits: isOfPass, fault: (_, process) => process.kill() },
  { name: 'it gets lost', phase: 'before', fits: isOfCluster, fault: raising(new UnknownOutcomeError('reset')) },
  { name: 'its answer gets lost', phase: 'after', fits: isOfCluster, fault: raising(new UnknownOutcomeError('reset')) },
  { name: 'it is not sent', phase: 'before', fits: isOfCluster, fault: raising(new NotDoneError('no connection')) },
  { name: 'it is throttled', phase: 'before', fits: isOfCluster, fault: raising(new ThrottledError('429', { retryAfterSeconds: 2 })) },
  {
    name: 'another writer was first',
    phase: 'before',
    fits: isChildWrite,
    fault: raising(new ConflictError('conflict', { reason: 'precondition' })),
  },
  { name: 'it is refused', phase: 'before', fits: isChildWrite, fault: raising(new TerminalError('quota', { code: 403, causes: [] })) },
];

test.each(CASES)('at each call: $name', async ({ phase, fits, fault }) => {
  await enumerateFaults({
    open: anEnsembleWorld,
    fits: (point) => point.phase === phase && fits(point),
    fault,
    run: life,
    check,
    least: 10,
  });
});

test('with relayed access, at each call: its answer gets lost', async () => {
  await enumerateFaults({
    open: async () => {
      const world = anEnsembleWorld({ access: 'relayed' });
      await world.startRelay();
      return world;
    },
    fits: (point) => point.phase === 'after' && isOfCluster(point),
    fault: raising(new UnknownOutcomeError('reset')),
    run: life,
    check,
    least: 10,
  });
});
