// A cluster of EKS: the functions' role is let in by an access entry, the relay is given its own by Pod Identity or IRSA; and all of it
// is taken back. EKS, IAM and STS are an emulator's, the API server is real.
import { CloudFormationClient, CreateStackCommand, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  CreateClusterCommand,
  DeletePodIdentityAssociationCommand,
  DescribeAccessEntryCommand,
  DescribeClusterCommand,
  DescribePodIdentityAssociationCommand,
  EKSClient,
  ListAccessEntriesCommand,
  ListPodIdentityAssociationsCommand,
  UpdateAccessEntryCommand,
} from '@aws-sdk/client-eks';
import { CreateOpenIDConnectProviderCommand, GetRoleCommand, IAMClient, ListRolesCommand, ListUsersCommand } from '@aws-sdk/client-iam';
import { ListSecretsCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDbClusters, createClustersTableInput } from '../../lib/adapters/dynamodb-clusters.ts';
import { createTableInput } from '../../lib/adapters/table-definition.ts';
import { eksToken } from '../../lib/adapters/eks-token.ts';
import { KubernetesAdministration } from '../../lib/adapters/kubernetes-administration.ts';
import type { SigningKey } from '../../lib/adapters/request-signature.ts';
import { signatureHeaders } from '../../lib/adapters/request-signature.ts';
import { SystemClock } from '../../lib/adapters/system-clock.ts';
import { NAMESPACES } from '../../lib/objects/resources.ts';
import { findOurs, resourceOf } from '../../lib/onboarding/ours.ts';
import { functionRules } from '../../lib/onboarding/rights.ts';
import { until } from '../claims.ts';
import type { Ended } from '../cli/farloop-process.ts';
import { runFarloop } from '../cli/farloop-process.ts';
import type { Peer } from '../peers/peer.ts';
import { startMinistack } from '../peers/peer.ts';
import { isAllowed } from './access-review.ts';
import type { ControlPlane } from './control-plane.ts';
import { startControlPlane } from './control-plane.ts';
import type { EksFront } from './eks-front.ts';
import { STAND_IN, startEksFront } from './eks-front.ts';

const STAGE = 't';
const REGION = 'us-east-1';
const EKS_CLUSTER = 'shop';
const KEYS = { accessKeyId: 'test', secretAccessKey: 'test' };
const trust = { Statement: [{ Effect: 'Allow', Principal: { AWS: 'arn:aws:iam::000000000000:root' }, Action: 'sts:AssumeRole' }] };
const STACK = {
  Resources: {
    Events: { Type: 'AWS::SQS::Queue', Properties: { QueueName: `farloop-${STAGE}-events` } },
    ReconcileRole: { Type: 'AWS::IAM::Role', Properties: { AssumeRolePolicyDocument: trust } },
    OtherRole: { Type: 'AWS::IAM::Role', Properties: { AssumeRolePolicyDocument: trust } },
  },
  Outputs: {
    EventsQueueUrl: { Value: { Ref: 'Events' } },
    EventsQueueArn: { Value: { 'Fn::GetAtt': ['Events', 'Arn'] } },
    ViewsTable: { Value: `farloop-${STAGE}-views` },
    ClustersTable: { Value: `farloop-${STAGE}-clusters` },
    ClusterSecretPrefix: { Value: `farloop/${STAGE}/clusters/` },
    ReconcileRoleArn: { Value: { 'Fn::GetAtt': ['ReconcileRole', 'Arn'] } },
    OtherRoleArn: { Value: { 'Fn::GetAtt': ['OtherRole', 'Arn'] } },
    AllowLoopback: { Value: 'yes' },
  },
};

const folder = mkdtempSync(join(tmpdir(), 'farloop-eks-'));
let peer: Peer;
let front: EksFront;
let controlPlane: ControlPlane;
let administration: KubernetesAdministration;
let aws: { dynamodb: DynamoDBClient; eks: EKSClient; iam: IAMClient; secrets: SecretsManagerClient };
const roleArns = { functions: '', other: '' };

