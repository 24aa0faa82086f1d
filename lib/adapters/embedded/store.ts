// View and heads on one SQLite file, for local mode, tests and the simulator. Removing the file loses nothing that a relist does not heal (R1).
import { backup, type DatabaseSync, type StatementSync } from 'node:sqlite';
import { formatKey, parseKey, type WorkloadKey } from '../../objects/workload.ts';
import type { Clock } from '../../ports/clock.ts';
import { namesWithin } from '../../ports/head-items.ts';
import type { SummaryChange, SummaryEntry, SummaryPage } from '../../ports/summaries.ts';
import { StaleWriteError, type Head, type HeadChange, type Note, type Store, type UpdatedHead, type ViewItem } from '../../ports/store.ts';
import { SystemClock } from '../clock/system-clock.ts';
import {
  answerItem,
  answerKey,
  answerKeptUntilMs,
  applyChange,
  headItem,
  INDEX_SHARDS,
  isIndexedWake,
  noteItem,
  viewItem,
  type Item,
} from '../dynamodb/table-items.ts';
import { indexUnitsOf, itemSizeBytes, readUnitsOf, WriteMeter, writeUnitsOf, type Units } from '../dynamodb/write-units.ts';
import {
  SUMMARIES_PAGE_BYTES,
  summaryEntryOf,
  summaryItem,
  summaryKeptUntilMs,
  summarySortKey,
  summarySortKeyFrom,
} from '../dynamodb/summary-items.ts';
import { SqliteFile } from './sqlite-file.ts';
import {
  columnsOf,
  headOfRow,
  INSERT_HEAD,
  noteOfRow,
  UPDATE_HEAD,
  viewItemOfRow,
  type Row,
  type SqliteValue,
  type StoredHead,
} from './store-rows.ts';

export const STORE_FILE = 'store.db';

const SCHEMA_VERSION = 3;
const SCHEMA = `
  create table heads (pk text primary key, cluster text not null, revision integer not null, era integer not null, born_at integer not null,
    items text not null, floor text not null, fence text not null, opened_at integer not null, queued text, pending_since integer,
    wake_at integer, wake_attempt integer, wake_indexed_at integer, state text not null, view blob, view_version integer not null);
  create index heads_by_cluster on heads (cluster, pk);
  create index heads_pending on heads (pending_since) where pending_since is not null;
  create index heads_due on heads (wake_indexed_at) where wake_indexed_at is not null;
  create table items (pk text not null, name text not null, version integer not null, bytes blob not null, primary key (pk, name));
  create table notes (cluster text not null, name text not null, version integer not null, body text not null, primary key (cluster, name));
  create table answers (cluster text not null, id text not null, part integer not null, bytes blob not null, kept_until integer not null,
    primary key (cluster, id, part));
  create index answers_kept on answers (kept_until);
  create table summaries (cluster text not null, sk text not null, body text not null, kept_until integer not null,
    primary key (cluster, sk)) without rowid;
  create index summaries_kept on summaries (kept_until)`;

/** A Query answers so much at once. */
const PAGE_BYTES = 1024 * 1024;
const DELETES_PER_REQUEST = 25;

export class EmbeddedStore implements Store {
  /** Cost of the same requests on DynamoDB, where the store is metered. */
  readonly meter = new WriteMeter();
  readonly #isMetered: boolean;
  readonly #file: SqliteFile;
  readonly #clock: Clock;
  readonly #statements = new Map<string, StatementSync>();

  private constructor(file: SqliteFile, clock: Clock, isMetered: boolean) {
    this.#file = file;
    this.#clock = clock;
    this.#isMetered = isMetered;
  }

  /**
   * @param options.folder the state folder; in memory when absent
   * @param options.isMetered whether its meter counts, which takes about as long as the requests themselves; default true
   * @throws one sentence for a file of a newer version or one that cannot be opened; FullDiskError
   */
  static open({
    folder,
    clock = new SystemClock(),
    isMetered = true,
  }: { folder?: string; clock?: Clock; isMetered?: boolean } = {}): EmbeddedStore {
    return new EmbeddedStore(
      SqliteFile.open({ folder, file: STORE_FILE, schemaVersion: SCHEMA_VERSION, schema: SCHEMA }),
      clock,
      isMetered,
    );
  }

