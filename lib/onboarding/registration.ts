// Registers a cluster, from a kubeconfig to managed workloads. Each step finds what an earlier try has made and continues from there.
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDbClusters } from '../adapters/dynamodb/dynamodb-clusters.ts';
import type { StoredAccess } from '../adapters/dynamodb/dynamodb-clusters.ts';
import { KubernetesAdministration } from '../adapters/kubernetes/kubernetes-administration.ts';
import type { ClusterAccess } from '../adapters/kubernetes/kubernetes-cluster.ts';
import { ensureRelayQueue } from '../adapters/sqs/relay-queues.ts';
import type { Credential } from '../adapters/cluster-record/registered-access.ts';
import { putCredential, removeCredential } from '../adapters/credentials/secret-credentials.ts';
import { providerTokensName, putProviderTokens } from '../adapters/credentials/provider-tokens.ts';
import { removeSecret } from '../adapters/credentials/secrets.ts';
import type { Sender, SenderIdentities } from '../adapters/sqs/sender-identities.ts';
import { managedKinds, managesText } from '../kinds/settings.ts';
import type { KubernetesObject } from '../objects/kubernetes.ts';
import type { Manages } from '../objects/manages.ts';
import { NAMESPACES } from '../objects/resources.ts';
import { fieldsOf, textOf } from '../objects/values/untyped-fields.ts';
import type { Clock } from '../ports/clock.ts';
import { NotDoneError, TerminalError } from '../ports/errors.ts';
import { StaleWriteError } from '../ports/store.ts';
import type { EksPlace } from './eks.ts';
import { refuseUnfitEksCluster, refuseUnknownIssuer, removeStaleEks, tellEks } from './eks.ts';
import { HANDOVER_MS, widened } from './handover.ts';
import type { OurObject } from './ours.ts';
import { removeNodes, virtualNodesOf } from './virtual-nodes.ts';
import { kindsWithOwners } from './owners-on-cluster.ts';
import { objectText, ourObject, refuseOtherRelays, relayNamespaceOf, resourceOf, staleOf } from './ours.ts';
import type { Manifest } from './relay-manifests.ts';
import {
  AWS_KEY_SECRET,
  FUNCTIONS_ACCOUNT,
  OURS_LABEL,
  RELAY_SELECTOR,
  awsKeySecret,
  givesToPasses,
  relayManifests,
} from './relay-manifests.ts';
import type { Tell } from './tell.ts';
import type { RegistrationPlan, RegistrationRequest, Survey } from './registration-plan.ts';
import { planRegistration } from './registration-plan.ts';
import { IDENTITY_NAMESPACE } from './rights.ts';

/** The places that a registration writes to, with the clients for them. */
export interface RegistrationPlace extends EksPlace {
  region: string;
  awsEndpointUrl?: string;
  clusters: DynamoDbClusters;
  senders: SenderIdentities;
  sqs: SQSClient;
  secrets: SecretsManagerClient;
  administration: KubernetesAdministration;
  clock: Pick<Clock, 'wait'>;
}

/**
 * Only reads.
 * @throws TerminalError the name belongs to another cluster, the cluster has another name, a relay is in the way, or the cluster does not
 * offer what is asked for
 */
