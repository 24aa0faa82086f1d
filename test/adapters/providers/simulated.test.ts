// The simulated provider on virtual time: its contract, what its scripts do, and a restart.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { SimulatedProvider } from '../../../lib/adapters/providers/simulated.ts';
import type { ResolvedPod } from '../../../lib/objects/environment/sources.ts';
import type { Pod } from '../../../lib/objects/kubernetes.ts';
import type { Task } from '../../../lib/objects/task.ts';
import { providerContract, type ProviderUnderTest } from '../../contracts/provider.ts';
import { scriptAnnotations } from '../../script-annotations.ts';

const FAR = { wallMs: Number.MAX_SAFE_INTEGER, monotonicMs: Number.MAX_SAFE_INTEGER };
const TASK = { uid: 'a', attempt: 1 };

const podOf = (uid: string, script: Record<string, string> = { 'run-seconds': '100000' }, restartPolicy = 'Never'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    uid,
    name: `pod-${uid}`,
    namespace: 'default',
    annotations: scriptAnnotations(script),
  },
  spec: { nodeName: 'edge', restartPolicy, containers: [{ name: 'main', image: 'none', env: [{ name: 'A', value: 'hunter2' }] }] },
});

/** Runs what is due by then, in its order. */
class Time {
  nowMs = Date.parse('2026-05-01T10:00:00Z');
  #due: { atMs: number; run: () => void }[] = [];
  later = (ms: number, run: () => void): (() => void) => {
    const entry = { atMs: this.nowMs + ms, run };
    this.#due.push(entry);
    return () => void (this.#due = this.#due.filter((each) => each !== entry));
  };
  pass(seconds: number): void {
    const untilMs = this.nowMs + seconds * 1_000;
    for (;;) {
      const [next] = this.#due.filter(({ atMs }) => atMs <= untilMs).toSorted((one, other) => one.atMs - other.atMs);
      if (!next) break;
      this.#due = this.#due.filter((each) => each !== next);
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.run();
    }
    this.nowMs = untilMs;
  }
}

interface Opened {
  simulated: SimulatedProvider;
  time: Time;
  task: () => Promise<Task | undefined>;
}

function opened(folder?: string, time = new Time()): Opened {
  const simulated = SimulatedProvider.open({
    clock: { nowMs: () => time.nowMs },
    later: time.later,
    ...(folder !== undefined && { folder }),
  });
  return { simulated, time, task: async () => (await simulated.of('edge').look([TASK], FAR))[0] };
}

providerContract('simulated', (): ProviderUnderTest => {
  const { simulated, time } = opened();
  const told: string[] = [];
  simulated.onChange(({ uid }) => void told.push(uid));
  return {
    provider: simulated.of('edge'),
    other: simulated.of('other'),
    podOf: (uid) => podOf(uid),
    until: async (condition) => {
      for (let seconds = 0; seconds < 60; seconds += 1) {
        if (await condition()) return;
        time.pass(1);
      }
      throw new Error('not within a minute');
    },
    told,
    close: () => simulated.close(),
  };
});

describe('scripts', () => {
  const started = async (script: Record<string, string>, restartPolicy?: string): Promise<Opened> => {
    const under = opened();
    await under.simulated.of('edge').start(TASK, podOf('a', script, restartPolicy), FAR);
    return under;
  };

  test('run-seconds and exit-codes', async () => {
    const { time, task } = await started({ 'run-seconds': '3', 'exit-codes': '4' });
    time.pass(2);
    expect((await task())?.status.phase).toBe('Running');
    time.pass(2);
    expect(await task()).toMatchObject({
      hasEnded: true,
      status: { phase: 'Failed', containerStatuses: [{ state: { terminated: { exitCode: 4 } } }] },
    });
  });

  test('start-delay', async () => {
    const { time, task } = await started({ 'start-delay': '5', 'run-seconds': '100' });
    expect((await task())?.status).toMatchObject({
      phase: 'Pending',
      containerStatuses: [{ state: { waiting: { reason: 'ContainerCreating' } } }],
    });
    time.pass(6);
    expect((await task())?.status.phase).toBe('Running');
  });

  test.each([
    { name: 'heeded at once', script: {}, grace: 30, after: 0, exitCode: 143 },
    { name: 'ignored for a while', script: { 'ignore-stop': '4' }, grace: 30, after: 5, exitCode: 143 },
    { name: 'ignored until the grace is over', script: { 'ignore-stop': '100' }, grace: 7, after: 8, exitCode: 137 },
  ])('a stop $name', async ({ script, grace, after, exitCode }) => {
    const { simulated, time, task } = await started({ 'run-seconds': '1000', ...script });
    time.pass(1);
    await simulated.of('edge').stop(TASK, { graceSeconds: grace }, FAR);
    if (after > 0) {
      time.pass(after - 2);
      expect((await task())?.hasEnded).toBe(false);
      time.pass(2);
    }
    expect(await task()).toMatchObject({ hasEnded: true, status: { containerStatuses: [{ state: { terminated: { exitCode } } }] } });
  });

  test('a shorter grace shortens a stop under way', async () => {
    const { simulated, time, task } = await started({ 'run-seconds': '1000', 'ignore-stop': '100' });
    for (const graceSeconds of [60, 3]) await simulated.of('edge').stop(TASK, { graceSeconds }, FAR);
    time.pass(4);
    expect((await task())?.hasEnded).toBe(true);
  });

  test('lose', async () => {
    const { time, task } = await started({ 'run-seconds': '1000', lose: '3' });
    time.pass(4);
    expect(await task()).toBeUndefined();
  });

  test('reclaim', async () => {
    const { time, task } = await started({ 'run-seconds': '1000', reclaim: '3' });
    time.pass(4);
    expect((await task())?.status.conditions).toContainEqual(expect.objectContaining({ type: 'DisruptionTarget', status: 'True' }));
  });

  test('oom', async () => {
    const { time, task } = await started({ 'run-seconds': '1', oom: 'true' });
    time.pass(2);
    expect((await task())?.status).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ state: { terminated: { exitCode: 137, reason: 'OOMKilled' } } }],
    });
  });

  test('flap-ready', async () => {
    const { time, task } = await started({ 'run-seconds': '1000', 'flap-ready': '10' });
    const ready: unknown[] = [];
    for (const seconds of [1, 10, 10]) {
      time.pass(seconds);
      ready.push((await task())?.status.containerStatuses?.[0]?.ready);
    }
    expect(ready).toEqual([true, false, true]);
  });

  test('fail-create and fail-delete', async () => {
    const { simulated, task } = opened();
    const provider = simulated.of('edge');
    const pod = podOf('a', { 'run-seconds': '1000', 'fail-create': '2: no capacity', 'fail-delete': '1: busy' });
    for (let tries = 0; tries < 2; tries += 1) await expect(provider.start(TASK, pod, FAR)).rejects.toThrow('no capacity');
    await provider.start(TASK, pod, FAR);
    await expect(provider.stop(TASK, { graceSeconds: 1 }, FAR)).rejects.toThrow('busy');
    await provider.stop(TASK, { graceSeconds: 1 }, FAR);
    expect((await task())?.hasEnded).toBe(true);
    await expect(
      provider.start({ uid: 'b', attempt: 1 }, podOf('b', { 'fail-create': 'InvalidInput: no such image' }), FAR),
    ).rejects.toMatchObject({ name: 'TerminalError', message: 'no such image' });
  });
});

