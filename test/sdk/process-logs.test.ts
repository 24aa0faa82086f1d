// Logs of replicas that are processes of this machine, by the official Python SDK on a real API server, followed and not.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { FarloopProcess } from '../cli/farloop-process.ts';
import type { JobsCluster } from '../cluster/jobs-cluster.ts';
import { kubeletClient, type KubeletClient } from '../cluster/kubelet-client.ts';
import { startTrainingCluster } from '../cluster/training-cluster.ts';
import { installTrainingSdk } from '../peers/peer.ts';

let client: KubeletClient;
let cluster: JobsCluster;
let farloop: FarloopProcess;
let python: string;
beforeAll(async () => {
  python = installTrainingSdk();
  client = await kubeletClient();
  cluster = await startTrainingCluster({ apiServerFlags: client.flags });
  farloop = cluster.up('state', '--manage', 'training-jobs', '--virtual-node', 'here=local-process', '--allow-namespace', 'default');
  await farloop.says('farloop ready', 120_000);
}, 600_000);
afterAll(async () => {
  await farloop?.end('SIGTERM');
  await cluster?.stop();
  await client?.dispose();
}, 120_000);

test('get_job_logs gives what each replica printed', async () => {
  const script = join(import.meta.dirname, 'process_logs.py');
  const { stdout } = await promisify(execFile)(python, [script, cluster.controlPlane.kubeconfigPath], { timeout: 240_000 });
  const { followed, whole } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<'followed' | 'whole', Record<string, string>>;
  const pods = ['steps-master-0', 'steps-worker-0'];
  const stepsOf = (pod: string): string[] => [1, 2, 3].map((step) => `step ${step} of ${pod}`);
  expect(whole).toEqual(Object.fromEntries(pods.map((pod) => [pod, `${stepsOf(pod).join('\n')}\n`])));
  // The SDK joins the lines that it follows.
  expect(followed).toEqual(Object.fromEntries(pods.map((pod) => [pod, stepsOf(pod).join('')])));
}, 300_000);
