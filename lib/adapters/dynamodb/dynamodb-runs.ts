// Runs in a DynamoDB table of their own: dropping the table of views loses none (R1). An item is a run's record, or a part of it.
import {
  BatchWriteItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type AttributeValue,
  type CreateTableCommandInput,
  type DynamoDBClient,
  type QueryCommandInput,
} from '@aws-sdk/client-dynamodb';
import { gunzipSync, gzipSync } from 'node:zlib';
import { MOST_PART_CHARACTERS, type RunRecord, type Runs } from '../../ports/runs.ts';
import type { Clock } from '../../ports/clock.ts';
import { StaleWriteError } from '../../ports/store.ts';
import { translated } from '../aws/aws-errors.ts';
import { lostCondition } from './failed-condition.ts';

/** Runs by id, and open ones by the time of their next step. */
const ID_INDEX = 'ids';
const DUE_INDEX = 'due';
/** All runs share one partition of an index: there are few of them beside workloads. */
const ALL: AttributeValue = { S: 'run' };
const RECORD_KEY = 'record';
const partKey = (name: string): string => `part#${name}`;
/** Seconds that the table's time to live keeps a run beyond its time, so that no reader meets half of one. */
const TTL_RESERVE_SECONDS = 3_600;
const DELETES_AT_ONCE = 25;
/** A part may be of a run that never came to its record. One that did has ended by then, and its results have been kept for a day. */
const PART_TTL_SECONDS = 7 * 86_400;

/** For tests and tools. TTL on attribute `x` is switched on beside, and only cleans up. */
export const createRunsTableInput = (tableName: string): CreateTableCommandInput => ({
  TableName: tableName,
  BillingMode: 'PAY_PER_REQUEST',
  KeySchema: keySchema('pk', 'sk'),
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
    { AttributeName: 'h', AttributeType: 'S' },
    { AttributeName: 'd', AttributeType: 'N' },
  ],
  GlobalSecondaryIndexes: [
    { IndexName: ID_INDEX, KeySchema: keySchema('h', 'pk'), Projection: { ProjectionType: 'KEYS_ONLY' } },
    { IndexName: DUE_INDEX, KeySchema: keySchema('h', 'd'), Projection: { ProjectionType: 'KEYS_ONLY' } },
  ],
});

const keySchema = (hash: string, range: string): NonNullable<CreateTableCommandInput['KeySchema']> => [
  { AttributeName: hash, KeyType: 'HASH' },
  { AttributeName: range, KeyType: 'RANGE' },
];

type Item = Record<string, AttributeValue>;

export class DynamoDbRuns implements Runs {
  readonly #client: DynamoDBClient;
  readonly #tableName: string;
  readonly #clock: Pick<Clock, 'nowMs'>;

  constructor({ client, tableName, clock }: { client: DynamoDBClient; tableName: string; clock: Pick<Clock, 'nowMs'> }) {
    this.#client = client;
    this.#tableName = tableName;
    this.#clock = clock;
  }

  async get(id: string): Promise<RunRecord | undefined> {
    const item = await this.#read(id, RECORD_KEY);
    return item && recordOf(item);
  }

  async put(record: Omit<RunRecord, 'version'>, expectedVersion: number): Promise<RunRecord> {
    const { id, dueAtMs, keptUntilMs, ...rest } = record;
    const version = expectedVersion + 1;
    const command = new PutItemCommand({
      TableName: this.#tableName,
      Item: {
        pk: { S: id },
        sk: { S: RECORD_KEY },
        h: ALL,
        v: { N: String(version) },
        // JSON of many pods is mostly repetition, and an item holds 400 KB.
        b: { B: gzipSync(JSON.stringify(rest)) },
        ...(dueAtMs !== undefined && { d: { N: String(dueAtMs) } }),
        ...(keptUntilMs !== undefined && {
          k: { N: String(keptUntilMs) },
          x: { N: String(Math.ceil(keptUntilMs / 1_000) + TTL_RESERVE_SECONDS) },
        }),
      },
      ConditionExpression: expectedVersion === 0 ? 'attribute_not_exists(pk)' : 'v = :expected',
      ...(expectedVersion > 0 && { ExpressionAttributeValues: { ':expected': { N: String(expectedVersion) } } }),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    await this.#client.send(command).catch((error: unknown) => {
      const lost = lostCondition(error);
      if (!lost) throw translated(error, `writing the run ${id}`, true);
      const current = lost.current && recordOf(lost.current);
      throw new StaleWriteError<RunRecord>(
        `the run ${id}: expected version ${expectedVersion}, found ${current?.version ?? 'none'}`,
        current,
      );
    });
    return { ...structuredClone(record), version };
  }

