// Recorded passes as the API tells them: a thousand alike actions are one line.
import { expect, test } from '@jest/globals';
import { joinedActions } from '../../lib/api/passes.ts';

const create = (index: number, more: object = {}) => ({
  verb: 'create',
  target: `demo-${index}`,
  why: `0 of 3 wanted pods run; index ${index} is open`,
  result: 'done' as const,
  ...more,
});
const strip = { verb: 'strip', target: 'demo-0', why: 'the status counts it', result: 'done' as const, count: 5 };

test('neighbours that differ in numbers only become one line', () => {
  expect(joinedActions([create(0), create(1), create(2), strip])).toEqual([create(0, { why: '0 of 3 wanted pods run', count: 3 }), strip]);
});

test('another verb, result or reason stands for itself', () => {
  const refused = create(1, { result: 'refused', detail: 'quota' });
  const actions = [create(0), refused, create(2, { why: 'a pod failed' }), strip];
  expect(joinedActions(actions)).toEqual(actions);
});
