// The table's definition: its keys, its sparse indexes, its time to live. docs/decisions/0002-table.md says why.
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';

export const PENDING_INDEX = 'pending';
export const DUE_INDEX = 'due';
export const WORKLOADS_INDEX = 'workloads';

/** For tests and tools; in AWS the stack makes the table. TTL on attribute `x` is switched on beside, and only cleans up. */
export const createTableInput = (tableName: string): CreateTableCommandInput => ({
  TableName: tableName,
  BillingMode: 'PAY_PER_REQUEST',
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
    { AttributeName: 'c', AttributeType: 'S' },
    { AttributeName: 'h', AttributeType: 'S' },
    { AttributeName: 'p', AttributeType: 'N' },
    { AttributeName: 'd', AttributeType: 'N' },
  ],
  GlobalSecondaryIndexes: [indexOf(PENDING_INDEX, 'h', 'p'), indexOf(DUE_INDEX, 'h', 'd'), indexOf(WORKLOADS_INDEX, 'c', 'pk')],
});

export const TIME_TO_LIVE_ATTRIBUTE = 'x';

type Index = NonNullable<CreateTableCommandInput['GlobalSecondaryIndexes']>[number];

function indexOf(name: string, hash: string, range: string): Index {
  return {
    IndexName: name,
    KeySchema: [
      { AttributeName: hash, KeyType: 'HASH' },
      { AttributeName: range, KeyType: 'RANGE' },
    ],
    Projection: { ProjectionType: 'KEYS_ONLY' },
  };
}
