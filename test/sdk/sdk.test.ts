// The official Python SDK for training jobs, unmodified, on the sandbox: what its users do is done, and seen as with upstream's operator.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { FarloopProcess, temporaryFolder } from '../cli/farloop-process.ts';
import { installTrainingSdk } from '../peers/peer.ts';

const run = promisify(execFile);

interface Seen {
  succeeded: boolean;
  failed: boolean;
  conditions: string[];
  replicaStatuses: Record<string, number>;
  listed: string[];
  pods: string[];
  master: string[];
  logs: Record<string, string>;
  toldOf: string[];
  suspendedPods: string[];
  running: boolean;
  scaledTo?: number;
}

/** By kind: the pods of its replicas, and which of them the SDK takes for the first one. */
const KINDS: Record<string, { replicas: Record<string, number>; master: string[] }> = {
  TFJob: { replicas: { Chief: 1, Worker: 2 }, master: ['chief-0'] },
  PyTorchJob: { replicas: { Master: 1, Worker: 2 }, master: ['master-0'] },
  XGBoostJob: { replicas: { Master: 1, Worker: 2 }, master: ['master-0'] },
  PaddleJob: { replicas: { Worker: 2 }, master: [] },
  MPIJob: { replicas: { Launcher: 1, Worker: 2 }, master: ['launcher'] },
  JAXJob: { replicas: { Worker: 2 }, master: ['worker-0'] },
};

const state = temporaryFolder();
let farloop: FarloopProcess;
let python: string;
beforeAll(async () => {
  python = installTrainingSdk();
  farloop = new FarloopProcess(['up', '--state', state.path, '--port', '0']);
  await farloop.says('farloop ready');
}, 300_000);
afterAll(async () => {
  await farloop.destroy();
  state.remove();
});

test.each(Object.entries(KINDS))('%s', async (kind, { replicas, master }) => {
  const { stdout } = await run(python, [join(import.meta.dirname, 'training_client.py'), join(state.path, 'kubeconfig'), kind]);
  const seen: Seen = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  const name = `${kind.toLowerCase()}-sdk`;
  const names = Object.entries(replicas).flatMap(([type, count]) =>
    type === 'Launcher' ? [`${name}-launcher`] : Array.from({ length: count }, (_, at) => `${name}-${type.toLowerCase()}-${at}`),
  );
  expect(seen).toMatchObject({ succeeded: true, failed: false, listed: [name], suspendedPods: [], running: true });
  expect(seen.conditions).toEqual(expect.arrayContaining(['Created', 'Succeeded']));
  expect(seen.pods).toEqual(names.toSorted());
  expect(seen.master).toEqual(master.map((each) => `${name}-${each}`));
  expect(Object.keys(seen.logs)).toEqual(names.toSorted());
  for (const text of Object.values(seen.logs)) expect(text).toContain('step 1');
  expect(seen.toldOf).toEqual([`${kind.toLowerCase()}/${name}`]);
  if (kind === 'PyTorchJob') expect(seen.scaledTo).toBe(3);
});
