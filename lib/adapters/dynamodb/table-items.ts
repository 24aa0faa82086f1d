// The table's items: heads, view items and notes as DynamoDB attributes, and back. The embedded store counts by the same items,
// so both report the same write units. docs/decisions/0002-table.md says what each attribute means and who writes it.
import { createHash } from 'node:crypto';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { formatKey, parseKey, type WorkloadKey } from '../../objects/workload.ts';
import { TerminalError } from '../../ports/errors.ts';
import { changedItems } from '../../ports/head-items.ts';
import type { Head, HeadChange, Note, ViewItem } from '../../ports/store.ts';
import { readableHead, readableNote, readableViewItem } from './stored-shapes.ts';
import { itemSizeBytes } from './write-units.ts';

export type Item = Record<string, AttributeValue>;

/** Indexes on time are spread over so many partitions, for one takes 1,000 write units a second and each pass writes twice. */
export const INDEX_SHARDS = 8;

/** Delays up to here travel as messages; what is due later is indexed (R11). */
const LONGEST_MESSAGE_DELAY_MS = 15 * 60_000;

/** Long after anything refers to an item: only what a crash or a removed cluster left behind ever gets that old. */
const KEEP_MS = 180 * 24 * 3_600_000;

const VIEW_ITEM_BYTES_MAX = 300 * 1024;
const ITEM_BYTES_MAX = 400 * 1024;

export const HEAD = 'head';
export const viewItemSortKey = (name: string): string => `item#${name}`;
export const noteSortKey = (name: string): string => `note#${name}`;

export const text = (value: string): AttributeValue => ({ S: value });
export const number = (value: number): AttributeValue => ({ N: String(value) });

/** Partitions asked about lately: the same workload is written many times in a row. */
const knownShards = new Map<string, string>();
const MOST_KNOWN_SHARDS = 1_000;

/** Which of the indexes' partitions a workload lies in; always the same one. */
export function shardOf(partition: string): string {
  const known = knownShards.get(partition);
  if (known !== undefined) return known;
  const shard = String((createHash('sha256').update(partition).digest()[0] ?? 0) % INDEX_SHARDS);
  if (knownShards.size >= MOST_KNOWN_SHARDS) knownShards.clear();
  knownShards.set(partition, shard);
  return shard;
}

/** The sort-key part of the index of wakes, present only where a message could not wait that long. */
export const isIndexedWake = (wake: { dueAtMs: number } | null | undefined, nowMs: number): boolean =>
  wake !== undefined && wake !== null && wake.dueAtMs - nowMs > LONGEST_MESSAGE_DELAY_MS;

/** Unix seconds. A workload whose wake lies far ahead stays until long after it. */
const expiryOf = (nowMs: number, dueAtMs = 0): number => Math.floor((Math.max(nowMs, dueAtMs) + KEEP_MS) / 1000);

/**
 * @param isIndexed whether the wake is in the index; decided when it is written, and not again while it stands
 * @throws TerminalError larger than an item may be
 */
export function headItem(head: Head, nowMs: number, isIndexed = isIndexedWake(head.wake, nowMs)): Item {
  const partition = formatKey(head.key);
  const item: Item = {
    pk: text(partition),
    sk: text(HEAD),
    c: text(head.key.cluster),
    h: text(shardOf(partition)),
    e: number(head.era),
    b: number(head.bornAtMs),
    n: { M: Object.fromEntries(head.items.map(({ name }) => [name, { BOOL: true }])) },
    f: text(head.floor),
    k: text(head.fence),
    o: number(head.openedAtMs),
    s: text(head.state),
    u: number(head.viewVersion),
    x: number(expiryOf(nowMs, head.wake?.dueAtMs)),
    ...(head.queued === undefined ? {} : { q: text(head.queued) }),
    ...(head.pendingSinceMs === undefined ? {} : { p: number(head.pendingSinceMs) }),
    ...(head.wake ? { [isIndexed ? 'd' : 'w']: number(head.wake.dueAtMs), a: number(head.wake.attempt) } : {}),
    ...(head.view ? { v: { B: head.view } } : {}),
  };
  if (itemSizeBytes(item) > ITEM_BYTES_MAX)
    throw new TerminalError(`the head of ${partition} takes ${itemSizeBytes(item)} bytes, an item holds at most ${ITEM_BYTES_MAX}`);
  return item;
}

