// The state folder: one instance at a time, its owner's alone, of a version that is known.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { isFullDisk } from '../../../lib/adapters/embedded/sqlite-file.ts';
import { openStateFolder, StateFolderHeldError } from '../../../lib/adapters/embedded/state-folder.ts';
import { createPrivately, isTrusted, writePrivately } from '../../../lib/files/private-files.ts';

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

/** A file or folder of another user can be prepared by root alone: for others there are no such tests. */
const isRoot = process.geteuid?.() === 0;
const STRANGER = 12_345;

describe('belongs to its user', () => {
  const made = (): string => {
    openStateFolder(folder).close();
    mkdirSync(join(folder, 'sandbox'), { mode: 0o700 });
    for (const name of ['store.db', 'clusters.json', 'instance.json', 'kubeconfig', 'sandbox/credentials.json'])
      writeFileSync(join(folder, name), 'before', { mode: 0o600 });
    return folder;
  };
  const namesIn = (path: string): string[] => readdirSync(path, { recursive: true }).map(String).toSorted();

  test('a link in its place is refused, and nothing is written where it leads', () => {
    mkdirSync(join(base, 'elsewhere'));
    symlinkSync(join(base, 'elsewhere'), join(base, 'link'));
    expect(() => openStateFolder(join(base, 'link'))).toThrow(
      `${join(base, 'link')} is a symbolic link, and nothing is written through one: remove it, or name the folder it leads to with --state`,
    );
    expect(namesIn(join(base, 'elsewhere'))).toEqual([]);
    // Above it links are what people have: a home on another disk.
    symlinkSync(join(base, 'elsewhere'), join(base, 'home'));
    openStateFolder(join(base, 'home', 'state')).close();
  });

  for (const name of [
    'version',
    'lock.db',
    'store.db',
    'store.db-wal',
    'clusters.json',
    'instance.json',
    'kubeconfig',
    'sandbox/credentials.json',
    'sandbox/objects.sqlite',
  ])
    test(`a link in the place of ${name} is refused, and what it leads to stays as it is`, () => {
      made();
      const target = join(base, 'target');
      writeFileSync(target, '1\n', { mode: 0o644 });
      rmSync(join(folder, name), { force: true });
      symlinkSync(target, join(folder, name));
      expect(() => openStateFolder(folder)).toThrow(`${join(folder, name)} is a symbolic link`);
      expect(readFileSync(target, 'utf8')).toBe('1\n');
      expect(statSync(target).mode & 0o777).toBe(0o644);
    });

  test('a link in the place of the folder of the sandbox is refused', () => {
    made();
    rmSync(join(folder, 'sandbox'), { recursive: true });
    mkdirSync(join(base, 'elsewhere'));
    symlinkSync(join(base, 'elsewhere'), join(folder, 'sandbox'));
    expect(() => openStateFolder(folder)).toThrow(`${join(folder, 'sandbox')} is a symbolic link`);
    expect(namesIn(join(base, 'elsewhere'))).toEqual([]);
  });

  test('a link in the place of what stands beside a file while it is written is replaced, not followed', () => {
    made();
    writeFileSync(join(base, 'target'), 'kept');
    const file = join(folder, 'notes');
    symlinkSync(join(base, 'target'), `${file}.new`);
    writePrivately(file, 'ours');
    expect(readFileSync(join(base, 'target'), 'utf8')).toBe('kept');
    expect([readFileSync(file, 'utf8'), lstatSync(file).isFile(), statSync(file).mode & 0o777]).toEqual(['ours', true, 0o600]);
  });

  test('rights of others are taken away before anything is written, whatever the umask', () => {
    made();
    const names = ['store.db', 'clusters.json', 'instance.json', 'kubeconfig', 'version', 'sandbox', 'sandbox/credentials.json'];
    for (const name of ['.', ...names]) chmodSync(join(folder, name), 0o777);
    const umask = process.umask(0);
    try {
      openStateFolder(folder).close();
      writePrivately(join(folder, 'kubeconfig'), 'token');
      createPrivately(join(folder, 'queue.db'));
    } finally {
      process.umask(umask);
    }
    for (const name of ['.', ...names, 'queue.db', 'lock.db'])
      expect({ name, others: statSync(join(folder, name)).mode & 0o077 }).toEqual({ name, others: 0 });
  });

  test('a place that every user may change is refused; one where names are kept to their owners is not', () => {
    mkdirSync(join(base, 'open'));
    chmodSync(join(base, 'open'), 0o777);
    for (const place of [join(base, 'open', 'state'), join(base, 'open', 'deep', 'state')])
      expect(() => openStateFolder(place)).toThrow(
        `${join(base, 'open')}, above the state folder ${place}, can be changed by every user: take that right away (chmod o-w ${join(base, 'open')}), or choose another folder with --state`,
      );
    expect(namesIn(join(base, 'open'))).toEqual([]);
    symlinkSync(join(base, 'open'), join(base, 'way'));
    expect(() => openStateFolder(join(base, 'way', 'state'))).toThrow('can be changed by every user');
    chmodSync(join(base, 'open'), 0o1777);
    openStateFolder(join(base, 'open', 'state')).close();
  });

  test('a folder with other files in it, into which others may write, is refused', () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'README'), '');
    chmodSync(folder, 0o775);
    expect(() => openStateFolder(folder)).toThrow(`${folder} holds other files than those of Farloop, and other users may write into it`);
    expect(namesIn(folder)).toEqual(['README']);
  });

  test('what is neither file nor folder is refused', () => {
    made();
    rmSync(join(folder, 'instance.json'));
    execFileSync('mkfifo', [join(folder, 'instance.json')]);
    expect(() => openStateFolder(folder)).toThrow(`${join(folder, 'instance.json')} is neither a file nor a folder`);
  });
});

