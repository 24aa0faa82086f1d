import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { isFullDisk } from '../../../lib/adapters/embedded/sqlite-file.ts';
import { isStateFolderHeld, openStateFolder, StateFolderHeldError } from '../../../lib/adapters/embedded/state-folder.ts';

let base: string;
let folder: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'farloop-state-'));
  folder = join(base, 'deep', 'state');
});
afterEach(() => {
  chmodSync(base, 0o700);
  rmSync(base, { recursive: true });
});

describe('state folder', () => {
  test('is made when it is missing, for its owner only, and can be taken again once it is closed', () => {
    const first = openStateFolder(folder);
    expect(first.path).toBe(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(folder, 'version'), 'utf8')).toBe('1\n');
    first.close();
    first.close();
    openStateFolder(folder).close();
  });

  test('another instance is refused in one sentence that names the folder', () => {
    const held = openStateFolder(folder);
    expect(() => openStateFolder(folder)).toThrow(StateFolderHeldError);
    expect(() => openStateFolder(folder)).toThrow(`another Farloop is running with the state folder ${folder}: stop it, or choose another`);
    expect(isStateFolderHeld(folder)).toBe(true);
    held.close();
    expect(isStateFolderHeld(folder)).toBe(false);
    expect(isStateFolderHeld(join(base, 'nowhere'))).toBe(false);
    expect(existsSync(join(base, 'nowhere'))).toBe(false);
  });

  test('a killed process leaves no lock behind', async () => {
    const source = new URL('../../../lib/adapters/embedded/state-folder.ts', import.meta.url).href;
    const script = `const { openStateFolder } = await import(${JSON.stringify(source)}); openStateFolder(${JSON.stringify(folder)}); console.log('held'); setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    try {
      await Promise.race([once(child.stdout, 'data'), ended]);
      expect(isStateFolderHeld(folder)).toBe(true);
      expect(() => openStateFolder(folder)).toThrow(StateFolderHeldError);
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
    openStateFolder(folder).close();
  });

  test('one of a newer version is refused, and not held', () => {
    openStateFolder(folder).close();
    writeFileSync(join(folder, 'version'), '7\n');
    expect(() => openStateFolder(folder)).toThrow(
      `the state folder ${folder} was written by a newer Farloop (version 7, this one knows 1)`,
    );
    expect(isStateFolderHeld(folder)).toBe(false);
    writeFileSync(join(folder, 'version'), 'something else');
    expect(() => openStateFolder(folder)).toThrow(/does not hold a number: this is not a state folder of Farloop/);
  });

  test('a place where none can be made is said in one sentence', () => {
    writeFileSync(join(base, 'file'), '');
    expect(() => openStateFolder(join(base, 'file', 'state'))).toThrow(
      /^cannot make the state folder .*file\/state: ENOTDIR.*; choose another with --state$/,
    );
  });

  test('a full disk is said in one sentence', () => {
    // Stands for every file that cannot grow: writing to it answers ENOSPC.
    expect(() => writeFileSync('/dev/full', 'x')).toThrow(/ENOSPC/);
    expect(isFullDiskSentence(() => writeFileSync('/dev/full', 'x'))).toBe(true);
  });
});

const isFullDiskSentence = (run: () => void): boolean => {
  try {
    run();
    return false;
  } catch (error) {
    return isFullDisk(error);
  }
};
