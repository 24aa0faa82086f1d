// Who a cluster's relay is in AWS: an IAM user or role of its own, that may send events and answer what it is asked, and nothing else.
// Its unique id is what SQS says of every message that it sends (R15).
import type { IAMClient } from '@aws-sdk/client-iam';
import {
  CreateAccessKeyCommand,
  CreateRoleCommand,
  CreateUserCommand,
  DeleteAccessKeyCommand,
  DeleteRoleCommand,
  DeleteRolePolicyCommand,
  DeleteUserCommand,
  DeleteUserPolicyCommand,
  GetOpenIDConnectProviderCommand,
  GetRoleCommand,
  GetUserCommand,
  ListAccessKeysCommand,
  PutRolePolicyCommand,
  PutUserPolicyCommand,
  UpdateAssumeRolePolicyCommand,
} from '@aws-sdk/client-iam';
import { TerminalError } from '../../ports/errors.ts';
import { nameOf, translated } from '../aws/aws-errors.ts';

export interface Sender {
  arn: string;
  /** As SQS reports it, without a session name. */
  senderId: string;
}

export interface AccessKey {
  accessKeyId: string;
  secretAccessKey: string;
}

/** Of the user or the role; of either IAM takes 64 letters. */
export const relayIdentityName = (stackName: string, cluster: string): string => `${stackName}-relay-${cluster}`;

const POLICY = 'relay';
const TAGS = [{ Key: 'service', Value: 'farloop' }];

/** @param arns of the events queue and of the relay's own */
export const senderPolicy = ({ eventsQueueArn, asksQueueArn }: { eventsQueueArn: string; asksQueueArn: string }): object => ({
  Version: '2012-10-17',
  Statement: [
    { Sid: 'Tell', Effect: 'Allow', Action: ['sqs:SendMessage'], Resource: eventsQueueArn },
    {
      Sid: 'Answer',
      Effect: 'Allow',
      Action: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility'],
      Resource: asksQueueArn,
    },
  ],
});

/** Trusts any holder of a token that this issuer gave to that service account. */
export const webIdentityTrust = ({
  providerArn,
  issuer,
  subject,
  audience,
}: {
  providerArn: string;
  /** Without `https://`. */
  issuer: string;
  subject: string;
  audience: string;
}): object => ({
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Principal: { Federated: providerArn },
      Action: 'sts:AssumeRoleWithWebIdentity',
      Condition: { StringEquals: { [`${issuer}:sub`]: subject, [`${issuer}:aud`]: audience } },
    },
  ],
});

/** EKS alone, for that cluster, namespace and service account. */
export const podIdentityTrust = (given: { eksCluster: string; namespace: string; account: string }): object => ({
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Principal: { Service: 'pods.eks.amazonaws.com' },
      Action: ['sts:AssumeRole', 'sts:TagSession'],
      Condition: {
        StringEquals: {
          'aws:RequestTag/eks-cluster-name': given.eksCluster,
          'aws:RequestTag/kubernetes-namespace': given.namespace,
          'aws:RequestTag/kubernetes-service-account': given.account,
        },
      },
    },
  ],
});

export class SenderIdentities {
  readonly #client: IAMClient;

  constructor(client: IAMClient) {
    this.#client = client;
  }

  /** Makes the user, or finds it; its rights are as given afterwards. */
  async ensureUser(name: string, policy: object): Promise<Sender> {
    const { Arn: arn, UserId: senderId } =
      (await this.#user(name)) ??
      (await this.#made(
        `the IAM user ${name}`,
        async () => (await this.#client.send(new CreateUserCommand({ UserName: name, Tags: TAGS }))).User,
      )) ??
      {};
    await this.#made(`the rights of the IAM user ${name}`, async () =>
      this.#client.send(new PutUserPolicyCommand({ UserName: name, PolicyName: POLICY, PolicyDocument: JSON.stringify(policy) })),
    );
    return senderOf(`user ${name}`, arn, senderId);
  }

