// A cluster of EKS: the functions' role is let in by an access entry, the relay is given its own by Pod Identity or IRSA; and all of it
// is taken back. EKS, IAM and STS are an emulator's, the API server is real.
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
import { CreateOpenIDConnectProviderCommand, GetRoleCommand, ListRolesCommand, ListUsersCommand } from '@aws-sdk/client-iam';
import { ListSecretsCommand } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eksToken } from '../../lib/adapters/eks/eks-token.ts';
import type { KubernetesAdministration } from '../../lib/adapters/kubernetes/kubernetes-administration.ts';
import type { SigningKey } from '../../lib/adapters/aws/request-signature.ts';
import { signatureHeaders } from '../../lib/adapters/aws/request-signature.ts';
import { findOurs, resourceOf } from '../../lib/onboarding/ours.ts';
import { managedKinds } from '../../lib/kinds/settings.ts';
import { functionRules } from '../../lib/onboarding/rights.ts';
import { until } from '../claims.ts';
import type { Ended } from '../cli/farloop-process.ts';
import type { EksFront } from './eks-front.ts';
import { STAND_IN, startEksFront } from './eks-front.ts';
import type { Stage } from './stage.ts';
import { KEYS, REGION, STAGE, startStage } from './stage.ts';

const EKS_CLUSTER = 'shop';
const trust = { Statement: [{ Effect: 'Allow', Principal: { AWS: 'arn:aws:iam::000000000000:root' }, Action: 'sts:AssumeRole' }] };
const ROLES = {
  Resources: {
    ReconcileRole: { Type: 'AWS::IAM::Role', Properties: { AssumeRolePolicyDocument: trust } },
    OtherRole: { Type: 'AWS::IAM::Role', Properties: { AssumeRolePolicyDocument: trust } },
  },
  Outputs: {
    ReconcileRoleArn: { Value: { 'Fn::GetAtt': ['ReconcileRole', 'Arn'] } },
    OtherRoleArn: { Value: { 'Fn::GetAtt': ['OtherRole', 'Arn'] } },
  },
};

const folder = mkdtempSync(join(tmpdir(), 'farloop-eks-'));
let front: EksFront | undefined;
let stage: Stage;
let administration: KubernetesAdministration;
let eks: EKSClient;
const roleArns = { functions: '', other: '' };

beforeAll(async () => {
  console.log(STAND_IN);
  stage = await startStage(ROLES, async (endpoint) => {
    front = await startEksFront({ name: EKS_CLUSTER, region: REGION, endpoint, folder });
    return front.apiServerFlags;
  });
  ({ administration } = stage);
  Object.assign(roleArns, { functions: stage.outputs['ReconcileRoleArn'], other: stage.outputs['OtherRoleArn'] });
  eks = new EKSClient(stage.connection);
  await eks.send(
    new CreateClusterCommand({
      name: EKS_CLUSTER,
      roleArn: roleArns.other,
      resourcesVpcConfig: {},
      accessConfig: { authenticationMode: 'API', bootstrapClusterCreatorAdminPermissions: false },
    }),
  );
  await until(
    'the cluster is active',
    async () => (await eks.send(new DescribeClusterCommand({ name: EKS_CLUSTER }))).cluster?.status === 'ACTIVE',
    60_000,
  );
}, 900_000);

