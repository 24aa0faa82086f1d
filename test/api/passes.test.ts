// Recorded passes as the API tells them: a thousand alike actions are one line.
import { expect, test } from '@jest/globals';
import { joinedActions, passesOfIndex } from '../../lib/api/passes.ts';
import { aPass } from '../contracts/recorder.ts';

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

test('passes of an index: those that name a pod of it, and after its last was made those that counted several, of whom the first is named', () => {
  const action = (verb: string, target: string, count = 1) => ({
    verb,
    target,
    why: '',
    result: 'done' as const,
    ...(count > 1 && { count }),
  });
  const pass = (passId: string, ...actions: ReturnType<typeof action>[]) => aPass(1_000, { passId, actions });
  const passes = [
    pass('later', action('strip', 'demo-11-abcde')),
    pass('several', action('status', 'status'), action('strip', 'demo-4-abcde', 3)),
    pass('itself', action('strip', 'demo-1-bcdfg'), action('create', 'demo-11-bcdfg')),
    pass('made', action('create', 'demo-1-bcdfg'), action('create', 'demo-2-bcdfg')),
    pass('before', action('strip', 'demo-4-abcde', 3)),
  ];
  expect(passesOfIndex(passes, 'demo', 1).map(({ passId, actions }) => `${passId} ${actions.map(({ target }) => target).join()}`)).toEqual([
    'several demo-4-abcde',
    'itself demo-1-bcdfg',
    'made demo-1-bcdfg',
  ]);
  expect(passesOfIndex([pass('alike', action('strip', 'demo-1-1-abcde'))], 'demo', 1)).toEqual([]);
});
