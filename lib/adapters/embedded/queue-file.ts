// The queues' messages on one SQLite file: what a restart finds again.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { DEAD_LETTER_HEAD, type DeadLetter } from '../../ports/queue.ts';
import type { Entry } from './queue-line.ts';
import { SqliteFile } from './sqlite-file.ts';

export const QUEUE_FILE = 'queue.db';

const SCHEMA_VERSION = 1;
const SCHEMA = `
  create table messages (sequence integer primary key, queue text not null, message_id text not null, body text not null, group_id text,
    deduplication_id text, sent_at integer not null, receive_count integer not null, visible_at integer not null, receipt text,
    extra_deliveries integer not null);
  create table dead_letters (sequence integer primary key, queue text not null, message_id text not null, body text not null, group_id text,
    deduplication_id text, sent_at integer not null);
  create index dead_letters_by_queue on dead_letters (queue, sequence);
  create table deduplications (queue text not null, id text not null, expires_at integer not null, primary key (queue, id)) without rowid`;

type Row = ReturnType<StatementSync['all']>[number];

export class QueueFile {
  readonly #file: SqliteFile;
  readonly #statements = new Map<string, StatementSync>();

  constructor(folder: string | undefined) {
    this.#file = SqliteFile.open({ folder, file: QUEUE_FILE, schemaVersion: SCHEMA_VERSION, schema: SCHEMA });
  }

  close(): void {
    this.#file.close();
  }

  get database(): DatabaseSync {
    return this.#file.database;
  }

  get isOpen(): boolean {
    return this.#file.database.isOpen;
  }

  get rebuilt(): 'older version' | 'damaged' | undefined {
    return this.#file.rebuilt;
  }

  transaction<Value>(run: () => Value): Value {
    return this.#file.transaction(run);
  }

  lastSequence(): number {
    const row = this.#statement(
      'select max((select coalesce(max(sequence), 0) from messages), (select coalesce(max(sequence), 0) from dead_letters)) as last',
    ).get();
    return Number(row?.['last']);
  }

  /** In the order they were sent, without their bodies. */
  entries(): { queue: string; entry: Entry }[] {
    return this.#statement(
      `select queue, sequence, message_id, group_id, deduplication_id, sent_at, receive_count, visible_at, receipt, extra_deliveries
       from messages order by sequence`,
    )
      .all()
      .map((row) => ({
        queue: String(row['queue']),
        entry: {
          sequence: Number(row['sequence']),
          messageId: String(row['message_id']),
          groupId: optionalText(row, 'group_id'),
          deduplicationId: optionalText(row, 'deduplication_id'),
          sentAtMs: Number(row['sent_at']),
          receiveCount: Number(row['receive_count']),
          visibleAtMs: Number(row['visible_at']),
          receipt: optionalText(row, 'receipt'),
          extraDeliveries: Number(row['extra_deliveries']),
          state: 'visible',
        },
      }));
  }

  insert(queue: string, entry: Entry, body: string): void {
    this.#statement('insert into messages values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').run(
      entry.sequence,
      queue,
      entry.messageId,
      body,
      entry.groupId ?? null,
      entry.deduplicationId ?? null,
      entry.sentAtMs,
      entry.receiveCount,
      entry.visibleAtMs,
      entry.receipt ?? null,
      entry.extraDeliveries,
    );
  }

  update(entry: Entry): void {
    this.#statement('update messages set receive_count = ?, visible_at = ?, receipt = ?, extra_deliveries = ? where sequence = ?').run(
      entry.receiveCount,
      entry.visibleAtMs,
      entry.receipt ?? null,
      entry.extraDeliveries,
      entry.sequence,
    );
  }

  body(sequence: number): string {
    return String(this.#statement('select body from messages where sequence = ?').get(sequence)?.['body'] ?? '');
  }

  remove(sequence: number): void {
    this.#statement('delete from messages where sequence = ?').run(sequence);
  }

  afterOwner(sequence: number): void {
    this.#statement(
      `insert into dead_letters select sequence, queue, message_id, body, group_id, deduplication_id, sent_at from messages where sequence = ?`,
    ).run(sequence);
    this.remove(sequence);
  }

  /** With the heads of their bodies. */
  deadLetterHeads(queue: string, limit: number): DeadLetter[] {
    return this.#statement(
      `select message_id, substr(body, 1, ${DEAD_LETTER_HEAD}) as head, length(cast(body as blob)) as bytes, group_id, sent_at
       from dead_letters where queue = ? order by sequence limit ?`,
    )
      .all(queue, limit)
      .map((row) => {
        const groupId = optionalText(row, 'group_id');
        return {
          messageId: String(row['message_id']),
          body: String(row['head']),
          bytes: Number(row['bytes']),
          ...(groupId === undefined ? {} : { groupId }),
          sentAtMs: Number(row['sent_at']),
        };
      });
  }

  /** Whole, to be sent again. */
  deadLetters(queue: string, limit: number): (Omit<DeadLetter, 'bytes'> & { sequence: number; deduplicationId: string | undefined })[] {
    return this.#statement('select * from dead_letters where queue = ? order by sequence limit ?')
      .all(queue, limit)
      .map((row) => {
        const groupId = optionalText(row, 'group_id');
        return {
          sequence: Number(row['sequence']),
          messageId: String(row['message_id']),
          body: String(row['body']),
          ...(groupId === undefined ? {} : { groupId }),
          deduplicationId: optionalText(row, 'deduplication_id'),
          sentAtMs: Number(row['sent_at']),
        };
      });
  }

  deadCount(queue: string): number {
    return Number(this.#statement('select count(*) as dead from dead_letters where queue = ?').get(queue)?.['dead']);
  }

  removeDead(sequence: number): void {
    this.#statement('delete from dead_letters where sequence = ?').run(sequence);
  }

  deduplications(): { queue: string; id: string; expiresAtMs: number }[] {
    return this.#statement('select queue, id, expires_at from deduplications')
      .all()
      .map((row) => ({ queue: String(row['queue']), id: String(row['id']), expiresAtMs: Number(row['expires_at']) }));
  }

  rememberDeduplication(queue: string, id: string, expiresAtMs: number): void {
    this.#statement('insert or replace into deduplications values (?, ?, ?)').run(queue, id, expiresAtMs);
  }

  forgetDeduplications(beforeMs: number): void {
    this.#statement('delete from deduplications where expires_at <= ?').run(beforeMs);
  }

  wipe(): void {
    this.#file.transaction(() => this.#file.database.exec('delete from messages; delete from dead_letters; delete from deduplications'));
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#file.database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

const optionalText = (row: Row, column: string): string | undefined => {
  const value = row[column];
  return typeof value === 'string' ? value : undefined;
};
