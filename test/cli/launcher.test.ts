// Whoever starts Farloop may be killed: nothing of it survives its npx, nor its own first process.
import { describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root, temporaryFolder } from './farloop-process.ts';

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

async function until(condition: () => boolean, withinMs: number): Promise<boolean> {
  const untilMs = performance.now() + withinMs;
  while (!condition() && performance.now() < untilMs) await sleep(20);
  return condition();
}

describe('started by npx', () => {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const)
    test(`it ends when ${signal} has ended the shell that it runs below`, async () => {
      const folder = temporaryFolder();
      const instance = join(folder.path, 'instance.json');
      // As npx does it: a shell that cannot be replaced by its command, and passes no signal on.
      const command = `"${process.execPath}" "${join(root, 'bin', 'farloop.js')}" up --state "${folder.path}" --port 0; true`;
      const shell = spawn('sh', ['-c', command], { env: { ...process.env, npm_command: 'exec' }, stdio: 'ignore' });
      expect(await until(() => existsSync(instance), 10_000)).toBe(true);
      const { pid }: { pid: number } = JSON.parse(readFileSync(instance, 'utf8'));
      shell.kill(signal);
      expect(await until(() => !isAlive(pid), 3_000)).toBe(true);
      expect(existsSync(instance)).toBe(false);
      folder.remove();
    }, 20_000);

  for (const signal of ['SIGHUP', 'SIGKILL'] as const)
    test(`it ends when ${signal} has ended npx itself, and the shell between lives on`, async () => {
      const folder = temporaryFolder();
      const instance = join(folder.path, 'instance.json');
      const command = `"${process.execPath}" "${join(root, 'bin', 'farloop.js')}" up --state "${folder.path}" --port 0; true`;
      const npx = spawn(process.execPath, ['-e', `require('node:child_process').spawnSync('sh', ['-c', ${JSON.stringify(command)}])`], {
        env: { ...process.env, npm_command: 'exec' },
        stdio: 'ignore',
      });
      expect(await until(() => existsSync(instance), 10_000)).toBe(true);
      const { pid }: { pid: number } = JSON.parse(readFileSync(instance, 'utf8'));
      npx.kill(signal);
      expect(await until(() => !isAlive(pid), 3_000)).toBe(true);
      expect(existsSync(instance)).toBe(false);
      folder.remove();
    }, 20_000);
});

test('the process that runs on a newer Node ends with the one that started it', async () => {
  const folder = temporaryFolder();
  const instance = join(folder.path, 'instance.json');
  // As the older Node's process does it.
  const args = [join(root, 'bin', 'farloop.js'), 'up', '--state', folder.path, '--port', '0'];
  const starter = spawn(process.execPath, ['-e', `require('node:child_process').spawnSync(process.execPath, ${JSON.stringify(args)})`], {
    env: { ...process.env, npm_command: '', FARLOOP_STARTED_BY_BIN: '1' },
    stdio: 'ignore',
  });
  expect(await until(() => existsSync(instance), 10_000)).toBe(true);
  const { pid }: { pid: number } = JSON.parse(readFileSync(instance, 'utf8'));
  starter.kill('SIGKILL');
  expect(await until(() => !isAlive(pid), 3_000)).toBe(true);
  folder.remove();
}, 20_000);
