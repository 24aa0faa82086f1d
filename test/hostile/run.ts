// `npm run test:hostile [-- --only sandbox|real|messages|functions|policies|training|realTraining]`: odd objects that an API server accepts, and random bytes in what Farloop reads.
// Beside them ordinary Jobs must end in the time that they take without, and `farloop up` holds 600 MB at most. `SEED=` replays.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { partsOf } from '../script-options.ts';
import { besideMessages, costlyMessages } from './beside-messages.ts';
import { besideObjects, besideObjectsOnRealServer } from './beside-objects.ts';
import { besidePolicies } from './beside-policies.ts';
import { besideTraining, besideTrainingOnRealServer } from './beside-training.ts';

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const folder = await mkdtemp(join(tmpdir(), 'farloop-hostile-'));
const began = performance.now();
console.log(`hostile: seed ${seed}; SEED=${seed} npm run test:hostile replays it`);

/** Of the largest training job on the sandbox: they come up in a minute on a slow machine. */
const WORKERS = 7_000;

async function timed(part: string, run: () => Promise<void>): Promise<void> {
  const beganMs = performance.now();
  await run();
  console.log(`hostile: ${part} took ${((performance.now() - beganMs) / 1_000).toFixed(0)} s`);
}

try {
  for (const run of partsOf('npm run test:hostile --', {
    sandbox: async () => await timed('sandbox', async () => await besideObjects('sandbox', { folder, seed })),
    real: async () => await timed('real', async () => await besideObjectsOnRealServer(folder, seed)),
    messages: async () => await timed('messages', costlyMessages),
    functions: async () => await timed('functions', async () => await besideMessages(folder, seed)),
    policies: async () => await timed('policies', async () => await besidePolicies(folder)),
    training: async () => await timed('training', async () => await besideTraining('training', { folder, workers: WORKERS })),
    realTraining: async () => await timed('realTraining', async () => await besideTrainingOnRealServer(folder)),
  }))
    await run();
  console.log(`hostile: all ordinary Jobs ended in their usual time; ${((performance.now() - began) / 1_000).toFixed(0)} s`);
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
