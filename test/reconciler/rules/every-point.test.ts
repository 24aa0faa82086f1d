// Every call of a small Job's run is a point where the process may die, a call fail, or its answer be lost: after each single one of
// them the Job still ends with exact counts, no pod too many, no finalizer left (R4, R6, R9, R18), and nothing stirs afterwards (R16).
import { describe, expect, jest, test } from '@jest/globals';
import type { Job } from '../../../lib/objects/kubernetes.ts';
import { NotDoneError, UnknownOutcomeError } from '../../../lib/ports/errors.ts';
import type { Interposer, Point } from '../../world/process.ts';
import { expectCompleted, expectQuiet, runToEnd } from '../../world/right.ts';
import { aJob, World } from '../../world/world.ts';

interface Scenario {
  name: string;
  spec: Partial<Job['spec']>;
  succeeded: number;
  mostActive: number;
}

const SCENARIOS: Scenario[] = [
  { name: 'NonIndexed', spec: { completions: 2, parallelism: 1 }, succeeded: 2, mostActive: 1 },
  { name: 'Indexed', spec: { completions: 3, parallelism: 2, completionMode: 'Indexed' }, succeeded: 3, mostActive: 2 },
];

type Fault = (point: Point, process: Parameters<Interposer>[1]) => void;

/** One run in which the fault strikes at the n-th point that it fits; n = 0: never. @returns points met */
async function run(
  { spec, succeeded, mostActive }: Scenario,
  strike: number,
  { fits, fault, afterDeath }: { fits: (point: Point) => boolean; fault: Fault; afterDeath?: World['afterDeath'] },
): Promise<number> {
  const world = new World();
  if (afterDeath) world.afterDeath = afterDeath;
  let met = 0;
  let struckAt = '';
  world.interposer = (point, process) => {
    if (!fits(point) || ++met !== strike) return;
    struckAt = `${point.phase} ${point.port}.${point.method}, point ${strike}`;
    fault(point, process);
  };
  try {
    await world.watch();
    await world.apply(aJob('demo', spec));
    await runToEnd(world, 'demo');
    world.interposer = undefined;
    await expectCompleted(world, 'demo', { succeeded, mostActive });
    await expectQuiet(world, 3);
    return met;
  } catch (error) {
    throw new Error(`struck ${struckAt}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    world.close();
  }
}

async function enumerate(scenario: Scenario, options: Parameters<typeof run>[2], least: number): Promise<void> {
  const points = await run(scenario, 0, options);
  expect(points).toBeGreaterThanOrEqual(least);
  const troubles: string[] = [];
  for (let strike = 1; strike <= points; strike++)
    await run(scenario, strike, options).catch((error: unknown) => troubles.push((error as Error).message));
  expect(troubles).toEqual([]);
}

const lostAnswer = (): never => {
  throw new UnknownOutcomeError('no answer in time');
};
const notSent = (): never => {
  throw new NotDoneError('connection refused');
};
const broken = (): never => {
  throw new Error('internal server error');
};

jest.setTimeout(30_000);

describe.each(SCENARIOS)('R18, R9: a $name Job', (scenario) => {
  test('the process dies at any call, and a new one follows at once', async () => {
    await enumerate(scenario, { fits: () => true, fault: (_, process) => process.kill() }, 60);
  });

  test('the function dies at any call, and its messages come back after their visibility', async () => {
    const afterDeath = { wakes: 'in flight' } as const;
    await enumerate(scenario, { fits: () => true, fault: (_, process) => process.kill(), afterDeath }, 60);
  });

  test('R6: a call on the cluster is not answered, before or after it took effect', async () => {
    await enumerate(scenario, { fits: ({ port }) => port === 'cluster', fault: lostAnswer }, 20);
  });

  test('R6: a call on the cluster does not get through', async () => {
    await enumerate(scenario, { fits: ({ port, phase }) => port === 'cluster' && phase === 'before', fault: notSent }, 10);
  });

  test('R9: a call on the store fails, before or after it took effect', async () => {
    await enumerate(scenario, { fits: ({ port }) => port === 'store', fault: broken }, 30);
  });

  test('R9: sending fails, before or after it took effect', async () => {
    await enumerate(scenario, { fits: ({ port }) => port === 'queue', fault: broken }, 6);
  });
});
