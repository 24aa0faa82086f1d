// Files and folders that hold state and credentials: their owner's alone, and written only where nobody else could have put something in
// their place. Each refusal is one sentence: which path, what is wrong with it, what to do.
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import type { Stats } from 'node:fs';
import { dirname, resolve } from 'node:path';

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
const EVERYBODY_WRITES = 0o002;
/** In such a folder only its owner takes an entry's name away. */
const STICKY = 0o1000;

/** Something is there that this user must not write to. */
export class UnsafePathError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnsafePathError';
  }
}

/** Undefined where the system knows no such owners. */
const ownUser = (): number | undefined => process.geteuid?.();

/** The entry itself: links are not followed. @returns undefined if absent */
const entryAt = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false });

function checkOwner(path: string, { uid }: Stats): void {
  const own = ownUser();
  if (own === undefined || uid === own) return;
  throw new UnsafePathError(
    `${path} belongs to another user (uid ${uid}, and this is uid ${own}): run Farloop as that user, or choose another folder with --state`,
  );
}

function checkNoLink(path: string, entry: Stats): void {
  if (entry.isSymbolicLink())
    throw new UnsafePathError(
      `${path} is a symbolic link, and nothing is written through one: remove it, or name the folder it leads to with --state`,
    );
}

/**
 * Refuses a folder, or a place for one, with which others may do as they like.
 * @throws UnsafePathError for a link, another user's folder, and a place that every user may write to
 */
export function checkFolder(path: string): void {
  const entry = entryAt(path);
  if (entry) {
    checkNoLink(path, entry);
    if (entry.isDirectory()) checkOwner(path, entry);
  }
  for (const above of foldersAbove(path)) {
    const { mode } = statSync(above);
    if (ownUser() !== undefined && (mode & EVERYBODY_WRITES) !== 0 && (mode & STICKY) === 0)
      throw new UnsafePathError(
        `${above}, above the state folder ${path}, can be changed by every user: take that right away (chmod o-w ${above}), or choose another folder with --state`,
      );
  }
}

/** Those that exist, by the path's own names and by where its links lead. */
function foldersAbove(path: string): Set<string> {
  const found = new Set<string>();
  const collect = (from: string): void => {
    for (let at = from; ; at = dirname(at)) {
      if (statSync(at, { throwIfNoEntry: false })?.isDirectory()) found.add(at);
      if (at === dirname(at)) return;
    }
  };
  try {
    collect(dirname(resolve(path)));
    for (const at of found) {
      collect(realpathSync(at));
      break; // the deepest leads to all others
    }
  } catch {
    // Links in a circle, a file on the way: who makes the folder says so.
  }
  return found;
}

/** Takes all rights from others. @throws UnsafePathError where others write into a folder that is not Farloop's alone */
export function narrowFolder(path: string, { isShared }: { isShared: boolean }): void {
  const { mode } = statSync(path);
  if (ownUser() === undefined || (mode & OTHERS) === 0) return;
  if (!isShared) chmodSync(path, 0o700);
  else if ((mode & OTHERS_WRITE) !== 0)
    throw new UnsafePathError(
      `${path} holds other files than those of Farloop, and other users may write into it: take that right away (chmod go-w ${path}), or choose another folder with --state`,
    );
}

/**
 * Makes sure of a file or folder that is there already: it is this user's, and nobody else can read it.
 * @throws UnsafePathError for a link, another user's, and what is neither file nor folder
 */
export function claim(path: string): void {
  const entry = entryAt(path);
  if (!entry) return;
  checkNoLink(path, entry);
  if (!entry.isFile() && !entry.isDirectory())
    throw new UnsafePathError(`${path} is neither a file nor a folder: remove it, or choose another folder with --state`);
  checkOwner(path, entry);
  if (ownUser() !== undefined && (entry.mode & OTHERS) !== 0) chmodSync(path, entry.isDirectory() ? 0o700 : 0o600);
}

/**
 * Makes an empty file for its owner alone, with any umask; an existing one is claimed. An existing file is not
 * opened: closing it would free the locks that this process has on it.
 * @throws UnsafePathError
 */
export function createPrivately(path: string): void {
  try {
    closeSync(openPrivately(path));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    claim(path);
  }
}

/**
 * Puts a file in the place of what is there, whole or not at all, for its owner alone from its first byte.
 * @throws UnsafePathError where a link or another user's file is in its place
 */
export function writePrivately(path: string, text: string): void {
  claim(path);
  const beside = `${path}.new`;
  rmSync(beside, { force: true });
  const file = openPrivately(beside);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(beside, path);
}

/** By shape: errors of the runtime itself may come from another realm. */
const codeOf = (error: unknown): unknown => (typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined);

/** A file that is not there yet: neither an existing one nor what a link leads to is ever opened. */
function openPrivately(path: string): number {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  fchmodSync(file, 0o600);
  return file;
}

/** Whether what somebody noted there can be trusted: it is this user's own, or root's; root trusts all. */
export function isTrusted(path: string): boolean {
  const own = ownUser();
  let entry: Stats | undefined;
  try {
    entry = entryAt(path);
  } catch {
    return true; // nothing can be read there, so nothing will be believed
  }
  return own === undefined || own === 0 || entry === undefined || (!entry.isSymbolicLink() && [own, 0].includes(entry.uid));
}
