// The state folder of a local instance: made when missing, locked for the process's life, refused when a newer Farloop wrote it.
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FullDiskError, isBusy, isFullDisk, messageOf, systemCodeOf } from './sqlite-file.ts';

/** Raised when the folder's files change in a way that an older Farloop would misread. */
const STATE_FOLDER_VERSION = 1;

const LOCK_FILE = 'lock.db';
const VERSION_FILE = 'version';

/** The folder belongs to another running instance. */
export class StateFolderHeldError extends Error {
  constructor(path: string) {
    super(`another Farloop is running with the state folder ${path}: stop it, or choose another folder with --state`);
    this.name = 'StateFolderHeldError';
  }
}

/** Locks of this process. A lock that nothing refers to would be collected, and with it set free. */
const locks = new Set<DatabaseSync>();

export interface StateFolder {
  /** Absolute. */
  path: string;
  /** Lets the next instance in. The end of the process does so too, however it ends. */
  close(): void;
}

/**
 * Takes a folder into use.
 * @throws StateFolderHeldError; FullDiskError; an Error of one sentence where it cannot be made, written or is of a newer version
 */
export function openStateFolder(folder: string): StateFolder {
  const path = resolve(folder);
  try {
    makeFolder(path);
  } catch (error) {
    throw sentenceOf(error, path, 'make');
  }
  // The lock comes first: a running instance of another version is named as such.
  const lock = lockOf(path);
  try {
    if (versionIn(path) !== STATE_FOLDER_VERSION) writeVersion(path);
  } catch (error) {
    lock.close();
    throw systemCodeOf(error) === undefined ? error : sentenceOf(error, path, 'write to');
  }
  locks.add(lock);
  return {
    path,
    close: () => {
      locks.delete(lock);
      if (lock.isOpen) lock.close();
    },
  };
}

/** A small database of its own, locked whole: the next one fails at once, and a killed process frees it. */
function lockOf(path: string): DatabaseSync {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(join(path, LOCK_FILE), { timeout: 0 });
    lock.exec('begin exclusive');
    return lock;
  } catch (error) {
    lock?.close();
    if (isBusy(error)) throw new StateFolderHeldError(path);
    throw sentenceOf(error, path, 'write to');
  }
}

/** @returns undefined where none is noted. @throws Error of one sentence for a newer one, and for what is no number */
function versionIn(path: string): number | undefined {
  let text: string;
  try {
    text = readFileSync(join(path, VERSION_FILE), 'utf8').trim();
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  // The disk was full when an earlier build wrote it.
  if (text === '') return undefined;
  const version = /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  if (version === undefined)
    throw new Error(
      `${join(path, VERSION_FILE)} does not hold a number: this is not a state folder of Farloop; choose another with --state`,
    );
  if (version > STATE_FOLDER_VERSION)
    throw new Error(
      `the state folder ${path} was written by a newer Farloop (version ${version}, this one knows ${STATE_FOLDER_VERSION}): use that one, or another folder with --state`,
    );
  return version;
}

/** Whole or not at all: on a full disk a file that was only begun would have the folder refused for ever. */
function writeVersion(path: string): void {
  const beside = join(path, `${VERSION_FILE}.new`);
  writeFileSync(beside, `${STATE_FOLDER_VERSION}\n`, { mode: 0o600 });
  renameSync(beside, join(path, VERSION_FILE));
}

/**
 * Makes the folder and those above it, one by one: a single recursive call never comes back from places such as /proc, which take
 * no folders. What Farloop made is its owner's alone, whatever an earlier version or a umask left.
 */
function makeFolder(path: string): void {
  const missing: string[] = [];
  for (let at = path; !existsSync(at); at = dirname(at)) missing.push(at);
  for (const folder of missing.toReversed())
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      // Another instance made it at the same moment.
      if (systemCodeOf(error) !== 'EEXIST') throw error;
    }
  const names = readdirSync(path);
  accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  if (missing.length > 0 || (names.length > 0 && !names.includes(VERSION_FILE))) return;
  chmodSync(path, 0o700);
  for (const file of globSync(['*.db*', 'sandbox/*'], { cwd: path })) chmodSync(join(path, file), 0o600);
}

function sentenceOf(error: unknown, path: string, doing: 'make' | 'write to'): Error {
  if (isFullDisk(error)) return new FullDiskError(path, { cause: error });
  const why = WHY[systemCodeOf(error) ?? ''] ?? messageOf(error);
  return new Error(`cannot ${doing} the state folder ${path}: ${why}; choose another with --state`, { cause: error });
}

const NOT_ALLOWED = 'this user is not allowed to';
const NOT_A_FOLDER = 'a file stands in the place of a folder';
const WHY: Record<string, string> = {
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  EROFS: 'the file system is read-only',
  EEXIST: NOT_A_FOLDER,
  ENOTDIR: NOT_A_FOLDER,
  ENOENT: 'no folder can be made there',
  ENAMETOOLONG: 'the path is too long',
  ELOOP: 'its symbolic links lead in a circle',
};
