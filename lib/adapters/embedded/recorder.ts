// The flight recorder on a SQLite file of its own: passes of the last 7 days, found by the workload's name.
import type { StatementSync } from 'node:sqlite';
import type { Clock } from '../../ports/clock.ts';
import type { PassRecord, RecordedPass, Recorder } from '../../ports/recorder.ts';
import { SystemClock } from '../clock/system-clock.ts';
import { SqliteFile } from './sqlite-file.ts';

const RECORDER_FILE = 'recorder.db';

const SCHEMA_VERSION = 2;
const SCHEMA = `
  create table passes (id integer primary key, cluster text not null, kind text not null, namespace text not null, name text not null,
    pass_id text not null, started_at integer not null, pass text not null, snapshot blob);
  create index passes_by_workload on passes (cluster, kind, namespace, name, started_at, id);
  create index passes_by_id on passes (pass_id);
  create index passes_by_time on passes (started_at)`;

const KEEP_MS = 7 * 24 * 3_600_000;
/** Old passes go a few at a time, with every so many new ones, so that no pass waits long for it. */
const APPENDS_PER_CLEANING = 256;
const CLEANED_AT_ONCE = 1_024;

export class EmbeddedRecorder implements Recorder {
  readonly #file: SqliteFile;
  readonly #clock: Clock;
  readonly #insert: StatementSync;
  readonly #select: StatementSync;
  readonly #selectOne: StatementSync;
  readonly #clean: StatementSync;
  #appends = 0;

  private constructor(file: SqliteFile, clock: Clock) {
    this.#file = file;
    this.#clock = clock;
    this.#insert = file.database.prepare(
      'insert into passes (cluster, kind, namespace, name, pass_id, started_at, pass, snapshot) values (?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#select = file.database.prepare(
      `select pass from passes where cluster = ? and kind = ? and namespace = ? and name = ? and started_at > ?
       order by started_at desc, id desc limit ?`,
    );
    this.#selectOne = file.database.prepare(
      'select pass, snapshot from passes where pass_id = ? and started_at > ? order by id desc limit 1',
    );
    this.#clean = file.database.prepare(
      'delete from passes where id in (select id from passes where started_at <= ? order by started_at limit ?)',
    );
  }

  /**
   * @param options.folder the state folder; in memory when absent
   * @throws one sentence for a file of a newer version or one that cannot be opened; FullDiskError
   */
  static open({ folder, clock = new SystemClock() }: { folder?: string; clock?: Clock } = {}): EmbeddedRecorder {
    return new EmbeddedRecorder(SqliteFile.open({ folder, file: RECORDER_FILE, schemaVersion: SCHEMA_VERSION, schema: SCHEMA }), clock);
  }

  /** Why the file began anew although there was one; undefined when it did not. */
  get rebuilt(): 'older version' | 'damaged' | undefined {
    return this.#file.rebuilt;
  }

  close(): void {
    this.#file.close();
  }

  async append(pass: PassRecord, snapshot?: () => Uint8Array | undefined): Promise<void> {
    const { cluster, kind, namespace, name } = pass.key;
    this.#file.guard(() => {
      this.#insert.run(cluster, kind, namespace, name, pass.passId, pass.startedAtMs, JSON.stringify(pass), snapshot?.() ?? null);
      if (this.#appends++ % APPENDS_PER_CLEANING === 0) this.#clean.run(this.#clock.nowMs() - KEEP_MS, CLEANED_AT_ONCE);
    });
  }

  async passes({ cluster, kind, namespace, name }: Parameters<Recorder['passes']>[0], limit: number): Promise<PassRecord[]> {
    return this.#select.all(cluster, kind, namespace, name, this.#clock.nowMs() - KEEP_MS, limit).map((row) => passOf(String(row['pass'])));
  }

  async pass(passId: string): Promise<RecordedPass | undefined> {
    const row = this.#selectOne.get(passId, this.#clock.nowMs() - KEEP_MS);
    if (!row) return undefined;
    const { snapshot } = row;
    return { pass: passOf(String(row['pass'])), ...(snapshot instanceof Uint8Array && { snapshot }) };
  }
}

/** Only append writes these texts, into a file whose version was checked when it was opened. */
const passOf = (text: string): PassRecord => {
  const pass: PassRecord = JSON.parse(text);
  return pass;
};
