// A registration that ends half-way: what is at work goes on as it was registered, and whatever was made can be found again.
import { IAMClient } from '@aws-sdk/client-iam';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { expect, test } from '@jest/globals';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { EksAccess } from '../../lib/adapters/eks/eks-access.ts';
import { DynamoDbClusters } from '../../lib/adapters/dynamodb/dynamodb-clusters.ts';
import { KubernetesAdministration } from '../../lib/adapters/kubernetes/kubernetes-administration.ts';
import { SenderIdentities } from '../../lib/adapters/sqs/sender-identities.ts';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import type { KubernetesObject } from '../../lib/objects/kubernetes.ts';
import type { Resource } from '../../lib/objects/resources.ts';
import type { RegistrationRequest, Survey } from '../../lib/onboarding/registration-plan.ts';
import type { RegistrationPlace } from '../../lib/onboarding/registration.ts';
import { register } from '../../lib/onboarding/registration.ts';
import { wirelessSqs } from '../adapters/wireless-sqs.ts';
import { PLACE, registered, REQUEST, SURVEY } from './registered.ts';

const CONFIG = { region: 'eu-central-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
/** Nothing listens there. */
const SERVER = { server: 'https://127.0.0.1:1', caPem: 'ca' };

/**
 * @param answered by the table of clusters
 * @returns the commands that it and the secrets were given, and the steps that were told, until the server's silence, or the table, ended it
 */
async function endedHalfWay(
  record: Survey['record'],
  answered: () => Promise<object> = async () => ({ $metadata: {} }),
  change: Partial<RegistrationRequest> = {},
  place: Partial<Pick<RegistrationPlace, 'administration' | 'eks'>> = {},
): Promise<{ commands: string[]; steps: string[]; error: unknown }> {
  const [dynamodb, iam, secrets] = [new DynamoDBClient(CONFIG), new IAMClient(CONFIG), new SecretsManagerClient(CONFIG)];
  const commands: string[] = [];
  dynamodb.middlewareStack.add(
    (_next, { commandName = '' }) =>
      async () => {
        commands.push(commandName);
        return { response: {}, output: (await answered()) as never };
      },
    { step: 'initialize', priority: 'high' },
  );
  secrets.middlewareStack.add(
    (_next, { commandName = '' }) =>
      async () => {
        commands.push(commandName);
        return { response: {}, output: { $metadata: {} } };
      },
    { step: 'initialize', priority: 'high' },
  );
  iam.middlewareStack.add(() => async () => ({ response: {}, output: { $metadata: {}, User: { Arn: 'arn', UserId: 'AIDAEXAMPLE' } } }), {
    step: 'initialize',
    priority: 'high',
  });
  const administration = new KubernetesAdministration({ ...SERVER, auth: { kind: 'token', token: 'administrator' } });
  const steps: string[] = [];
  const error = await register(
    {
      ...PLACE,
      eks: () => Promise.reject(new Error('EKS is not asked')),
      clusters: new DynamoDbClusters({ client: dynamodb, tableName: 'clusters', clock: new SystemClock(), allowLoopback: true }),
      senders: new SenderIdentities(iam),
      sqs: wirelessSqs(() => ({ QueueUrl: 'https://sqs.example.com/1/relay', Attributes: { QueueArn: 'arn' } })),
      secrets,
      administration,
      clock: { wait: async () => {} },
      ...place,
    },
    {
      ...REQUEST,
      image: undefined,
      credential: { kind: 'given', credential: { kind: 'token', token: 'functions' } },
      server: SERVER,
      ...change,
    },
    { ...SURVEY, record },
    (step) => steps.push(step),
  ).catch((reason: unknown) => reason);
  administration.close();
  return { commands, steps, error };
}

test('a cluster at work keeps its record as long as the way that is asked for has not been tried', async () => {
  const { record } = registered({ credential: { kind: 'none' } });
  const { commands, steps, error } = await endedHalfWay({ ...record, senders: ['AIDAEXAMPLE'], version: 3 });
  expect(String(error)).toContain('functions would not reach the cluster');
  expect({ access: record.access, commands, steps }).toEqual({ access: 'relayed', commands: [], steps: ['queue', 'identity'] });
});

/** Takes whatever is applied, and has nothing. */
class Willing extends KubernetesAdministration {
  override async get(): Promise<undefined> {}
  override async apply(_resource: Resource, object: KubernetesObject): Promise<KubernetesObject> {
    return object;
  }
}

test('a cluster that is dialled with a token keeps it until functions are told to show their own role', async () => {
  const eks = { name: 'shop', region: 'eu-west-1' };
  const administration = new Willing({ ...SERVER, auth: { kind: 'token', token: 'administrator' } });
  const told: Pick<EksAccess, 'ensureEntry'> = { ensureEntry: async () => {} };
  const { commands, error } = await endedHalfWay(
    { ...registered({ identity: { kind: 'podIdentity' }, eks }).record, senders: ['AIDAEXAMPLE'], version: 3 },
    () => Promise.reject(new Error('the line is cut')),
    { credential: { kind: 'eks' }, eks },
    { administration, eks: async () => told as EksAccess },
  );
  administration.close();
  expect(String(error)).toContain('writing the access to the cluster far');
  expect(commands).toEqual(['UpdateItemCommand']);
});

test.each([
  ['a new one', undefined],
  ['one that was half removed', { ...registered().record, leaving: true, senders: [], version: 3 } as const],
])('%s has its record before anything is made on it, so that it can be removed', async (_which, record) => {
  const { commands, steps, error } = await endedHalfWay(record);
  expect(String(error)).toContain('functions would not reach the cluster');
  expect({ commands, steps }).toEqual({ commands: ['UpdateItemCommand'], steps: ['queue', 'identity', 'record'] });
});

test('a record that somebody has changed meanwhile is not written over, and what to do is told', async () => {
  const refused = Object.assign(new Error('The conditional request failed'), { name: 'ConditionalCheckFailedException' });
  const { error } = await endedHalfWay(undefined, () => Promise.reject(refused));
  expect(String(error)).toContain('the record of far has changed since it was read: give the command again');
});
