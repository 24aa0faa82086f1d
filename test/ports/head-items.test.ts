// Entries of a head as stores keep them: each reads as what its writer meant, and is kept under the same name again.
import { describe, expect, test } from '@jest/globals';
import {
  changedItems,
  childFloorItem,
  childItem,
  hashedPods,
  headItemOf,
  listedRange,
  namesWithin,
  podItems,
} from '../../lib/ports/head-items.ts';

describe('an entry of a head', () => {
  const cases = [
    { name: 'pods/40/7', item: podItems({ slots: 40, first: 7, last: 7 }), holds: ['pods/40/7'] },
    { name: 'pods/104/0-2', item: podItems({ slots: 104, first: 0, last: 2 }), holds: ['pods/104/0', 'pods/104/1', 'pods/104/2'] },
    { name: 'pods/40/h3', item: hashedPods(40, 3), holds: ['pods/40/h3'] },
    { name: 'children/services/1/0', item: childItem('services', 1, 0), holds: ['children/services/1/0'] },
    { name: 'children/jobs.batch/4/3', item: childItem('jobs.batch', 4, 3), holds: ['children/jobs.batch/4/3'] },
    {
      name: 'list/-1/18446744073709551616/0-40',
      item: listedRange({ era: -1, floor: '18446744073709551616', from: 0, to: 40 }),
      holds: ['list/-1/18446744073709551616/0-40'],
    },
    { name: 'floor/2/services/9', item: childFloorItem({ era: 2, resource: 'services', floor: '9' }), holds: ['floor/2/services/9'] },
    ...['a', 'pods/40', 'pods/40/x', 'list/0/7', 'floors/of/a/later/build', ''].map((name) => ({
      name,
      item: { sort: 'other' as const, name },
      holds: [name],
    })),
  ];
  for (const { name, item, holds } of cases)
    test(`"${name}" is one of ${item.sort}`, () => {
      expect(headItemOf(name)).toEqual(item);
      expect(item.name).toBe(name);
      expect(namesWithin(item)).toEqual(holds);
    });

  test('is there once, in the order of names, and goes by its name', () => {
    const items = ['b', 'pods/40/0', 'a'].map(headItemOf);
    const changed = changedItems(items, { addItems: ['c', 'a'].map(headItemOf), removeItems: ['b', 'none'].map(headItemOf) });
    expect(changed.map(({ name }) => name)).toEqual(['a', 'c', 'pods/40/0']);
    expect(items).toHaveLength(3);
  });
});