beforeAll(async () => {
  console.log(STAND_IN);
  peer = await startMinistack({ AUTH: 'true' });
  const connection = { endpoint: peer.endpoint, region: REGION, credentials: KEYS };
  aws = {
    dynamodb: new DynamoDBClient(connection),
    eks: new EKSClient(connection),
    iam: new IAMClient(connection),
    secrets: new SecretsManagerClient(connection),
  };
  front = await startEksFront({ name: EKS_CLUSTER, region: REGION, endpoint: peer.endpoint, folder });
  controlPlane = await startControlPlane({ controllers: '*,-job', apiServerFlags: front.apiServerFlags });
  const { url, caPem, token } = controlPlane;
  administration = new KubernetesAdministration({ server: url, caPem, auth: { kind: 'token', token } });
  const stacks = new CloudFormationClient(connection);
  const StackName = `farloop-${STAGE}`;
  await stacks.send(new CreateStackCommand({ StackName, TemplateBody: JSON.stringify(STACK), Capabilities: ['CAPABILITY_IAM'] }));
  await until(
    'the stack is there',
    async () => {
      const { Stacks: [stack] = [] } = await stacks.send(new DescribeStacksCommand({ StackName }));
      const output = (name: string): string => stack?.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue ?? '';
      Object.assign(roleArns, { functions: output('ReconcileRoleArn'), other: output('OtherRoleArn') });
      return stack?.StackStatus === 'CREATE_COMPLETE';
    },
    30_000,
  );
  stacks.destroy();
  await aws.dynamodb.send(new CreateTableCommand(createClustersTableInput(`farloop-${STAGE}-clusters`)));
  await aws.dynamodb.send(new CreateTableCommand(createTableInput(`farloop-${STAGE}-views`)));
  await aws.eks.send(
    new CreateClusterCommand({
      name: EKS_CLUSTER,
      roleArn: roleArns.other,
      resourcesVpcConfig: {},
      accessConfig: { authenticationMode: 'API', bootstrapClusterCreatorAdminPermissions: false },
    }),
  );
  await until(
    'the cluster is active',
    async () => (await aws.eks.send(new DescribeClusterCommand({ name: EKS_CLUSTER }))).cluster?.status === 'ACTIVE',
    30_000,
  );
  await until('the four namespaces of the beginning', async () => (await administration.list(NAMESPACES)).length === 4, 30_000);
}, 300_000);

