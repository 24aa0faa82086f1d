// What the record of a cluster keeps of its registration: all that whoever registers it again or removes it goes by.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { DynamoDbClusters } from '../../lib/adapters/dynamodb/dynamodb-clusters.ts';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import { relayNamespaceOf } from '../../lib/onboarding/ours.ts';
import type { RegistrationRequest } from '../../lib/onboarding/registration-plan.ts';
import { planRegistration } from '../../lib/onboarding/registration-plan.ts';
import { PLACE, registered, REQUEST, SURVEY } from './registered.ts';

/** A table that takes whatever is written. */
function takingAll(): DynamoDbClusters {
  const client = new DynamoDBClient({ region: 'eu-central-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } });
  client.middlewareStack.add(() => async () => ({ response: {}, output: { $metadata: {} } }), { step: 'initialize', priority: 'high' });
  return new DynamoDbClusters({ client, tableName: 'clusters', clock: new SystemClock() });
}

test.each([
  ['with an account', {}],
  ['on EKS', { identity: { kind: 'podIdentity' }, credential: { kind: 'eks' }, eks: { name: 'shop', region: 'eu-west-1' } }],
  ['relayed', { credential: { kind: 'none' }, options: { 'workload-with-job': 'on' }, image: undefined }],
] as const)('the table keeps every field of a registration %s', async (_way, change) => {
  const record = { ...registered(change).record, senders: ['AIDAEXAMPLE'] };
  expect(await takingAll().put(record, 0)).toEqual({ ...record, version: 1 });
});

test('a cluster whose relay runs elsewhere is cleared in the namespace that it was registered with, though nobody names it again', async () => {
  const { record } = registered({ relayNamespace: 'relays', image: undefined });
  expect(relayNamespaceOf({ ...record }, { cluster: record.name, given: undefined })).toBe('relays');
});

describe('R15: whose commands a relay takes', () => {
  const argumentsOf = (credential: RegistrationRequest['credential']): string =>
    JSON.stringify(registered({ credential }).manifests.find(({ kind }) => kind === 'Deployment'));

  test('is the role of the function reconcile, by its unique id', () => {
    for (const credential of [{ kind: 'none' }, REQUEST.credential] as const)
      expect(argumentsOf(credential)).toContain(`"--commander=${PLACE.installation.functionsRoleId}"`);
  });

  test('must be known where a relay is to take some: a stack of before does not tell', () => {
    const old = { ...PLACE, installation: { ...PLACE.installation, functionsRoleId: '' } };
    const plan = (credential: RegistrationRequest['credential']): unknown => planRegistration(old, { ...REQUEST, credential }, SURVEY);
    expect(() => plan({ kind: 'none' })).toThrow(/output ReconcileRoleId.*: deploy this version of Farloop over it$/);
    expect(() => plan(REQUEST.credential)).not.toThrow();
  });
});
