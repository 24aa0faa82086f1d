// The state folder: one instance at a time, its owner's alone, of a version that is known.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { isFullDisk } from '../../../lib/adapters/embedded/sqlite-file.ts';
import { openStateFolder, StateFolderHeldError } from '../../../lib/adapters/embedded/state-folder.ts';

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
    held.close();
    openStateFolder(folder).close();
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
    writeFileSync(join(folder, 'version'), 'something else');
    expect(() => openStateFolder(folder)).toThrow(/does not hold a number: this is not a state folder of Farloop/);
  });

  test('R1: one of an older version is taken over', () => {
    openStateFolder(folder).close();
    writeFileSync(join(folder, 'version'), '0\n');
    openStateFolder(folder).close();
    expect(readFileSync(join(folder, 'version'), 'utf8')).toBe('1\n');
  });

  test('R1: a version that a full disk left empty is noted again; one that stands there is not written anew', () => {
    openStateFolder(folder).close();
    const { ino } = statSync(join(folder, 'version'));
    openStateFolder(folder).close();
    expect(statSync(join(folder, 'version')).ino).toBe(ino);
    writeFileSync(join(folder, 'version'), '');
    openStateFolder(folder).close();
    expect(readFileSync(join(folder, 'version'), 'utf8')).toBe('1\n');
  });

  test('one that was left open to others, by an earlier version or a umask, is closed to them', () => {
    openStateFolder(folder).close();
    mkdirSync(join(folder, 'sandbox'));
    for (const file of ['store.db', 'store.db-wal', 'sandbox/objects.sqlite']) writeFileSync(join(folder, file), '', { mode: 0o644 });
    chmodSync(folder, 0o755);
    openStateFolder(folder).close();
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const file of ['store.db', 'store.db-wal', 'sandbox/objects.sqlite', 'lock.db'])
      expect({ file, mode: statSync(join(folder, file)).mode & 0o777 }).toEqual({ file, mode: 0o600 });
  });

  test("a folder with other people's files in it keeps its rights", () => {
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, 'other.db'), '', { mode: 0o644 });
    openStateFolder(folder).close();
    expect(statSync(folder).mode & 0o777).toBe(0o755);
    expect(statSync(join(folder, 'other.db')).mode & 0o777).toBe(0o644);
  });

  const places: { name: string; path: () => string; why: string }[] = [
    { name: 'a file in its place', path: () => join(base, 'file'), why: 'a file stands in the place of a folder' },
    { name: 'a file above it', path: () => join(base, 'file', 'state'), why: 'a file stands in the place of a folder' },
    { name: 'a link that leads nowhere', path: () => join(base, 'dangling', 'state'), why: 'no folder can be made there' },
    { name: 'links in a circle', path: () => join(base, 'circle', 'state'), why: 'its symbolic links lead in a circle' },
    { name: 'a name that is too long', path: () => join(base, 'n'.repeat(300)), why: 'the path is too long' },
    ...(existsSync('/proc/self')
      ? [{ name: 'a file system that takes no folders', path: () => '/proc/foo/bar', why: 'no folder can be made there' }]
      : []),
  ];
  for (const { name, path, why } of places)
    test(`${name}: one sentence, at once`, () => {
      writeFileSync(join(base, 'file'), '');
      symlinkSync(join(base, 'nowhere'), join(base, 'dangling'));
      symlinkSync(join(base, 'circle'), join(base, 'circle'));
      expect(() => openStateFolder(path())).toThrow(`cannot make the state folder ${path()}: ${why}; choose another with --state`);
    });

  test('a full disk is said in one sentence', () => {
    // Stands for every file that cannot grow: writing to it answers ENOSPC.
    expect(() => writeFileSync('/dev/full', 'x')).toThrow(/ENOSPC/);
    expect(isFullDiskSentence(() => writeFileSync('/dev/full', 'x'))).toBe(true);
    // As SQLite says it where only the file beside a database has no room: SQLITE_IOERR_SHMSIZE. Other faults of a disk are not that.
    expect([4874, 10, 778].map((errcode) => isFullDisk({ errcode, message: 'disk I/O error' }))).toEqual([true, false, false]);
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
