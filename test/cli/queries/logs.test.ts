// `farloop logs`: what it prints of one pod and of several, while pods come and end, and where there is no log.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeInstance } from '../../../lib/cli/instance/instance-file.ts';
import type { PodStatus } from '../../../lib/objects/kubernetes.ts';
import { TerminalError } from '../../../lib/ports/errors.ts';
import { PlayedLogs } from '../../api/logs/played-logs.ts';
import { embeddedPorts, know, type EmbeddedPorts } from '../../api/embedded-ports.ts';
import { serveApi } from '../../api/served-api.ts';
import { until } from '../../claims.ts';
import type { Listening } from '../../listening.ts';
import { FarloopProcess, root, runWithin, temporaryFolder, type Ended } from '../farloop-process.ts';

const T = Date.parse('2026-05-01T10:00:00Z');

let ports: EmbeddedPorts;
let logs: PlayedLogs;
let api: Listening;
let environment: Record<string, string>;

beforeEach(async () => {
  ports = await embeddedPorts('local');
  logs = new PlayedLogs();
  api = await serveApi({ ...ports, lookUp: () => logs }, 'a-token');
  environment = { FARLOOP_ENDPOINT: api.url, FARLOOP_TOKEN: 'a-token' };
});
afterEach(async () => {
  await api.stop();
  ports.close();
});

const withState = (phase: string, state: object): PodStatus => ({ phase, containerStatuses: [{ name: 'main', restartCount: 0, state }] });
const RUNS = withState('Running', { running: {} });
const run = async (...args: string[]): Promise<Ended> => await runWithin(['logs', ...args], { environment });

