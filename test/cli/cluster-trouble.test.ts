// What tables of clusters say of one whose API server does not let Farloop work.
import { expect, test } from '@jest/globals';
import { stateText, withTroubles } from '../../lib/cli/cluster-trouble.ts';

const trouble = { sinceTime: '2026-01-02T03:04:05.000Z', reason: 'Unauthorized' };

test('a word in the state, and the reason below the table', () => {
  expect(stateText({ state: 'Watching' })).toBe('Watching');
  expect(stateText({ state: 'Silent', draining: true, trouble })).toBe('Silent, draining, in trouble');
  expect(stateText({ state: 'Watching', leaving: true })).toBe('Watching, leaving');
  expect(withTroubles([{ name: 'west' }], 'TABLE')).toBe('TABLE');
  expect(withTroubles([{ name: 'west' }, { name: 'east', trouble }], 'TABLE')).toBe(
    'TABLE\n\neast: in trouble since 2026-01-02T03:04:05.000Z: Unauthorized',
  );
});
