// What a registration comes to, on AWS and on the cluster, from what was asked for and found: a function of data, which touches nothing.
import type { StoredAccess } from '../adapters/dynamodb-clusters.ts';
import type { EksCluster } from '../adapters/eks-token.ts';
import type { Credential } from '../adapters/registered-access.ts';
import { relayQueueName } from '../adapters/relay-queues.ts';
import { podIdentityTrust, relayIdentityName, senderPolicy, webIdentityTrust } from '../adapters/sender-identities.ts';
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
  /** Empty: all. */
  namespaces: readonly string[];
  budget: ClusterRecord['budget'];
  /** Alpha: Jobs are made known to the scheduler as groups of pods. */
  workloadWithJob?: boolean;
  /** Where the relay lives on the cluster. */
  relayNamespace: string;
  /** Of the relay; undefined where somebody else runs it. */
  image: string | undefined;
  identity: { kind: 'user' } | { kind: 'irsa' } | { kind: 'podIdentity' };
  /** What functions show: a token of an account with just the rights they need, or the kubeconfig's own credential. */
  credential:
    | { kind: 'serviceAccount'; tokenSeconds: number }
    | { kind: 'given'; credential: Credential }
    /** The functions' own role, which EKS lets in as a group with just those rights; nothing of it is kept. */
    | { kind: 'eks' }
    /** Nothing dials the cluster: the relay carries out what passes want, and no credential of it is kept. */
    | { kind: 'none' };
  /** Its name in EKS, where EKS has a part in identity or credential. */
  eks?: EksCluster;
  /** How functions reach the API server. */
  server: { server: string; caPem?: string; tlsServerName?: string };
}

/** What the cluster is like before anything is changed. */
export interface Survey {
  kubeSystemUid: string;
  version: string;
  /** Of the OIDC tokens that it gives to service accounts, where that is needed. */
  issuer: string;
  /** The relay's namespace is there and was made by somebody else. */
  namespaceIsForeign: boolean;
  record: ClusterRecord | undefined;
}

/** As the command's option has them, by which whoever registers the cluster again goes. */
const CREDENTIALS = { serviceAccount: 'service-account', given: 'kubeconfig', eks: 'eks' } as const;

/** Names and documents of everything, as it will be: what `--dry-run` shows, and what is then made. */
export interface RegistrationPlan {
  queue: string;
  sender: { kind: 'user' | 'role'; name: string; policy: object; trust?: object };
  /** What EKS is told; undefined where it has no part in it. */
  eks: EksPlan | undefined;
  /** Undefined where no credential is kept. */
  secret: string | undefined;
  record: Omit<ClusterRecord, 'version' | 'senders'>;
  /** Absent where nothing dials the cluster. */
  access: StoredAccess | undefined;
  relay: RelayValues;
  manifests: Manifest[];
}

/**
 * Everything that is to be made, on AWS and on the cluster, from what was asked for and found: nothing is touched.
 * @throws TerminalError the stack is of a version that does not know relayed access as it is asked for
 */
export function planRegistration(
  { installation, region, awsEndpointUrl }: Pick<EksPlace, 'installation'> & { region: string; awsEndpointUrl?: string },
  request: RegistrationRequest,
  { kubeSystemUid, issuer, namespaceIsForeign, record }: Survey,
): RegistrationPlan {
  const { cluster, manages, namespaces, budget, relayNamespace, image, identity, credential, server, workloadWithJob = false } = request;
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
    workloadWithJob,
    era,
    image: image ?? '',
    region,
    eventsQueueUrl: installation.eventsQueueUrl,
    asksQueueUrl: installation.eventsQueueUrl.replace(/[^/]+$/, queue),
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
      ...(workloadWithJob && { workloadWithJob }),
    },
    access:
      access === 'relayed'
        ? undefined
        : // An access without an authority is refused where it is written.
          {
            ...server,
            caPem: server.caPem ?? '',
            auth: eks?.accessEntry ? { kind: 'eks', cluster: eks.cluster } : { kind: 'secret' },
          },
    relay,
    manifests: image !== undefined ? relayManifests(relay) : relay.functions === 'none' ? [] : functionsManifests(relay),
  };
}
