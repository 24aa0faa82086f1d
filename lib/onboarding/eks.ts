// The EKS part of a registration: an access entry with a group for the functions' role, and a pod identity for the relay's account.
import type { EksAccess } from '../adapters/eks/eks-access.ts';
import type { EksCluster } from '../adapters/eks/eks-token.ts';
import type { SenderIdentities } from '../adapters/sqs/sender-identities.ts';
import type { Installation } from '../adapters/aws/stack-outputs.ts';
import { TerminalError } from '../ports/errors.ts';
import { RELAY, functionsGroup } from './relay-manifests.ts';

export interface EksPlan {
  cluster: EksCluster;
  /** The functions' role, and the group that EKS gives it. */
  accessEntry?: { principalArn: string; group: string };
  podIdentity?: { namespace: string; serviceAccount: string; roleArn: string };
}

/** The installation, and access to EKS. */
export interface EksPlace {
  installation: Installation;
  /** EKS of that region. */
  eks: (region: string) => Promise<EksAccess>;
}

/** @param has the parts of the registration that EKS has */
export const planEks = (
  cluster: EksCluster,
  has: { accessEntry: boolean; podIdentity: boolean },
  { relayNamespace, roleArn, functionsRoleArn }: { relayNamespace: string; roleArn: string; functionsRoleArn: string },
): EksPlan => ({
  cluster,
  ...(has.accessEntry && { accessEntry: { principalArn: functionsRoleArn, group: functionsGroup(relayNamespace) } }),
  ...(has.podIdentity && { podIdentity: { namespace: relayNamespace, serviceAccount: RELAY, roleArn } }),
});

/**
 * Only reads.
 * @param given.caPem the authority of the kubeconfig's cluster. Each EKS cluster has an authority of its own, so it identifies the cluster
 */
export async function refuseUnfitEksCluster(
  access: Pick<EksAccess, 'describe'>,
  {
    eks,
    installation,
    caPem,
    needsEntry,
  }: {
    eks: EksCluster;
    installation: Pick<Installation, 'stackName' | 'functionsRoleArn'>;
    caPem: string | undefined;
    needsEntry: boolean;
  },
): Promise<void> {
  const facts = await access.describe(eks.name);
  if (facts.caPem !== undefined && caPem !== undefined && facts.caPem.trim() !== caPem.trim())
    throw new TerminalError(
      `the kubeconfig leads to another cluster than ${eks.name} of EKS in ${eks.region} (their certificate authorities differ): give that cluster's own, as "aws eks update-kubeconfig --name ${eks.name}" writes it`,
    );
  if (!needsEntry) return;
  if (!facts.takesEntries)
    throw new TerminalError(
      `the EKS cluster ${eks.name} asks no access entries: let it with "aws eks update-cluster-config --name ${eks.name} --access-config authenticationMode=API_AND_CONFIG_MAP", or use --credential service-account`,
    );
  if (installation.functionsRoleArn === '')
    throw new TerminalError(
      `the stack ${installation.stackName} does not tell its functions' role (output ReconcileRoleArn): deploy this version of Farloop over it`,
    );
}

/** @throws TerminalError IAM has no identity provider for the issuer of the cluster's service account tokens */
export async function refuseUnknownIssuer(
  senders: SenderIdentities,
  { issuer, installation }: { issuer: string; installation: Pick<Installation, 'eventsQueueArn'> },
): Promise<void> {
  const [, partition = 'aws', , , account = ''] = installation.eventsQueueArn.split(':');
  const host = issuer.replace(/^https:\/\//, '');
  if (!(await senders.knowsIssuer(`arn:${partition}:iam::${account}:oidc-provider/${host}`)))
    throw new TerminalError(
      `IAM does not know the issuer ${issuer} of the cluster's tokens: register it with "aws iam create-open-id-connect-provider --url ${issuer} --client-id-list sts.amazonaws.com", or choose another --identity`,
    );
}

/** Carries out the plan. Keeps or repairs existing parts. @returns what EKS does from now on, in words */
export async function tellEks({ eks }: EksPlace, { cluster, accessEntry, podIdentity }: EksPlan): Promise<string[]> {
  const access = await eks(cluster.region);
  const told: string[] = [];
  if (podIdentity) {
    await access.ensurePodIdentity({ eksCluster: cluster.name, ...podIdentity });
    told.push(`gives ${podIdentity.roleArn} to the pods of ${podIdentity.namespace}/${podIdentity.serviceAccount}`);
  }
  if (accessEntry) {
    await access.ensureEntry({ eksCluster: cluster.name, ...accessEntry });
    told.push(`lets ${accessEntry.principalArn} in as the group ${accessEntry.group}`);
  }
  return told;
}

/** @returns the removed parts, in words */
export async function removeFromEks(
  { eks, installation }: EksPlace,
  { known, relayNamespace }: { known: EksCluster; relayNamespace: string },
  parts: { accessEntry: boolean; podIdentity: boolean } = { accessEntry: true, podIdentity: true },
): Promise<string[]> {
  const access = await eks(known.region);
  const { functionsRoleArn: principalArn } = installation;
  const removed: string[] = [];
  if (parts.podIdentity && (await access.removePodIdentity({ eksCluster: known.name, namespace: relayNamespace, serviceAccount: RELAY })))
    removed.push(`Pod Identity of ${relayNamespace}/${RELAY} on the EKS cluster ${known.name}`);
  if (parts.accessEntry && principalArn !== '' && (await access.removeEntry({ eksCluster: known.name, principalArn })))
    removed.push(`access entry of ${principalArn} on the EKS cluster ${known.name}`);
  return removed;
}

/** Removes the parts of an earlier registration that this one does not have. */
export async function removeStaleEks(
  place: EksPlace,
  { known, relayNamespace }: { known: EksCluster; relayNamespace: string },
  plan: EksPlan | undefined,
): Promise<string[]> {
  const isSame = plan?.cluster.name === known.name && plan.cluster.region === known.region;
  const parts = { accessEntry: !(isSame && plan.accessEntry), podIdentity: !(isSame && plan.podIdentity) };
  return await removeFromEks(place, { known, relayNamespace }, parts);
}
