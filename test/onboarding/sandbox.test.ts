// The sandbox as a cluster to register: what it takes of a registration, and what is refused before anything is made.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { IAMClient } from '@aws-sdk/client-iam';
import { DynamoDbClusters } from '../../lib/adapters/dynamodb/dynamodb-clusters.ts';
import { KubernetesAdministration } from '../../lib/adapters/kubernetes/kubernetes-administration.ts';
import { SenderIdentities } from '../../lib/adapters/sqs/sender-identities.ts';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import { findOurs, objectText, ourObject, resourceOf } from '../../lib/onboarding/ours.ts';
import type { RegistrationRequest, Survey } from '../../lib/onboarding/registration-plan.ts';
import { survey } from '../../lib/onboarding/registration.ts';
import type { Sandbox } from '../../lib/sandbox/sandbox.ts';
import { apiVersionOf } from '../../lib/sandbox/rows/resources.ts';
import { serviceAccounts } from '../../lib/sandbox/rows/configuration.ts';
import { deployments, networkPolicies } from '../../lib/sandbox/rows/kept.ts';
import { startSandbox } from '../../lib/sandbox/sandbox.ts';
import { until } from '../claims.ts';
import { PLACE, registered, REQUEST } from './registered.ts';

const CONFIG = { region: 'eu-central-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
let sandbox: Sandbox;
let administration: KubernetesAdministration;

beforeAll(async () => {
  sandbox = await startSandbox();
  const { url: server, caPem, token } = sandbox;
  administration = new KubernetesAdministration({ server, caPem, auth: { kind: 'token', token } });
});

afterAll(async () => {
  administration?.close();
  await sandbox?.stop();
});

/** With a table of clusters that is empty. */
async function surveyed(change: Partial<RegistrationRequest>): Promise<Survey> {
  const client = new DynamoDBClient(CONFIG);
  client.middlewareStack.add(() => async () => ({ response: {}, output: { $metadata: {}, Items: [] } as never }), {
    step: 'initialize',
    priority: 'high',
  });
  const clusters = new DynamoDbClusters({ client, tableName: 'clusters', clock: new SystemClock(), allowLoopback: true });
  const eks = () => Promise.reject(new Error('EKS is not asked'));
  const place = { ...PLACE, clusters, administration, eks, senders: new SenderIdentities(new IAMClient(CONFIG)) };
  return await survey(place, { ...REQUEST, ...change });
}

test.each([deployments, networkPolicies])(
  'an API server without $plural is refused before anything is made, with the way out',
  async (row) => {
    sandbox.resources.remove(row);
    try {
      await expect(surveyed({ credential: { kind: 'none' } })).rejects.toThrow(
        `the API server serves no ${row.kind} of ${apiVersionOf(row)}, so the relay cannot run on that cluster: give --no-relay in place of --image`,
      );
    } finally {
      sandbox.resources.add(row);
    }
  },
);

test('an API server without tokens of service accounts is refused before anything is made, with the way out', async () => {
  const without = { ...serviceAccounts, subresources: [] };
  sandbox.resources.replace([serviceAccounts], [without]);
  try {
    await expect(surveyed({})).rejects.toThrow('the API server gives no tokens for service accounts: let functions in by');
  } finally {
    sandbox.resources.replace([without], [serviceAccounts]);
  }
});

test('a relay on it, with a token of a service account for functions, is taken', async () => {
  const found = await surveyed({ credential: { kind: 'serviceAccount', tokenSeconds: 3_600 } });
  expect(found).toMatchObject({ version: 'v1.36.3', namespaceIsForeign: false, record: undefined });
  expect(await findOurs(administration, 'farloop')).toEqual([]);
});

test('it takes the rights of a registration whose relay runs elsewhere, unchanged when they are given again, and lets them go', async () => {
  const { manifests } = registered({ image: undefined, namespaces: ['default'] });
  const apply = async (): Promise<string[]> => {
    const versions: string[] = [];
    for (const manifest of manifests) {
      const { metadata } = await administration.apply(resourceOf(manifest), { ...manifest });
      versions.push(`${objectText(ourObject(manifest))} ${metadata.resourceVersion}`);
    }
    return versions;
  };
  const first = await apply();
  expect(first).toContainEqual(expect.stringMatching(/^RoleBinding default\/farloop-functions \d+$/));
  expect(await apply()).toEqual(first);
  const ours = await findOurs(administration, 'farloop');
  expect(ours.map(objectText).toSorted()).toEqual(manifests.map((manifest) => objectText(ourObject(manifest))).toSorted());
  for (const object of ours) await administration.delete(object.resource, object);
  await until('the end of all of ours', async () => (await findOurs(administration, 'farloop')).length === 0);
});