afterAll(async () => {
  administration?.close();
  for (const client of Object.values(aws ?? {})) client.destroy();
  await controlPlane?.stop();
  await front?.stop();
  await peer?.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

const cluster = async (...args: string[]): Promise<Ended> =>
  await runFarloop(['cluster', ...args, '--stage', STAGE, '--kubeconfig', controlPlane.kubeconfigPath], {
    environment: {
      AWS_ENDPOINT_URL: peer.endpoint,
      AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
      AWS_REGION: REGION,
      AWS_EC2_METADATA_DISABLED: 'true',
    },
  });
const add = async (...args: string[]): Promise<Ended> => await cluster('add', 'one', '--image', 'farloop-relay:test', ...args);
const EKS = ['--eks-cluster', EKS_CLUSTER, '--identity', 'pod-identity', '--credential', 'eks'];

const record = async (): Promise<unknown> =>
  await new DynamoDbClusters({
    client: aws.dynamodb,
    tableName: `farloop-${STAGE}-clusters`,
    clock: new SystemClock(),
    allowLoopback: true,
  }).get('one');

/** Everything that EKS and IAM know, by name. */
async function toldToAws(): Promise<{ entries: string[]; associations: string[]; users: string[]; roles: string[]; secrets: string[] }> {
  const { accessEntries: entries = [] } = await aws.eks.send(new ListAccessEntriesCommand({ clusterName: EKS_CLUSTER }));
  const { associations = [] } = await aws.eks.send(new ListPodIdentityAssociationsCommand({ clusterName: EKS_CLUSTER }));
  const { Users: users = [] } = await aws.iam.send(new ListUsersCommand({}));
  const { Roles: roles = [] } = await aws.iam.send(new ListRolesCommand({}));
  const { SecretList: secrets = [] } = await aws.secrets.send(new ListSecretsCommand({}));
  return {
    entries,
    associations: associations.map(({ namespace, serviceAccount }) => `${namespace}/${serviceAccount}`),
    users: users.map(({ UserName }) => UserName ?? ''),
    roles: roles.map(({ RoleName }) => RoleName ?? '').filter((name) => name.includes('-relay-')),
    secrets: secrets.map(({ Name }) => Name ?? ''),
  };
}
const NOTHING = { entries: [], associations: [], users: [], roles: [], secrets: [] };

const groupsOfFunctions = async (): Promise<string[] | undefined> =>
  (await aws.eks.send(new DescribeAccessEntryCommand({ clusterName: EKS_CLUSTER, principalArn: roleArns.functions }))).accessEntry
    ?.kubernetesGroups;

/** A session of the role, as a function has one. */
async function sessionOf(roleArn: string): Promise<SigningKey> {
  const url = new URL(peer.endpoint);
  const body = String(new URLSearchParams({ Action: 'AssumeRole', Version: '2011-06-15', RoleArn: roleArn, RoleSessionName: 'test' }));
  const headers = signatureHeaders(KEYS, { method: 'POST', url, body, region: REGION, service: 'sts', nowMs: Date.now() });
  const answer = await fetch(url, { method: 'POST', body, headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' } });
  const text = await answer.text();
  const field = (name: string): string => new RegExp(`<${name}>([^<]+)</${name}>`).exec(text)?.[1] ?? '';
  const key = { accessKeyId: field('AccessKeyId'), secretAccessKey: field('SecretAccessKey'), sessionToken: field('SessionToken') };
  if (key.accessKeyId === '') throw new Error(`no session of ${roleArn}: ${text}`);
  return key;
}

const tokenOf = async (roleArn: string, name = EKS_CLUSTER): Promise<string> =>
  eksToken(await sessionOf(roleArn), { name, region: REGION }, Date.now());
const may = async (token: string, verb: string, group: string, resource: string): Promise<boolean> =>
  await isAllowed(controlPlane, token, { verb, group, resource, namespace: 'default' });

describe('farloop cluster, on EKS', () => {
  test('--dry-run shows entry, association and the group of the functions, and tells EKS nothing', async () => {
    const { exitCode, stdout, stderr } = await add(...EKS, '--dry-run', '-o', 'json');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const { aws: planned, manifests } = JSON.parse(stdout) as { aws: object; manifests: { kind: string; subjects?: object[] }[] };
    const roleArn = `arn:aws:iam::000000000000:role/farloop-${STAGE}-relay-one`;
    expect(planned).toMatchObject({
      eks: {
        cluster: { name: EKS_CLUSTER, region: REGION },
        accessEntry: { principalArn: roleArns.functions, group: 'farloop-functions' },
        podIdentity: { namespace: 'farloop', serviceAccount: 'farloop-relay', roleArn },
      },
      sender: { kind: 'role', trust: { Statement: [{ Principal: { Service: 'pods.eks.amazonaws.com' } }] } },
    });
    expect(planned).not.toHaveProperty('secret');
    expect(manifests.flatMap(({ subjects = [] }) => subjects)).toContainEqual({
      kind: 'Group',
      apiGroup: 'rbac.authorization.k8s.io',
      name: 'farloop-functions',
    });
    expect(await toldToAws()).toEqual(NOTHING);
    expect(await findOurs(administration, 'farloop')).toEqual([]);
    const asText = await add(...EKS, '--dry-run');
    expect(asText.stdout).toContain(`access entry of ${roleArns.functions} on the EKS cluster ${EKS_CLUSTER}`);
  });

  test('what EKS does not know, or IAM, is told before anything is made', async () => {
    const nowhere = await add('--eks-cluster', 'nowhere', '--credential', 'eks');
    expect(nowhere).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('EKS has no cluster nowhere in us-east-1') });
    const unknown = await add('--identity', 'irsa');
    expect(unknown).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('IAM does not know the issuer https://kubernetes.default.svc'),
    });
    expect(await toldToAws()).toEqual(NOTHING);
    expect(await record()).toBeUndefined();
  });

  test('add tells EKS of both, keeps no credential, and says each step', async () => {
    const { exitCode, stdout, stderr } = await add(...EKS);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain(`lets ${roleArns.functions} in as the group farloop-functions`);
    expect(await toldToAws()).toEqual({
      ...NOTHING,
      entries: [roleArns.functions],
      associations: ['farloop/farloop-relay'],
      roles: [`farloop-${STAGE}-relay-one`],
    });
    const { Role: role } = await aws.iam.send(new GetRoleCommand({ RoleName: `farloop-${STAGE}-relay-one` }));
    expect(await record()).toMatchObject({ eks: { name: EKS_CLUSTER, region: REGION }, senders: [role?.RoleId] });
  });

  test('R15: the role of the functions may do what the kinds need, and nothing else; another role is not let in, nor a token for another cluster', async () => {
    const functions = await tokenOf(roleArns.functions);
    for (const { apiGroups, resources, verbs } of functionRules())
      for (const verb of verbs)
        expect([verb, resources[0], await may(functions, verb, apiGroups[0] ?? '', resources[0] ?? '')]).toEqual([
          verb,
          resources[0],
          true,
        ]);
    for (const [verb, group, resource] of [
      ['get', '', 'secrets'],
      ['create', 'batch', 'jobs'],
      ['create', '', 'pods/exec'],
      ['create', '', 'serviceaccounts/token'],
    ] as const)
      expect([verb, resource, await may(functions, verb, group, resource)]).toEqual([verb, resource, false]);
    expect(await may(await tokenOf(roleArns.other), 'create', '', 'pods')).toBe(false);
    expect(await may(await tokenOf(roleArns.functions, 'another'), 'create', '', 'pods')).toBe(false);
    expect(front.verdicts.at(-1)).toContain('refused');
  });

  test('added again, what was lost or changed on EKS is as it was', async () => {
    const { associations: [association] = [] } = await aws.eks.send(new ListPodIdentityAssociationsCommand({ clusterName: EKS_CLUSTER }));
    await aws.eks.send(
      new DeletePodIdentityAssociationCommand({ clusterName: EKS_CLUSTER, associationId: association?.associationId ?? '' }),
    );
    await aws.eks.send(
      new UpdateAccessEntryCommand({
        clusterName: EKS_CLUSTER,
        principalArn: roleArns.functions,
        kubernetesGroups: ['farloop-functions', 'masters'],
      }),
    );
    expect(await add(...EKS)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await groupsOfFunctions()).toEqual(['farloop-functions']);
    const { associations: [again] = [] } = await aws.eks.send(new ListPodIdentityAssociationsCommand({ clusterName: EKS_CLUSTER }));
    const described = await aws.eks.send(
      new DescribePodIdentityAssociationCommand({ clusterName: EKS_CLUSTER, associationId: again?.associationId ?? '' }),
    );
    expect(described.association?.roleArn).toBe(`arn:aws:iam::000000000000:role/farloop-${STAGE}-relay-one`);
    const before = await toldToAws();
    expect(await add(...EKS)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await toldToAws()).toEqual(before);
  });

  test('registered anew with a user and a token, EKS lets nobody in any more and the role is gone', async () => {
    const functions = await tokenOf(roleArns.functions);
    const { exitCode, stdout } = await add();
    expect(exitCode).toBe(0);
    expect(stdout).toContain('stale');
    expect(await toldToAws()).toEqual({
      ...NOTHING,
      users: [`farloop-${STAGE}-relay-one`],
      secrets: [`farloop/${STAGE}/clusters/one`],
    });
    expect(await record()).not.toHaveProperty('eks');
    expect(await may(functions, 'create', '', 'pods')).toBe(false);
  }, 90_000);

  test('IRSA: the role trusts the service account of the relay alone, and its pods know the role', async () => {
    await aws.iam.send(
      new CreateOpenIDConnectProviderCommand({ Url: 'https://kubernetes.default.svc', ClientIDList: ['sts.amazonaws.com'] }),
    );
    expect(await add('--identity', 'irsa', '--eks-cluster', EKS_CLUSTER, '--credential', 'eks')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await toldToAws()).toEqual({ ...NOTHING, entries: [roleArns.functions], roles: [`farloop-${STAGE}-relay-one`] });
    const { Role: role } = await aws.iam.send(new GetRoleCommand({ RoleName: `farloop-${STAGE}-relay-one` }));
    expect(JSON.parse(decodeURIComponent(role?.AssumeRolePolicyDocument ?? ''))).toMatchObject({
      Statement: [
        {
          Action: 'sts:AssumeRoleWithWebIdentity',
          Condition: {
            StringEquals: {
              'kubernetes.default.svc:sub': 'system:serviceaccount:farloop:farloop-relay',
              'kubernetes.default.svc:aud': 'sts.amazonaws.com',
            },
          },
        },
      ],
    });
    const deployment = await administration.get(resourceOf({ apiVersion: 'apps/v1', kind: 'Deployment' }), {
      namespace: 'farloop',
      name: 'farloop-relay',
    });
    expect(JSON.stringify(deployment)).toContain(`"AWS_ROLE_ARN","value":"${role?.Arn}"`);
    // The key of the user that it was before is nobody's any more.
    expect(
      await administration.get(resourceOf({ apiVersion: 'v1', kind: 'Secret' }), { namespace: 'farloop', name: 'farloop-relay-aws' }),
    ).toBe(undefined);
  }, 90_000);

  test('removed, nothing of ours is left: on EKS, in IAM, on the cluster', async () => {
    expect(await add(...EKS)).toMatchObject({ exitCode: 0, stderr: '' });
    const functions = await tokenOf(roleArns.functions);
    expect(await may(functions, 'create', '', 'pods')).toBe(true);
    const { exitCode, stdout, stderr } = await cluster('remove', 'one');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain(`access entry of ${roleArns.functions} on the EKS cluster ${EKS_CLUSTER} removed`);
    expect(await toldToAws()).toEqual(NOTHING);
    await until('nothing of ours is left', async () => (await findOurs(administration, 'farloop')).length === 0, 30_000);
    expect(await may(functions, 'create', '', 'pods')).toBe(false);
    expect(await record()).toBeUndefined();
  }, 90_000);
});
