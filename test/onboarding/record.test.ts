// What the record of a cluster keeps of its registration: all that whoever registers it again or removes it goes by.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test } from '@jest/globals';
import { DynamoDbClusters } from '../../lib/adapters/dynamodb-clusters.ts';
import { SystemClock } from '../../lib/adapters/system-clock.ts';
import { relayNamespaceOf } from '../../lib/onboarding/ours.ts';
import { registered } from './registered.ts';

/** A table that takes whatever is written. */
function takingAll(): DynamoDbClusters {
  const client = new DynamoDBClient({ region: 'eu-central-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } });
  client.middlewareStack.add(() => async () => ({ response: {}, output: { $metadata: {} } }), { step: 'initialize', priority: 'high' });
  return new DynamoDbClusters({ client, tableName: 'clusters', clock: new SystemClock() });
}

test.each([
  ['with an account', {}],
  ['on EKS', { identity: { kind: 'podIdentity' }, credential: { kind: 'eks' }, eks: { name: 'shop', region: 'eu-west-1' } }],
  ['relayed', { credential: { kind: 'none' }, workloadWithJob: true, image: undefined }],
] as const)('the table keeps every field of a registration %s', async (_way, change) => {
  const record = { ...registered(change).record, senders: ['AIDAEXAMPLE'] };
  expect(await takingAll().put(record, 0)).toEqual({ ...record, version: 1 });
});

test('a cluster whose relay runs elsewhere is cleared in the namespace that it was registered with, though nobody names it again', async () => {
  const { record } = registered({ relayNamespace: 'relays', image: undefined });
  expect(relayNamespaceOf({ ...record }, { cluster: record.name, given: undefined })).toBe('relays');
});