export async function survey(
  place: Pick<RegistrationPlace, 'clusters' | 'administration' | 'eks' | 'installation' | 'senders'>,
  request: Omit<RegistrationRequest, 'budget'>,
): Promise<Survey> {
  const { clusters, administration, installation, senders } = place;
  const { cluster, relayNamespace, identity, namespaces, credential, eks, server } = request;
  const kubeSystem = await administration.get(NAMESPACES, { name: IDENTITY_NAMESPACE });
  const kubeSystemUid = kubeSystem?.metadata.uid;
  if (kubeSystemUid === undefined)
    throw new TerminalError('the API server has no namespace kube-system, by whose uid a cluster is told from others');
  const record = await clusters.get(cluster);
  if (record?.kubeSystemUid !== undefined && record.kubeSystemUid !== kubeSystemUid)
    throw new TerminalError(
      `the name ${cluster} belongs to another cluster (its kube-system has the uid ${record.kubeSystemUid}, this one's has ${kubeSystemUid}): choose another name, or remove that one first`,
    );
  const namesake = (await clusters.list()).find((other) => other.kubeSystemUid === kubeSystemUid && other.name !== cluster);
  if (namesake)
    throw new TerminalError(`this cluster is registered already, as ${namesake.name}: two names for one would work against each other`);
  relayNamespaceOf(record, { cluster, given: relayNamespace });
  for (const name of namespaces)
    if (!(await administration.get(NAMESPACES, { name })))
      throw new TerminalError(`the cluster has no namespace ${name}: make it first, or leave it out of --namespaces`);
  const leavesInstalled = request.image === undefined;
  await refuseOtherRelays(administration, { stackName: installation.stackName, cluster, relayNamespace, leavesInstalled, namespaces });
  await refuseUnserved(administration, request);
  if (!leavesInstalled) await refuseWithoutRelayKinds(administration);
  if (credential.kind === 'serviceAccount' && !(await administration.givesTokens()))
    throw new TerminalError(
      'the API server gives no tokens for service accounts: let functions in by a credential of your own with --credential kubeconfig, or let the relay carry out what they want with --access relayed',
    );
  const namespace = await administration.get(NAMESPACES, { name: relayNamespace });
  const { issuer, version } = await administration.about(identity.kind === 'irsa');
  if (identity.kind === 'irsa') await refuseUnknownIssuer(senders, { issuer, installation });
  if (eks)
    await refuseUnfitEksCluster(await place.eks(eks.region), {
      eks,
      installation,
      caPem: server.caPem,
      needsEntry: credential.kind === 'eks',
    });
  return {
    kubeSystemUid,
    version,
    issuer,
    namespaceIsForeign: namespace !== undefined && namespace.metadata.labels?.[OURS_LABEL] !== relayNamespace,
    record,
  };
}

/** Options may need resources that come from a definition, or from a feature that is off by default. */
async function refuseUnserved(
  administration: KubernetesAdministration,
  { manages, options = {}, namespaces: [namespace] }: Pick<RegistrationRequest, 'manages' | 'options' | 'namespaces'>,
): Promise<void> {
  for (const { name, needs } of managedKinds(manages).flatMap((facts) => facts.options ?? []))
    for (const resource of options[name] === undefined ? [] : (needs?.(options[name]) ?? []))
      try {
        await administration.list(resource, namespace === undefined || !resource.namespaced ? {} : { namespace });
      } catch (error) {
        if (!(error instanceof TerminalError) || error.code !== 404) throw error;
        throw new TerminalError(
          `the API server serves no ${resource.kind} of ${resource.apiVersion}: switch it on or install it, or leave --${name} out`,
          { cause: error },
        );
      }
}

