// View and heads in one DynamoDB table: a workload is a partition, its head and view items are items in it.
// The table is described in docs/decisions/0002-table.md.
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
  type DynamoDBClient,
  type PutItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { formatKey, type WorkloadKey } from '../../objects/workload.ts';
import type { Clock } from '../../ports/clock.ts';
import { TerminalError, ThrottledError } from '../../ports/errors.ts';
import { namesWithin } from '../../ports/head-items.ts';
import type { SummaryChange, SummaryEntry, SummaryPage } from '../../ports/summaries.ts';
import { StaleWriteError, type Head, type HeadChange, type Note, type Store, type UpdatedHead, type ViewItem } from '../../ports/store.ts';
import { nameOf, readFailed, translated } from '../aws/aws-errors.ts';
import { lostCondition, type LostCondition } from './failed-condition.ts';
import { SystemClock } from '../clock/system-clock.ts';
import { TableIndexes } from './table-indexes.ts';
import { TableSummaries } from './table-summaries.ts';
import {
  answerItem,
  answerKey,
  applyChange,
  HEAD,
  headItem,
  headOf,
  isAsRead,
  isIndexedWake,
  noteItem,
  noteOf,
  noteSortKey,
  number,
  text,
  updateExpressionOf,
  viewItem,
  viewItemOf,
  viewItemSortKey,
  type Item,
} from './table-items.ts';
import { indexUnitsOf, itemSizeBytes, readUnitsOf, WriteMeter, writeUnitsOf } from './write-units.ts';

const READ_AT_ONCE = 100;
const NAMES_AT_ONCE = 100;
const DELETED_AT_ONCE = 25;
/** How often the unprocessed rest of a batch is sent again before the caller has to wait. */
const BATCH_ROUNDS = 4;
const VIEW_ITEM_PREFIX = viewItemSortKey('');

type Condition = Pick<PutItemCommandInput, 'ConditionExpression' | 'ExpressionAttributeValues'>;
const IS_NEW: Condition = { ConditionExpression: 'attribute_not_exists(pk)' };

/**
 * Writes that time out, are reset or answered with a 5xx throw UnknownOutcomeError: they may have taken effect. The SDK repeats
 * such a request by itself, so a condition may be lost to one's own first try: a pass that is refused a head looks whether
 * the fence that stands there is its own (R8); an item or note at the version that would have been its own, with its own bytes,
 * is written.
 * @throws ThrottledError the table asks for patience; NotDoneError a read that was cut off, or a write that never left
 */
export class DynamoDbStore implements Store {
  /** Counted by the size of items as DynamoDB bills them, not by what an emulator answers. */
  readonly meter = new WriteMeter();
  readonly #client: DynamoDBClient;
  readonly #tableName: string;
  readonly #clock: Clock;
  readonly #indexes: TableIndexes;
  readonly #summaries: TableSummaries;

  constructor({ client, tableName, clock = new SystemClock() }: { client: DynamoDBClient; tableName: string; clock?: Clock }) {
    this.#client = client;
    this.#tableName = tableName;
    this.#clock = clock;
    this.#indexes = new TableIndexes({ client, tableName, meter: this.meter });
    this.#summaries = new TableSummaries({ client, tableName, meter: this.meter, clock });
  }

  async readHead(key: WorkloadKey): Promise<Head | undefined> {
    const item = await this.#get('readHead', { pk: text(formatKey(key)), sk: text(HEAD) }, `head of ${formatKey(key)}`);
    return item && headOf(item);
  }

