// Every call of a small Job's run is a point where the process may die, a call fail, or its answer be lost: after each single one of
// them the Job still ends with exact counts, no pod too many, no finalizer left (R4, R6, R9, R18), and nothing stirs afterwards (R16).
import { describe, jest, test } from '@jest/globals';
import { NotDoneError, ThrottledError, UnknownOutcomeError } from '../../../lib/ports/errors.ts';
import type { Enumeration } from '../../world/enumerate.ts';
import { enumerateFaults } from '../../world/enumerate.ts';
import { expectCompleted, expectQuiet, runToEnd } from '../../world/right.ts';
import { aJob } from '../../world/world.ts';

const SCENARIOS = [
  { name: 'NonIndexed', spec: { completions: 2, parallelism: 1 }, succeeded: 2, mostActive: 1 },
  { name: 'Indexed', spec: { completions: 3, parallelism: 2, completionMode: 'Indexed' as const }, succeeded: 3, mostActive: 2 },
];

const throws = (error: Error) => (): never => {
  throw error;
};
const noAnswer = throws(new UnknownOutcomeError('no answer in time'));
const notSent = throws(new NotDoneError('connection refused'));
const slowDown = throws(new ThrottledError('too many requests', { retryAfterSeconds: 2 }));
const broken = throws(new Error('internal server error'));

jest.setTimeout(240_000);

describe.each(SCENARIOS)('R18, R9: a $name Job', ({ spec, succeeded, mostActive }) => {
  const everywhere = (fits: Enumeration['fits'], fault: Enumeration['fault'], least: number, wakes: 'visible' | 'in flight' = 'visible') =>
    enumerateFaults({
      fits,
      fault,
      least,
      run: async (world) => {
        world.afterDeath = { wakes };
        await world.apply(aJob('demo', spec));
        await runToEnd(world, 'demo');
      },
      check: async (world) => {
        await expectCompleted(world, 'demo', { succeeded, mostActive });
        await expectQuiet(world, 3);
      },
    });

  // Before the next call is after this one, where no two run at once.
  test('R18: the process dies after any call, and a new one follows at once', async () => {
    await everywhere(
      ({ phase }) => phase === 'after',
      (_, process) => process.kill(),
      30,
    );
  });

  test('R9: the function dies after any write, and its messages come back after their visibility', async () => {
    await everywhere(
      ({ phase, method }) => phase === 'after' && !/^(get|list|read)/.test(method),
      (_, process) => process.kill(),
      30,
      'in flight',
    );
  });

  test('R6: a call on the cluster is not answered, before or after it took effect', async () => {
    await everywhere(({ port }) => port === 'cluster', noAnswer, 20);
  });

  test('R6: a call on the cluster does not get through', async () => {
    await everywhere(({ port, phase }) => port === 'cluster' && phase === 'before', notSent, 10);
  });

  test('R14: a call on the cluster is throttled', async () => {
    await everywhere(({ port, phase }) => port === 'cluster' && phase === 'before', slowDown, 10);
  });

  test('R9: a call on the store fails, before or after it took effect', async () => {
    await everywhere(({ port, method, phase }) => port === 'store' && (phase === 'before' || !method.startsWith('read')), broken, 20);
  });

  test('R9: sending fails, before or after it took effect', async () => {
    await everywhere(({ port }) => port === 'queue', broken, 6);
  });
});
