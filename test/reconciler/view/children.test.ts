// Children other than pods in a view: each resource by itself, and nothing that does not count is news. Held with a kind that no build has.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { EmbeddedStore } from '../../../lib/adapters/embedded/store.ts';
import type { ChildState } from '../../../lib/objects/child-state.ts';
import type { WorkloadKey } from '../../../lib/objects/workload.ts';
import type { Head } from '../../../lib/ports/store.ts';
import { newHead } from '../../../lib/reconciler/head/heads.ts';
import { floorIn } from '../../../lib/reconciler/view/floors.ts';
import { comparableParts, digestText, partsDigestOf, partsIn } from '../../../lib/reconciler/view/parts-digest.ts';
import { seenText, viewDigestOf } from '../../../lib/reconciler/cluster/digest-mismatch.ts';
import { readView, writeChildren } from '../../../lib/reconciler/view/view-access.ts';
import { emptyPart, livingIn, mergeNews, type News } from '../../../lib/reconciler/view/view.ts';
import { mergedReports } from '../../../lib/reconciler/view/merged-reports.ts';
import { decodeTimer, encodeTimer } from '../../../lib/wire/messages.ts';
import type { PodFacts } from '../../../lib/objects/pods/pod-facts.ts';
import type { ChildObservation, ChildrenPart, WholeList, WorkloadReport } from '../../../lib/wire/words/observations.ts';
import { ENSEMBLE } from '../../kinds/made-up-kind.ts';
import { VirtualClock } from '../../world/virtual-clock.ts';
import { toldOthers } from '../../wire/told-children.ts';
import { namesIn } from '../../contracts/store/workloads.ts';

const KEY: WorkloadKey = { cluster: 'west', kind: 'Ensemble', namespace: 'default', name: 'quartet', uid: 'uid-of-quartet' };
const child = (name: string, resourceVersion: string, change: Partial<ChildState> = {}): ChildState => ({
  resource: 'services',
  uid: `uid-of-${name}`,
  namespace: 'default',
  name,
  resourceVersion,
  part: { revision: 1, facts: { tempo: 'largo' } },
  ...change,
});
const seen = (state: ChildState, change: Partial<ChildObservation> = {}): ChildObservation => ({
  heardAt: state.resourceVersion,
  presence: 'there',
  child: state,
  ...change,
});
const newsOf = (children: ChildObservation[], whole?: WholeList): News<ChildState> => ({
  resource: 'services',
  children,
  whole,
  byPass: false,
});
const part = (...children: ChildObservation[]): ChildrenPart =>
  mergeNews(emptyPart<ChildState>('services', { era: 0, floor: '0' }), newsOf(children)).part;
const after = (before: ChildrenPart, ...children: ChildObservation[]): ReturnType<typeof mergeNews<ChildState>> =>
  mergeNews(before, newsOf(children));
const livingChildren = (of: ChildrenPart): ChildState[] => [...livingIn(of)];
/** A whole list of all objects of a resource. */
const listAt = (floor: string): WholeList => ({ floor, slots: 'all' });
const faster = { part: { revision: 1, facts: { tempo: 'presto' } } };

