// The view as a set of observations: any order, any repetition, the same view (R2); only a list proves absence (R19).
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { PodFacts } from '../../../lib/objects/pods/pod-facts.ts';
import type { News } from '../../../lib/reconciler/view/view.ts';
import { emptyPart, joinParts, mergeNews } from '../../../lib/reconciler/view/view.ts';
import type { PodObservation, ViewPart } from '../../../lib/wire/words/observations.ts';
import { observed } from '../demo-view.ts';

const pod = (uid: string, resourceVersion: string, change: Partial<PodFacts> = {}): PodFacts =>
  observed(0, 0, { uid, name: `pod-${uid}`, resourceVersion, index: uid.replace(/\D/g, '') || '0', ...change }).child;
const seen = (uid: string, heardAt: string, deleted = false, createdAt = 0): PodObservation => ({
  heardAt,
  presence: deleted ? 'deleted' : 'there',
  child: pod(uid, heardAt, { createdAt }),
});
const news = (...pods: PodObservation[]): News<PodFacts> => ({ resource: 'pods', children: pods, byPass: false });
const start: ViewPart = emptyPart<PodFacts>('pods', { era: 0, floor: '0' });
const after = (part: ViewPart, ...all: News<PodFacts>[]): ViewPart => all.reduce((known, one) => mergeNews(known, one).part, part);
const joined = (parts: readonly ViewPart[]): ViewPart => joinParts('pods', parts, { era: 0, floor: '0' });
const living = (part: ViewPart): string[] =>
  [...part.children].flatMap(([uid, { presence, heardAt }]) => (presence === 'there' ? [`${uid}@${heardAt}`] : [])).toSorted();

/** A history of one cluster: versions count up, each changes, creates or deletes one pod. */
const UIDS = ['a1', 'b2', 'c3', 'd4'] as const;
/** Unix seconds: how long ago a pod was made says nothing of what is known of it. */
const creations = fc.record(Object.fromEntries(UIDS.map((uid) => [uid, fc.nat({ max: 2_000_000_000 })])));
const histories = fc
  .tuple(fc.array(fc.record({ uid: fc.constantFrom(...UIDS), deleted: fc.boolean() }), { minLength: 1, maxLength: 30 }), creations)
  .map(([steps, createdAt]) => {
    const gone = new Set<string>();
    return steps.flatMap(({ uid, deleted }, at) => {
      if (gone.has(uid)) return [];
      if (deleted) gone.add(uid);
      // Versions of growing length, so that comparing them as texts or numbers would show.
      return [seen(uid, String(BigInt(at + 8) * 10n ** 17n), deleted, createdAt[uid])];
    });
  });

describe('R2: observations', () => {
  test('R2: in any order, any number of times, give the same view', () => {
    fc.assert(
      fc.property(
        histories.chain((history) =>
          fc.tuple(fc.constant(history), fc.shuffledSubarray(history.concat(history), { minLength: history.length * 2 })),
        ),
        ([history, shuffled]) => {
          const inOrder = after(start, ...history.map((one) => news(one)));
          const outOfOrder = after(start, ...shuffled.map((one) => news(one)));
          expect(Object.fromEntries(outOfOrder.children)).toEqual(Object.fromEntries(inOrder.children));
        },
      ),
    );
  });

  test('R2: a deletion leaves a tombstone that an older event cannot undo', () => {
    expect(living(after(start, news(seen('a', '20', true)), news(seen('a', '19'))))).toEqual([]);
  });

  test('R2: a tombstone stays, however old its pod, until a list has reached it twice', () => {
    const [old, young] = [1_700_000_000, 1_900_000_000];
    const gone = after(start, news(seen('a', '20', true, old)), news(seen('b', '21', false, young)));
    expect(living(after(gone, news(seen('a', '19', false, old))))).toEqual(['b@21']);
    const listed = (part: ViewPart, floor: string): ViewPart =>
      after(part, { resource: 'pods', children: [seen('b', floor, false, young)], byPass: false, whole: { floor, slots: 'all' } });
    expect([...listed(gone, '30').children.keys()].toSorted()).toEqual(['a', 'b']);
    expect([...listed(listed(gone, '30'), '40').children.keys()]).toEqual(['b']);
    // Gone from the view, what is late is refused by the floor.
    expect(living(after(listed(listed(gone, '30'), '40'), news(seen('a', '19', false, old))))).toEqual(['b@40']);
  });

  test('R2: heard alive and gone at the same version, it is gone, in either order and from either part', () => {
    expect(living(after(start, news(seen('a', '20')), news(seen('a', '20', true))))).toEqual([]);
    expect(living(after(start, news(seen('a', '20', true)), news(seen('a', '20'))))).toEqual([]);
    const [alive, gone] = [after(start, news(seen('a', '20'))), after(start, news(seen('a', '20', true)))];
    for (const parts of [
      [alive, gone],
      [gone, alive],
    ])
      expect(living(joined(parts))).toEqual([]);
  });

  test('R3: versions are compared as integers of any length', () => {
    const known = after(start, news(seen('a', '9')));
    expect(living(after(known, news(seen('a', '10'))))).toEqual(['a@10']);
    const beyondDoubles = after(start, news(seen('a', '9007199254740993')));
    expect(mergeNews(beyondDoubles, news(seen('a', '9007199254740992'))).changed).toBe(false);
    expect(living(after(beyondDoubles, news(seen('a', '9007199254740994'))))).toEqual(['a@9007199254740994']);
  });

  test('R2: nothing heard at or below the floor changes the part', () => {
    const listed = after(start, { resource: 'pods', children: [seen('a', '50')], whole: { floor: '50', slots: 'all' }, byPass: false });
    expect(mergeNews(listed, news(seen('b', '50'))).changed).toBe(false);
    expect(mergeNews(listed, news(seen('b', '51'))).changed).toBe(true);
  });
});

