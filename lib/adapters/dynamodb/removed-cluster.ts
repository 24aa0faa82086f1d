// Notes of a cluster that is no more: its relay's marker, its budget, how it was reached. Another one of that name must not find them.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { translated } from '../aws/aws-errors.ts';
import { noteSortKey, text } from './table-items.ts';

/** A cluster has a handful, all in one partition: one page holds them. @returns how many there were */
export async function removeNotes(client: DynamoDBClient, tableName: string, cluster: string): Promise<number> {
  const query = new QueryCommand({
    TableName: tableName,
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :cluster and begins_with(sk, :note)',
    ExpressionAttributeValues: { ':cluster': text(cluster), ':note': text(noteSortKey('')) },
    ProjectionExpression: 'pk, sk',
  });
  const { Items: items = [] } = await client.send(query).catch((error: unknown) => {
    throw translated(error, `listing the notes of the cluster ${cluster}`, false);
  });
  for (const { pk = text(''), sk = text('') } of items)
    await client.send(new DeleteItemCommand({ TableName: tableName, Key: { pk, sk } })).catch((error: unknown) => {
      throw translated(error, `removing the notes of the cluster ${cluster}`, true);
    });
  return items.length;
}
