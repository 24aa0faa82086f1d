// Which processes are ended with a pod's: its own, and no group that somebody else leads.
import { spawn } from 'node:child_process';
import { afterEach, expect, test } from '@jest/globals';
import { isRunning, killAll, processAt, processesWith } from '../../../../lib/adapters/providers/local-process/machine/process-tree.ts';
import { until } from '../../../claims.ts';

const MARK = `FARLOOP_TEST_MARK=${process.pid}-${performance.now()}`;
let leader = 0;
afterEach(() => {
  if (leader > 0) process.kill(-leader, 'SIGKILL');
  leader = 0;
});

test('one that bears the mark in a group of somebody else dies alone', async () => {
  const group = spawn('sh', ['-c', `env ${MARK} sleep 1000 & wait; exec sleep 1000`], { detached: true, stdio: 'ignore' });
  leader = group.pid ?? 0;
  await until('both run', () => processesWith({ variables: [MARK] }).length === 1);
  const before = processAt(leader);
  expect(await killAll({ variables: [MARK] })).toBe(true);
  expect(before && isRunning(before)).toBe(true);
});

test('a group that a member leads dies as a whole', async () => {
  const group = spawn('sh', ['-c', 'sleep 1000 & sleep 1000'], {
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, ...Object.fromEntries([MARK.split('=')]) },
  });
  await until('all run', () => processesWith({ variables: [MARK] }).length === 3);
  expect(await killAll({ variables: [MARK] })).toBe(true);
  await until('it has ended', () => group.exitCode !== null || group.signalCode !== null);
  expect(group.signalCode).toBe('SIGKILL');
});
