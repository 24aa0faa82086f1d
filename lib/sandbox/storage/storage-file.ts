// Objects on a file: SQLite in WAL mode, one transaction per commit. SIGKILL at any moment loses nothing that was answered.
// A second, locked file keeps other instances out of the folder.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createPrivately } from '../../files/private-files.ts';
import { isFields } from '../objects/api-object.ts';
import type { Disk } from './storage.ts';

/** Newer folders are refused. In layout 1 all resources shared one count of versions, which is the floor of each now. */
const layout = 2;

/** The sandbox cannot start or go on; the message is for people. */
export class SandboxError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SandboxError';
  }
}

/**
 * Opens the objects of a state folder, which is made if missing.
 * @param largestPages how far its file may grow, in pages of 4 KiB; without it, as far as the disk goes
 * @throws SandboxError when another instance holds it, it is of a newer version, or it cannot be written
 */
export function openDisk(folder: string, largestPages?: number): Disk {
  const lock = lockFolder(folder);
  const file = join(folder, 'objects.sqlite');
  let database: DatabaseSync | undefined;
  try {
    // SQLite would make it with the rights that the umask leaves.
    createPrivately(file);
    database = new DatabaseSync(file);
    return diskOn(database, { folder, file, lock, largestPages });
  } catch (error) {
    database?.close();
    lock.close();
    throw error instanceof SandboxError ? error : diskError(file, error);
  }
}

function lockFolder(folder: string): DatabaseSync {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    createPrivately(join(folder, 'sandbox.lock'));
    const lock = new DatabaseSync(join(folder, 'sandbox.lock'), { timeout: 0 });
    lock.exec('begin exclusive');
    return lock;
  } catch (error) {
    if ((codeOf(error) & 0xff) === 5) {
      throw new SandboxError(`the state folder ${folder} is in use by another running sandbox: stop that one or choose another folder`, {
        cause: error,
      });
    }
    throw new SandboxError(`the state folder ${folder} cannot be used: ${refusalOf(error)}`, { cause: error });
  }
}

/** @throws SandboxError, or what SQLite says */
function diskOn(
  database: DatabaseSync,
  { folder, file, lock, largestPages }: { folder: string; file: string; lock: DatabaseSync; largestPages: number | undefined },
): Disk {
  database.exec(`
    pragma journal_mode = wal;
    pragma synchronous = normal;
    create table if not exists objects (resource text, key text, revision integer, body text, unique (resource, key));
    create table if not exists facts (name text primary key, value integer) without rowid;
    create table if not exists revisions (resource text primary key, revision integer) without rowid;
  `);
  if (largestPages !== undefined) database.exec(`pragma max_page_count = ${Math.floor(largestPages)}`);
  const fact = database.prepare('select value from facts where name = ?');
  const setFact = database.prepare('insert or replace into facts (name, value) values (?, ?)');
  const found = fact.get('layout')?.['value'];
  if (typeof found === 'number' && found > layout)
    throw new SandboxError(
      `the state folder ${folder} was written by a newer version (layout ${found}, this one knows ${layout}): use that version or another folder`,
    );
  setFact.run('layout', layout);

  const upsert = database.prepare(`insert into objects (resource, key, revision, body) values (?, ?, ?, ?)
     on conflict (resource, key) do update set revision = excluded.revision, body = excluded.body`);
  const setRevision = database.prepare('insert or replace into revisions (resource, revision) values (?, ?)');
  const remove = database.prepare('delete from objects where resource = ? and key = ?');
  return {
    load(each) {
      try {
        for (const row of database.prepare('select resource, key, revision, body from objects').iterate()) {
          each({
            resource: String(row['resource']),
            key: String(row['key']),
            revision: Number(row['revision']),
            text: String(row['body']),
          });
        }
        const revisions = database.prepare('select resource, revision from revisions').all();
        return {
          revisions: new Map(revisions.map((row) => [String(row['resource']), Number(row['revision'])])),
          floor: Number(fact.get('revision')?.['value'] ?? 0),
        };
      } catch (error) {
        throw diskError(file, error);
      }
    },
    save(changes, revisions) {
      try {
        database.exec('begin immediate');
        for (const { type, resource, current } of changes) {
          if (type === 'DELETED') remove.run(resource, current.key);
          else upsert.run(resource, current.key, current.revision, current.text);
        }
        for (const [resource, revision] of revisions) setRevision.run(resource, revision);
        database.exec('commit');
      } catch (error) {
        if (database.isTransaction) database.exec('rollback');
        throw diskError(file, error);
      }
    },
    close() {
      database.close();
      lock.close();
    },
  };
}

/** SQLite's own number for an error, with its details in the upper bits. */
const codeOf = (error: unknown): number => (isFields(error) && typeof error['errcode'] === 'number' ? error['errcode'] : 0);

/** The database cannot grow, or the file beside it that its readers share, or any other file. */
const isFull = (error: unknown): boolean => [13, 4874].includes(codeOf(error)) || (isFields(error) && error['code'] === 'ENOSPC');

/** An error in words; those of other realms are no instance of Error here. */
const textOf = (error: unknown): string => (isFields(error) && typeof error['message'] === 'string' ? error['message'] : String(error));

/** Why something could not be written, and what to do. */
export const refusalOf = (error: unknown): string =>
  isFull(error) ? 'the disk is full; free some space, nothing that was answered is lost' : textOf(error);

const isDamaged = (error: unknown): boolean => [11, 26].includes(codeOf(error) & 0xff);

function diskError(file: string, error: unknown): SandboxError {
  // They are nowhere else: whether to begin without them is for a person to say.
  const what = isDamaged(error)
    ? `the sandbox's objects in ${file} are damaged: put a copy in its place, or remove the file and the sandbox begins empty`
    : `the sandbox's objects cannot be written to ${file}: ${refusalOf(error)}`;
  return new SandboxError(what, { cause: error });
}
