// Ends of Farloop, of a pod's runner and of a pod: nothing is started twice, no exit code is lost, nothing is left behind.
import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isolationHere } from '../../../../lib/adapters/providers/local-process/machine/place.ts';
import {
  allProcesses,
  isRunning,
  POD_MARK,
  processAt,
  processesWith,
} from '../../../../lib/adapters/providers/local-process/machine/process-tree.ts';
import { readRecord, writeRecord } from '../../../../lib/adapters/providers/local-process/folder/records.ts';
import type { ResolvedPod } from '../../../../lib/objects/environment/sources.ts';
import { NotDoneError } from '../../../../lib/ports/errors.ts';
import { failureOf, until } from '../../../claims.ts';
import { FAR, LONG_MS, Opened, podOf, shell, taskOf } from './opened.ts';

let folder = '';
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'farloop-survival-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function hosted(state: string, goneMs: number, pods: readonly ResolvedPod[]): Promise<ChildProcess> {
  const host = spawn(process.execPath, [join(import.meta.dirname, 'provider-host.ts'), state, String(goneMs), JSON.stringify(pods)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  host.stdout?.on('data', (bytes: Buffer) => (text += bytes.toString()));
  await until('the start of the pods', () => text.includes('started'), LONG_MS);
  return host;
}

const foldersOf = (state: string, uid: string): string => join(state, 'processes', 'here', `${uid}-1`);
const leftOf = (state: string, uid: string): number[] =>
  processesWith({ variables: [`${POD_MARK}=${foldersOf(state, uid)}`] }).map(({ pid }) => pid);
const textAt = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

describe('a kill of the process that holds the provider', () => {
  test('another finds its pods: each command ran once per attempt, and its exit code is its own', async () => {
    const state = join(folder, 'killed');
    const notes = join(folder, 'notes');
    const pods = [
      podOf('long', shell(`echo long >> ${notes}; while ! test -e ${notes}.go; do sleep 0.02; done; exit 6`)),
      podOf('short', shell(`echo short >> ${notes}; exit 4`)),
      podOf('again', shell(`echo again >> ${notes}; test $(grep -c again ${notes}) = 3`), { restartPolicy: 'OnFailure' }),
    ];
    const host = await hosted(state, 30_000, pods);
    await until('the first run', () => textAt(notes).includes('long'), LONG_MS);
    host.kill('SIGKILL');
    const opened = new Opened({ folder: state, goneMs: 30_000 });
    for (const pod of pods) await opened.start(pod);
    await opened.node.exec?.(
      taskOf('long'),
      { container: 'main', command: ['touch', `${notes}.go`], tty: false },
      new AbortController().signal,
    );
    const ends = await Promise.all(pods.map(async ({ metadata }) => await opened.ended(metadata.uid ?? '')));
    expect(ends.map(({ status }) => status.containerStatuses?.[0]?.state?.terminated?.exitCode)).toEqual([6, 4, 0]);
    expect(
      textAt(notes)
        .trim()
        .split('\n')
        .toSorted((one, other) => (one < other ? -1 : 1)),
    ).toEqual(['again', 'again', 'again', 'long', 'short']);
    await until('a word of each', () => new Set(opened.changes).size === 3);
    await opened.close();
  });

  test('nobody comes back: its pods are ended, and say why', async () => {
    const state = join(folder, 'gone');
    const host = await hosted(state, 300, [podOf('alone', shell('sleep 1000'))]);
    await until('its run', () => leftOf(state, 'alone').length > 0, LONG_MS);
    host.kill('SIGKILL');
    await until('its end', () => readRecord(foldersOf(state, 'alone'), 'record')?.hasEnded === true, LONG_MS);
    expect(leftOf(state, 'alone')).toEqual([]);
    const opened = new Opened({ folder: state });
    const { status } = await opened.look('alone');
    expect(status).toMatchObject({ phase: 'Failed', reason: 'Terminated', message: expect.stringContaining('Farloop was gone') });
    expect(status.conditions?.find(({ type }) => type === 'DisruptionTarget')?.status).toBe('True');
    expect(status.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(143);
    await opened.close();
  });

  test('nobody comes back, and the folder is gone: nothing is left either', async () => {
    const state = join(folder, 'removed');
    const host = await hosted(state, 1_000, [podOf('homeless', shell('sleep 1000'))]);
    await until('its run', () => leftOf(state, 'homeless').length > 0, LONG_MS);
    const claim = readRecord(foldersOf(state, 'homeless'), 'claim') ?? { pid: 0, startTicks: 0 };
    expect(isRunning(claim)).toBe(true);
    host.kill('SIGKILL');
    rmSync(state, { recursive: true, force: true, maxRetries: 5 });
    await until('the end of all', () => leftOf(state, 'homeless').length === 0 && !isRunning(claim), LONG_MS);
  });

  test('a pod that was ordered and never begun is begun', async () => {
    const first = new Opened();
    const orders = join(first.folder, 'processes', 'here');
    await first.runs(podOf('model', shell('true')));
    const order = readRecord(join(orders, 'model-1'), 'order');
    cpSync(join(orders, 'model-1'), join(orders, 'begun-1'), { recursive: true });
    for (const name of ['claim.json', 'runner-errors']) rmSync(join(orders, 'begun-1', name), { force: true });
    if (order) writeRecord(join(orders, 'begun-1'), 'order', { ...order, uid: 'begun', orderedAtMs: Date.now() });
    writeRecord(join(orders, 'begun-1'), 'record', { version: 1, hasEnded: false, status: {}, runs: {} });
    first.provider.close();
    const opened = new Opened({ folder: first.folder });
    expect((await opened.ended('begun')).status.phase).toBe('Succeeded');
    await opened.close();
  });
});

describe('a kill of a pod’s runner', () => {
  test('what it ran is ended, and the pod has failed with a reason', async () => {
    const opened = new Opened();
    const env = [{ name: 'PASSWORD', value: 'hunter5' }];
    await opened.start(podOf('orphan', shell('setsid sleep 1000 & sleep 1000', { env })));
    await opened.becomes('orphan', 'its run', ({ status }) => status.phase === 'Running');
    await until('its processes', () => leftOf(opened.folder, 'orphan').length >= 3, LONG_MS);
    process.kill(readRecord(foldersOf(opened.folder, 'orphan'), 'claim')?.pid ?? 0, 'SIGKILL');
    const { status } = await opened.ended('orphan');
    expect(status).toMatchObject({ phase: 'Failed', reason: 'NotFound' });
    expect(status.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: -137, reason: 'NotFound' });
    expect(leftOf(opened.folder, 'orphan')).toEqual([]);
    expect(textAt(join(foldersOf(opened.folder, 'orphan'), 'order.json'))).not.toContain('hunter5');
    await opened.close();
  });

  test('a number that was given to another process is not taken for it', () => {
    const self = allProcesses().get(process.pid);
    expect(self && isRunning(self)).toBe(true);
    expect(isRunning({ pid: process.pid, startTicks: (self?.startTicks ?? 0) + 1 })).toBe(false);
  });
});

describe('pods that do not want to end', () => {
  test('one that forks twice, leaves its session and clears its environment', async () => {
    const opened = new Opened();
    const escape = isolationHere() === 'none' ? 'setsid' : 'env -i setsid';
    await opened.runs(
      podOf(
        'escapes',
        shell(`(${escape} sh -c 'echo $$ > '$HOME/pid'; exec sleep 1000' &) ; while ! test -s $HOME/pid; do sleep 0.01; done`),
      ),
    );
    const pid = Number(readFileSync(join(foldersOf(opened.folder, 'escapes'), 'home', 'pid'), 'utf8'));
    expect(pid).toBeGreaterThan(1);
    expect([undefined, 'Z']).toContain(processAt(pid)?.state);
    await opened.close();
  });

  test('one that closes its output, and one that has too many processes, while others go on', async () => {
    const opened = new Opened({ mostProcesses: 100 });
    await opened.start(podOf('many', shell('for i in $(seq 300); do sleep 1000 & done; wait')));
    await opened.start(podOf('silent', shell('exec >&- 2>&-; sleep 0.2; exit 3')));
    await opened.start(podOf('other', shell('echo fine')));
    const ends = await Promise.all(
      ['many', 'silent', 'other'].map(async (uid) => (await opened.ended(uid)).status.containerStatuses?.[0]?.state?.terminated),
    );
    expect(ends.map((end) => end?.exitCode)).toEqual([137, 3, 0]);
    expect(ends[0]?.message).toBe('it had more than 100 processes');
    expect(leftOf(opened.folder, 'many')).toEqual([]);
    await opened.close();
  });

  test('a limit of memory holds', async () => {
    const opened = new Opened();
    const hog = {
      name: 'main',
      // Two gigabytes: below one of them the kernel's limit would keep Node.js from starting.
      command: ['sh', '-c', 'x=0123456789abcdef; i=0; while [ $i -lt 27 ]; do x=$x$x; i=$((i + 1)); done; echo got it'],
      resources: { limits: { memory: '64Mi' } },
    };
    const { status } = await opened.runs(podOf('hog', hog));
    expect(status.phase).toBe('Failed');
    expect(await opened.log('hog')).not.toContain('got it');
    await opened.close();
  });

  test('the end of Farloop in good order ends all', async () => {
    const opened = new Opened();
    for (const uid of ['a', 'b']) await opened.start(podOf(uid, shell('trap "" TERM; while :; do sleep 0.1; done')));
    for (const uid of ['a', 'b']) await opened.becomes(uid, 'its run', ({ status }) => status.phase === 'Running');
    expect(opened.provider.running).toBe(2);
    await opened.provider.end();
    expect(opened.provider.running).toBe(0);
    for (const uid of ['a', 'b']) {
      const { status } = await opened.look(uid);
      expect([status['reason'], status['message'], leftOf(opened.folder, uid)]).toEqual([
        'Terminated',
        'farloop up was told to end, and its pods with it',
        [],
      ]);
      expect(status.conditions?.find(({ type }) => type === 'DisruptionTarget')?.status).toBe('True');
    }
    expect(await failureOf(opened.start(podOf('c', shell('true'))))).toBeInstanceOf(NotDoneError);
    await opened.close();
  });
});

test('figures: processor time that rises, memory, the container’s start', async () => {
  const opened = new Opened();
  await opened.start(podOf('busy', shell('while :; do :; done')));
  await opened.start(podOf('idle', shell('sleep 1000')));
  for (const uid of ['busy', 'idle']) await opened.becomes(uid, 'its run', ({ status }) => status.phase === 'Running');
  const of = async (uid: string) => (await opened.node.figures?.(FAR))?.find((each) => each.uid === uid)?.containers[0];
  await until('some work', async () => ((await of('busy'))?.cpuSeconds ?? 0) > 0.5 && (await of('busy'))?.cpuCores !== undefined, LONG_MS);
  const busy = await of('busy');
  expect(busy?.cpuCores).toBeGreaterThan(0);
  expect(busy?.memoryBytes).toBeGreaterThan(100_000);
  expect(Math.abs((busy?.startedAtMs ?? 0) - Date.now())).toBeLessThan(LONG_MS);
  expect((await of('idle'))?.cpuSeconds).toBeLessThan(0.5);
  await opened.close();
});