describe('R19: whole lists', () => {
  const list = (floor: string, ...pods: PodObservation[]): News<PodFacts> => ({
    resource: 'pods',
    children: pods,
    whole: { floor, slots: 'all' },
    byPass: false,
  });

  test('R19: a whole list removes what it does not name', () => {
    expect(living(after(start, news(seen('a', '10'), seen('b', '11')), list('20', seen('a', '20'))))).toEqual(['a@20']);
  });

  test('R19: it does not remove what was heard after it', () => {
    expect(living(after(start, news(seen('b', '21')), list('20', seen('a', '20'))))).toEqual(['a@20', 'b@21']);
  });

  test('R19: what was heard before it may be told beside it, and is not named by it', () => {
    const told = list('20', seen('a', '20'), seen('b', '10'), seen('c', '21'));
    for (const known of [start, after(start, news(seen('b', '9')))]) expect(living(after(known, told))).toEqual(['a@20', 'c@21']);
    // Its number stays known (R5).
    expect(after(start, told).children.get('b')?.presence).toBe('deleted');
    expect(living(after(start, news(seen('b', '22')), told))).toEqual(['a@20', 'b@22', 'c@21']);
  });

  test('R19: a list of some slots proves nothing of the others', () => {
    const part = after(start, news(seen('1', '10'), seen('7', '11')), {
      resource: 'pods',
      children: [],
      whole: { floor: '20', slots: { from: 0, to: 5 } },
      byPass: false,
    });
    expect(living(part)).toEqual(['7@11']);
  });

  test('R5: a vanished pod leaves its number behind for one list at least', () => {
    const once = after(start, news(seen('a', '10')), list('20'));
    expect([...once.children.values()].map(({ presence }) => presence)).toEqual(['deleted']);
    expect(after(once, list('30')).children.size).toBe(0);
    const heardOf = after(start, news(seen('a', '10'), seen('a', '15', true)), list('20'));
    expect(heardOf.children.size).toBe(1);
    expect(after(heardOf, list('30')).children.size).toBe(0);
  });
});

describe('R9: who need be woken', () => {
  test('an event that a pass had heard as the answer to its own call brings no news', () => {
    const own = after(start, { resource: 'pods', children: [seen('a', '10')], byPass: true });
    expect(mergeNews(own, news(seen('a', '10')))).toMatchObject({ changed: false, observedByPass: true });
  });

  test('an event that only an earlier message had brought wakes again', () => {
    const known = after(start, news(seen('a', '10')));
    expect(mergeNews(known, news(seen('a', '10')))).toMatchObject({ changed: false, observedByPass: false });
  });
});

test('R2: a pod known to two parts counts as heard last', () => {
  const both = joined([after(start, news(seen('a', '10'))), after(start, news(seen('a', '12', true)))]);
  expect(living(both)).toEqual([]);
});