  /** Makes the role, or finds it; its trust and its rights are as given afterwards. */
  async ensureRole(name: string, { trust, policy }: { trust: object; policy: object }): Promise<Sender> {
    const AssumeRolePolicyDocument = JSON.stringify(trust);
    const known = await this.#role(name);
    if (known)
      await this.#made(`the trust of the IAM role ${name}`, async () =>
        this.#client.send(new UpdateAssumeRolePolicyCommand({ RoleName: name, PolicyDocument: AssumeRolePolicyDocument })),
      );
    const { Arn: arn, RoleId: senderId } =
      known ??
      (await this.#made(
        `the IAM role ${name}`,
        async () => (await this.#client.send(new CreateRoleCommand({ RoleName: name, AssumeRolePolicyDocument, Tags: TAGS }))).Role,
      )) ??
      {};
    await this.#made(`the rights of the IAM role ${name}`, async () =>
      this.#client.send(new PutRolePolicyCommand({ RoleName: name, PolicyName: POLICY, PolicyDocument: JSON.stringify(policy) })),
    );
    return senderOf(`role ${name}`, arn, senderId);
  }

  /** @returns whether AWS takes that key of the user: one that somebody has made inactive it refuses */
  async takesKey(userName: string, accessKeyId: string): Promise<boolean> {
    return (await this.#keysOf(userName)).some(({ id, isActive }) => id === accessKeyId && isActive);
  }

  /** All keys of the user, or none. */
  async #keysOf(userName: string): Promise<{ id: string; isActive: boolean }[]> {
    try {
      const { AccessKeyMetadata: keys = [] } = await this.#client.send(new ListAccessKeysCommand({ UserName: userName }));
      return keys.map(({ AccessKeyId: id = '', Status: status }) => ({ id, isActive: status !== 'Inactive' }));
    } catch (error) {
      if (isAbsent(error)) return [];
      throw translated(error, `listing the keys of the IAM user ${userName}`, false);
    }
  }

  /** The only key of the user from now on: keys that nobody can have the secret of any more go first. */
  async replaceKeys(userName: string): Promise<AccessKey> {
    for (const { id: AccessKeyId } of await this.#keysOf(userName))
      await this.#made(`an IAM user without old keys`, async () =>
        this.#client.send(new DeleteAccessKeyCommand({ UserName: userName, AccessKeyId })),
      );
    const key = await this.#made(
      `a key of the IAM user ${userName}`,
      async () => (await this.#client.send(new CreateAccessKeyCommand({ UserName: userName }))).AccessKey,
    );
    const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey } = key ?? {};
    if (accessKeyId === undefined || secretAccessKey === undefined) throw new TerminalError(`IAM gave no key for the user ${userName}`);
    return { accessKeyId, secretAccessKey };
  }

  /** @param providerArn of an OIDC issuer */
  async knowsIssuer(providerArn: string): Promise<boolean> {
    const ask = async (): Promise<unknown> =>
      await this.#client.send(new GetOpenIDConnectProviderCommand({ OpenIDConnectProviderArn: providerArn }));
    return (await this.#found(ask, providerArn)) !== undefined;
  }

  /** @returns the user and the role of that name, those that there are, in words */
  async named(name: string): Promise<string[]> {
    return [...((await this.#user(name)) ? [`IAM user ${name}`] : []), ...((await this.#role(name)) ? [`IAM role ${name}`] : [])];
  }

  /**
   * The user or the role of that name, whichever there is, with all that hangs on it.
   * @param kinds the other one stays
   * @returns what was removed, in words
   */
  async remove(name: string, kinds: readonly ('user' | 'role')[] = ['user', 'role']): Promise<string[]> {
    const removed: string[] = [];
    if (kinds.includes('user') && (await this.#user(name))) {
      for (const { id: AccessKeyId } of await this.#keysOf(name))
        await this.#gone(async () => this.#client.send(new DeleteAccessKeyCommand({ UserName: name, AccessKeyId })), name);
      await this.#gone(async () => this.#client.send(new DeleteUserPolicyCommand({ UserName: name, PolicyName: POLICY })), name);
      await this.#gone(async () => this.#client.send(new DeleteUserCommand({ UserName: name })), name);
      removed.push(`IAM user ${name}`);
    }
    if (kinds.includes('role') && (await this.#role(name))) {
      await this.#gone(async () => this.#client.send(new DeleteRolePolicyCommand({ RoleName: name, PolicyName: POLICY })), name);
      await this.#gone(async () => this.#client.send(new DeleteRoleCommand({ RoleName: name })), name);
      removed.push(`IAM role ${name}`);
    }
    return removed;
  }

  async #user(name: string): Promise<{ Arn: string | undefined; UserId: string | undefined } | undefined> {
    return await this.#found(async () => (await this.#client.send(new GetUserCommand({ UserName: name }))).User, name);
  }

  async #role(name: string): Promise<{ Arn: string | undefined; RoleId: string | undefined } | undefined> {
    return await this.#found(async () => (await this.#client.send(new GetRoleCommand({ RoleName: name }))).Role, name);
  }

  async #found<Answer>(ask: () => Promise<Answer>, name: string): Promise<Answer | undefined> {
    try {
      return await ask();
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw translated(error, `looking for ${name} in IAM`, false);
    }
  }

  async #made<Answer>(what: string, ask: () => Promise<Answer>): Promise<Answer> {
    return await ask().catch((error: unknown) => {
      throw translated(error, `making ${what}`, true);
    });
  }

  async #gone(ask: () => Promise<unknown>, name: string): Promise<void> {
    await ask().catch((error: unknown) => {
      if (!isAbsent(error)) throw translated(error, `removing ${name} from IAM`, true);
    });
  }
}

function senderOf(what: string, arn: string | undefined, senderId: string | undefined): Sender {
  if (arn === undefined || senderId === undefined) throw new TerminalError(`IAM does not tell the id of the ${what}`);
  return { arn, senderId };
}

const isAbsent = (error: unknown): boolean => ['NoSuchEntityException', 'NoSuchEntity'].includes(nameOf(error));
