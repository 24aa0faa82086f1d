// Runs of an installation on AWS, kept by a table that nobody here wrote.
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll } from '@jest/globals';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import { createRunsTableInput, DynamoDbRuns } from '../../lib/adapters/dynamodb/dynamodb-runs.ts';
import { runsContract } from '../contracts/runs.ts';
import { startMinistack, type Peer } from './peer.ts';

let peer: Peer;
let client: DynamoDBClient;
let tables = 0;

beforeAll(async () => {
  peer = await startMinistack();
  client = new DynamoDBClient({
    endpoint: peer.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
}, 900_000);

afterAll(async () => {
  client.destroy();
  await peer.stop();
});

runsContract('DynamoDB', async () => {
  const tableName = `runs-${++tables}`;
  await client.send(new CreateTableCommand(createRunsTableInput(tableName)));
  return new DynamoDbRuns({ client, tableName, clock: new SystemClock() });
});