describe('news of a child', () => {
  test('is that it came, changed or went; another version alone is none, and is remembered all the same (R2)', () => {
    const before = part(seen(child('a', '5')));
    const moved = after(before, seen(child('a', '9')));
    expect([moved.isNews, moved.observedByPass, moved.part.children.get('uid-of-a')?.heardAt]).toEqual([false, true, '9']);
    for (const news of [seen(child('a', '9', faster)), seen(child('b', '9')), seen(child('a', '9'), { presence: 'deleted' })])
      expect(after(before, news)).toMatchObject({ isNews: true, observedByPass: false });
    // What was true in between and comes late is no news any more.
    expect(after(moved.part, seen(child('a', '7', faster)))).toMatchObject({ changed: false, isNews: false, part: moved.part });
  });

  test('R2: makes the same view in any order, told once or twice', () => {
    const told = [
      seen(child('a', '5')),
      seen(child('a', '7', faster)),
      seen(child('a', '9')),
      seen(child('b', '6'), { presence: 'left' }),
      seen(child('b', '8')),
      seen(child('c', '4')),
      seen(child('c', '6'), { presence: 'deleted' }),
    ];
    const expected = part(...told);
    for (let at = 0; at < told.length; at++) {
      const turned = [...told.slice(at), ...told.slice(0, at)];
      expect(part(...turned, ...turned.toReversed()).children.get('uid-of-a')).toEqual(expected.children.get('uid-of-a'));
      expect(part(...turned.toReversed()).children).toEqual(expected.children);
    }
    expect(livingChildren(expected).map(({ name }) => name)).toEqual(['a', 'b']);
  });

  test('trap 1: one that left the selection is no tombstone: it is there again as soon as it is observed', () => {
    const left = after(part(seen(child('a', '5'))), seen(child('a', '6'), { presence: 'left' })).part;
    expect(livingChildren(left)).toEqual([]);
    expect(livingChildren(after(left, seen(child('a', '7'))).part)).toHaveLength(1);
    const gone = after(part(seen(child('a', '5'))), seen(child('a', '6'), { presence: 'deleted' })).part;
    expect(livingChildren(after(gone, seen(child('a', '7'))).part)).toEqual([]);
  });

  test('trap 1: what a list of a selection does not name has left it, what a list of all does not name is gone (R19)', () => {
    const before = part(seen(child('a', '5')), seen(child('b', '5')));
    const listed = (isSelected: boolean): (string | undefined)[] => {
      const whole = { ...listAt('8'), ...(isSelected && { isSelected: true as const }) };
      const { part: now, isNews } = mergeNews(before, newsOf([seen(child('a', '5'), { heardAt: '8' })], whole));
      expect([isNews, now.floor]).toEqual([true, '8']);
      return ['a', 'b'].map((name) => now.children.get(`uid-of-${name}`)?.presence);
    };
    expect([listed(true), listed(false)]).toEqual([
      ['there', 'left'],
      ['there', 'deleted'],
    ]);
  });
});

describe('digests', () => {
  const digests = (children: ChildrenPart[], told: ChildState[]): { seen: string; told: string } => {
    const view = emptyPart<PodFacts>('pods', { era: 0, floor: '0' });
    const parts = [partsDigestOf('services', 1, told)];
    const relay = part(...told.map((each) => seen(each)));
    return {
      seen: seenText(ENSEMBLE, { part: view, children }, parts),
      told: digestText(viewDigestOf(ENSEMBLE, view, [relay]), parts),
    };
  };

  test('of a view and a relay are the same whatever the versions; a child, or a part, more or less shows', () => {
    const equal = digests([part(seen(child('a', '5')))], [child('a', '9')]);
    expect(equal.seen).toBe(equal.told);
    for (const other of [[child('a', '5', faster)], [child('b', '5')], [child('a', '5'), child('b', '5')], []]) {
      const differing = digests([part(seen(child('a', '5')))], other);
      expect(differing.seen).not.toBe(differing.told);
    }
  });

  test('trap 10: parts of another revision count as equal, and a missing child shows all the same', () => {
    const later = part(seen(child('a', '5', { part: { revision: 2, facts: 'made otherwise' } })));
    const equal = digests([later], [child('a', '5')]);
    expect(equal.seen).toBe(equal.told);
    const differing = digests([later], [child('a', '5'), child('b', '5')]);
    expect(differing.seen).not.toBe(differing.told);
    expect(comparableParts([later], [partsDigestOf('services', 2, livingChildren(later))])).toEqual([
      partsDigestOf('services', 2, livingChildren(later)),
    ]);
  });

  test('go into a doubt and come out of it', () => {
    const parts = [partsDigestOf('services', 1, [child('a', '5')]), partsDigestOf('services.stage.example.com', 12, [])];
    const told = digestText('0'.repeat(16), parts);
    const doubt = { doubt: 'west/Ensemble/default/quartet/u', told, seen: told };
    expect(decodeTimer(encodeTimer(doubt))).toEqual(doubt);
    expect(partsIn(told)).toEqual(parts);
    expect(partsIn('0'.repeat(16))).toEqual([]);
  });
});

test('several messages of a batch tell of a child by its latest; whole lists stay for themselves', () => {
  const { cluster: _, ...owner } = KEY;
  const whole: WorkloadReport = { owner, children: toldOthers([], [{ resource: 'services', floor: '3' }]) };
  const [early, late] = [seen(child('a', '5')), seen(child('a', '6', faster))];
  const merged = mergedReports([{ owner, children: toldOthers([late]) }, whole, { owner, children: toldOthers([early]) }]);
  expect(merged).toEqual([whole, { owner, children: toldOthers([late]) }]);
});