test('a restart loses no task, starts none again, and keeps no environment and no volume on the disk', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'farloop-tasks-'));
  try {
    const first = opened(folder);
    const pod: ResolvedPod = {
      ...podOf('a', { 'run-seconds': '10' }),
      volumeContents: [{ name: 'login', files: [{ path: 'password', mode: 420, data: 'aHVudGVyMg==' }] }],
      sources: [{ kind: 'Secret', metadata: { name: 'login', namespace: 'default' }, data: { password: 'aHVudGVyMg==' } }],
    };
    await first.simulated.of('edge').start(TASK, pod, FAR);
    first.time.pass(4);
    const before = await first.task();
    first.simulated.close();
    const second = opened(folder, first.time);
    expect(await second.task()).toEqual(before);
    await second.simulated.of('edge').start(TASK, podOf('a', { 'run-seconds': '10' }), FAR);
    expect(second.simulated.starts.size).toBe(0);
    second.time.pass(7);
    expect(await second.task()).toMatchObject({ hasEnded: true, status: { phase: 'Succeeded' } });
    second.simulated.close();
    const { readFileSync, readdirSync } = await import('node:fs');
    for (const file of readdirSync(folder))
      for (const value of ['hunter2', 'aHVudGVyMg==']) expect(readFileSync(join(folder, file), 'latin1')).not.toContain(value);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('tasks that ended a day ago are forgotten behind one that runs on', async () => {
  const { simulated, time } = opened();
  const edge = simulated.of('edge');
  await edge.start({ uid: 'server', attempt: 1 }, podOf('server', { 'run-seconds': '1000000' }), FAR);
  await edge.start(TASK, podOf('a', { 'run-seconds': '10' }), FAR);
  time.pass(25 * 3_600);
  await edge.start({ uid: 'b', attempt: 1 }, podOf('b', { 'run-seconds': '10' }), FAR);
  const { tasks } = await edge.list({ limit: 10 }, FAR);
  expect(tasks.map(({ uid }) => uid)).toEqual(['b', 'server']);
  simulated.close();
});

describe('logs', () => {
  const decoded = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();

  test('what was written so far, and on until the container has ended', async () => {
    const { simulated, time } = opened();
    await simulated.of('edge').start(TASK, podOf('a', { 'run-seconds': '10' }), FAR);
    time.pass(5);
    const wanted = { container: 'main', follow: true } as const;
    const lines = simulated.of('edge').logs?.(TASK, wanted, new AbortController().signal);
    const log = lines?.[Symbol.asyncIterator]();
    expect(decoded((await log?.next())?.value as Uint8Array)).toMatch(/^\S+ main started\n$/);
    const next = log?.next();
    time.pass(60);
    expect(decoded((await next)?.value as Uint8Array)).toMatch(/^\S+ main ended with exit code 0\n$/);
    expect((await log?.next())?.done).toBe(true);
    simulated.close();
  });

  test('that is followed ends with its run, also where the next one begins at once', async () => {
    const { simulated, time } = opened();
    const pod = podOf('a', { 'run-seconds': '4', 'exit-codes': '1,0' });
    await simulated.of('edge').start(TASK, { ...pod, spec: { ...pod.spec, restartPolicy: 'OnFailure' } }, FAR);
    time.pass(2);
    let text = '';
    for await (const chunk of simulated.of('edge').logs?.(TASK, { container: 'main', follow: true }, new AbortController().signal) ?? []) {
      text += decoded(chunk);
      time.pass(5);
    }
    expect(text).toMatch(/^\S+ main started\n\S+ main ended with exit code 1\n$/);
    simulated.close();
  });

  test('a reader who is slow gets its last lines too', async () => {
    const { simulated, time } = opened();
    await simulated.of('edge').start(TASK, podOf('a', { 'run-seconds': '10' }), FAR);
    time.pass(5);
    let text = '';
    for await (const chunk of simulated.of('edge').logs?.(TASK, { container: 'main', follow: true }, new AbortController().signal) ?? []) {
      text += decoded(chunk);
      time.pass(60);
    }
    expect(text).toMatch(/main started\n.*main ended with exit code 0\n$/);
    simulated.close();
  });

  test('one that has had as many bytes as it wants waits for no more', async () => {
    const { simulated, time } = opened();
    await simulated.of('edge').start(TASK, podOf('a'), FAR);
    time.pass(5);
    const wanted = { container: 'main', follow: true, limitBytes: 4 } as const;
    const chunks: Uint8Array[] = [];
    for await (const chunk of simulated.of('edge').logs?.(TASK, wanted, new AbortController().signal) ?? []) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe('2026');
    simulated.close();
  });
});
