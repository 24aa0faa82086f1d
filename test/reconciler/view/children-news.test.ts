// What becomes of a message about children other than pods: they are kept, and wake their workload when they count. The Job's row has a child of the
// made-up kind here, as long as a test lasts.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { childStateOf } from '../../../lib/kinds/rows/child.ts';
import { factsFor } from '../../../lib/kinds/facts.ts';
import type { ChildFacts } from '../../../lib/kinds/rows/kind.ts';
import { partsDigestOf } from '../../../lib/reconciler/view/parts-digest.ts';
import { livingIn } from '../../../lib/reconciler/view/view.ts';
import { presenceOf } from '../../../lib/objects/child-state.ts';
import { viewDigestOf } from '../../../lib/reconciler/cluster/digest-mismatch.ts';
import { readView, type View } from '../../../lib/reconciler/view/view-access.ts';
import type { ChildObservation, OwnerName, PodObservation } from '../../../lib/wire/words/observations.ts';
import { ENSEMBLE } from '../../kinds/made-up-kind.ts';
import { toldOthers, toldPods, type WholeOf } from '../../wire/told-children.ts';
import { aJob, CLUSTER, World } from '../../world/world.ts';

const [SERVICES, STAGES] = ENSEMBLE.children;
if (!SERVICES || !STAGES) throw new Error('the made-up kind has services and stages');
const rows = factsFor('Job').children as ChildFacts[];

let world: World;
let owner: OwnerName;
beforeEach(async () => {
  rows.push(SERVICES);
  world = new World();
  await world.watch();
  await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
  await world.elapse(20, { play: false });
  const { cluster: _, ...name } = await world.keyOf('demo');
  owner = name;
});
afterEach(() => {
  rows.pop();
  world.close();
});

/** Above every version of the API server here, whose list of services the first pass has seen. */
const service = (resourceVersion: string, tempo: string): ChildObservation => ({
  heardAt: resourceVersion,
  presence: 'there',
  child: childStateOf(SERVICES, {
    metadata: { name: 'demo', namespace: 'default', uid: 'uid-of-service', resourceVersion, annotations: { tempo } },
  }),
});

/** @returns how many passes it led to */
async function tell(
  { pods = [], children = [], wholeChildren = [] }: { pods?: PodObservation[]; children?: ChildObservation[]; wholeChildren?: WholeOf[] },
  seconds = 3,
): Promise<number> {
  const before = world.passes.length;
  await world.send([{ owner, children: [toldPods(pods), ...toldOthers(children, wholeChildren)] }]);
  await world.elapse(seconds, { play: false });
  return world.passes.length - before;
}

async function view(): Promise<View> {
  const head = await world.store.readHead({ cluster: CLUSTER, ...owner });
  if (!head) throw new Error('no head');
  return await readView(world.store, head, 0);
}
const tempos = async (): Promise<unknown[]> => (await view()).children.flatMap((part) => [...livingIn(part)]).map(({ part }) => part.facts);

test('R9: a child that came, changed or went wakes; one whose version alone moves on wakes nobody and writes no head', async () => {
  expect(await tell({ children: [service('2000005', 'largo')] })).toBe(1);
  const written = await world.store.readHead({ cluster: CLUSTER, ...owner });
  for (const version of ['2000006', '2000007', '2000008']) expect(await tell({ children: [service(version, 'largo')] })).toBe(0);
  expect(await world.store.readHead({ cluster: CLUSTER, ...owner })).toEqual(written);
  expect(await tell({ children: [service('2000009', 'presto')] })).toBe(1);
  expect(await tempos()).toEqual([{ tempo: 'presto' }]);
  expect(await tell({ children: [{ ...service('2000010', 'presto'), presence: 'left' }] })).toBe(1);
  expect(await tempos()).toEqual([]);
});

