// The log of summaries in the table: a partition of each cluster, sorted by time. A new entry and the removal of the one before are one
// request. Its reads are strong: no index lags behind it.
import { BatchWriteItemCommand, QueryCommand, type DynamoDBClient, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { formatKey } from '../../objects/workload.ts';
import type { Clock } from '../../ports/clock.ts';
import { ThrottledError } from '../../ports/errors.ts';
import type { SummaryChange, SummaryEntry, SummaryPage } from '../../ports/summaries.ts';
import { readFailed, translated } from '../aws/aws-errors.ts';
import { summariesPartition, summaryEntryOf, summaryItem, summarySortKey, summarySortKeyFrom } from './summary-items.ts';
import { text } from './table-items.ts';
import { itemSizeBytes, readUnitsOf, writeUnitsOf, type WriteMeter } from './write-units.ts';

/** How often the unprocessed rest of a batch is sent again before the caller has to wait. */
const BATCH_ROUNDS = 4;

export class TableSummaries {
  readonly #client: DynamoDBClient;
  readonly #tableName: string;
  readonly #meter: WriteMeter;
  readonly #clock: Pick<Clock, 'nowMs'>;

  constructor(given: { client: DynamoDBClient; tableName: string; meter: WriteMeter; clock: Pick<Clock, 'nowMs'> }) {
    this.#client = given.client;
    this.#tableName = given.tableName;
    this.#meter = given.meter;
    this.#clock = given.clock;
  }

  /** @throws ThrottledError the table asks for patience; UnknownOutcomeError */
  async put(change: SummaryChange): Promise<void> {
    const { key, replacesAtMs } = change;
    const what = `writing the summary of ${formatKey(key)}`;
    const item = summaryItem(change, this.#clock.nowMs());
    const pk = text(summariesPartition(key.cluster));
    let requests: WriteRequest[] = [
      { PutRequest: { Item: item } },
      ...(replacesAtMs === undefined ? [] : [{ DeleteRequest: { Key: { pk, sk: text(summarySortKey(replacesAtMs, key)) } } }]),
    ];
    for (let round = 0; requests.length > 0 && round < BATCH_ROUNDS; round++) {
      const answer = await this.#client
        .send(new BatchWriteItemCommand({ RequestItems: { [this.#tableName]: requests } }))
        .catch((error: unknown) => {
          throw translated(error, what, true);
        });
      const left = answer.UnprocessedItems?.[this.#tableName] ?? [];
      // The entry removed is about as large as its successor.
      this.#meter.add('putSummary', { writeUnits: (requests.length - left.length) * writeUnitsOf(item) });
      requests = left;
    }
    if (requests.length > 0) throw new ThrottledError(`${what}: the table did not take it`, { retryAfterSeconds: 1 });
  }

  async page(cluster: string, { fromMs, after }: SummaryPage): Promise<{ entries: SummaryEntry[]; next?: string }> {
    const from = summarySortKeyFrom(fromMs);
    const answer = await this.#client
      .send(
        new QueryCommand({
          TableName: this.#tableName,
          ConsistentRead: true,
          KeyConditionExpression: 'pk = :pk and sk > :after',
          ExpressionAttributeValues: {
            ':pk': text(summariesPartition(cluster)),
            ':after': text(after !== undefined && after > from ? after : from),
          },
        }),
      )
      .catch((error: unknown) => readFailed(error, `reading the summaries of ${cluster}`));
    const items = answer.Items ?? [];
    this.#meter.add('summaries', { readUnits: readUnitsOf(items.reduce((bytes, item) => bytes + itemSizeBytes(item), 0)) });
    const entries = items.flatMap((item) => summaryEntryOf(cluster, item['sk']?.S ?? '', item['s']?.S) ?? []);
    const last = answer.LastEvaluatedKey?.['sk']?.S;
    return last === undefined ? { entries } : { entries, next: last };
  }
}
