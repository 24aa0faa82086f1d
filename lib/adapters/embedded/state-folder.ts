// The state folder of a local instance: made when missing, its user's alone, locked for the process's life, refused when a newer Farloop
// wrote it.
import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { checkFolder, claim, createPrivately, narrowFolder, UnsafePathError, writePrivately } from '../../files/private-files.ts';
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
 * Takes a folder into use. Before anything is written into it, it and what of Farloop is in it are this user's alone.
 * @throws StateFolderHeldError; UnsafePathError; FullDiskError; an Error of one sentence where it cannot be made, written or is of a newer version
 */
export function openStateFolder(folder: string): StateFolder {
  const path = resolve(folder);
  try {
    checkFolder(path);
    makeFolder(path);
    claimAll(path);
  } catch (error) {
    throw error instanceof UnsafePathError ? error : sentenceOf(error, path, 'make');
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
    createPrivately(join(path, LOCK_FILE));
    lock = new DatabaseSync(join(path, LOCK_FILE), { timeout: 0 });
    lock.exec('begin exclusive');
    return lock;
  } catch (error) {
    lock?.close();
    if (isBusy(error)) throw new StateFolderHeldError(path);
    if (error instanceof UnsafePathError) throw error;
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
const writeVersion = (path: string): void => writePrivately(join(path, VERSION_FILE), `${STATE_FOLDER_VERSION}\n`);

/**
 * Makes the folder and those above it, one by one: a single recursive call never comes back from places such as /proc, which take
 * no folders.
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
  readdirSync(path);
  accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
}

/** Files that Farloop writes there, and their temporary neighbours. */
const OWN_FILES = /^(?:version|instance\.json|clusters\.json|kubeconfig|.+\.db)(?:[.-].*)?$/;
const SANDBOX = 'sandbox';

/**
 * Looks at everything that will be written to, and takes it from others where an earlier version or a umask left them rights.
 * @throws UnsafePathError for what another user has, or put there
 */
function claimAll(path: string): void {
  // Another may have made it between the look and the making.
  checkFolder(path);
  const names = readdirSync(path);
  narrowFolder(path, { isShared: names.length > 0 && !names.includes(VERSION_FILE) });
  for (const name of names.filter((each) => each === SANDBOX || (OWN_FILES.test(each) && isOurs(each, names)))) claim(join(path, name));
  if (names.includes(SANDBOX)) for (const name of readdirSync(join(path, SANDBOX))) claim(join(path, SANDBOX, name));
}

/** In a folder of other files a database may be somebody's own work. */
const isOurs = (name: string, names: readonly string[]): boolean =>
  names.includes(VERSION_FILE) || !name.includes('.db') || /^(?:store|queue|recorder|costs|lock)\.db/.test(name);

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
