// Runs on a file and in memory.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { FolderRuns } from '../../../lib/adapters/embedded/folder-runs.ts';
import { EmbeddedRuns } from '../../../lib/adapters/embedded/runs.ts';
import { aRun, runsContract } from '../../contracts/runs.ts';

const opened: EmbeddedRuns[] = [];
const folders: string[] = [];
const closings: (() => void)[] = [];
const open = (folder?: string): EmbeddedRuns => {
  const runs = EmbeddedRuns.open(folder === undefined ? {} : { folder });
  opened.push(runs);
  return runs;
};
const freshFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'farloop-runs-'));
  folders.push(folder);
  return folder;
};

afterEach(() => {
  for (const runs of opened.splice(0)) runs.close();
  for (const close of closings.splice(0)) close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

runsContract('embedded, in memory', async () => open());
runsContract('embedded, on a file', async () => open(freshFolder()));
runsContract('embedded, a folder for each run', async () => {
  const runs = new FolderRuns(join(freshFolder(), 'runs'));
  closings.push(() => runs.close());
  return runs;
});

test('R8: two processes on one file see each other’s writes, and the later one is refused', async () => {
  const folder = freshFolder();
  const [one, other] = [open(folder), open(folder)];
  await one.put(aRun('one'), 0);
  await other.put(aRun('one', { state: 'other' }), 1);
  await expect(one.put(aRun('one', { state: 'mine' }), 1)).rejects.toMatchObject({ current: { state: 'other', version: 2 } });
});