if (isRoot)
  describe('of another user', () => {
    test('a folder is refused, and nothing is written into it', () => {
      mkdirSync(folder, { recursive: true });
      chownSync(folder, STRANGER, STRANGER);
      expect(() => openStateFolder(folder)).toThrow(
        `${folder} belongs to another user (uid ${STRANGER}, and this is uid 0): run Farloop as that user, or choose another folder with --state`,
      );
      expect(readdirSync(folder)).toEqual([]);
    });

    for (const name of ['version', 'lock.db', 'store.db', 'kubeconfig', 'sandbox', 'sandbox/credentials.json'])
      test(`${name} is refused`, () => {
        openStateFolder(folder).close();
        mkdirSync(join(folder, 'sandbox'));
        if (!existsSync(join(folder, name))) writeFileSync(join(folder, name), '');
        chownSync(join(folder, name), STRANGER, STRANGER);
        expect(() => openStateFolder(folder)).toThrow(`${join(folder, name)} belongs to another user`);
      });

    test('what a stranger noted is not trusted; what this user or root noted is', () => {
      openStateFolder(folder).close();
      const file = join(folder, 'instance.json');
      writeFileSync(file, '{}');
      for (const path of [base, join(base, 'deep'), folder]) chmodSync(path, 0o755);
      const trusted = (owner: number): boolean => {
        chownSync(file, owner, owner);
        process.seteuid?.(STRANGER);
        try {
          return isTrusted(file);
        } finally {
          process.seteuid?.(0);
        }
      };
      expect([STRANGER, 0, STRANGER + 1].map(trusted)).toEqual([true, true, false]);
    });

    test('a file that appears after the folder was taken is not written to either', () => {
      openStateFolder(folder).close();
      const file = join(folder, 'kubeconfig');
      writeFileSync(file, 'theirs', { mode: 0o666 });
      chownSync(file, STRANGER, STRANGER);
      expect(() => writePrivately(file, 'token')).toThrow(`${file} belongs to another user`);
      expect(() => createPrivately(file)).toThrow(`${file} belongs to another user`);
      expect(readFileSync(file, 'utf8')).toBe('theirs');
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