describe('where they lie', () => {
  const clock = new VirtualClock();
  let store: EmbeddedStore;
  let head: Head;
  beforeEach(async () => {
    store = EmbeddedStore.open({ clock });
    head = await store.createHead(newHead({ clock }, KEY, { era: 0 } as never));
  });
  afterEach(() => store.close());

  const write = async (...[news, options]: [Partial<Parameters<typeof writeChildren>[2][number]>, { era?: number }?]): Promise<boolean> => {
    const given = { resource: 'services', children: [], byPass: false, ...news };
    const written = await writeChildren(store, head, [given], { era: options?.era ?? 0, expected: 2 });
    head = await store.updateHead(head.key, {}, written.marks);
    return written.isNews;
  };
  const namesRead = async (era = 0): Promise<string[]> =>
    (await readView(store, head, era)).children.flatMap(livingChildren).map(({ resource, name }) => `${resource}/${name}`);

  test('more children than one read of the store may name are written again, as after a restart of a relay', async () => {
    const all = (version: string): ChildObservation[] => Array.from({ length: 7_000 }, (_, at) => seen(child(`worker-${at}`, version)));
    await write({ children: all('5'), whole: listAt('5') });
    expect(await write({ children: all('6'), whole: listAt('6') })).toBe(false);
    expect(await namesRead()).toHaveLength(7_000);
  });

  test('R3: the list of one resource is no floor of another', async () => {
    await write({ children: [seen(child('a', '5'))], whole: listAt('1000') });
    const stage = child('s', '7', { resource: 'services.stage.example.com' });
    expect(await write({ resource: stage.resource, children: [seen(stage)] })).toBe(true);
    expect(await write({ children: [seen(child('late', '900'))] })).toBe(false);
    expect((await namesRead()).toSorted()).toEqual(['services.stage.example.com/s']);
    expect([floorIn(head, 'services', 0), floorIn(head, stage.resource, 0), head.floor]).toEqual(['1000', undefined, '0']);
  });

  test('a view has them beside the pods; their items are no items of pods', async () => {
    await write({ children: [seen(child('a-1', '5')), seen(child('a-70', '6'))], whole: listAt('4') });
    const view = await readView(store, head, 0);
    expect([view.hasMissingItem, view.part.children.size, view.children.map(({ floor }) => floor)]).toEqual([false, 0, ['4']]);
    expect(await namesRead()).toEqual(['services/a-1', 'services/a-70']);
    expect(namesIn(head)?.toSorted()).toEqual(['children/services/1/0', 'floor/0/services/4']);
  });

  test('a child whose version alone moves on is no news; a list raises the floor, and an older one does not lower it', async () => {
    await write({ children: [seen(child('a', '5'))] });
    expect(await write({ children: [seen(child('a', '8'))] })).toBe(false);
    await write({ children: [seen(child('a', '8'), { heardAt: '9' })], whole: listAt('9') });
    await write({ children: [], whole: listAt('7') });
    expect([floorIn(head, 'services', 0), await namesRead()]).toEqual(['9', ['services/a']]);
  });

  test('R1: a missing item stays missing, also after news that would have begun it anew', async () => {
    await write({ children: [seen(child('a', '5'))] });
    store.database.exec('delete from items');
    expect((await readView(store, head, 0)).hasMissingItem).toBe(true);
    await write({ children: [seen(child('b', '6'))] });
    expect((await store.readHead(KEY))?.era).toBe(-1);
  });

  test('R3: items and floors of an earlier era count as missing', async () => {
    await write({ children: [seen(child('a', '500'))], whole: listAt('400') });
    expect([(await readView(store, head, 1)).hasMissingItem, floorIn(head, 'services', 1)]).toEqual([true, undefined]);
    await write({ children: [seen(child('b', '5'))], whole: listAt('5') }, { era: 1 });
    expect([await namesRead(1), floorIn(head, 'services', 1)]).toEqual([['services/b'], '5']);
    expect(namesIn(head)?.filter((name) => name.startsWith('floor/'))).toEqual(['floor/1/services/5']);
  });
});
