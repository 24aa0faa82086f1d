// `farloop sandbox` as people start it: where the kubeconfig is, when it is ready, the same place again, how it ends.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessFromKubeconfig } from '../../../lib/adapters/kubernetes/kubeconfig.ts';
import { KubernetesCluster } from '../../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
import { FRAMEWORKS } from '../../../lib/kinds/training/frameworks/all.ts';
import type { KubernetesObject } from '../../../lib/objects/kubernetes.ts';
import { JOBS, NODES, PODS } from '../../../lib/objects/resources.ts';
import { deadlineIn } from '../../../lib/ports/clock.ts';
import { aJob } from '../../world/world.ts';
import { FarloopProcess, runFarloop, temporaryFolder } from '../farloop-process.ts';

let folder: ReturnType<typeof temporaryFolder>;
const started: FarloopProcess[] = [];
const clock = new SystemClock();

beforeEach(() => {
  folder = temporaryFolder();
});

afterEach(async () => {
  for (const sandbox of started.splice(0)) await sandbox.destroy();
  folder.remove();
});

async function sandboxWith(...args: string[]): Promise<FarloopProcess> {
  const sandbox = new FarloopProcess(['sandbox', '--state', folder.path, ...args]);
  started.push(sandbox);
  await sandbox.says('sandbox ready\n');
  expect(sandbox.stdout).toBe(`kubeconfig  ${kubeconfig()}\nsandbox ready\n`);
  return sandbox;
}

const kubeconfig = (): string => join(folder.path, 'kubeconfig');

async function inCluster<Value>(ask: (cluster: KubernetesCluster) => Promise<Value>): Promise<Value> {
  const cluster = new KubernetesCluster({ access: await accessFromKubeconfig({ file: kubeconfig() }), clock });
  try {
    return await ask(cluster);
  } finally {
    cluster.close();
  }
}

const listed = async (resource: typeof JOBS): Promise<KubernetesObject[]> =>
  await inCluster(async (cluster) => (await cluster.list<KubernetesObject>(resource, {}, deadlineIn(clock, 30_000))).items);

describe('farloop sandbox', () => {
  test('is the same cluster again after a restart, has a node unless told otherwise, and reconciles nothing', async () => {
    const first = await sandboxWith();
    expect((await listed(NODES)).map(({ metadata }) => metadata.name)).toEqual(['simulated-node']);
    // The definitions of the training kinds are there, and nothing of theirs.
    for (const { plural, kind } of FRAMEWORKS) {
      expect(await listed({ apiVersion: 'kubeflow.org/v1', kind, plural, namespaced: true })).toEqual([]);
    }
    await inCluster(async (cluster) => await cluster.create(JOBS, aJob('demo', { completions: 1 }), deadlineIn(clock, 30_000)));
    const before = readFileSync(kubeconfig(), 'utf8');
    const ended = await first.end('SIGTERM');
    expect({ exitCode: ended.exitCode, stderr: first.stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(ended.tookMs).toBeLessThan(2_000);

    const again = await sandboxWith('--no-node');
    expect(readFileSync(kubeconfig(), 'utf8')).toBe(before);
    expect((await listed(JOBS)).map(({ metadata }) => metadata.name)).toEqual(['demo']);
    expect(await listed(PODS)).toEqual([]);
    expect((await again.end('SIGINT')).exitCode).toBe(130);
  }, 120_000);

  test('a used port and a folder that another one holds: one sentence, 1', async () => {
    await sandboxWith('--no-node');
    const port = readFileSync(join(folder.path, 'sandbox', 'port'), 'utf8').trim();
    const other = temporaryFolder();
    expect(await runFarloop(['sandbox', '--state', other.path, '--port', port])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `farloop: port ${port} on 127.0.0.1 is already in use: stop what listens there or choose another port (0 takes any free one)\n`,
    });
    other.remove();
    expect(await runFarloop(['sandbox', '--state', folder.path])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `farloop: another Farloop is running with the state folder ${folder.path}: stop it, or choose another folder with --state\n`,
    });
  }, 120_000);
});
