// Logs and commands of a virtual node's pods by the official Python client, unmodified: on the sandbox, and on a real API server.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FarloopProcess, temporaryFolder } from '../cli/farloop-process.ts';
import { startJobsCluster } from '../cluster/jobs-cluster.ts';
import { kubeletClient } from '../cluster/kubelet-client.ts';
import { installTrainingSdk } from '../peers/peer.ts';

const run = promisify(execFile);
const NODE = ['--virtual-node', 'edge=simulated'];

interface Target {
  kubeconfig: string;
  stop: () => Promise<void>;
}

async function openSandbox(): Promise<Target> {
  const state = temporaryFolder();
  const farloop = new FarloopProcess(['up', '--state', state.path, '--port', '0', ...NODE]);
  await farloop.says('farloop ready');
  const stop = async (): Promise<void> => {
    await farloop.destroy();
    state.remove();
  };
  return { kubeconfig: join(state.path, 'kubeconfig'), stop };
}

async function openReal(): Promise<Target> {
  const client = await kubeletClient();
  const cluster = await startJobsCluster({ controllers: '*', apiServerFlags: client.flags });
  await cluster.up('state', ...NODE).says('farloop ready');
  const stop = async (): Promise<void> => {
    await cluster.stop();
    await client.dispose();
  };
  return { kubeconfig: cluster.controlPlane.kubeconfigPath, stop };
}

describe.each([
  { where: 'the sandbox', open: openSandbox },
  { where: 'a real API server', open: openReal },
])('on $where', ({ open }) => {
  let target: Target;
  let python: string;
  beforeAll(async () => {
    // It brings the client.
    python = installTrainingSdk();
    target = await open();
  }, 600_000);
  afterAll(async () => await target?.stop(), 60_000);

  test('logs, followed and not, and commands with their streams and exit codes', async () => {
    const { stdout } = await run(python, [join(import.meta.dirname, 'pod_client.py'), target.kubeconfig, 'edge']);
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual({
      followed: 'one\ntwo\nthree\n',
      phaseAfter: 'Succeeded',
      whole: 'one\ntwo\nthree\n',
      tail: 'three\n',
      limited: 'one\nt',
      timed: expect.stringMatching(/^(\d{4}-\d\d-\d\dT[\d:.]+Z (one|two|three)\n){3}$/),
      none: 400,
      said: 'hello\n',
      session: ['out\n', 'nothing-there', 7],
      echoed: [1_000_000, true],
    });
  });
});
