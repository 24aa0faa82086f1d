// How Farloop is started: whoever does it may be killed, and nothing of it survives its npm or npx, nor its own first process.
import { describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { comesAbout } from '../claims.ts';
import { timedBy } from '../running-time.ts';
import { root, runFarloop, temporaryFolder } from './farloop-process.ts';

/** After it was told to, or has seen that there is nobody any more who started it: that it looks for now and then. */
const MOST_OF_AN_END_MS = 2_000;
const LOOKS_EVERY_MS = 200;

/** Of a process that nobody has taken the end of yet the system keeps a note, where it tells (Linux): that one has ended. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !existsSync(`/proc/${pid}/stat`) || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Starts Farloop by a process above it, kills that one, and says what became of Farloop. */
async function fateBelow(
  command: (state: string) => readonly [string, ...string[]],
  { signal, environment }: { signal: NodeJS.Signals; environment: Record<string, string> },
): Promise<{ hasStarted: boolean; hasEnded: boolean; leftItsNote: boolean; tookMs: number }> {
  const folder = temporaryFolder();
  const instance = join(folder.path, 'instance.json');
  const [program, ...args] = command(folder.path);
  const starter = spawn(program, args, { env: { ...process.env, ...environment }, stdio: 'ignore' });
  const hasStarted = await comesAbout(() => existsSync(instance), 60_000);
  const { pid }: { pid: number } = hasStarted ? JSON.parse(readFileSync(instance, 'utf8')) : { pid: starter.pid };
  const { value: hasEnded, tookMs } = await timedBy(pid, () => {
    starter.kill(signal);
    return comesAbout(() => !isAlive(pid), 20_000);
  });
  const leftItsNote = existsSync(instance);
  folder.remove();
  return { hasStarted, hasEnded, leftItsNote, tookMs };
}

const bin = join(root, 'bin', 'farloop.js');
/** As npx does it: a shell that cannot be replaced by its command, and passes no signal on. */
const below = (state: string): string => `"${process.execPath}" "${bin}" up --state "${state}" --port 0; true`;
const spawning = (program: string, args: string): string => `require('node:child_process').spawnSync(${program}, ${args})`;

describe('started by npx', () => {
  const environment = { npm_command: 'exec' };

  for (const signal of ['SIGTERM', 'SIGKILL'] as const)
    test(`it ends when ${signal} has ended the shell that it runs below`, async () => {
      const { tookMs, ...fate } = await fateBelow((state) => ['sh', '-c', below(state)], { signal, environment });
      expect(fate).toEqual({ hasStarted: true, hasEnded: true, leftItsNote: false });
      expect(tookMs).toBeLessThan(MOST_OF_AN_END_MS + LOOKS_EVERY_MS);
    }, 120_000);

  for (const signal of ['SIGHUP', 'SIGKILL'] as const)
    test(`it ends when ${signal} has ended npx itself, and the shell between lives on`, async () => {
      const command = (state: string) => [process.execPath, '-e', spawning("'sh'", JSON.stringify(['-c', below(state)]))] as const;
      const { tookMs, ...fate } = await fateBelow(command, { signal, environment });
      expect(fate).toEqual({ hasStarted: true, hasEnded: true, leftItsNote: false });
      expect(tookMs).toBeLessThan(MOST_OF_AN_END_MS + LOOKS_EVERY_MS);
    }, 120_000);
});

/** What a process has used of a processor so far, where the system tells (Linux): a busy machine makes everything late, but not that. */
function processorMs(pid: number): number {
  if (!existsSync(`/proc/${pid}/stat`)) return 0;
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/ \(.*\) /s);
  const [user = 0, system = 0] = rest.split(' ').slice(11, 13).map(Number);
  return (user + system) * 10;
}

test('npm start has Farloop ready by 5 s of work; SIGTERM ends npm with 0, and all below it', async () => {
  const folder = temporaryFolder();
  const npm = spawn('npm', ['start', '--', '--state', folder.path, '--port', '0'], { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = once(npm, 'exit');
  let stdout = '';
  npm.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  const isReady = await comesAbout(() => stdout.includes('farloop ready\n'), 60_000);
  const { pid }: { pid: number } = isReady ? JSON.parse(readFileSync(join(folder.path, 'instance.json'), 'utf8')) : { pid: npm.pid };
  const workedMs = processorMs(pid);
  const { value: hasEnded, tookMs } = await timedBy(pid, async () => {
    npm.kill('SIGTERM');
    return await comesAbout(() => !isAlive(pid), 20_000);
  });
  // How long npm itself takes to see it is none of Farloop's business.
  const [exitCode] = await exited;
  folder.remove();
  expect({ isReady, exitCode, hasEnded }).toEqual({ isReady: true, exitCode: 0, hasEnded: true });
  expect(tookMs).toBeLessThan(MOST_OF_AN_END_MS);
  expect(workedMs).toBeLessThan(5_000);
}, 120_000);

/** An old Node of a system that the package brings no other one for. */
const OLD_NODE = `
  Object.defineProperty(process, 'platform', { value: 'sunos' });
  Object.defineProperty(process, 'version', { value: 'v22.1.0' });
  Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.1.0' } });`;

test('without a Node that can run it, it says which one to install, and exits with 1', async () => {
  const environment = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(OLD_NODE)}` };
  expect(await runFarloop(['--version'], { environment })).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: 'farloop: needs Node 24 or newer, and this is v22.1.0: install Node 24, or install farloop without --omit=optional\n',
  });
});

test('the process that runs on a newer Node ends with the one that started it', async () => {
  // As the older Node's process does it.
  const args = (state: string): string => JSON.stringify([bin, 'up', '--state', state, '--port', '0']);
  const fate = await fateBelow((state) => [process.execPath, '-e', spawning('process.execPath', args(state))], {
    signal: 'SIGKILL',
    environment: { npm_command: '', FARLOOP_STARTED_BY_BIN: '1' },
  });
  expect(fate).toMatchObject({ hasStarted: true, hasEnded: true });
  expect(fate.tookMs).toBeLessThan(MOST_OF_AN_END_MS + LOOKS_EVERY_MS);
}, 120_000);

/** Before anything of ours: the signal comes just when the command is about to be loaded. */
const TOLD_WHILE_LOADING = `
  import { registerHooks } from 'node:module';
  registerHooks({
    load(url, context, nextLoad) {
      if (url.endsWith('/cli/main.ts')) process.kill(process.pid, 'SIGTERM');
      return nextLoad(url, context);
    },
  });`;

test('SIGTERM ends it with 0 also while it is still being loaded', async () => {
  const folder = temporaryFolder();
  const state = join(folder.path, 'state');
  const environment = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(TOLD_WHILE_LOADING)}` };
  const ended = await runFarloop(['up', '--state', state, '--port', '0'], { environment });
  folder.remove();
  expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
}, 120_000);
