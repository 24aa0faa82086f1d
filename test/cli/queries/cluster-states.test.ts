// What tables of clusters say of those that are not as they should be.
import { expect, test } from '@jest/globals';
import { stateText, withReasons } from '../../../lib/cli/queries/cluster-states.ts';

const WELL = { states: [{ state: 'Watching', reason: 'its relay watches it' }] } as const;
const SILENT = {
  states: [
    { state: 'Unreachable', sinceTime: '2026-01-02T03:04:05.000Z', reason: 'its API server does not answer: no answer within 3 s' },
    { state: 'Draining', reason: 'none is begun' },
  ],
} as const;

test('every state that holds, and the reasons below the table', () => {
  expect(stateText({ states: [...WELL.states] })).toBe('Watching');
  expect(stateText({ states: [...SILENT.states] })).toBe('Unreachable, Draining');
  expect(withReasons([{ name: 'west', states: [...WELL.states] }], 'TABLE')).toBe('TABLE');
  const both = [
    { name: 'west', states: [...WELL.states] },
    { name: 'east', states: [...SILENT.states] },
  ];
  expect(withReasons(both, 'TABLE')).toBe(
    'TABLE\n\n' +
      'east: Unreachable since 2026-01-02T03:04:05.000Z: its API server does not answer: no answer within 3 s\n' +
      'east: Draining: none is begun',
  );
});
