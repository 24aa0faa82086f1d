// Which workloads there are, which wait, which are due: asked of the table's sparse indexes, which are late (R11).
import { QueryCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { parseKey, type WorkloadKey } from '../../objects/workload.ts';
import { readFailed } from '../aws/aws-errors.ts';
import { DUE_INDEX, PENDING_INDEX, WORKLOADS_INDEX } from './table-definition.ts';
import { INDEX_SHARDS, number, text, type Item } from './table-items.ts';
import { itemSizeBytes, readUnitsOf, type WriteMeter } from './write-units.ts';

/** @throws ThrottledError the table asks for patience; NotDoneError a read that was cut off */
export class TableIndexes {
  readonly #client: DynamoDBClient;
  readonly #tableName: string;
  readonly #meter: WriteMeter;

  constructor({ client, tableName, meter }: { client: DynamoDBClient; tableName: string; meter: WriteMeter }) {
    this.#client = client;
    this.#tableName = tableName;
    this.#meter = meter;
  }

  /** Those that have been pending since before then, the longest first. */
  async pendingBefore(timeMs: number, limit: number): Promise<WorkloadKey[]> {
    return await this.#earliest('pendingBefore', { index: PENDING_INDEX, attribute: 'p' }, { timeMs, limit });
  }

  /** Those whose wake is due before then, the earliest first. */
  async dueBefore(timeMs: number, limit: number): Promise<WorkloadKey[]> {
    return await this.#earliest('dueBefore', { index: DUE_INDEX, attribute: 'd' }, { timeMs, limit });
  }

  async workloads(cluster: string, { limit, after }: { limit: number; after?: string }): Promise<{ keys: WorkloadKey[]; next?: string }> {
    const answer = await this.#client
      .send(
        new QueryCommand({
          TableName: this.#tableName,
          IndexName: WORKLOADS_INDEX,
          KeyConditionExpression: 'c = :cluster and pk > :after',
          ExpressionAttributeValues: { ':cluster': text(cluster), ':after': text(after ?? ' ') },
          Limit: limit,
        }),
      )
      .catch((error: unknown) => readFailed(error, `listing the workloads of ${cluster}`));
    this.#meter.add('workloads', { readUnits: 0.5 });
    const keys = keysOf(answer.Items ?? []);
    const last = answer.LastEvaluatedKey?.['pk']?.S;
    return last === undefined ? { keys } : { keys, next: last };
  }

  /** Asks every shard, and merges by time. */
  async #earliest(operation: string, by: TimeIndex, asked: { timeMs: number; limit: number }): Promise<WorkloadKey[]> {
    const shards = Array.from({ length: INDEX_SHARDS }, async (_, shard) => await this.#earliestOf(operation, by, String(shard), asked));
    const items = (await Promise.all(shards)).flat();
    const timeOf = (item: Item): number => Number(item[by.attribute]?.N);
    return keysOf(items.toSorted((one, other) => timeOf(one) - timeOf(other)).slice(0, asked.limit));
  }

  async #earliestOf(
    operation: string,
    { index, attribute }: TimeIndex,
    shard: string,
    { timeMs, limit }: { timeMs: number; limit: number },
  ): Promise<Item[]> {
    const { Items: items = [] } = await this.#client
      .send(
        new QueryCommand({
          TableName: this.#tableName,
          IndexName: index,
          KeyConditionExpression: `h = :shard and ${attribute} < :time`,
          ExpressionAttributeValues: { ':shard': text(shard), ':time': number(timeMs) },
          Limit: limit,
        }),
      )
      .catch((error: unknown) => readFailed(error, `reading the index ${index}`));
    this.#meter.add(operation, {
      readUnits: Math.max(0.5, readUnitsOf(items.reduce((bytes, item) => bytes + itemSizeBytes(item), 0)) / 2),
    });
    return items;
  }
}

/** An index whose range is a time, in that attribute. */
interface TimeIndex {
  index: string;
  attribute: string;
}

const keysOf = (items: readonly Item[]): WorkloadKey[] =>
  items.map((item) => parseKey(item['pk']?.S ?? '')).filter((key): key is WorkloadKey => key !== undefined);