describe('prints', () => {
  test("one pod's log as it is, with times where they are wanted", async () => {
    await know(ports, { name: 'demo', pods: [{ name: 'demo-a', status: RUNS }] });
    logs.write('demo-a', [T, 'one\n'], [T + 1_500, '\ttwo \u001B[31m\n']);
    expect(await run('job/demo')).toEqual({ exitCode: 0, stdout: 'one\n\ttwo \\u001b[31m\n', stderr: '' });
    const { stdout } = await run('job', 'demo', '--timestamps', '--tail', '1');
    expect(stdout).toBe('2026-05-01T10:00:01.500000000Z \ttwo \\u001b[31m\n');
  });

  test('several merged by time, each line behind its name, of each the last ten', async () => {
    await know(ports, { name: 'demo', pods: ['demo-a', 'demo-b'].map((name) => ({ name, status: RUNS })) });
    for (let at = 0; at < 12; at += 1) logs.write('demo-a', [T + at * 1_000, `${at}\n`]);
    logs.write('demo-b', [T + 10_500, 'between\n']);
    const { stdout, stderr } = await run('job/demo');
    expect(stdout.split('\n').slice(-4)).toEqual(['demo-a  10', 'demo-b  between', 'demo-a  11', '']);
    expect(stdout.split('\n')).toHaveLength(12);
    expect(stderr).toBe('farloop: the last 10 lines of each of 2 pods; --tail -1 shows all\n');
    expect((await run('job/demo', '--tail', '-1')).stdout.split('\n')).toHaveLength(14);
  });

  test('a long log whole, whatever the pace of its reader; one that has seen enough ends it', async () => {
    await know(ports, { name: 'demo', pods: [{ name: 'demo-a', status: withState('Succeeded', { terminated: { exitCode: 0 } }) }] });
    for (let at = 0; at < 20_000; at += 1) logs.write('demo-a', [T + at, `${at} ${'x'.repeat(80)}\n`]);
    const folder = temporaryFolder();
    const script = join(folder.path, 'lines.sh');
    writeFileSync(
      script,
      `${process.execPath} bin/farloop.js logs job/demo | { sleep 1; wc -l; }\n${process.execPath} bin/farloop.js logs job/demo | head -1`,
    );
    const child = spawn('sh', [script], { cwd: root, env: { ...process.env, ...environment } });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    await once(child, 'close');
    folder.remove();
    expect(said.trim().split('\n')).toEqual(['20000', `0 ${'x'.repeat(80)}`]);
  });

  test('a log of which only a part could be read, and that it breaks off', async () => {
    await know(ports, { name: 'demo', pods: [{ name: 'demo-a', status: RUNS }] });
    for (let at = 0; at < 20_000; at += 1) logs.write('demo-a', [T + at, `${at} ${'x'.repeat(80)}\n`]);
    const read = logs.log;
    let reads = 0;
    Object.assign(logs, {
      log: async (...asked: Parameters<typeof read>) => {
        reads += 1;
        if (reads > 1) throw new TerminalError('the node does not answer');
        return await read(...asked);
      },
    });
    const { exitCode, stdout, stderr } = await run('job/demo');
    expect(stdout).toMatch(/^0 x+\n1 x+\n/);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: 'farloop: the log of pod demo-a breaks off here: the node does not answer\n',
    });
  });

  test('what comes, with pods that come, until the Job and its pods have ended', async () => {
    await know(ports, { name: 'demo', pods: [{ name: 'demo-a', status: RUNS }] });
    logs.write('demo-a', [T, 'one\n']);
    const following = new FarloopProcess(['logs', 'job/demo', '-f'], { environment });
    try {
      await following.says('one\n');
      logs.write('demo-a', [T + 1, 'two\n']);
      await following.says('two\n');
      logs.write('demo-b', [T + 2, 'of the other\n']);
      const over = withState('Succeeded', { terminated: { exitCode: 0 } });
      await ports.store.forget({ cluster: 'local', kind: 'Job', namespace: 'default', name: 'demo', uid: 'uid-of-demo' }, await fenceOf());
      const conditions = [{ type: 'Complete', status: 'True' }];
      await know(ports, { name: 'demo', status: { conditions }, pods: ['demo-a', 'demo-b'].map((name) => ({ name, status: over })) });
      expect(await following.exited).toBe(0);
      expect([following.stdout, following.stderr]).toEqual(['one\ntwo\ndemo-b  of the other\n', '']);
    } finally {
      await following.destroy();
    }
  }, 60_000);

  test('what comes after its server was killed and started anew, at another address and with another token', async () => {
    await know(ports, { name: 'demo', pods: [{ name: 'demo-a', status: RUNS }] });
    logs.write('demo-a', [T, 'one\n']);
    const folder = temporaryFolder();
    const noted = { pid: process.pid, kubeconfig: '' };
    writeInstance(folder.path, { ...noted, url: api.url, token: 'a-token' });
    const following = new FarloopProcess(['logs', 'job/demo', '-f', '--state', folder.path]);
    try {
      await following.says('one\n');
      await api.stop();
      await until('it says that nothing answers', () => following.stderr.includes('it is asked again'));
      api = await serveApi({ ...ports, lookUp: () => logs }, 'another-token');
      writeInstance(folder.path, { ...noted, url: api.url, token: 'another-token' });
      logs.write('demo-a', [T + 1, 'two\n']);
      await following.says('two\n');
      expect(following.stdout).toBe('one\ntwo\n');
      expect(following.stderr.split('\n')).toEqual([
        expect.stringMatching(/no Farloop is running.*; it is asked again$/),
        'farloop: it answers again',
        '',
      ]);
    } finally {
      await following.destroy();
      folder.remove();
    }
  }, 60_000);
});

async function fenceOf(): Promise<string> {
  const head = await ports.store.readHead({ cluster: 'local', kind: 'Job', namespace: 'default', name: 'demo', uid: 'uid-of-demo' });
  if (!head) throw new Error('there is no head');
  return head.fence;
}

