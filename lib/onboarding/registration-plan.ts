// Plans a registration, on AWS and on the cluster, from the request and a survey. A pure function of data.
import type { StoredAccess } from '../adapters/dynamodb/dynamodb-clusters.ts';
import { providerTokensName, type TokensByNode } from '../adapters/credentials/provider-tokens.ts';
import type { EksCluster } from '../adapters/eks/eks-token.ts';
import type { Credential } from '../adapters/cluster-record/registered-access.ts';
import { relayQueueName } from '../adapters/sqs/relay-queues.ts';
import { podIdentityTrust, relayIdentityName, senderPolicy, webIdentityTrust } from '../adapters/sqs/sender-identities.ts';
import type { KindOptions } from '../objects/kind-options.ts';
import type { Manages } from '../objects/manages.ts';
import type { ClusterRecord } from '../ports/clusters.ts';
import { TerminalError } from '../ports/errors.ts';
import type { EksPlace, EksPlan } from './eks.ts';
import { planEks } from './eks.ts';
import type { Manifest, RelayValues } from './relay-manifests.ts';
import { AWS_AUDIENCE, RELAY, functionsManifests, relayManifests } from './relay-manifests.ts';
import { portOf } from './relay-network.ts';

export interface RegistrationRequest {
  cluster: string;
  manages: Manages;
  /** Empty: all namespaces. */
  namespaces: readonly string[];
  budget: ClusterRecord['budget'];
  /** People may act on workloads through Farloop. */
  actions?: boolean;
  /** Options of kinds. */
  options?: KindOptions;
  /** Tokens that providers of virtual nodes ask for; absent: those of an earlier registration stay. */
  providerTokens?: TokensByNode;
  /** Namespace of the relay. */
  relayNamespace: string;
  /** Image of the relay; undefined if somebody else runs it. */
  image: string | undefined;
  identity: { kind: 'user' } | { kind: 'irsa' } | { kind: 'podIdentity' };
  /** The credential of functions: a token of an account with only the rights they need, or the kubeconfig's own credential. */
  credential:
    | { kind: 'serviceAccount'; tokenSeconds: number }
    | { kind: 'given'; credential: Credential }
    /** The functions' own role. EKS gives it a group with only those rights. No credential is stored. */
    | { kind: 'eks' }
    /** Functions do not connect to the cluster: its relay carries out their commands. No credential is stored. */
    | { kind: 'none' };
  /** The cluster's name in EKS, if identity or credential use EKS. */
  eks?: EksCluster;
  /** How functions reach the API server. */
  server: { server: string; caPem?: string; tlsServerName?: string };
}

/** The cluster before any change. */
export interface Survey {
  kubeSystemUid: string;
  version: string;
  /** Issuer of the cluster's service account tokens, if needed. */
  issuer: string;
  /** The relay's namespace exists, and no registration of ours made it. */
  namespaceIsForeign: boolean;
  record: ClusterRecord | undefined;
}

/** Values as in the command's option: a person who registers the cluster again copies them. */
const CREDENTIALS = { serviceAccount: 'service-account', given: 'kubeconfig', eks: 'eks' } as const;

/** Names and documents of everything that will be made. `--dry-run` shows it; otherwise it is carried out. */
export interface RegistrationPlan {
  queue: string;
  sender: { kind: 'user' | 'role'; name: string; policy: object; trust?: object };
  /** Changes in EKS; undefined if EKS is not used. */
  eks: EksPlan | undefined;
  /** Undefined if no credential is stored. */
  secret: string | undefined;
  /** The secret of the tokens that providers ask for. Undefined if none is given. */
  providersSecret: string | undefined;
  record: Omit<ClusterRecord, 'version' | 'senders'>;
  /** Absent if functions do not connect to the cluster. */
  access: StoredAccess | undefined;
  relay: RelayValues;
  manifests: Manifest[];
}

/**
 * Everything to make, on AWS and on the cluster, from the request and the survey. Changes nothing.
 * @throws TerminalError the stack is of a version without the requested kind of relayed access
 */
