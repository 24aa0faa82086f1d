// R15: what DynamoDB answers to one request for many keys comes in any order and in parts; each key gets its own.
import type { BatchGetItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test } from '@jest/globals';
import { DynamoDbStore } from '../../lib/adapters/dynamodb/dynamodb-store.ts';
import { headItem, type Item, viewItem } from '../../lib/adapters/dynamodb/table-items.ts';
import { aHead, aKey, bytesOf } from '../contracts/store/workloads.ts';

const TABLE = 'farloop-batches';
const west = aKey();
const east = { ...west, cluster: `${west.cluster}-2` };
const other = { ...east, namespace: 'elsewhere', name: 'another' };

/** Answers the last of the keys first, and so many at a time. */
function storeOf(items: readonly Item[], atOnce: number): DynamoDbStore {
  const nameOf = ({ pk, sk }: Item): string => `${pk?.S} ${sk?.S}`;
  const table = new Map(items.map((item) => [nameOf(item), item]));
  const send = async ({ input }: BatchGetItemCommand): Promise<object> => {
    const asked = (input.RequestItems?.[TABLE]?.Keys ?? []).toReversed();
    const left = asked.slice(atOnce);
    return {
      Responses: { [TABLE]: asked.slice(0, atOnce).flatMap((key) => [table.get(nameOf(key))].filter((item) => item !== undefined)) },
      UnprocessedKeys: left.length === 0 ? {} : { [TABLE]: { Keys: left } },
    };
  };
  return new DynamoDbStore({ client: { send } as unknown as DynamoDBClient, tableName: TABLE });
}

test.each([100, 1])('heads of one uid on two clusters, %d answered at a time, come to their own keys', async (atOnce) => {
  const heads = [west, east, other].map((key, at) => aHead(key, { fence: `fence-${at}` }));
  const store = storeOf(
    heads.map((head) => headItem(head, 0)),
    atOnce,
  );
  const missing = { ...west, cluster: `${west.cluster}-3` };
  expect(await store.readHeads([other, missing, west, east])).toEqual([heads[2], undefined, heads[0], heads[1]]);
});

test('items of one uid on two clusters are read for their own workload alone', async () => {
  const items = [west, east].map((key) => viewItem(key, { name: 'pods-0', version: 1, bytes: bytesOf(key.cluster) }, 0));
  const store = storeOf(items, 100);
  expect(await store.readItems(east, ['pods-0', 'pods-1'])).toEqual([{ name: 'pods-0', version: 1, bytes: bytesOf(east.cluster) }]);
});
