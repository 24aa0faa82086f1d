// Registering a cluster writes in some twenty-five places, removing it in as many. Whoever dies after any of them gives the command again, and
// it is as if nothing had been.
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetUserCommand, IAMClient, ListAccessKeysCommand, ListUsersCommand } from '@aws-sdk/client-iam';
import { GetSecretValueCommand, ListSecretsCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DynamoDbClusters } from '../../lib/adapters/dynamodb/dynamodb-clusters.ts';
import { KubernetesAdministration } from '../../lib/adapters/kubernetes/kubernetes-administration.ts';
import { SenderIdentities } from '../../lib/adapters/sqs/sender-identities.ts';
import { readInstallation } from '../../lib/adapters/aws/stack-outputs.ts';
import { EmbeddedStore } from '../../lib/adapters/embedded/store.ts';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import { findOurs, resourceOf } from '../../lib/onboarding/ours.ts';
import { register, survey, type RegistrationPlace } from '../../lib/onboarding/registration.ts';
import type { RegistrationRequest } from '../../lib/onboarding/registration-plan.ts';
import { AWS_KEY_SECRET } from '../../lib/onboarding/relay-manifests.ts';
import { removeCluster } from '../../lib/onboarding/removal.ts';
import { fieldsOf, textOf } from '../../lib/objects/values/untyped-fields.ts';
import { STAGE, startStage, type Stage } from './stage.ts';

const CLUSTER = 'half';
const NAME = `farloop-${STAGE}-relay-${CLUSTER}`;

let stage: Stage;
let clients: { dynamodb: DynamoDBClient; iam: IAMClient; secrets: SecretsManagerClient; sqs: SQSClient };
let place: RegistrationPlace;
/** What was written in this round; whoever writes the last of so many dies of it, though it is done. */
let written: string[] = [];
let diesAfter = Infinity;

const wrote = (what: string): void => {
  written.push(what);
  if (written.length === diesAfter) throw new Error(`died after ${what}`);
};

const witnessed =
  <Given, Answer>(next: (given: Given) => Promise<Answer>, { commandName = '' }: { commandName?: string }) =>
  async (given: Given): Promise<Answer> => {
    const answer = await next(given);
    if (!/^(Get|List|Scan)/.test(commandName)) wrote(commandName);
    return answer;
  };

class Witness extends KubernetesAdministration {
  override async apply(...given: Parameters<KubernetesAdministration['apply']>): ReturnType<KubernetesAdministration['apply']> {
    const applied = await super.apply(...given);
    wrote(`apply ${given[0].kind}`);
    return applied;
  }
}

beforeAll(async () => {
  stage = await startStage();
  const { connection, controlPlane } = stage;
  const { url: server, caPem, token } = controlPlane;
  clients = {
    dynamodb: new DynamoDBClient(connection),
    iam: new IAMClient(connection),
    secrets: new SecretsManagerClient(connection),
    sqs: new SQSClient(connection),
  };
  clients.dynamodb.middlewareStack.add(witnessed, { step: 'initialize' });
  clients.iam.middlewareStack.add(witnessed, { step: 'initialize' });
  clients.secrets.middlewareStack.add(witnessed, { step: 'initialize' });
  clients.sqs.middlewareStack.add(witnessed, { step: 'initialize' });
  const stacks = new CloudFormationClient(connection);
  const { dynamodb, iam, secrets, sqs } = clients;
  const installation = await readInstallation(stacks, STAGE);
  stacks.destroy();
  const tableName = installation.clustersTable;
  place = {
    installation,
    region: connection.region,
    get clusters() {
      return new DynamoDbClusters({ client: dynamodb, tableName, clock: new SystemClock(), allowLoopback: true });
    },
    senders: new SenderIdentities(iam),
    sqs,
    secrets,
    administration: new Witness({ server, caPem, auth: { kind: 'token', token } }),
    // There are no functions here whose passes one would have to wait for.
    clock: { wait: async () => {} },
    eks: () => Promise.reject(new Error('EKS is not asked')),
  };
}, 900_000);

afterAll(async () => {
  place?.administration.close();
  for (const client of Object.values(clients ?? {})) client.destroy();
  await stage?.stop();
}, 60_000);

