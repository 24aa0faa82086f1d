// The state folder of a local instance: made when missing, locked for the process's life, refused when a newer Farloop wrote it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FullDiskError, isBusy, isFullDisk, messageOf, systemCodeOf } from './sqlite-file.ts';

/** Raised when the folder's files change in a way that an older Farloop would misread. */
export const STATE_FOLDER_VERSION = 1;

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
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw sentenceOf(error, path, 'make');
  }
  // The lock comes first: a running instance of another version is named as such.
  const lock = lockOf(path);
  try {
    refuseNewer(path);
    writeFileSync(join(path, VERSION_FILE), `${STATE_FOLDER_VERSION}\n`, { mode: 0o600 });
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

/** Whether an instance is running on it. A folder that does not exist is held by nobody. */
export function isStateFolderHeld(folder: string): boolean {
  const file = join(resolve(folder), LOCK_FILE);
  let lock: DatabaseSync;
  try {
    lock = new DatabaseSync(file, { timeout: 0, readOnly: true });
  } catch {
    return false;
  }
  try {
    lock.prepare('select count(*) from sqlite_schema').get();
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    lock.close();
  }
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

function refuseNewer(path: string): void {
  let text: string;
  try {
    text = readFileSync(join(path, VERSION_FILE), 'utf8').trim();
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return;
    throw error;
  }
  const version = /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  if (version === undefined)
    throw new Error(
      `${join(path, VERSION_FILE)} does not hold a number: this is not a state folder of Farloop; choose another with --state`,
    );
  if (version > STATE_FOLDER_VERSION)
    throw new Error(
      `the state folder ${path} was written by a newer Farloop (version ${version}, this one knows ${STATE_FOLDER_VERSION}): use that one, or another folder with --state`,
    );
}

const sentenceOf = (error: unknown, path: string, doing: 'make' | 'write to'): Error =>
  isFullDisk(error)
    ? new FullDiskError(path, { cause: error })
    : new Error(`cannot ${doing} the state folder ${path}: ${messageOf(error)}; choose another with --state`, { cause: error });
