// The official Python SDK for training jobs, unmodified, on the sandbox: what its users do is done, and seen as with upstream's operator.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { FarloopProcess, temporaryFolder } from '../cli/farloop-process.ts';
import { installTrainingSdk } from '../peers/peer.ts';
import { endOfStory, playStory, SDK_KINDS } from './sdk-story.ts';

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

test.each(SDK_KINDS)('%s', async (kind) => {
  const kubeconfig = join(state.path, 'kubeconfig');
  expect(await playStory({ python, kubeconfig, kind, hasLogs: true })).toMatchObject(endOfStory({ kind, hasLogs: true }));
});
