// Registers a cluster with EKS: the role that is let in as a group (an access entry), and the role that the
// relay's service account takes on (a Pod Identity association). Each is made once, found again, and taken back.
import type { EKSClient } from '@aws-sdk/client-eks';
import {
  CreateAccessEntryCommand,
  CreatePodIdentityAssociationCommand,
  DeleteAccessEntryCommand,
  DeletePodIdentityAssociationCommand,
  DescribeAccessEntryCommand,
  DescribeClusterCommand,
  DescribePodIdentityAssociationCommand,
  ListPodIdentityAssociationsCommand,
  UpdateAccessEntryCommand,
  UpdatePodIdentityAssociationCommand,
} from '@aws-sdk/client-eks';
import { TerminalError } from '../../ports/errors.ts';
import { nameOf, translated } from '../aws/aws-errors.ts';

export interface EksClusterFacts {
  /** PEM; undefined as long as the cluster has none. */
  caPem: string | undefined;
  /** Whether it asks its access entries at all. */
  takesEntries: boolean;
}

export interface AccessEntry {
  eksCluster: string;
  principalArn: string;
  /** Kubernetes group; what it may do is RBAC's. */
  group: string;
}

export interface PodIdentity {
  eksCluster: string;
  namespace: string;
  serviceAccount: string;
}

const TAGS = { service: 'farloop' };

export class EksAccess {
  readonly #client: EKSClient;

  constructor(client: EKSClient) {
    this.#client = client;
  }

  /** @throws TerminalError EKS has no such cluster in this region */
  async describe(name: string): Promise<EksClusterFacts> {
    const { cluster } = await this.#client.send(new DescribeClusterCommand({ name })).catch(async (error: unknown) => {
      if (!isAbsent(error)) throw translated(error, `reading the EKS cluster ${name}`, false);
      const region = await this.#client.config.region();
      throw new TerminalError(`EKS has no cluster ${name} in ${region}, in this account: check --eks-cluster and --eks-region`, {
        cause: error,
      });
    });
    const ca = cluster?.certificateAuthority?.data ?? '';
    return {
      caPem: ca === '' ? undefined : Buffer.from(ca, 'base64').toString('utf8'),
      takesEntries: cluster?.accessConfig?.authenticationMode !== 'CONFIG_MAP',
    };
  }

  /** Makes the entry, or finds it; it leads to that group alone afterwards. */
  async ensureEntry({ eksCluster: clusterName, principalArn, group }: AccessEntry): Promise<void> {
    const what = `the access entry of ${principalArn} on the EKS cluster ${clusterName}`;
    const entry = { clusterName, principalArn, kubernetesGroups: [group] };
    const known = await this.#found(
      async () => (await this.#client.send(new DescribeAccessEntryCommand({ clusterName, principalArn }))).accessEntry,
      what,
    );
    if (known && known.kubernetesGroups?.length === 1 && known.kubernetesGroups[0] === group) return;
    await this.#made(what, async () =>
      known
        ? await this.#client.send(new UpdateAccessEntryCommand(entry))
        : await this.#client.send(new CreateAccessEntryCommand({ ...entry, type: 'STANDARD', tags: TAGS })),
    );
  }

  /** @returns false when there was none */
  async removeEntry({ eksCluster: clusterName, principalArn }: Omit<AccessEntry, 'group'>): Promise<boolean> {
    return await this.#gone(
      async () => await this.#client.send(new DeleteAccessEntryCommand({ clusterName, principalArn })),
      `the access entry of ${principalArn} on the EKS cluster ${clusterName}`,
    );
  }

  /** Makes the association, or finds it; it leads to that role afterwards. */
  async ensurePodIdentity({ roleArn, ...who }: PodIdentity & { roleArn: string }): Promise<void> {
    const { eksCluster: clusterName, namespace, serviceAccount } = who;
    const what = podIdentityText(who);
    const associationId = await this.#associationOf(who);
    if (associationId === undefined) {
      await this.#made(what, async () =>
        this.#client.send(new CreatePodIdentityAssociationCommand({ clusterName, namespace, serviceAccount, roleArn, tags: TAGS })),
      );
      return;
    }
    const known = await this.#found(
      async () => (await this.#client.send(new DescribePodIdentityAssociationCommand({ clusterName, associationId }))).association?.roleArn,
      what,
    );
    if (known === roleArn) return;
    await this.#made(what, async () => this.#client.send(new UpdatePodIdentityAssociationCommand({ clusterName, associationId, roleArn })));
  }

  /** @returns false when there was none */
  async removePodIdentity(who: PodIdentity): Promise<boolean> {
    const associationId = await this.#associationOf(who);
    if (associationId === undefined) return false;
    return await this.#gone(
      async () => await this.#client.send(new DeletePodIdentityAssociationCommand({ clusterName: who.eksCluster, associationId })),
      podIdentityText(who),
    );
  }

  /** A service account has one at most. @returns undefined also where the cluster is gone */
  async #associationOf({ eksCluster: clusterName, namespace, serviceAccount }: PodIdentity): Promise<string | undefined> {
    const { associations = [] } =
      (await this.#found(
        async () => await this.#client.send(new ListPodIdentityAssociationsCommand({ clusterName, namespace, serviceAccount })),
        `the Pod Identity associations of the EKS cluster ${clusterName}`,
      )) ?? {};
    return associations[0]?.associationId;
  }

  close(): void {
    this.#client.destroy();
  }

  async #found<Answer>(ask: () => Promise<Answer>, what: string): Promise<Answer | undefined> {
    try {
      return await ask();
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw translated(error, `looking for ${what}`, false);
    }
  }

  async #made(what: string, ask: () => Promise<unknown>): Promise<void> {
    await ask().catch((error: unknown) => {
      throw translated(error, `making ${what}`, true);
    });
  }

  async #gone(ask: () => Promise<unknown>, what: string): Promise<boolean> {
    try {
      await ask();
      return true;
    } catch (error) {
      if (isAbsent(error)) return false;
      throw translated(error, `removing ${what}`, true);
    }
  }
}

const podIdentityText = ({ eksCluster, namespace, serviceAccount }: PodIdentity): string =>
  `the Pod Identity of ${namespace}/${serviceAccount} on the EKS cluster ${eksCluster}`;

/** No such cluster, or no such entry on it. */
const isAbsent = (error: unknown): boolean => nameOf(error) === 'ResourceNotFoundException';