/** @returns undefined for what no version of this table wrote: it counts as missing (R1) */
export function headOf(item: Item): Head | undefined {
  const key = parseKey(String(valueOf(item, 'pk')));
  // Without these no index has it.
  if (!key || typeof valueOf(item, 'c') !== 'string' || typeof valueOf(item, 'h') !== 'string') return undefined;
  const due = ['d', 'w'].find((attribute) => item[attribute] !== undefined);
  return readableHead(key, {
    era: valueOf(item, 'e'),
    bornAtMs: valueOf(item, 'b'),
    items: item['n']?.M && Object.keys(item['n'].M).toSorted(),
    floor: valueOf(item, 'f'),
    fence: valueOf(item, 'k'),
    openedAtMs: valueOf(item, 'o'),
    queued: valueOf(item, 'q'),
    pendingSinceMs: valueOf(item, 'p'),
    wake: due && { dueAtMs: valueOf(item, due), attempt: valueOf(item, 'a') },
    state: valueOf(item, 's'),
    view: valueOf(item, 'v'),
    viewVersion: valueOf(item, 'u'),
  });
}

/** The head as it stands after the change; the one given stays as it is. */
export function applyChange(head: Head, change: HeadChange): Head {
  const changed: Head = {
    ...head,
    era: change.era ?? head.era,
    floor: change.floor ?? head.floor,
    fence: change.fence ?? head.fence,
    openedAtMs: change.openedAtMs ?? head.openedAtMs,
    state: change.state ?? head.state,
    items: change.addItems || change.removeItems ? changedItems(head.items, change) : head.items,
    viewVersion: change.view === undefined ? head.viewVersion : head.viewVersion + 1,
  };
  if (change.queued === null) delete changed.queued;
  else if (change.queued !== undefined) changed.queued = change.queued;
  if (change.pendingSinceMs === null) delete changed.pendingSinceMs;
  else if (change.pendingSinceMs !== undefined) changed.pendingSinceMs = change.pendingSinceMs;
  if (change.wake === null) delete changed.wake;
  else if (change.wake !== undefined) changed.wake = change.wake;
  if (change.view === null) delete changed.view;
  else if (change.view !== undefined) changed.view = change.view;
  return changed;
}

export interface UpdateExpression {
  UpdateExpression: string;
  ConditionExpression: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues: Item;
}

/** A change as one conditional UpdateItem, doing what applyChange does. */
export function updateExpressionOf(
  conditions: { ifFence?: string; ifViewVersion?: number },
  change: HeadChange,
  nowMs: number,
): UpdateExpression {
  const sets: string[] = [];
  const removes: string[] = [];
  const names: Record<string, string> = {};
  const values: Item = {};
  const set = (attribute: string, value: AttributeValue): void => {
    sets.push(`${attribute} = :${attribute}`);
    values[`:${attribute}`] = value;
  };
  const setOrRemove = (attribute: string, value: AttributeValue | null | undefined): void => {
    if (value === null) removes.push(attribute);
    else if (value !== undefined) set(attribute, value);
  };

  set('x', number(expiryOf(nowMs, change.wake?.dueAtMs)));
  if (change.era !== undefined) set('e', number(change.era));
  if (change.floor !== undefined) set('f', text(change.floor));
  if (change.fence !== undefined) set('k', text(change.fence));
  if (change.openedAtMs !== undefined) set('o', number(change.openedAtMs));
  if (change.state !== undefined) set('s', text(change.state));
  setOrRemove('q', typeof change.queued === 'string' ? text(change.queued) : change.queued);
  setOrRemove('p', typeof change.pendingSinceMs === 'number' ? number(change.pendingSinceMs) : change.pendingSinceMs);
  setOrRemove('v', change.view instanceof Uint8Array ? { B: change.view } : change.view);
  if (change.view !== undefined) {
    sets.push('u = u + :one');
    values[':one'] = number(1);
  }
  if (change.wake === null) removes.push('d', 'w', 'a');
  else if (change.wake) {
    const attribute = isIndexedWake(change.wake, nowMs) ? 'd' : 'w';
    set(attribute, number(change.wake.dueAtMs));
    set('a', number(change.wake.attempt));
    removes.push(attribute === 'd' ? 'w' : 'd');
  }
  const removed = new Set(change.removeItems?.map(({ name }) => name));
  for (const [index, name] of [...removed].entries()) {
    names[`#r${index}`] = name;
    removes.push(`n.#r${index}`);
  }
  const added = new Set(change.addItems?.map(({ name }) => name).filter((name) => !removed.has(name)));
  if (added.size > 0) values[':yes'] = { BOOL: true };
  for (const [index, name] of [...added].entries()) {
    names[`#a${index}`] = name;
    sets.push(`n.#a${index} = :yes`);
  }

  const required = ['attribute_exists(pk)'];
  // The stored value may be damaged: the condition must fail then, not the expression be refused.
  const mustBe = (attribute: string, type: 'N' | 'M'): void => {
    required.push(`attribute_type(${attribute}, :type${type})`);
    values[`:type${type}`] = text(type);
  };
  if (change.view !== undefined) mustBe('u', 'N');
  if (removed.size > 0 || added.size > 0) mustBe('n', 'M');
  if (conditions.ifFence !== undefined) {
    required.push('k = :ifFence');
    values[':ifFence'] = text(conditions.ifFence);
  }
  if (conditions.ifViewVersion !== undefined) {
    required.push('u = :ifViewVersion');
    values[':ifViewVersion'] = number(conditions.ifViewVersion);
  }
  return {
    UpdateExpression: `set ${sets.join(', ')}${removes.length > 0 ? ` remove ${removes.join(', ')}` : ''}`,
    ConditionExpression: required.join(' and '),
    ...(Object.keys(names).length > 0 ? { ExpressionAttributeNames: names } : {}),
    ExpressionAttributeValues: values,
  };
}