afterAll(async () => {
  eks?.destroy();
  await stage?.stop();
  await front?.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

const cluster = async (...args: string[]): Promise<Ended> =>
  await stage.cluster(...args, '--kubeconfig', stage.controlPlane.kubeconfigPath);
const add = async (...args: string[]): Promise<Ended> => await cluster('add', 'one', '--image', 'farloop-relay:test', ...args);
const EKS = ['--eks-cluster', EKS_CLUSTER, '--identity', 'pod-identity', '--credential', 'eks'];

const record = async (): Promise<unknown> => await stage.clusters().get('one');

/** Everything that EKS and IAM know, by name. */
async function toldToAws(): Promise<{ entries: string[]; associations: string[]; users: string[]; roles: string[]; secrets: string[] }> {
  const { accessEntries: entries = [] } = await eks.send(new ListAccessEntriesCommand({ clusterName: EKS_CLUSTER }));
  const { associations = [] } = await eks.send(new ListPodIdentityAssociationsCommand({ clusterName: EKS_CLUSTER }));
  const { Users: users = [] } = await stage.iam.send(new ListUsersCommand({}));
  const { Roles: roles = [] } = await stage.iam.send(new ListRolesCommand({}));
  const { SecretList: secrets = [] } = await stage.secrets.send(new ListSecretsCommand({}));
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
  (await eks.send(new DescribeAccessEntryCommand({ clusterName: EKS_CLUSTER, principalArn: roleArns.functions }))).accessEntry
    ?.kubernetesGroups;

/** A session of the role, as a function has one. */
async function sessionOf(roleArn: string): Promise<SigningKey> {
  const url = new URL(stage.connection.endpoint);
  const body = String(new URLSearchParams({ Action: 'AssumeRole', Version: '2011-06-15', RoleArn: roleArn, RoleSessionName: 'test' }));
  const headers = await signatureHeaders(KEYS, { method: 'POST', url, body, region: REGION, service: 'sts', nowMs: Date.now() });
  const answer = await fetch(url, { method: 'POST', body, headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' } });
  const text = await answer.text();
  const field = (name: string): string => new RegExp(`<${name}>([^<]+)</${name}>`).exec(text)?.[1] ?? '';
  const key = { accessKeyId: field('AccessKeyId'), secretAccessKey: field('SecretAccessKey'), sessionToken: field('SessionToken') };
  if (key.accessKeyId === '') throw new Error(`no session of ${roleArn}: ${text}`);
  return key;
}

const tokenOf = async (roleArn: string, name = EKS_CLUSTER): Promise<string> =>
  await eksToken(await sessionOf(roleArn), { name, region: REGION }, Date.now());

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
    const { Role: role } = await stage.iam.send(new GetRoleCommand({ RoleName: `farloop-${STAGE}-relay-one` }));
    expect(await record()).toMatchObject({ eks: { name: EKS_CLUSTER, region: REGION }, senders: [role?.RoleId] });
  });

  test('R15: the role of the functions may do what the kinds need, and nothing else; another role is not let in, nor a token for another cluster', async () => {
    const functions = await tokenOf(roleArns.functions);
    for (const { apiGroups, resources, verbs } of functionRules(managedKinds(['jobs'])))
      for (const verb of verbs)
        expect([verb, resources[0], await stage.may(functions, { verb, group: apiGroups[0] ?? '', resource: resources[0] ?? '' })]).toEqual(
          [verb, resources[0], true],
        );
    for (const [verb, group, resource] of [
      ['get', '', 'secrets'],
      ['create', 'batch', 'jobs'],
      ['create', '', 'pods/exec'],
      ['create', '', 'serviceaccounts/token'],
    ] as const)
      expect([verb, resource, await stage.may(functions, { verb, group, resource })]).toEqual([verb, resource, false]);
    expect(await stage.may(await tokenOf(roleArns.other), { verb: 'create', resource: 'pods' })).toBe(false);
    expect(await stage.may(await tokenOf(roleArns.functions, 'another'), { verb: 'create', resource: 'pods' })).toBe(false);
    expect(front?.verdicts.at(-1)).toContain('refused');
  });

  test('added again, what was lost or changed on EKS is as it was', async () => {
    const { associations: [association] = [] } = await eks.send(new ListPodIdentityAssociationsCommand({ clusterName: EKS_CLUSTER }));
    await eks.send(new DeletePodIdentityAssociationCommand({ clusterName: EKS_CLUSTER, associationId: association?.associationId ?? '' }));
    await eks.send(
      new UpdateAccessEntryCommand({
        clusterName: EKS_CLUSTER,
        principalArn: roleArns.functions,
        kubernetesGroups: ['farloop-functions', 'masters'],
      }),
    );
    expect(await add(...EKS)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await groupsOfFunctions()).toEqual(['farloop-functions']);
    const { associations: [again] = [] } = await eks.send(new ListPodIdentityAssociationsCommand({ clusterName: EKS_CLUSTER }));
    const described = await eks.send(
      new DescribePodIdentityAssociationCommand({ clusterName: EKS_CLUSTER, associationId: again?.associationId ?? '' }),
    );
    expect(described.association?.roleArn).toBe(`arn:aws:iam::000000000000:role/farloop-${STAGE}-relay-one`);
    const before = await toldToAws();
    expect(await add(...EKS)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await toldToAws()).toEqual(before);
  });

  test('registered anew with a user and a token, EKS lets nobody in any more and the role is gone', async () => {
    const functions = await tokenOf(roleArns.functions);
    expect(await add()).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--identity pod-identity --credential eks: give them again'),
    });
    const { exitCode, stdout } = await add('--identity', 'user', '--credential', 'service-account');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('stale');
    expect(await toldToAws()).toEqual({
      ...NOTHING,
      users: [`farloop-${STAGE}-relay-one`],
      secrets: [`farloop/${STAGE}/clusters/one`],
    });
    expect(await record()).not.toHaveProperty('eks');
    expect(await stage.may(functions, { verb: 'create', resource: 'pods' })).toBe(false);
  });

  test('IRSA: the role trusts the service account of the relay alone, and its pods know the role', async () => {
    await stage.iam.send(
      new CreateOpenIDConnectProviderCommand({ Url: 'https://kubernetes.default.svc', ClientIDList: ['sts.amazonaws.com'] }),
    );
    expect(await add('--identity', 'irsa', '--eks-cluster', EKS_CLUSTER, '--credential', 'eks')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await toldToAws()).toEqual({ ...NOTHING, entries: [roleArns.functions], roles: [`farloop-${STAGE}-relay-one`] });
    const { Role: role } = await stage.iam.send(new GetRoleCommand({ RoleName: `farloop-${STAGE}-relay-one` }));
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
  });

  test('removed, nothing of ours is left: on EKS, in IAM, on the cluster', async () => {
    expect(await add(...EKS)).toMatchObject({ exitCode: 0, stderr: '' });
    const functions = await tokenOf(roleArns.functions);
    expect(await stage.may(functions, { verb: 'create', resource: 'pods' })).toBe(true);
    const { exitCode, stdout, stderr } = await cluster('remove', 'one');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain(`access entry of ${roleArns.functions} on the EKS cluster ${EKS_CLUSTER} removed`);
    expect(await toldToAws()).toEqual(NOTHING);
    await until('nothing of ours is left', async () => (await findOurs(administration, 'farloop')).length === 0, 60_000);
    expect(await stage.may(functions, { verb: 'create', resource: 'pods' })).toBe(false);
    expect(await record()).toBeUndefined();
  });
});