  async readHeads(keys: readonly WorkloadKey[]): Promise<(Head | undefined)[]> {
    if (keys.length > READ_AT_ONCE) throw new RangeError(`at most ${READ_AT_ONCE} heads are read at once, asked for ${keys.length}`);
    const names = [...new Set(keys.map(formatKey))];
    const items = await this.#getAll(
      'readHeads',
      names.map((name) => ({ pk: text(name), sk: text(HEAD) })),
      `reading ${names.length} heads`,
    );
    const found = new Map(items.map((item) => [item['pk']?.S, item]));
    return keys.map((key) => {
      const item = found.get(formatKey(key));
      return item && headOf(item);
    });
  }

  async read(key: WorkloadKey): Promise<{ head: Head | undefined; items: ViewItem[] }> {
    const found: { head: Head | undefined; items: ViewItem[] } = { head: undefined, items: [] };
    let start: Item | undefined;
    do {
      const page = await this.#client
        .send(
          new QueryCommand({
            TableName: this.#tableName,
            ConsistentRead: true,
            KeyConditionExpression: 'pk = :pk',
            ExpressionAttributeValues: { ':pk': text(formatKey(key)) },
            ...(start ? { ExclusiveStartKey: start } : {}),
          }),
        )
        .catch((error: unknown) => readFailed(error, `reading ${formatKey(key)}`));
      const items = page.Items ?? [];
      this.meter.add('read', { readUnits: readUnitsOf(items.reduce((bytes, item) => bytes + itemSizeBytes(item), 0)) });
      for (const item of items) {
        if (item['sk']?.S === HEAD) found.head = headOf(item);
        else if (item['sk']?.S?.startsWith(VIEW_ITEM_PREFIX)) found.items.push(...readableItems([item]));
      }
      start = page.LastEvaluatedKey;
    } while (start);
    return found;
  }

  async readItems(key: WorkloadKey, names: readonly string[]): Promise<ViewItem[]> {
    if (names.length > READ_AT_ONCE) throw new RangeError(`at most ${READ_AT_ONCE} view items are read at once, asked for ${names.length}`);
    const what = `reading ${names.length} view items of ${formatKey(key)}`;
    const keys = [...new Set(names)].map((name): Item => ({ pk: text(formatKey(key)), sk: text(viewItemSortKey(name)) }));
    return readableItems(await this.#getAll('readItems', keys, what));
  }

  /** Those that exist, in any order. @param all at most 100 */
  async #getAll(operation: string, all: readonly Item[], what: string): Promise<Item[]> {
    const items: Item[] = [];
    let keys = [...all];
    for (let round = 0; keys.length > 0; round++) {
      if (round === BATCH_ROUNDS) throw new ThrottledError(`${what}: ${keys.length} were not answered`, { retryAfterSeconds: 1 });
      const answer = await this.#client
        .send(new BatchGetItemCommand({ RequestItems: { [this.#tableName]: { Keys: keys, ConsistentRead: true } } }))
        .catch((error: unknown) => readFailed(error, what));
      const found = answer.Responses?.[this.#tableName] ?? [];
      const asked = keys.length;
      keys = answer.UnprocessedKeys?.[this.#tableName]?.Keys ?? [];
      const missing = asked - keys.length - found.length;
      this.meter.add(operation, { readUnits: found.reduce((units, item) => units + readUnitsOf(itemSizeBytes(item)), missing) });
      items.push(...found);
    }
    return items;
  }

  async createHead(head: Head): Promise<Head> {
    const fresh = applyChange(head, { addItems: [] });
    const item = headItem(fresh, this.#clock.nowMs());
    const lost = await this.#putNew('createHead', item, headOf, `head of ${formatKey(head.key)}`);
    if (!lost) return fresh;
    if (!lost.current) throw new Error(`the head of ${formatKey(head.key)} was there and is not: read it again`);
    return lost.current;
  }

  /**
   * More than a hundred names are more than one expression holds: they are added (or removed) by requests that go before, under
   * the same conditions. A name whose item is not written yet is a missing item, and looked up live (R1).
   */
  async updateHead(key: WorkloadKey, conditions: { ifFence?: string; ifViewVersion?: number }, change: HeadChange): Promise<UpdatedHead> {
    const { addItems = [], removeItems = [] } = change;
    for (let first = NAMES_AT_ONCE; first < addItems.length; first += NAMES_AT_ONCE)
      await this.#update(key, conditions, { addItems: addItems.slice(first, first + NAMES_AT_ONCE) });
    for (let first = NAMES_AT_ONCE; first < removeItems.length; first += NAMES_AT_ONCE)
      await this.#update(key, conditions, { removeItems: removeItems.slice(first, first + NAMES_AT_ONCE) });
    return this.#update(key, conditions, {
      ...change,
      ...(change.addItems ? { addItems: addItems.slice(0, NAMES_AT_ONCE) } : {}),
      ...(change.removeItems ? { removeItems: removeItems.slice(0, NAMES_AT_ONCE) } : {}),
    });
  }

  async #update(key: WorkloadKey, conditions: { ifFence?: string; ifViewVersion?: number }, change: HeadChange): Promise<UpdatedHead> {
    const nowMs = this.#clock.nowMs();
    const what = `the head of ${formatKey(key)}`;
    const update = new UpdateItemCommand({
      TableName: this.#tableName,
      Key: { pk: text(formatKey(key)), sk: text(HEAD) },
      ...updateExpressionOf(conditions, change, nowMs),
      // The old item gives the cost of the write too; the new one follows from it.
      ReturnValues: 'ALL_OLD',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    const { Attributes: before } = await this.#client.send(update).catch((error: unknown) => {
      const lost = lostCondition(error);
      this.meter.add('updateHead', { writeUnits: writeUnitsOf(lost?.current) });
      if (!lost) throw refusedSize(error, what) ?? translated(error, `writing ${what}`, true);
      throw staleHead(key, lost.current && headOf(lost.current));
    });
    if (!before) throw new Error(`${what} was written, but not answered`);
    const old = headOf(before);
    if (!old) {
      // It counts as missing before and after; where the change has mended it, it is what the change says.
      this.meter.add('updateHead', { writeUnits: writeUnitsOf(before) });
      throw staleHead(key, undefined);
    }
    const changed = applyChange(old, change);
    const isIndexed = change.wake === undefined ? before['d'] !== undefined : isIndexedWake(change.wake, nowMs);
    const after = headItem(changed, nowMs, isIndexed);
    this.meter.add('updateHead', { writeUnits: writeUnitsOf(before, after), indexUnits: indexUnitsOf(before, after) });
    return change.wake !== undefined && old.wake ? { ...changed, replacedWake: old.wake } : changed;
  }

  async putItem(key: WorkloadKey, { name, bytes }: { name: string; bytes: Uint8Array }, expectedVersion: number): Promise<number> {
    const version = expectedVersion + 1;
    const item = viewItem(key, { name, version, bytes }, this.#clock.nowMs());
    const what = `view item ${name} of ${formatKey(key)}`;
    const lost = await this.#putVersioned('putItem', item, { expectedVersion, read: viewItemOf }, what);
    if (lost) throw staleVersion(what, expectedVersion, lost.current);
    return version;
  }

  async forget(key: WorkloadKey, ifFence: string): Promise<void> {
    const what = `forgetting ${formatKey(key)}`;
    let names: readonly string[] = [];
    try {
      const { Attributes: before } = await this.#client.send(
        new DeleteItemCommand({
          TableName: this.#tableName,
          Key: { pk: text(formatKey(key)), sk: text(HEAD) },
          // A wake on its way has a pass that forgets.
          ConditionExpression: 'attribute_not_exists(pk) or (k = :ifFence and (attribute_not_exists(q) or q <> :ifFence))',
          ExpressionAttributeValues: { ':ifFence': text(ifFence) },
          ReturnValues: 'ALL_OLD',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      this.meter.add('forget', { writeUnits: writeUnitsOf(before), indexUnits: indexUnitsOf(before, undefined) });
      names = ((before && headOf(before)?.items) ?? []).flatMap(namesWithin);
    } catch (error) {
      const lost = lostCondition(error);
      this.meter.add('forget', { writeUnits: writeUnitsOf(lost?.current) });
      if (!lost) throw translated(error, what, true);
      const current = lost.current && headOf(lost.current);
      if (current) throw staleHead(key, current);
    }
    // The head named them all. What a crash leaves here is read by nobody, and goes by its time to live.
    for (let first = 0; first < names.length; first += DELETED_AT_ONCE)
      await this.#deleteItems(key, names.slice(first, first + DELETED_AT_ONCE), what);
  }

  async pendingBefore(timeMs: number, limit: number): Promise<WorkloadKey[]> {
    return await this.#indexes.pendingBefore(timeMs, limit);
  }

  async dueBefore(timeMs: number, limit: number): Promise<WorkloadKey[]> {
    return await this.#indexes.dueBefore(timeMs, limit);
  }

  async workloads(cluster: string, page: { limit: number; after?: string }): Promise<{ keys: WorkloadKey[]; next?: string }> {
    return await this.#indexes.workloads(cluster, page);
  }

  async putSummary(change: SummaryChange): Promise<void> {
    await this.#summaries.put(change);
  }

  async summaries(cluster: string, page: SummaryPage): Promise<{ entries: SummaryEntry[]; next?: string }> {
    return await this.#summaries.page(cluster, page);
  }

  async readNote(cluster: string, name: string): Promise<Note | undefined> {
    const item = await this.#get('readNote', { pk: text(cluster), sk: text(noteSortKey(name)) }, `note ${name} of ${cluster}`);
    return item && noteOf(item);
  }

  async readNotes(cluster: string, names: readonly string[]): Promise<(Note | undefined)[]> {
    const keys = names.map((name): Item => ({ pk: text(cluster), sk: text(noteSortKey(name)) }));
    const found = await this.#getAll('readNotes', keys, `reading ${names.length} notes of ${cluster}`);
    const items = new Map(found.map((item) => [item['sk']?.S, item]));
    return names.map((name) => {
      const item = items.get(noteSortKey(name));
      return item && noteOf(item);
    });
  }

  async putNote(cluster: string, name: string, body: string, expectedVersion: number): Promise<number> {
    const version = expectedVersion + 1;
    const what = `note ${name} of ${cluster}`;
    const lost = await this.#putVersioned('putNote', noteItem(cluster, name, { version, body }), { expectedVersion, read: noteOf }, what);
    if (lost) throw staleVersion(what, expectedVersion, lost.current);
    return version;
  }

  async putAnswer(cluster: string, id: string, part: number, bytes: Uint8Array): Promise<void> {
    const item = answerItem(answerKey(cluster, id, part), bytes, this.#clock.nowMs());
    await this.#client.send(new PutItemCommand({ TableName: this.#tableName, Item: item })).catch((error: unknown) => {
      throw translated(error, `keeping an answer of ${cluster}`, true);
    });
    this.meter.add('putAnswer', { writeUnits: writeUnitsOf(item) });
  }

  async readAnswer(cluster: string, id: string, part: number): Promise<Uint8Array | undefined> {
    const item = await this.#get('readAnswer', answerKey(cluster, id, part), `an answer of ${cluster}`);
    return item?.['v']?.B;
  }

  async #get(operation: string, key: Item, what: string): Promise<Item | undefined> {
    const { Item: item } = await this.#client
      .send(new GetItemCommand({ TableName: this.#tableName, Key: key, ConsistentRead: true }))
      .catch((error: unknown) => readFailed(error, `reading ${what}`));
    this.meter.add(operation, { readUnits: readUnitsOf(item ? itemSizeBytes(item) : 0) });
    return item;
  }

  async #putVersioned<Part>(
    operation: string,
    item: Item,
    { expectedVersion, read }: { expectedVersion: number; read: (item: Item) => Part | undefined },
    what: string,
  ): Promise<{ current: Part | undefined } | undefined> {
    if (expectedVersion === 0) return await this.#putNew(operation, item, read, what);
    const isSame = { ConditionExpression: 'u = :expected', ExpressionAttributeValues: { ':expected': number(expectedVersion) } };
    const lost = await this.#put(operation, item, isSame, what);
    return lost && { current: lost.current && read(lost.current) };
  }

  /** Where nothing is, or nothing that can be read: such an item counts as missing, and is written over (R1). @returns as `#put` */
  async #putNew<Part>(
    operation: string,
    item: Item,
    read: (item: Item) => Part | undefined,
    what: string,
  ): Promise<{ current: Part | undefined } | undefined> {
    let lost = await this.#put(operation, item, IS_NEW, what);
    if (lost?.current && read(lost.current) === undefined) lost = await this.#put(operation, item, isAsRead(lost.current), what);
    return lost && { current: lost.current && read(lost.current) };
  }

  /** @returns what stands there instead, when the condition was lost */
  async #put(operation: string, item: Item, condition: Condition, what: string): Promise<LostCondition | undefined> {
    try {
      const { ConsumedCapacity: consumed } = await this.#client.send(
        new PutItemCommand({
          TableName: this.#tableName,
          Item: item,
          ...condition,
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          ReturnConsumedCapacity: 'INDEXES',
        }),
      );
      // The old item may have been larger than the new one, and then counts; only the service knows.
      const writeUnits = Math.max(writeUnitsOf(item), consumed?.Table?.CapacityUnits ?? 0);
      this.meter.add(operation, { writeUnits, indexUnits: indexUnitsOf(undefined, item) });
      return undefined;
    } catch (error) {
      const lost = lostCondition(error);
      this.meter.add(operation, { writeUnits: writeUnitsOf(lost?.current) });
      if (!lost) throw translated(error, `writing ${what}`, true);
      return lost;
    }
  }

  async #deleteItems(key: WorkloadKey, names: readonly string[], what: string): Promise<void> {
    let requests = names.map((name) => ({ DeleteRequest: { Key: { pk: text(formatKey(key)), sk: text(viewItemSortKey(name)) } } }));
    for (let round = 0; requests.length > 0 && round < BATCH_ROUNDS; round++) {
      const answer = await this.#client
        .send(new BatchWriteItemCommand({ RequestItems: { [this.#tableName]: requests }, ReturnConsumedCapacity: 'TOTAL' }))
        .catch((error: unknown) => {
          throw translated(error, what, true);
        });
      const left = answer.UnprocessedItems?.[this.#tableName] ?? [];
      const consumed = answer.ConsumedCapacity?.reduce((units, { CapacityUnits = 0 }) => units + CapacityUnits, 0) ?? 0;
      this.meter.add('forget', { writeUnits: Math.max(requests.length - left.length, consumed) });
      requests = left.flatMap(({ DeleteRequest }) =>
        DeleteRequest?.Key
          ? [{ DeleteRequest: { Key: { pk: DeleteRequest.Key['pk'] ?? text(''), sk: DeleteRequest.Key['sk'] ?? text('') } } }]
          : [],
      );
    }
    if (requests.length > 0) throw new ThrottledError(`${what}: ${requests.length} view items were not deleted`, { retryAfterSeconds: 1 });
  }
}

const readableItems = (items: readonly Item[]): ViewItem[] => items.map(viewItemOf).filter((item) => item !== undefined);

const staleHead = (key: WorkloadKey, current: Head | undefined): StaleWriteError<Head> =>
  new StaleWriteError(current ? `the head of ${formatKey(key)} is not as it was read` : `there is no head of ${formatKey(key)}`, current);

const staleVersion = <Part extends { version: number }>(
  what: string,
  expectedVersion: number,
  current: Part | undefined,
): StaleWriteError<Part> =>
  new StaleWriteError(`${what}: expected version ${expectedVersion}, found ${current?.version ?? 'none'}`, current);

/** An update that would make the item too large is found out by the service alone. */
const refusedSize = (error: unknown, what: string): TerminalError | undefined =>
  nameOf(error) === 'ValidationException' && error instanceof Error && /item size/i.test(error.message)
    ? new TerminalError(`${what} would take more than an item holds: ${error.message}`, { cause: error })
    : undefined;