/** @throws TerminalError larger than a view item may be */
export function viewItem(key: WorkloadKey, { name, version, bytes }: ViewItem, nowMs: number): Item {
  if (bytes.byteLength > VIEW_ITEM_BYTES_MAX)
    throw new TerminalError(
      `the view item ${name} of ${formatKey(key)} takes ${bytes.byteLength} bytes, it holds at most ${VIEW_ITEM_BYTES_MAX}`,
    );
  return {
    pk: text(formatKey(key)),
    sk: text(viewItemSortKey(name)),
    u: number(version),
    v: { B: bytes },
    x: number(expiryOf(nowMs)),
  };
}

/** @returns undefined for what no version of this table wrote: it counts as missing (R1) */
export const viewItemOf = (item: Item): ViewItem | undefined =>
  readableViewItem(String(valueOf(item, 'sk')).slice(viewItemSortKey('').length), {
    version: valueOf(item, 'u'),
    bytes: valueOf(item, 'v'),
  });

/** A cluster's partition: its name, which no workload's key can be. */
export const noteItem = (cluster: string, name: string, { version, body }: Note): Item => ({
  pk: text(cluster),
  sk: text(noteSortKey(name)),
  u: number(version),
  s: text(body),
});

/** @returns undefined for what no version of this table wrote: it counts as missing (R1) */
export const noteOf = (item: Item): Note | undefined => readableNote({ version: valueOf(item, 'u'), body: valueOf(item, 's') });

/** The pass that waits for an answer reads it within seconds. */
const KEEP_ANSWERS_MS = 3_600_000;

/** Answers to one message of commands are a partition; three parts are no workload's key. */
export const answerKey = (cluster: string, id: string, part: number): Item => ({
  pk: text(`${cluster}/answer/${id}`),
  sk: text(`part#${part}`),
});

/** @throws TerminalError larger than a part may be */
export function answerItem(key: Item, bytes: Uint8Array, nowMs: number): Item {
  if (bytes.byteLength > VIEW_ITEM_BYTES_MAX)
    throw new TerminalError(`a part of an answer takes ${bytes.byteLength} bytes, it holds at most ${VIEW_ITEM_BYTES_MAX}`);
  return { ...key, v: { B: bytes }, x: number(Math.floor(answerKeptUntilMs(nowMs) / 1000)) };
}

/** Until when a part of an answer stays, by either store. */
export const answerKeptUntilMs = (nowMs: number): number => nowMs + KEEP_ANSWERS_MS;

/** All that is read of an item; what else stands there makes none readable. */
const READ_ATTRIBUTES = ['c', 'h', 'e', 'b', 'n', 'f', 'k', 'o', 'q', 'p', 'd', 'w', 'a', 's', 'v', 'u'];

/** The condition that nothing of an item has changed since it was read: one that cannot be read has no fence and no version to go by. */
export function isAsRead(item: Item): { ConditionExpression: string; ExpressionAttributeValues?: Item } {
  const values: Item = {};
  const same = READ_ATTRIBUTES.map((attribute) => {
    const value = item[attribute];
    if (value === undefined) return `attribute_not_exists(${attribute})`;
    values[`:${attribute}`] = value;
    return `${attribute} = :${attribute}`;
  });
  return {
    ConditionExpression: same.join(' and '),
    ...(Object.keys(values).length > 0 ? { ExpressionAttributeValues: values } : {}),
  };
}

/** Undefined where the attribute is missing, null where it holds neither text nor number nor bytes. */
const valueOf = (item: Item, attribute: string): unknown => {
  const value = item[attribute];
  return value && (value.S ?? value.B ?? (value.N === undefined ? null : Number(value.N)));
};
