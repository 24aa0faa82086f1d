// Notes and summaries of a cluster that is no more: its relay's marker, its budget, how it was reached, what lists showed of its workloads.
// Another one of that name must not find them.
import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { translated } from '../aws/aws-errors.ts';
import { summariesPartition } from './summary-items.ts';
import { noteSortKey, text } from './table-items.ts';

/** Deletions on their way together. */
const DELETED_AT_ONCE = 25;

interface Part {
  what: string;
  condition: string;
  values: Record<string, AttributeValue>;
}

/** @returns how many notes there were; summaries, which may be thousands, are not counted */
export async function removeNotes(client: DynamoDBClient, tableName: string, cluster: string): Promise<number> {
  await removeAll(client, tableName, {
    what: `the summaries of the cluster ${cluster}`,
    condition: 'pk = :summaries',
    values: { ':summaries': text(summariesPartition(cluster)) },
  });
  return await removeAll(client, tableName, {
    what: `the notes of the cluster ${cluster}`,
    condition: 'pk = :cluster and begins_with(sk, :note)',
    values: { ':cluster': text(cluster), ':note': text(noteSortKey('')) },
  });
}

async function removeAll(client: DynamoDBClient, tableName: string, { what, condition, values }: Part): Promise<number> {
  let removed = 0;
  let from: Record<string, AttributeValue> | undefined;
  do {
    const query = new QueryCommand({
      TableName: tableName,
      ConsistentRead: true,
      KeyConditionExpression: condition,
      ExpressionAttributeValues: values,
      ProjectionExpression: 'pk, sk',
      ...(from && { ExclusiveStartKey: from }),
    });
    const { Items: items = [], LastEvaluatedKey: last } = await client.send(query).catch((error: unknown) => {
      throw translated(error, `listing ${what}`, false);
    });
    for (let at = 0; at < items.length; at += DELETED_AT_ONCE)
      await Promise.all(
        items.slice(at, at + DELETED_AT_ONCE).map(async ({ pk = text(''), sk = text('') }) => {
          await client.send(new DeleteItemCommand({ TableName: tableName, Key: { pk, sk } })).catch((error: unknown) => {
            throw translated(error, `removing ${what}`, true);
          });
        }),
      );
    removed += items.length;
    from = last;
  } while (from);
  return removed;
}
