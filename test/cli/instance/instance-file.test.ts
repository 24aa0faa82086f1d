// The note by which commands find the instance that runs.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readInstance } from '../../../lib/cli/instance/instance-file.ts';
import { temporaryFolder } from '../farloop-process.ts';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

test('there is none where nothing is noted, or nothing readable', () => {
  expect(readInstance(join(folder.path, 'nowhere'))).toBeUndefined();
  expect(readInstance(folder.path)).toBeUndefined();
  writeFileSync(join(folder.path, 'instance.json'), '{"url":');
  expect(readInstance(folder.path)).toBeUndefined();
});

test('a note that may not be looked at is no sign that nothing runs', () => {
  // Also root meets this one: rights of files do not hold it up.
  mkdirSync(join(folder.path, 'instance.json'));
  expect(() => readInstance(folder.path)).toThrow(
    /instance\.json cannot be read \(EISDIR\): run this command as the user who runs Farloop/,
  );
});
