// The store contract on ministack's DynamoDB.
import { CreateTableCommand, DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll } from '@jest/globals';
import { DynamoDbStore } from '../../lib/adapters/dynamodb/dynamodb-store.ts';
import { createTableInput } from '../../lib/adapters/dynamodb/table-definition.ts';
import { HEAD, noteSortKey, viewItemSortKey } from '../../lib/adapters/dynamodb/table-items.ts';
import { formatKey } from '../../lib/objects/workload.ts';
import { storeContract } from '../contracts/store.ts';
import type { DamagedField, StoreUnderTest } from '../contracts/store/workloads.ts';
import { manyChildrenContract } from '../reconciler/view/many-children.ts';
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
}, 900_000);
afterAll(() => peer?.stop());

const ATTRIBUTES: Record<DamagedField, string> = {
  era: 'e',
  bornAtMs: 'b',
  items: 'n',
  floor: 'f',
  fence: 'k',
  openedAtMs: 'o',
  queued: 'q',
  wake: 'a',
  state: 's',
  view: 'v',
  viewVersion: 'u',
  version: 'u',
  bytes: 'v',
  body: 's',
};

/** What may be missing holds a stranger; all else is missing. */
const damageBy =
  (client: DynamoDBClient): StoreUnderTest['damage'] =>
  async (place, field) => {
    const [pk, sk] =
      'note' in place
        ? [place.cluster, noteSortKey(place.note)]
        : [formatKey(place.key), place.item === undefined ? HEAD : viewItemSortKey(place.item)];
    const isStranger = field === 'queued' || field === 'view';
    await client.send(
      new UpdateItemCommand({
        TableName: TABLE,
        Key: { pk: { S: pk }, sk: { S: sk } },
        ConditionExpression: 'attribute_exists(pk)',
        UpdateExpression: isStranger ? `set ${ATTRIBUTES[field]} = :stranger` : `remove ${ATTRIBUTES[field]}`,
        ...(isStranger ? { ExpressionAttributeValues: { ':stranger': { BOOL: true } } } : {}),
      }),
    );
  };

const open = async (): Promise<StoreUnderTest> => {
  const client = clientOf();
  return {
    store: new DynamoDbStore({ client, tableName: TABLE }),
    nowMs: () => Date.now(),
    close: async () => client.destroy(),
    damage: damageBy(client),
  };
};

storeContract('DynamoDbStore on ministack', open, {
  consumedCapacity: 'strong reads are reported at half their price; asserted on the meter, which counts by the size of items',
  timeToLive: 'expired items go within a minute, not within days; nothing that is asserted expires',
  indexesAreNeverLate: 'an index shows a write at once; each claim on one is asserted until it holds, as the service needs it',
});

manyChildrenContract('DynamoDbStore on ministack', open);
