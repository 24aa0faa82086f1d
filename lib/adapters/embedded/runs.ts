// Runs on one SQLite file, which several processes may open at once: the version of a record decides between them.
import type { StatementSync } from 'node:sqlite';
import { MOST_PART_CHARACTERS, type RunRecord, type Runs } from '../../ports/runs.ts';
import { StaleWriteError } from '../../ports/store.ts';
import { SqliteFile } from './sqlite-file.ts';

export const RUNS_FILE = 'runs.db';

/** A file of an older version would be removed, and runs exist nowhere else: add tables and columns without raising it. */
const SCHEMA_VERSION = 1;
const SCHEMA = `
  create table runs (id text primary key, version integer not null, due_at integer, record text not null);
  create index runs_due on runs (due_at) where due_at is not null;
  create table parts (id text not null, name text not null, body text not null, primary key (id, name))`;

const STATEMENTS = {
  get: 'select version, record from runs where id = ?',
  insert: 'insert into runs (id, version, due_at, record) values (?, 1, ?, ?) on conflict do nothing',
  update: 'update runs set version = version + 1, due_at = ?, record = ? where id = ? and version = ?',
  list: 'select id, version, record from runs where id > ? order by id limit ?',
  due: 'select id from runs where due_at < ? order by due_at, id limit ?',
  putPart: 'insert into parts (id, name, body) values (?, ?, ?) on conflict do update set body = excluded.body',
  readPart: 'select body from parts where id = ? and name = ?',
  removeParts: 'delete from parts where id = ? and substr(name, 1, length(?)) = ?',
  remove: 'delete from runs where id = ? and version = ?',
} as const;

type Statements = Record<keyof typeof STATEMENTS, StatementSync>;
type Row = ReturnType<StatementSync['all']>[number];

export class EmbeddedRuns implements Runs {
  readonly #file: SqliteFile;
  readonly #statements: Statements;

  private constructor(file: SqliteFile) {
    this.#file = file;
    // A power cut must not take back a start that was written down.
    // Manifests hold values of environments: what is removed must not stay in free pages of the file.
    file.database.exec('pragma synchronous = full; pragma secure_delete = on');
    this.#statements = Object.fromEntries(
      Object.entries(STATEMENTS).map(([name, text]) => [name, file.database.prepare(text)]),
    ) as Statements;
  }

  /** @param options.folder in memory when absent. @throws one sentence for a file of a newer version or one that cannot be opened; FullDiskError */
  static open({ folder }: { folder?: string } = {}): EmbeddedRuns {
    return new EmbeddedRuns(SqliteFile.open({ folder, file: RUNS_FILE, schemaVersion: SCHEMA_VERSION, schema: SCHEMA }));
  }

  /** Why the file began anew although there was one; undefined when it did not. */
  get rebuilt(): SqliteFile['rebuilt'] {
    return this.#file.rebuilt;
  }

  close(): void {
    this.#file.close();
  }

  async get(id: string): Promise<RunRecord | undefined> {
    const row = this.#statements.get.get(id);
    return row && recordOf(row);
  }

  async put(record: Omit<RunRecord, 'version'>, expectedVersion: number): Promise<RunRecord> {
    const { insert, update } = this.#statements;
    const body = JSON.stringify(record);
    const dueAtMs = record.dueAtMs === undefined ? null : Math.ceil(record.dueAtMs);
    const { changes } = this.#file.guard(() =>
      expectedVersion === 0 ? insert.run(record.id, dueAtMs, body) : update.run(dueAtMs, body, record.id, expectedVersion),
    );
    if (Number(changes) === 1) return { ...structuredClone(record), version: expectedVersion + 1 };
    const current = await this.get(record.id);
    throw new StaleWriteError<RunRecord>(
      `the run ${record.id}: expected version ${expectedVersion}, found ${current?.version ?? 'none'}`,
      current,
    );
  }

  async list({ limit, after = '' }: { limit: number; after?: string }): Promise<{ runs: RunRecord[]; next?: string }> {
    const runs = this.#statements.list.all(after, limit).map(recordOf);
    const last = runs.at(-1);
    return { runs, ...(runs.length === limit && last && { next: last.id }) };
  }

  async dueBefore(timeMs: number, limit: number): Promise<string[]> {
    return this.#statements.due.all(timeMs, limit).map((row) => String(row['id']));
  }

  async putPart(id: string, name: string, text: string): Promise<void> {
    if (text.length > MOST_PART_CHARACTERS) throw new RangeError(`a part of a run holds ${MOST_PART_CHARACTERS} characters at most`);
    this.#file.guard(() => this.#statements.putPart.run(id, name, text));
  }

  async readPart(id: string, name: string): Promise<string | undefined> {
    const row = this.#statements.readPart.get(id, name);
    return row && String(row['body']);
  }

  async removeParts(id: string, prefix: string): Promise<void> {
    const { changes } = this.#file.guard(() => this.#statements.removeParts.run(id, prefix, prefix));
    // The write-ahead log still holds the rows as they were written. Where another process reads at this moment, its close empties the log.
    if (Number(changes) > 0) this.#file.database.exec('pragma wal_checkpoint(truncate)');
  }

  async remove(id: string, version: number): Promise<boolean> {
    return this.#file.transaction(() => {
      this.#statements.remove.run(id, version);
      if (this.#statements.get.get(id) !== undefined) return false;
      this.#statements.removeParts.run(id, '', '');
      return true;
    });
  }
}

const recordOf = (row: Row): RunRecord => ({ ...JSON.parse(String(row['record'])), version: Number(row['version']) });
