// Folders of runs: which of them go, and when.
import { mkdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { EmbeddedRuns } from '../../../lib/adapters/embedded/runs.ts';
import { dropOldRuns, folderOfRun, runIdsIn } from '../../../lib/cli/run-records/run-folder.ts';
import { problemThroughApi } from '../../../lib/cli/run-records/run-provider.ts';
import { aRun } from '../../contracts/runs.ts';
import { temporaryFolder } from '../farloop-process.ts';

const HOUR_MS = 3_600_000;
let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

async function makeRun(id: string, record?: Parameters<typeof aRun>[1]): Promise<void> {
  mkdirSync(folderOfRun(folder.path, id), { recursive: true });
  const runs = EmbeddedRuns.open({ folder: folderOfRun(folder.path, id) });
  if (record) await runs.put(aRun(id, { state: '{"format":1}', ...record }), 0);
  runs.close();
}
const left = async (afterMs: number, except = ''): Promise<string[]> => {
  await dropOldRuns(folder.path, Date.now() + afterMs, except);
  return runIdsIn(folder.path);
};

test('a folder without a record, whose command was killed at its start, goes after a day', async () => {
  mkdirSync(folderOfRun(folder.path, 'bare'), { recursive: true });
  await makeRun('empty');
  expect(await left(23 * HOUR_MS)).toEqual(['bare', 'empty']);
  expect(await left(25 * HOUR_MS, 'empty')).toEqual(['empty']);
  expect(await left(25 * HOUR_MS)).toEqual([]);
});

test('a finished run goes when its time is over; one that is open, and one that cannot be read, stay', async () => {
  await makeRun('finished', { keptUntilMs: Date.now() + HOUR_MS });
  await makeRun('open', {});
  await makeRun('newer', { state: '{"format":99}' });
  expect(await left(0)).toEqual(['finished', 'newer', 'open']);
  expect(await left(100 * HOUR_MS)).toEqual(['newer', 'open']);
});

test('of providers that the API does not take none is proposed', () => {
  expect(problemThroughApi('simulated')).toBeUndefined();
  expect(problemThroughApi('http:http://127.0.0.1:9000')).toBeUndefined();
  expect(problemThroughApi('podman')).toMatch(/^podman is for farloop run-once alone/);
  expect(problemThroughApi('other')).toBe(
    'There is no provider "other". Expected simulated or http:ADDRESS, as in http:http://127.0.0.1:9000.',
  );
});
