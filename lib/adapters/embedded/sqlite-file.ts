// One SQLite file of the state folder: opened, versioned, rebuilt when old, refused when newer, full disks named.
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { createPrivately } from '../../files/private-files.ts';

export interface SqliteFileOptions {
  /** Folder of the file; in memory when absent. */
  folder?: string | undefined;
  file: string;
  /** 1 or more; kept in the file itself. */
  schemaVersion: number;
  /** Statements that make an empty file's tables and indexes. */
  schema: string;
}

/** There is no room for what had to be written. Only this write is lost; its caller asks again. */
export class FullDiskError extends Error {
  constructor(path: string, options?: { cause?: unknown }) {
    super(`no space left where ${path} lies: free some space there; nothing that was written before is lost`, options);
    this.name = 'FullDiskError';
  }
}

const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_NOTADB = 26;
/** The file beside a database that its readers share could not grow: SQLite says so of no other reason than want of room. */
const SQLITE_IOERR_SHMSIZE = 4874;

/** By their fields, not by instanceof: errors of the runtime itself may come from another realm. */
const fieldOf = (error: unknown, field: string): unknown =>
  typeof error === 'object' && error !== null ? Reflect.get(error, field) : undefined;

/** SQLite's own number for an error, with its details in the upper bits. */
const extendedCodeOf = (error: unknown): number | undefined => {
  const code = fieldOf(error, 'errcode');
  return typeof code === 'number' ? code : undefined;
};

const errorCodeOf = (error: unknown): number => (extendedCodeOf(error) ?? 0) & 0xff;

/** As ENOENT; undefined for errors that no system call gave. */
export const systemCodeOf = (error: unknown): string | undefined => {
  const code = fieldOf(error, 'code');
  return typeof code === 'string' ? code : undefined;
};

/** The words of whatever was thrown. */
export const messageOf = (error: unknown): string => {
  const message = fieldOf(error, 'message');
  return typeof message === 'string' ? message : String(error);
};

/** Another connection holds the lock. */
export const isBusy = (error: unknown): boolean => errorCodeOf(error) === SQLITE_BUSY;

/** No room for the file: the database, the system or a quota may say so. */
export const isFullDisk = (error: unknown): boolean =>
  errorCodeOf(error) === SQLITE_FULL ||
  systemCodeOf(error) === 'ENOSPC' ||
  systemCodeOf(error) === 'EDQUOT' ||
  extendedCodeOf(error) === SQLITE_IOERR_SHMSIZE;

const isDamaged = (error: unknown): boolean => [SQLITE_CORRUPT, SQLITE_NOTADB].includes(errorCodeOf(error));

/** For another process's lock, which is held for moments. */
const LOCK_WAIT_MS = 5_000;

/** Larger files are not read whole at every start: the recorder's, after a busy week. */
const CHECKED_BYTES = 32 * 1024 * 1024;

/** A fault in the middle of a file shows only when that page is read. @throws an error that isDamaged knows */
function checkPages(database: DatabaseSync, path: string): void {
  if (statSync(path).size > CHECKED_BYTES) return;
  const found = database.prepare('pragma quick_check(1)').get()?.['quick_check'];
  if (found !== 'ok') throw Object.assign(new Error(`${path} is damaged: ${String(found)}`), { errcode: SQLITE_CORRUPT });
}

const versionOf = (database: DatabaseSync): number => Number(database.prepare('pragma user_version').get()?.['user_version']);

/** SQLite does not wait by itself where another process opens the same new file at this moment. */
function useWriteAheadLog(database: DatabaseSync): void {
  const until = Date.now() + LOCK_WAIT_MS;
  for (;;)
    try {
      database.exec('pragma journal_mode = wal');
      return;
    } catch (error) {
      if (!isBusy(error) || Date.now() > until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
}

/** The first process makes them; the others find the version that it wrote. */
function makeTables(database: DatabaseSync, schema: string, schemaVersion: number): void {
  database.exec('begin immediate');
  if (versionOf(database) === 0) database.exec(`${schema}; pragma user_version = ${schemaVersion}`);
  database.exec('commit');
}

/** An open file. Everything in it can be had again from the clusters (R1), so an old or damaged one begins anew. */
export class SqliteFile {
  readonly path: string;
  readonly database: DatabaseSync;
  /** Why the file began anew, if it did although there was one. */
  readonly rebuilt: 'older version' | 'damaged' | undefined;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;

  private constructor(path: string, database: DatabaseSync, rebuilt: 'older version' | 'damaged' | undefined) {
    this.path = path;
    this.database = database;
    this.#begin = database.prepare('begin immediate');
    this.#commit = database.prepare('commit');
    this.rebuilt = rebuilt;
  }

  /** @throws one sentence when a newer version of Farloop wrote the file, or when it cannot be opened; FullDiskError */
  static open(options: SqliteFileOptions): SqliteFile {
    const path = options.folder === undefined ? ':memory:' : join(options.folder, options.file);
    try {
      return SqliteFile.#open(path, options, undefined);
    } catch (error) {
      if (isFullDisk(error)) throw new FullDiskError(path, { cause: error });
      if (!isDamaged(error)) {
        // Errors of our own are sentences already.
        if (extendedCodeOf(error) === undefined && systemCodeOf(error) === undefined) throw error;
        throw new Error(`cannot open ${path}: ${messageOf(error)}`, { cause: error });
      }
      // Kept beside, so that a person can look for the cause; the next damaged one takes its place.
      setAside(path);
      return SqliteFile.#open(path, options, 'damaged');
    }
  }

  static #open(path: string, { schema, schemaVersion }: SqliteFileOptions, rebuilt: SqliteFile['rebuilt']): SqliteFile {
    // SQLite would make it with the rights that the umask leaves, and gives those to the files beside it.
    if (path !== ':memory:') createPrivately(path);
    const database = new DatabaseSync(path, { timeout: LOCK_WAIT_MS });
    try {
      const found = versionOf(database);
      if (found > schemaVersion)
        throw new Error(
          `${path} was written by a newer Farloop (format ${found}, this one knows ${schemaVersion}): use that version, or remove the file`,
        );
      if (found > 0 && found < schemaVersion) {
        database.close();
        for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
        return SqliteFile.#open(path, { schema, schemaVersion, file: '' }, 'older version');
      }
      if (found > 0) checkPages(database, path);
      // WAL and NORMAL: a killed process loses nothing, a power cut perhaps the last writes, which a cache can bear.
      useWriteAheadLog(database);
      database.exec('pragma synchronous = normal; pragma temp_store = memory');
      if (found === 0) makeTables(database, schema, schemaVersion);
      return new SqliteFile(path, database, rebuilt);
    } catch (error) {
      if (database.isOpen) database.close();
      throw error;
    }
  }

  /** Runs the function, and says it in one sentence when the disk is full. */
  guard<Value>(run: () => Value): Value {
    try {
      return run();
    } catch (error) {
      throw isFullDisk(error) ? new FullDiskError(this.path, { cause: error }) : error;
    }
  }

  /** All of the function's statements or none. */
  transaction<Value>(run: () => Value): Value {
    return this.guard(() => {
      this.#begin.run();
      try {
        const value = run();
        this.#commit.run();
        return value;
      } catch (error) {
        // A full disk has rolled back already.
        if (this.database.isTransaction) this.database.exec('rollback');
        throw error;
      }
    });
  }

  close(): void {
    if (this.database.isOpen) this.database.close();
  }
}

const setAside = (path: string): void => {
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
  if (existsSync(path)) renameSync(path, `${path}.damaged`);
};