  async list({ limit, after }: { limit: number; after?: string }): Promise<{ runs: RunRecord[]; next?: string }> {
    const items = await this.#query(
      {
        IndexName: ID_INDEX,
        KeyConditionExpression: after === undefined ? 'h = :all' : 'h = :all and pk > :after',
        ExpressionAttributeValues: { ':all': ALL, ...(after !== undefined && { ':after': { S: after } }) },
        Limit: limit,
      },
      'listing the runs',
    );
    const ids = items.map(({ pk }) => pk?.S ?? '');
    const runs: RunRecord[] = [];
    for (const id of ids) {
      const record = await this.get(id);
      if (record) runs.push(record);
    }
    const last = ids.at(-1);
    return { runs, ...(ids.length === limit && last !== undefined && { next: last }) };
  }

  async dueBefore(timeMs: number, limit: number): Promise<string[]> {
    const items = await this.#query(
      {
        IndexName: DUE_INDEX,
        KeyConditionExpression: 'h = :all and d < :time',
        ExpressionAttributeValues: { ':all': ALL, ':time': { N: String(timeMs) } },
        Limit: limit,
      },
      'listing the runs that are due',
    );
    return items.map(({ pk }) => pk?.S ?? '');
  }

  async putPart(id: string, name: string, text: string): Promise<void> {
    if (text.length > MOST_PART_CHARACTERS) throw new RangeError(`a part of a run holds ${MOST_PART_CHARACTERS} characters at most`);
    const untilSeconds = Math.ceil(this.#clock.nowMs() / 1_000) + PART_TTL_SECONDS;
    const item = { pk: { S: id }, sk: { S: partKey(name) }, b: { B: gzipSync(text) }, x: { N: String(untilSeconds) } };
    await this.#client.send(new PutItemCommand({ TableName: this.#tableName, Item: item })).catch((error: unknown) => {
      throw translated(error, `writing a part of the run ${id}`, true);
    });
  }

  async readPart(id: string, name: string): Promise<string | undefined> {
    const item = await this.#read(id, partKey(name));
    return item && gunzipSync(item['b']?.B ?? new Uint8Array()).toString();
  }

  async removeParts(id: string, prefix: string): Promise<void> {
    const items = await this.#query(
      {
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :id and begins_with(sk, :prefix)',
        ExpressionAttributeValues: { ':id': { S: id }, ':prefix': { S: partKey(prefix) } },
        ProjectionExpression: 'pk, sk',
      },
      `listing the parts of the run ${id}`,
    );
    for (let at = 0; at < items.length; at += DELETES_AT_ONCE) await this.#deleteAll(id, items.slice(at, at + DELETES_AT_ONCE));
  }

  async remove(id: string, version: number): Promise<boolean> {
    const command = new DeleteItemCommand({
      TableName: this.#tableName,
      Key: { pk: { S: id }, sk: { S: RECORD_KEY } },
      ConditionExpression: 'attribute_not_exists(pk) or v = :version',
      ExpressionAttributeValues: { ':version': { N: String(version) } },
    });
    try {
      await this.#client.send(command);
    } catch (error) {
      if (lostCondition(error)) return false;
      throw translated(error, `removing the run ${id}`, true);
    }
    await this.removeParts(id, '');
    return true;
  }

  /** Some may be left over under load: they are asked for again, a bounded number of times. */
  async #deleteAll(id: string, items: readonly Item[]): Promise<void> {
    let left = items.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk: pk ?? { S: '' }, sk: sk ?? { S: '' } } } }));
    for (let tries = 0; left.length > 0 && tries < 5; tries += 1) {
      const answer = await this.#client
        .send(new BatchWriteItemCommand({ RequestItems: { [this.#tableName]: left } }))
        .catch((error: unknown) => {
          throw translated(error, `removing parts of the run ${id}`, true);
        });
      left = (answer.UnprocessedItems?.[this.#tableName] ?? []) as typeof left;
    }
  }

  async #read(id: string, sortKey: string): Promise<Item | undefined> {
    const { Item: item } = await this.#client
      .send(new GetItemCommand({ TableName: this.#tableName, Key: { pk: { S: id }, sk: { S: sortKey } }, ConsistentRead: true }))
      .catch((error: unknown) => {
        throw translated(error, `reading the run ${id}`, false);
      });
    return item;
  }

  /** Pages until `Limit` items are there, or the end. */
  async #query(query: Omit<QueryCommandInput, 'TableName'>, doing: string): Promise<Item[]> {
    const items: Item[] = [];
    let start: Item | undefined;
    do {
      const page = await this.#client
        .send(new QueryCommand({ TableName: this.#tableName, ...query, ...(start && { ExclusiveStartKey: start }) }))
        .catch((error: unknown) => {
          throw translated(error, doing, false);
        });
      items.push(...(page.Items ?? []));
      start = page.LastEvaluatedKey;
    } while (start && items.length < (query.Limit ?? Infinity));
    return items.slice(0, query.Limit ?? items.length);
  }
}

function recordOf(item: Item): RunRecord {
  const { pk, v, b, d, k } = item;
  return {
    ...JSON.parse(gunzipSync(b?.B ?? new Uint8Array()).toString()),
    id: pk?.S ?? '',
    ...(d?.N !== undefined && { dueAtMs: Number(d.N) }),
    ...(k?.N !== undefined && { keptUntilMs: Number(k.N) }),
    version: Number(v?.N ?? 0),
  };
}
