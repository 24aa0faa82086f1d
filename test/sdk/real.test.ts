// The same on a real API server. Its simulated node has no HTTP API, of which the API server could ask logs.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { JobsCluster } from '../cluster/jobs-cluster.ts';
import { startTrainingCluster } from '../cluster/training-cluster.ts';
import { installTrainingSdk } from '../peers/peer.ts';
import { endOfStory, playStory, SDK_KINDS } from './sdk-story.ts';

let cluster: JobsCluster;
let python: string;
beforeAll(async () => {
  python = installTrainingSdk();
  cluster = await startTrainingCluster();
  await cluster.up('state', '--manage', 'training-jobs').says('console');
}, 600_000);
afterAll(async () => await cluster?.stop(), 60_000);

test.each(SDK_KINDS)('%s', async (kind) => {
  const kubeconfig = cluster.controlPlane.kubeconfigPath;
  expect(await playStory({ python, kubeconfig, kind, hasLogs: false })).toMatchObject(endOfStory({ kind, hasLogs: false }));
});
