// npm run simulate with one run to tell: what is not one is refused, not taken for another.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { singlesOf, survey } from './enumerate.ts';
import { scenarioOf } from './scenarios.ts';

const script = join(import.meta.dirname, 'run.ts');

async function told(env: Record<string, string>): Promise<{ code: number; output: string }> {
  const args = ['--disable-warning=ExperimentalWarning', script];
  const run = promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } });
  return await run.then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, output: stdout + stderr }),
  );
}

describe('a replay', () => {
  test('a seed that is no number is refused', async () => {
    const { code, output } = await told({ SEED: 'abc' });
    expect(code).toBe(2);
    expect(output).toContain("'abc' from env 'SEED' is invalid. Expected a whole number");
  });

  test.each(['SCENARIO', 'PLAN', 'JITTER'])('%s without a seed is refused: storms are not what it asks for', async (name) => {
    const { code, output } = await told({ [name]: 'single' });
    expect(code).not.toBe(0);
    expect(output).toContain(`${name} is of one run: say which with SEED=n`);
  });

  test('a plan is told as it was printed', async () => {
    const scenario = scenarioOf('single');
    if (!scenario) throw new Error('the story is gone');
    const dies = singlesOf(await survey(scenario)).filter(({ fault }) => fault === 'dies');
    const plan = `dies@${dies[Math.floor(dies.length / 2)]?.call}`;
    const { code, output } = await told({ SEED: '1', SCENARIO: 'single', PLAN: plan, JITTER: '0', ACCESS: 'direct' });
    expect(output).toContain(`SEED=1 SCENARIO=single PLAN=${plan} JITTER=0 ACCESS=direct npm run simulate`);
    expect(output).toContain(`nothing violated; struck: ${plan}`);
    expect(code).toBe(0);
  });
});