describe('says in one sentence', () => {
  const sentence = async (...args: string[]): Promise<{ exitCode: number | null; stderr: string }> => {
    const { exitCode, stderr } = await run(...args);
    return { exitCode, stderr };
  };

  test('that a container waits', async () => {
    await know(ports, { name: 'demo', pods: [{ name: 'demo-a', status: RUNS }] });
    const said = 'container "main" in pod "demo-a" is waiting to start: ContainerCreating';
    logs.pods.set('demo-a', new TerminalError(said, { code: 400, said }));
    expect(await sentence('job/demo')).toEqual({ exitCode: 1, stderr: `farloop: ${said}\n` });
  });

  test('that a pod is gone, and how it ended', async () => {
    await know(ports, { name: 'demo', pods: [{ name: 'demo-a', status: withState('Failed', { terminated: { exitCode: 3 } }) }] });
    expect(await sentence('job/demo')).toEqual({
      exitCode: 1,
      stderr: 'farloop: pod demo-a is gone, and its log with it; container main ended with exit code 3\n',
    });
  });

  test('that there is no such pod, or no such workload', async () => {
    await know(ports, { name: 'demo', pods: [{ name: 'demo-a', status: RUNS }] });
    expect(await sentence('job/demo', '--index', '7')).toMatchObject({
      exitCode: 1,
      stderr: 'farloop: job/demo has no indexes: ask without "index"\n',
    });
    expect(await sentence('job/demo', '--pod', 'demo-x')).toEqual({
      exitCode: 1,
      stderr: 'farloop: job/demo has no pod called demo-x: "farloop explain job/demo" tells of its pods\n',
    });
    expect(await sentence('job/dem')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('there is no Job dem (Did you mean demo?)'),
    });
  });

  test.each([
    [['--tail', '12x'], 'It must be a number of lines, or -1 for all'],
    [['--since', 'yesterday'], 'It must be a span such as 5m or 1h30m, or a time such as 2026-05-01T10:00:00Z'],
    [['--since', '2999-01-01T00:00:00Z'], 'It is in the future'],
    [['--index', '-1'], 'Expected a whole number from 0 to 999999999'],
  ])('what is wrong with %j', async (args, says) => {
    expect(await sentence('job/demo', ...args)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(says) });
  });
});

test('a replica of a training job, in a sandbox: its log, and the others merged', async () => {
  const folder = temporaryFolder();
  const manifest = join(folder.path, 'training.yaml');
  const template = {
    metadata: { annotations: { 'sim.farloop.dev/run-seconds': '300', 'sim.farloop.dev/log': 'loss 0.3\n' } },
    spec: { containers: [{ name: 'pytorch', image: 'example.com/train' }] },
  };
  const pytorchReplicaSpecs = { Master: { replicas: 1, template }, Worker: { replicas: 2, template } };
  writeFileSync(
    manifest,
    JSON.stringify({ apiVersion: 'kubeflow.org/v1', kind: 'PyTorchJob', metadata: { name: 'resnet' }, spec: { pytorchReplicaSpecs } }),
  );
  const state = join(folder.path, 'state');
  const up = new FarloopProcess(['up', '--manage', 'training-jobs', '--state', state, '--port', '0', '--apply', manifest]);
  try {
    await up.says(/Running/);
    const asked = async (...args: string[]): Promise<string> =>
      (await runWithin(['logs', 'pytorchjob/resnet', '--state', state, ...args])).stdout;
    let all = '';
    for (let tries = 0; tries < 30 && all.split('\n').length < 4; tries += 1) all = await asked();
    expect(all.split('\n').toSorted()).toEqual([
      '',
      ...['master-0', 'worker-0', 'worker-1'].map((replica) => `resnet-${replica}  loss 0.3`),
    ]);
    expect(await asked('--replica', 'worker-1')).toBe('loss 0.3\n');
    expect((await asked('--replica', 'worker')).split('\n')).toHaveLength(3);
  } finally {
    await up.end('SIGTERM');
    folder.remove();
  }
}, 120_000);