test('R9: a child that changed wakes also beside a pod of which nothing is new', async () => {
  await tell({ children: [service('2000005', 'largo')] });
  const [known] = (await view()).part.children.values();
  if (!known) throw new Error('no pod');
  const { heardAt, child: pod } = known;
  expect(await tell({ pods: [{ heardAt, presence: 'there', child: pod }] })).toBe(0);
  expect(await tell({ children: [service('2000009', 'presto')], pods: [{ heardAt, presence: 'there', child: pod }] })).toBe(1);
});

test('R3: the list of one resource is compared with the floor of that resource alone', async () => {
  await tell({ wholeChildren: [{ resource: 'services', floor: '1000000' }] });
  const mismatches = (): number => world.metrics.filter(({ metric }) => metric === 'ViewMismatches').length;
  // Far below the services' floor, and news of the pods all the same.
  const [pod] = (await view()).part.children.values();
  if (!pod) throw new Error('no pod');
  const changed = { ...pod.child, resourceVersion: '900000', phase: 'Running' };
  await tell({ pods: [{ heardAt: '900000', presence: 'there', child: changed }] });
  expect((await view()).part.children.get(pod.child.uid)?.child.phase).toBe('Running');
  expect(mismatches()).toBe(0);
  // An older list of the services is a late message, or a server that was set back: a pass looks.
  await tell({ wholeChildren: [{ resource: 'services', floor: '999' }] });
  expect(mismatches()).toBe(1);
});

test('R3: whole lists of two resources in one report raise the floor of each to the version of its own list', async () => {
  rows.push(STAGES);
  try {
    const stage: ChildObservation = {
      heardAt: '70',
      presence: 'there',
      child: childStateOf(STAGES, { metadata: { name: 'demo', namespace: 'default', uid: 'uid-of-stage', resourceVersion: '70' } }),
    };
    const lists = [
      { resource: 'services', floor: '2000005' },
      { resource: stage.child.resource, floor: '80' },
    ];
    for (const wholeChildren of [lists, lists.toReversed()]) await tell({ children: [service('2000005', 'largo'), stage], wholeChildren });
    const floors = async (): Promise<unknown> =>
      Object.fromEntries((await view()).children.map(({ resource, floor }) => [resource, floor]));
    expect(await floors()).toEqual({ services: '2000005', [stage.child.resource]: '80' });
    // Between both floors: news of one resource, known of the other.
    await tell({ children: [{ ...stage, heardAt: '90', presence: 'deleted' }, service('90', 'presto')] });
    expect(await tempos()).toEqual([{ tempo: 'largo' }]);
  } finally {
    rows.splice(rows.indexOf(STAGES), 1);
  }
});

test('trap 10: a digest of parts of another revision is no doubt; another part, or a missing child, is', async () => {
  await tell({ children: [service('2000005', 'largo')] });
  const { part, children } = await view();
  const digest = viewDigestOf(factsFor('Job'), part, children);
  const mismatches = async (told: { revision: number; tempo: string }, other = digest): Promise<number> => {
    const { child } = service('2000009', told.tempo);
    const parts = [partsDigestOf('services', told.revision, [child])];
    const digests = [{ owner, digest: other, heardAt: '9', parts }];
    const watches = [{ resource: 'pods', ageMs: 0, resourceVersion: '9' }];
    await world.send([], { heartbeat: { watches, clockOffsetMs: 0, digests } });
    await world.ingest();
    const { visible, inFlight, delayed } = await world.queue.depth('timers');
    const waiting = visible + inFlight + delayed;
    await world.elapse(30, { play: false });
    return waiting;
  };
  const idle = await mismatches({ revision: 1, tempo: 'largo' });
  expect(await mismatches({ revision: 2, tempo: 'presto' })).toBe(idle);
  expect(await mismatches({ revision: 1, tempo: 'presto' })).toBe(idle + 1);
  expect(presenceOf(children.flatMap((each) => [...livingIn(each)]))).toEqual([{ uid: 'uid-of-service', resourceVersion: 'services' }]);
});