  close(): void {
    this.#file.close();
  }

  /** Why the store began anew although there was a file; undefined when it did not. */
  get rebuilt(): 'older version' | 'damaged' | undefined {
    return this.#file.rebuilt;
  }

  get database(): DatabaseSync {
    return this.#file.database;
  }

  /** Rows that this process has changed. */
  get changes(): number {
    return Number(this.#statement('select total_changes() as changes').get()?.['changes'] ?? 0);
  }

  /** Drops everything, as R1 allows at any moment. */
  wipe(): void {
    this.#file.transaction(() =>
      this.database.exec('delete from heads; delete from items; delete from notes; delete from answers; delete from summaries'),
    );
  }

  /** A consistent copy of the live file. */
  async backupTo(path: string): Promise<void> {
    await backup(this.database, path);
  }

  async readHead(key: WorkloadKey): Promise<Head | undefined> {
    const stored = this.#head(key);
    this.#spent('readHead', () => ({ readUnits: readUnitsOf(stored ? itemSizeBytes(this.#item(stored)) : 0) }));
    return stored?.head;
  }

  async readHeads(keys: readonly WorkloadKey[]): Promise<(Head | undefined)[]> {
    if (keys.length > 100) throw new RangeError(`at most 100 heads are read at once, asked for ${keys.length}`);
    const stored = new Map(keys.map((key) => [formatKey(key), this.#head(key)]));
    if (keys.length > 0)
      this.#spent('readHeads', () => ({
        readUnits: [...stored.values()].reduce((sum, head) => sum + readUnitsOf(head ? itemSizeBytes(this.#item(head)) : 0), 0),
      }));
    return keys.map((key) => stored.get(formatKey(key))?.head);
  }

  async read(key: WorkloadKey): Promise<{ head: Head | undefined; items: ViewItem[] }> {
    const stored = this.#head(key);
    const items = this.#all('select name, version, bytes from items where pk = ? order by name', formatKey(key))
      .map(viewItemOfRow)
      .filter((item) => item !== undefined);
    this.#spent('read', () => {
      let bytes = stored ? itemSizeBytes(this.#item(stored)) : 0;
      for (const item of items) bytes += itemSizeBytes(viewItem(key, item, this.#clock.nowMs()));
      return { readUnits: readUnitsOf(bytes), requests: Math.max(1, Math.ceil(bytes / PAGE_BYTES)) };
    });
    return { head: stored?.head, items };
  }

  async readItems(key: WorkloadKey, names: readonly string[]): Promise<ViewItem[]> {
    if (names.length > 100) throw new RangeError(`at most 100 view items are read at once, asked for ${names.length}`);
    const asked = new Set(names);
    const items: ViewItem[] = [];
    for (const name of asked) {
      const item = this.#viewItem(key, name);
      if (item) items.push(item);
    }
    if (names.length > 0)
      this.#spent('readItems', () => ({
        readUnits: items.reduce(
          (sum, item) => sum + readUnitsOf(itemSizeBytes(viewItem(key, item, this.#clock.nowMs()))),
          (asked.size - items.length) * readUnitsOf(0),
        ),
      }));
    return items;
  }

  async createHead(head: Head): Promise<Head> {
    const fresh = applyChange(head, { addItems: [] });
    const isIndexed = isIndexedWake(fresh.wake, this.#clock.nowMs());
    const item = this.#item({ head: fresh, isIndexed });
    const pk = formatKey(head.key);
    const { changes } = this.#insert({
      insert: () => this.#run(INSERT_HEAD, pk, head.key.cluster, ...columnsOf(fresh, isIndexed)),
      isThere: () => this.#head(head.key) !== undefined,
      remove: () => this.#run('delete from heads where pk = ?', pk),
    });
    if (changes > 0) {
      this.#spent('createHead', () => ({ writeUnits: writeUnitsOf(item), indexUnits: indexUnitsOf(undefined, item) }));
      return fresh;
    }
    const there = this.#head(head.key);
    if (!there) throw new Error(`the head of ${formatKey(head.key)} was there and is not: read it again`);
    this.#spent('createHead', () => ({ writeUnits: writeUnitsOf(this.#item(there)) }));
    return there.head;
  }

  async updateHead(key: WorkloadKey, conditions: { ifFence?: string; ifViewVersion?: number }, change: HeadChange): Promise<UpdatedHead> {
    for (;;) {
      const stored = this.#head(key);
      if (
        !stored ||
        (conditions.ifFence !== undefined && stored.head.fence !== conditions.ifFence) ||
        (conditions.ifViewVersion !== undefined && stored.head.viewVersion !== conditions.ifViewVersion)
      ) {
        this.#spent('updateHead', () => ({ writeUnits: writeUnitsOf(stored && this.#item(stored)) }));
        throw new StaleWriteError<Head>(staleHead(key, stored?.head), stored?.head);
      }
      const changed = applyChange(stored.head, change);
      // A wake that is not written stays in the index, or out of it, as it was.
      const isIndexed = change.wake === undefined ? stored.isIndexed : isIndexedWake(change.wake, this.#clock.nowMs());
      const after = this.#item({ head: changed, isIndexed });
      const { changes } = this.#run(UPDATE_HEAD, ...columnsOf(changed, isIndexed), formatKey(key), stored.revision);
      if (changes === 0) continue; // Another process with the same file was between: look again.
      this.#spent('updateHead', () => {
        const before = this.#item(stored);
        return { writeUnits: writeUnitsOf(before, after), indexUnits: indexUnitsOf(before, after) };
      });
      const { wake: replacedWake } = stored.head;
      return change.wake !== undefined && replacedWake ? { ...changed, replacedWake } : changed;
    }
  }

  async putItem(key: WorkloadKey, { name, bytes }: { name: string; bytes: Uint8Array }, expectedVersion: number): Promise<number> {
    const nowMs = this.#clock.nowMs();
    const item = viewItem(key, { name, version: expectedVersion + 1, bytes }, nowMs);
    const old = this.#viewItem(key, name);
    const { changes } =
      expectedVersion === 0
        ? this.#insert({
            insert: () =>
              this.#run(
                'insert into items (pk, name, version, bytes) values (?, ?, 1, ?) on conflict do nothing',
                formatKey(key),
                name,
                bytes,
              ),
            isThere: () => this.#viewItem(key, name) !== undefined,
            remove: () => this.#run('delete from items where pk = ? and name = ?', formatKey(key), name),
          })
        : this.#run(
            'update items set version = version + 1, bytes = ? where pk = ? and name = ? and version = ?',
            bytes,
            formatKey(key),
            name,
            expectedVersion,
          );
    this.#spent('putItem', () => {
      const oldItem = old && viewItem(key, old, nowMs);
      return { writeUnits: changes > 0 ? writeUnitsOf(oldItem, item) : writeUnitsOf(oldItem) };
    });
    if (changes > 0) return expectedVersion + 1;
    throw new StaleWriteError<ViewItem>(
      `view item ${name} of ${formatKey(key)}: expected version ${expectedVersion}, found ${old?.version ?? 'none'}`,
      old,
    );
  }

  async forget(key: WorkloadKey, ifFence: string): Promise<void> {
    const stored = this.#head(key);
    if (!stored || stored.head.fence !== ifFence || stored.head.queued === ifFence) {
      this.#spent('forget', () => ({ writeUnits: writeUnitsOf(stored && this.#item(stored)) }));
      if (!stored) return;
      throw new StaleWriteError<Head>(staleHead(key, stored.head), stored.head);
    }
    const items = this.#all('select name, version, bytes from items where pk = ?', formatKey(key)).map(viewItemOfRow);
    this.#file.transaction(() => {
      this.#run('delete from heads where pk = ?', formatKey(key));
      this.#run('delete from items where pk = ?', formatKey(key));
    });
    this.#spent('forget', () => {
      const nowMs = this.#clock.nowMs();
      const before = this.#item(stored);
      return {
        writeUnits: items.reduce((sum, item) => sum + writeUnitsOf(item && viewItem(key, item, nowMs)), writeUnitsOf(before)),
        indexUnits: indexUnitsOf(before, undefined),
        requests: 1 + Math.ceil(stored.head.items.flatMap(namesWithin).length / DELETES_PER_REQUEST),
      };
    });
  }

  async pendingBefore(timeMs: number, limit: number): Promise<WorkloadKey[]> {
    this.#spent('pendingBefore', () => ({ readUnits: INDEX_SHARDS / 2, requests: INDEX_SHARDS }));
    return keysOf(this.#all('select pk from heads where pending_since < ? order by pending_since limit ?', timeMs, limit));
  }

  async dueBefore(timeMs: number, limit: number): Promise<WorkloadKey[]> {
    this.#spent('dueBefore', () => ({ readUnits: INDEX_SHARDS / 2, requests: INDEX_SHARDS }));
    return keysOf(this.#all('select pk from heads where wake_indexed_at < ? order by wake_indexed_at limit ?', timeMs, limit));
  }

  async workloads(cluster: string, { limit, after }: { limit: number; after?: string }): Promise<{ keys: WorkloadKey[]; next?: string }> {
    const rows = this.#all('select pk from heads where cluster = ? and pk > ? order by pk limit ?', cluster, after ?? '', limit + 1);
    this.#spent('workloads', () => ({ readUnits: 0.5 }));
    const keys = keysOf(rows.slice(0, limit));
    const last = keys.at(-1);
    return rows.length > limit && last ? { keys, next: formatKey(last) } : { keys };
  }

  async readNote(cluster: string, name: string): Promise<Note | undefined> {
    const note = this.#note(cluster, name);
    this.#spent('readNote', () => ({ readUnits: readUnitsOf(note ? itemSizeBytes(noteItem(cluster, name, note)) : 0) }));
    return note;
  }

  async readNotes(cluster: string, names: readonly string[]): Promise<(Note | undefined)[]> {
    const notes = names.map((name) => ({ name, note: this.#note(cluster, name) }));
    this.#spent('readNotes', () => ({
      readUnits: notes.reduce((sum, { name, note }) => sum + readUnitsOf(note ? itemSizeBytes(noteItem(cluster, name, note)) : 0), 0),
    }));
    return notes.map(({ note }) => note);
  }

  async putNote(cluster: string, name: string, body: string, expectedVersion: number): Promise<number> {
    const old = this.#note(cluster, name);
    const { changes } =
      expectedVersion === 0
        ? this.#insert({
            insert: () =>
              this.#run('insert into notes (cluster, name, version, body) values (?, ?, 1, ?) on conflict do nothing', cluster, name, body),
            isThere: () => this.#note(cluster, name) !== undefined,
            remove: () => this.#run('delete from notes where cluster = ? and name = ?', cluster, name),
          })
        : this.#run(
            'update notes set version = version + 1, body = ? where cluster = ? and name = ? and version = ?',
            body,
            cluster,
            name,
            expectedVersion,
          );
    this.#spent('putNote', () => {
      const oldItem = old && noteItem(cluster, name, old);
      const item = noteItem(cluster, name, { version: expectedVersion + 1, body });
      return { writeUnits: changes > 0 ? writeUnitsOf(oldItem, item) : writeUnitsOf(oldItem) };
    });
    if (changes > 0) return expectedVersion + 1;
    throw new StaleWriteError<Note>(
      `note ${name} of ${cluster}: expected version ${expectedVersion}, found ${old?.version ?? 'none'}`,
      old,
    );
  }

  async putAnswer(cluster: string, id: string, part: number, bytes: Uint8Array): Promise<void> {
    const nowMs = this.#clock.nowMs();
    const item = answerItem(answerKey(cluster, id, part), bytes, nowMs);
    this.#file.transaction(() => {
      this.#run('delete from answers where kept_until < ?', nowMs);
      this.#run(
        'insert or replace into answers (cluster, id, part, bytes, kept_until) values (?, ?, ?, ?, ?)',
        cluster,
        id,
        part,
        bytes,
        answerKeptUntilMs(nowMs),
      );
    });
    this.#spent('putAnswer', () => ({ writeUnits: writeUnitsOf(item) }));
  }

  async readAnswer(cluster: string, id: string, part: number): Promise<Uint8Array | undefined> {
    const row = this.#statement('select bytes from answers where cluster = ? and id = ? and part = ?').get(cluster, id, part);
    const bytes = row?.['bytes'] instanceof Uint8Array ? row['bytes'] : undefined;
    this.#spent('readAnswer', () => ({ readUnits: readUnitsOf(bytes?.byteLength ?? 0) }));
    return bytes;
  }

  async putSummary(change: SummaryChange): Promise<void> {
    const nowMs = this.#clock.nowMs();
    const item = summaryItem(change, nowMs);
    const { cluster } = change.key;
    this.#file.transaction(() => {
      this.#run('delete from summaries where kept_until < ?', nowMs);
      if (change.replacesAtMs !== undefined)
        this.#run('delete from summaries where cluster = ? and sk = ?', cluster, summarySortKey(change.replacesAtMs, change.key));
      this.#run(
        'insert or replace into summaries (cluster, sk, body, kept_until) values (?, ?, ?, ?)',
        cluster,
        summarySortKey(change.atMs, change.key),
        change.body,
        summaryKeptUntilMs(change, nowMs),
      );
    });
    this.#spent('putSummary', () => ({ writeUnits: writeUnitsOf(item) * (change.replacesAtMs === undefined ? 1 : 2) }));
  }

  async summaries(cluster: string, { fromMs, after }: SummaryPage): Promise<{ entries: SummaryEntry[]; next?: string }> {
    const from = summarySortKeyFrom(fromMs);
    const start = after !== undefined && after > from ? after : from;
    const entries: SummaryEntry[] = [];
    let bytes = 0;
    let last: string | undefined;
    const rows = this.#statement('select sk, body from summaries where cluster = ? and sk > ? order by sk').iterate(cluster, start);
    for (const row of rows) {
      const [sk, body] = [String(row['sk']), String(row['body'])];
      bytes += sk.length + body.length;
      last = sk;
      const entry = summaryEntryOf(cluster, sk, body);
      if (entry) entries.push(entry);
      if (bytes >= SUMMARIES_PAGE_BYTES) break;
    }
    this.#spent('summaries', () => ({ readUnits: readUnitsOf(bytes) }));
    return bytes >= SUMMARIES_PAGE_BYTES && last !== undefined ? { entries, next: last } : { entries };
  }

  /** @param cost asked for only where it is counted */
  #spent(operation: string, cost: () => Partial<Units>): void {
    if (this.#isMetered) this.meter.add(operation, cost());
  }

  #item({ head, isIndexed }: Pick<StoredHead, 'head' | 'isIndexed'>): Item {
    return headItem(head, this.#clock.nowMs(), isIndexed);
  }

  #head(key: WorkloadKey): StoredHead | undefined {
    const row = this.#statement('select * from heads where pk = ?').get(formatKey(key));
    return row && headOfRow(key, row);
  }

  #viewItem(key: WorkloadKey, name: string): ViewItem | undefined {
    const row = this.#statement('select name, version, bytes from items where pk = ? and name = ?').get(formatKey(key), name);
    return row && viewItemOfRow(row);
  }

  #note(cluster: string, name: string): Note | undefined {
    const row = this.#statement('select version, body from notes where cluster = ? and name = ?').get(cluster, name);
    return row && noteOfRow(row);
  }

  /** A row that is there and cannot be read counts as missing: it makes room (R1). */
  #insert(row: { insert: () => { changes: number }; isThere: () => boolean; remove: () => void }): { changes: number } {
    const inserted = row.insert();
    if (inserted.changes > 0 || row.isThere()) return inserted;
    return this.#file.transaction(() => {
      if (!row.isThere()) row.remove();
      return row.insert();
    });
  }

  #all(sql: string, ...values: SqliteValue[]): Row[] {
    return this.#statement(sql).all(...values);
  }

  #run(sql: string, ...values: SqliteValue[]): { changes: number } {
    return this.#file.guard(() => ({ changes: Number(this.#statement(sql).run(...values).changes) }));
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.database.prepare(sql);
    statement.setReadBigInts(true);
    this.#statements.set(sql, statement);
    return statement;
  }
}

const keysOf = (rows: Row[]): WorkloadKey[] =>
  rows.map((row) => parseKey(String(row['pk']))).filter((key): key is WorkloadKey => key !== undefined);

const staleHead = (key: WorkloadKey, head: Head | undefined): string =>
  head ? `the head of ${formatKey(key)} is not as it was read` : `there is no head of ${formatKey(key)}`;
