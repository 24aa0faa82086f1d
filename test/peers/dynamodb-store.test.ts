// The store contract on ministack's DynamoDB.
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll } from '@jest/globals';
import { DynamoDbStore } from '../../lib/adapters/dynamodb-store.ts';
import { createTableInput } from '../../lib/adapters/table-definition.ts';
import { storeContract } from '../contracts/store.ts';
import { startMinistack, type Peer } from './peer.ts';

const TABLE = 'farloop-contract';

let peer: Peer | undefined;
const clientOf = (): DynamoDBClient =>
  new DynamoDBClient({
    endpoint: peer?.endpoint ?? '',
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  });

beforeAll(async () => {
  peer = await startMinistack();
  const client = clientOf();
  await client.send(new CreateTableCommand(createTableInput(TABLE)));
  client.destroy();
}, 180_000);
afterAll(() => peer?.stop());

storeContract(
  'DynamoDbStore on ministack',
  async () => {
    const client = clientOf();
    return { store: new DynamoDbStore({ client, tableName: TABLE }), nowMs: () => Date.now(), close: async () => client.destroy() };
  },
  {
    consumedCapacity: 'strong reads are reported at half their price; asserted on the meter, which counts by the size of items',
    timeToLive: 'expired items go within a minute, not within days; nothing that is asserted expires',
    indexesAreNeverLate: 'an index shows a write at once; each claim on one is asserted until it holds, as the service needs it',
  },
);