export function planRegistration(
  { installation, region, awsEndpointUrl }: Pick<EksPlace, 'installation'> & { region: string; awsEndpointUrl?: string },
  request: RegistrationRequest,
  { kubeSystemUid, issuer, namespaceIsForeign, record }: Survey,
): RegistrationPlan {
  const { cluster, manages, namespaces, budget, relayNamespace, image, identity, credential, server, options, actions = false } = request;
  const queue = relayQueueName(installation.stackName, cluster);
  const [, partition = 'aws', , , account = ''] = installation.eventsQueueArn.split(':');
  const asksQueueArn = `${installation.eventsQueueArn.split(':').slice(0, 5).join(':')}:${queue}`;
  const name = relayIdentityName(installation.stackName, cluster);
  const era = record?.era ?? 0;
  const roleArn = `arn:${partition}:iam::${account}:role/${name}`;
  const access = credential.kind === 'none' ? 'relayed' : 'direct';
  if (access === 'relayed' && installation.functionsRoleId === '')
    throw new TerminalError(
      `the stack ${installation.stackName} does not tell the id of its functions' role (output ReconcileRoleId), whose commands the relay is to take: deploy this version of Farloop over it`,
    );
  const eks =
    request.eks &&
    planEks(
      request.eks,
      { accessEntry: credential.kind === 'eks', podIdentity: identity.kind === 'podIdentity' },
      { relayNamespace, roleArn, functionsRoleArn: installation.functionsRoleArn },
    );
  const relay: RelayValues = {
    cluster,
    namespace: relayNamespace,
    ownsNamespace: !namespaceIsForeign,
    manages,
    namespaces,
    functions: credential.kind === 'serviceAccount' ? 'account' : credential.kind === 'eks' ? 'group' : 'none',
    access,
    commander: installation.functionsRoleId,
    ...(options && { options }),
    ...(actions && { actions }),
    era,
    image: image ?? '',
    region,
    eventsQueueUrl: installation.eventsQueueUrl,
    asksQueueUrl: installation.eventsQueueUrl.replace(/(?<![^/])[^/]+$/, queue),
    ...(awsEndpointUrl !== undefined && { awsEndpointUrl }),
    ...(URL.canParse(server.server) && { apiServerPort: portOf(new URL(server.server)) }),
    identity: identity.kind === 'irsa' ? { kind: 'webIdentity', roleArn } : { kind: identity.kind },
  };
  const host = issuer.replace(/^https:\/\//, '');
  const subject = `system:serviceaccount:${relayNamespace}:${RELAY}`;
  const trust =
    identity.kind === 'user'
      ? undefined
      : identity.kind === 'irsa'
        ? webIdentityTrust({
            providerArn: `arn:${partition}:iam::${account}:oidc-provider/${host}`,
            issuer: host,
            subject,
            audience: AWS_AUDIENCE,
          })
        : podIdentityTrust({ eksCluster: request.eks?.name ?? '', namespace: relayNamespace, account: RELAY });
  return {
    queue,
    sender: {
      kind: identity.kind === 'user' ? 'user' : 'role',
      name,
      policy: senderPolicy({ eventsQueueArn: installation.eventsQueueArn, asksQueueArn }),
      ...(trust && { trust }),
    },
    eks,
    providersSecret: request.providerTokens && providerTokensName(installation.secretPrefix, cluster),
    secret: eks?.accessEntry || access === 'relayed' ? undefined : `${installation.secretPrefix}${cluster}`,
    record: {
      name: cluster,
      era,
      kubeSystemUid,
      manages,
      namespaces,
      budget,
      access,
      identity: identity.kind === 'podIdentity' ? 'pod-identity' : identity.kind,
      ...(credential.kind !== 'none' && { credential: CREDENTIALS[credential.kind] }),
      relayNamespace,
      ...(eks && { eks: eks.cluster }),
      ...(options && { options }),
      ...(actions && { actions: true as const }),
    },
    access:
      access === 'relayed'
        ? undefined
        : // The port refuses to store an access without an authority.
          {
            ...server,
            caPem: server.caPem ?? '',
            auth: eks?.accessEntry ? { kind: 'eks', cluster: eks.cluster } : { kind: 'secret' },
          },
    relay,
    manifests: image !== undefined ? relayManifests(relay) : relay.functions === 'none' ? [] : functionsManifests(relay),
  };
}
