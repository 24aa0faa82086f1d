// The embedded store's rows: heads, view items and notes as columns, and back. What no version of it wrote counts as missing (R1).
import type { StatementSync } from 'node:sqlite';
import type { WorkloadKey } from '../../objects/workload.ts';
import type { Head, Note, ViewItem } from '../../ports/store.ts';
import { readableHead, readableNote, readableViewItem } from '../dynamodb/stored-shapes.ts';

export type SqliteValue = string | number | null | Uint8Array;
/** Integers are read as bigint: one that is damaged may be larger than a number holds. */
export type Row = ReturnType<StatementSync['all']>[number];

export interface StoredHead {
  head: Head;
  revision: number;
  /** Whether its wake is in the index. */
  isIndexed: boolean;
}

const COLUMNS = [
  'era',
  'born_at',
  'items',
  'floor',
  'fence',
  'opened_at',
  'queued',
  'pending_since',
  'wake_at',
  'wake_attempt',
  'wake_indexed_at',
  'state',
  'view',
  'view_version',
];

export const INSERT_HEAD = `insert into heads (pk, cluster, revision, ${COLUMNS.join(', ')}) values (?, ?, 1${', ?'.repeat(COLUMNS.length)}) on conflict do nothing`;
export const UPDATE_HEAD = `update heads set revision = revision + 1, ${COLUMNS.map((column) => `${column} = ?`).join(', ')} where pk = ? and revision = ?`;

/** The head's values in the order of both statements. */
export const columnsOf = (head: Head, isIndexed: boolean): SqliteValue[] => [
  head.era,
  head.bornAtMs,
  head.items.map(({ name }) => name).join('\n'),
  head.floor,
  head.fence,
  head.openedAtMs,
  head.queued ?? null,
  head.pendingSinceMs ?? null,
  head.wake?.dueAtMs ?? null,
  head.wake?.attempt ?? null,
  isIndexed ? (head.wake?.dueAtMs ?? null) : null,
  head.state,
  head.view ?? null,
  head.viewVersion,
];

/** @returns undefined for what cannot be read */
export function headOfRow(key: WorkloadKey, row: Row): StoredHead | undefined {
  const [revision, indexedAtMs, dueAtMs] = ['revision', 'wake_indexed_at', 'wake_at'].map((column) => valueOf(row, column));
  const items = valueOf(row, 'items');
  const head = readableHead(
    { ...key },
    {
      era: valueOf(row, 'era'),
      bornAtMs: valueOf(row, 'born_at'),
      items: typeof items === 'string' ? (items === '' ? [] : items.split('\n')) : undefined,
      floor: valueOf(row, 'floor'),
      fence: valueOf(row, 'fence'),
      openedAtMs: valueOf(row, 'opened_at'),
      queued: valueOf(row, 'queued'),
      pendingSinceMs: valueOf(row, 'pending_since'),
      wake: dueAtMs === undefined ? undefined : { dueAtMs, attempt: valueOf(row, 'wake_attempt') },
      state: valueOf(row, 'state'),
      view: valueOf(row, 'view'),
      viewVersion: valueOf(row, 'view_version'),
    },
  );
  if (!head || !Number.isSafeInteger(revision) || !(indexedAtMs === undefined || typeof indexedAtMs === 'number')) return undefined;
  return { head, revision: Number(revision), isIndexed: indexedAtMs !== undefined };
}

/** @returns undefined for what cannot be read */
export const viewItemOfRow = (row: Row): ViewItem | undefined =>
  readableViewItem(String(row['name']), { version: valueOf(row, 'version'), bytes: valueOf(row, 'bytes') });

/** @returns undefined for what cannot be read */
export const noteOfRow = (row: Row): Note | undefined => readableNote({ version: valueOf(row, 'version'), body: valueOf(row, 'body') });

const valueOf = (row: Row, column: string): unknown => {
  const value = row[column];
  return typeof value === 'bigint' ? Number(value) : (value ?? undefined);
};