async function add(relayNamespace: string, dying = Infinity): Promise<void> {
  const { url: server, caPem } = stage.controlPlane;
  const request: RegistrationRequest = {
    cluster: CLUSTER,
    manages: ['jobs'],
    namespaces: [],
    budget: { writesPerSecond: 100, burst: 200 },
    relayNamespace,
    image: 'farloop-relay:test',
    identity: { kind: 'user' },
    credential: { kind: 'serviceAccount', tokenSeconds: 86_400 },
    server: { server, caPem },
  };
  [written, diesAfter] = [[], dying];
  await register(place, request, await survey(place, request), () => {}).finally(() => {
    diesAfter = Infinity;
  });
}

/** Whether each part is there once, and is the one that the others mean. */
async function whatIsThere(relayNamespace: string): Promise<object> {
  const { iam, secrets, sqs } = clients;
  const { administration, clusters } = place;
  const record = await clusters.get(CLUSTER);
  const { User: user } = await iam.send(new GetUserCommand({ UserName: NAME }));
  const { AccessKeyMetadata: keys = [] } = await iam.send(new ListAccessKeysCommand({ UserName: NAME }));
  const secret = { namespace: relayNamespace, name: AWS_KEY_SECRET };
  const lying = fieldsOf(fieldsOf(await administration.get(resourceOf({ apiVersion: 'v1', kind: 'Secret' }), secret))['data']);
  const { SecretString = '{}' } = await secrets.send(new GetSecretValueCommand({ SecretId: `farloop/${STAGE}/clusters/${CLUSTER}` }));
  const { token } = JSON.parse(SecretString) as { token: string };
  return {
    senderIsUser: record?.senders.length === 1 && record.senders[0] === user?.UserId,
    keyIsOneAndLiesThere:
      keys.length === 1 && keys[0]?.AccessKeyId === Buffer.from(textOf(lying['AWS_ACCESS_KEY_ID']), 'base64').toString('utf8'),
    functionsMay: await stage.may(token, { verb: 'create', resource: 'pods' }),
    objects: (await findOurs(administration, relayNamespace)).length,
    queues: ((await sqs.send(new ListQueuesCommand({}))).QueueUrls ?? []).length,
  };
}

async function remove(relayNamespace: string, dying = Infinity): Promise<void> {
  const record = await place.clusters.get(CLUSTER);
  if (!record) throw new Error('not registered');
  const nothing = EmbeddedStore.open({ clock: new SystemClock() });
  [written, diesAfter] = [[], dying];
  const removing = {
    ...place,
    clusters: place.clusters,
    store: nothing,
    forgetNotes: async () => 0,
    clock: { wait: async () => {}, monotonicMs: () => 0 },
  };
  await removeCluster(removing, { record, relayNamespace }, () => {}).finally(() => {
    diesAfter = Infinity;
    nothing.close();
  });
}

test('what died after any of its writes is finished by the next: registrations, and removals without a trace', async () => {
  await add('relay-whole');
  const steps = [...written];
  const whole = await whatIsThere('relay-whole');
  expect(whole).toMatchObject({ senderIsUser: true, keyIsOneAndLiesThere: true, functionsMay: true, queues: 3 });
  await remove('relay-whole');
  const backSteps = [...written];
  expect([steps.length > 20, backSteps.length > 5]).toEqual([true, true]);
  // Applied is applied, whichever it is: of those every fourth.
  const deaths = steps.flatMap((step, at) => (step.startsWith('apply') && at % 4 > 0 ? [] : [at + 1]));
  for (const [at, death] of deaths.entries()) {
    const namespace = `relay-${at}`;
    await expect(add(namespace, death)).rejects.toThrow('died after');
    await add(namespace);
    expect([steps[death - 1], await whatIsThere(namespace)]).toEqual([steps[death - 1], whole]);
    // The last of them is the record: whoever dies after that is done.
    if (at + 1 < backSteps.length) await expect(remove(namespace, at + 1)).rejects.toThrow('died after');
    await remove(namespace);
  }
  expect(deaths.length).toBeGreaterThanOrEqual(backSteps.length - 1);
  const { iam, secrets, sqs } = clients;
  expect(await place.clusters.list()).toEqual([]);
  expect((await iam.send(new ListUsersCommand({}))).Users).toEqual([]);
  expect((await secrets.send(new ListSecretsCommand({}))).SecretList).toEqual([]);
  expect((await sqs.send(new ListQueuesCommand({}))).QueueUrls).toHaveLength(1);
}, 600_000);