/** Found out now, nothing is left half-made on AWS and on the cluster. */
async function refuseWithoutRelayKinds(administration: KubernetesAdministration): Promise<void> {
  const needed = [
    { apiVersion: 'apps/v1', kind: 'Deployment' },
    { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' },
  ];
  for (const { apiVersion, kind } of needed)
    try {
      await administration.list(resourceOf({ apiVersion, kind }), { labelSelector: RELAY_SELECTOR });
    } catch (error) {
      if (!(error instanceof TerminalError) || error.code !== 404) throw error;
      throw new TerminalError(
        `the API server serves no ${kind} of ${apiVersion}, so the relay cannot run on that cluster: give --no-relay in place of --image, and run "farloop relay" elsewhere`,
        { cause: error },
      );
    }
}

/** Carries out the whole plan. Keeps or repairs what an earlier try has made. */
export async function register(
  place: RegistrationPlace,
  request: RegistrationRequest,
  found: Survey,
  tell: Tell,
): Promise<{ asksQueueUrl: string; plan: RegistrationPlan }> {
  const plan = planRegistration(place, request, found);
  const { installation, clusters, sqs, administration } = place;
  const { cluster } = request;
  const queue = await ensureRelayQueue(sqs, installation, cluster);
  tell('queue', `${plan.queue} and ${plan.queue}-dead`);
  const sender = await ensureSender(place, plan);
  tell('identity', `IAM ${plan.sender.kind} ${plan.sender.name} may send events and answer what it is asked`);
  // The new version of the record admits this sender, which sends nothing yet.
  const senders = [...new Set([...(found.record?.senders ?? []).filter((id) => id === sender.senderId), sender.senderId])];
  const {
    draining: _draining,
    leaving: _leaving,
    options: _options,
    actions: _actions,
    credential: _credential,
    ...kept
  } = found.record ?? { version: 0 };
  // Keep the earlier registration's EKS parts in the record until they are removed from EKS.
  const putRecord = async (): Promise<number> => {
    const { version } = await clusters.put({ ...kept, ...plan.record, senders }, found.record?.version ?? 0).catch((error: unknown) => {
      if (!(error instanceof StaleWriteError)) throw error;
      throw new TerminalError(`the record of ${cluster} has changed since it was read: give the command again`, { cause: error });
    });
    tell('record', `${cluster} is ${found.record ? 'registered anew' : 'registered'}, manages ${managesText(request.manages)}`);
    return version;
  };
  // A cluster at work keeps its record until the rights are given and the new access has been tried. Otherwise write the record first:
  // removal of the cluster finds all that is made here only through the record.
  let version = isAtWork(found, plan) ? undefined : await putRecord();
  const objects = await withKey(place, plan);
  const narrowed: Manifest[] = [];
  const ofRights = objects.filter(({ kind }) => kind !== 'Deployment');
  for (const manifest of ofRights) {
    const wide = await widened(administration, manifest);
    if (wide !== manifest) narrowed.push(manifest);
    await administration.apply(resourceOf(manifest), wide);
  }
  if (ofRights.length > 0)
    tell('rights', `${ofRights.length} objects in the namespace ${request.relayNamespace} and for the whole cluster`);
  // Before the relay: EKS gives the identity only to pods that start afterwards.
  for (const told of plan.eks ? await tellEks(place, plan.eks) : []) tell('eks', told);
  if (plan.access) {
    await giveCredential(place, request, { record: plan.record, access: plan.access }, tell);
    await clusters.putAccess(cluster, plan.access);
    tell('access', `functions reach it at ${plan.access.server}`);
    // Not earlier: a registration that fails before this step must leave functions the credential that they use.
    if (request.credential.kind === 'eks') {
      await removeCredential(place.secrets, { prefix: installation.secretPrefix, cluster });
      tell('credential', 'none is kept: functions show their own role');
    }
  }
  const nodes = virtualNodesOf(plan.record);
  if (request.providerTokens && plan.providersSecret !== undefined) {
    const name = plan.providersSecret;
    await putProviderTokens(place.secrets, { name, nodes: nodes.map((node) => node.name), tokens: request.providerTokens });
    tell('providers', `${name} in Secrets Manager holds what they ask for`);
  }
  version ??= await putRecord();
  if (!plan.access) {
    await clusters.removeAccess(cluster);
    await removeCredential(place.secrets, { prefix: installation.secretPrefix, cluster });
    tell('access', 'relayed: its relay carries out what functions want, and no credential of it is kept on AWS');
  }
  for (const manifest of objects.filter(({ kind }) => kind === 'Deployment')) {
    await administration.apply(resourceOf(manifest), { ...manifest });
    tell('relay', `${objectText(ourObject(manifest))}, ${request.image}`);
  }
  const ofBefore = await staleOf(administration, { relayNamespace: request.relayNamespace, wanted: objects });
  await handOver(place, request, { ofBefore, narrowed }, tell);
  for (const object of ofBefore) await administration.delete(object.resource, object);
  const stale = [
    ...ofBefore.map(objectText),
    ...(await place.senders.remove(plan.sender.name, plan.sender.kind === 'user' ? ['role'] : ['user'])),
    ...(found.record?.eks
      ? await removeStaleEks(place, { known: found.record.eks, relayNamespace: request.relayNamespace }, plan.eks)
      : []),
  ];
  if (found.record?.eks && !plan.eks) await clusters.put({ ...plan.record, senders }, version);
  if (found.record) {
    const former = virtualNodesOf(found.record).filter(({ name }) => !nodes.some((node) => node.name === name));
    stale.push(...(await removeNodes(administration, former)));
  }
  if (nodes.length === 0 && (await removeSecret(place.secrets, providerTokensName(installation.secretPrefix, cluster))))
    stale.push('the tokens of its providers');
  if (stale.length > 0) tell('stale', `removed what an earlier registration had left: ${stale.join(', ')}`);
  return { asksQueueUrl: queue.url, plan };
}

/** Registered, with all planned EKS parts in its record. */
const isAtWork = ({ record }: Survey, { eks }: RegistrationPlan): boolean =>
  record !== undefined &&
  record.leaving !== true &&
  record.relayNamespace !== undefined &&
  (eks === undefined || (eks.cluster.name === record.eks?.name && eks.cluster.region === record.eks.region));

async function ensureSender({ senders }: RegistrationPlace, { sender }: RegistrationPlan): Promise<Sender> {
  return sender.trust === undefined
    ? await senders.ensureUser(sender.name, sender.policy)
    : await senders.ensureRole(sender.name, { trust: sender.trust, policy: sender.policy });
}

/** Keeps the key of the relay's user if it is in the Secret on the cluster and AWS accepts it. Replaces a lost one. */
async function withKey(
  { senders, administration }: RegistrationPlace,
  { relay, sender, manifests }: RegistrationPlan,
): Promise<Manifest[]> {
  const secret = { apiVersion: 'v1', kind: 'Secret' };
  if (!manifests.some(({ kind }) => kind === secret.kind)) return manifests;
  const stored = fieldsOf(
    fieldsOf(await administration.get(resourceOf(secret), { namespace: relay.namespace, name: AWS_KEY_SECRET }))['data'],
  );
  const read = (name: string): string => Buffer.from(textOf(stored[name]), 'base64').toString('utf8');
  const known = { accessKeyId: read('AWS_ACCESS_KEY_ID'), secretAccessKey: read('AWS_SECRET_ACCESS_KEY') };
  const isGood = known.secretAccessKey !== '' && (await senders.takesKey(sender.name, known.accessKeyId));
  const key = isGood ? known : await senders.replaceKeys(sender.name);
  return relayManifests({ ...relay, awsKeyId: key.accessKeyId }).map((manifest) =>
    manifest.kind === secret.kind ? awsKeySecret(relay, key) : manifest,
  );
}

/** Tries the credential before functions get it, so that a fault shows now and not with the first Job. */
async function giveCredential(
  { installation, secrets, administration }: RegistrationPlace,
  { cluster, credential, relayNamespace, namespaces }: RegistrationRequest,
  { access, record }: { access: StoredAccess; record: RegistrationPlan['record'] },
  tell: Tell,
): Promise<void> {
  let given: Credential;
  let until = '';
  if (credential.kind === 'none' || credential.kind === 'eks') return;
  if (credential.kind === 'given') given = credential.credential;
  else {
    const name = { namespace: relayNamespace, name: FUNCTIONS_ACCOUNT };
    const { token, expirationTime } = await administration.tokenOf(name, credential.tokenSeconds);
    given = { kind: 'token', token };
    until = `, good until ${expirationTime} and renewed before`;
  }
  const { auth: _secret, ...server } = access;
  await tryAccess({ ...server, auth: given }, { kubeSystemUid: record.kubeSystemUid ?? '', namespaces, manages: record.manages });
  await putCredential(secrets, { prefix: installation.secretPrefix, cluster, credential: given });
  tell('credential', `${installation.secretPrefix}${cluster} in Secrets Manager${until}`);
}

async function tryAccess(
  access: ClusterAccess,
  { kubeSystemUid, namespaces, manages }: { kubeSystemUid: string; namespaces: readonly string[]; manages: Manages },
): Promise<void> {
  const functions = new KubernetesAdministration(access);
  try {
    const answer: KubernetesObject | undefined = await functions.get(NAMESPACES, { name: IDENTITY_NAMESPACE });
    if (answer?.metadata.uid !== kubeSystemUid)
      throw new TerminalError(`another cluster answers at ${access.server} than behind the kubeconfig: check --server`);
    const [facts] = kindsWithOwners({ manages });
    if (facts) await functions.list(facts.resource, namespaces[0] === undefined ? {} : { namespace: namespaces[0] });
  } catch (error) {
    if (!(error instanceof NotDoneError)) throw error;
    throw new TerminalError(`functions would not reach the cluster: ${error.message}; give the address that they reach with --server`, {
      cause: error,
    });
  } finally {
    functions.close();
  }
}

/** Takes back rights of passes only after functions have read the new record. Until then they use their former identity or access. */
async function handOver(
  { administration, clock }: RegistrationPlace,
  { relayNamespace }: RegistrationRequest,
  { ofBefore, narrowed }: { ofBefore: readonly OurObject[]; narrowed: readonly Manifest[] },
  tell: Tell,
): Promise<void> {
  if (narrowed.length === 0 && !ofBefore.some(({ name }) => givesToPasses(name, relayNamespace))) return;
  tell('wait', `${HANDOVER_MS / 1000} s, until functions know of it; then rights of before are taken back`);
  await clock.wait(HANDOVER_MS);
  for (const manifest of narrowed) await administration.apply(resourceOf(manifest), manifest);
}
