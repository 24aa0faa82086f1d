// Removes a cluster from the installation: first all work on it stops, then our objects on it go, then those on AWS.
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDbClusters } from '../adapters/dynamodb/dynamodb-clusters.ts';
import type { KubernetesAdministration } from '../adapters/kubernetes/kubernetes-administration.ts';
import { relayQueuesOf, removeRelayQueue } from '../adapters/sqs/relay-queues.ts';
import { providerTokensName } from '../adapters/credentials/provider-tokens.ts';
import { hasCredential, removeCredential } from '../adapters/credentials/secret-credentials.ts';
import { removeSecret } from '../adapters/credentials/secrets.ts';
import { relayIdentityName, type SenderIdentities } from '../adapters/sqs/sender-identities.ts';
import { ALL_FACTS } from '../kinds/facts.ts';
import type { KindFacts } from '../kinds/rows/kind.ts';
import { isManagedKind, managedKinds, usedOf } from '../kinds/settings.ts';
import type { Pod, WorkloadObject } from '../objects/kubernetes.ts';
import { TRACKING_FINALIZER } from '../objects/pods/pod-facts.ts';
import { PODS } from '../objects/resources.ts';
import { fieldsOf } from '../objects/values/untyped-fields.ts';
import type { WorkloadKey } from '../objects/workload.ts';
import { formatKey } from '../objects/workload.ts';
import type { Clock } from '../ports/clock.ts';
import { isInScope, RECORD_AGE_MS_MAX, type ClusterRecord } from '../ports/clusters.ts';
import { NotFoundError, TerminalError } from '../ports/errors.ts';
import type { Store } from '../ports/store.ts';
import { StaleWriteError } from '../ports/store.ts';
import { FUNCTION_SECONDS } from '../reconciler/head/timeouts.ts';
import { isTracked } from '../objects/pods/pod-facts.ts';
import { trackedOwnerUid } from './tracked-owner.ts';
import type { EksPlace } from './eks.ts';
import { removeFromEks } from './eks.ts';
import { namedIn, ownersOn, type NamedWorkloads } from './owners-on-cluster.ts';
import { OURS, findOurs, objectText } from './ours.ts';
import { marked } from './marked-record.ts';
import { emptyNodes, removeNodes, virtualNodesOf } from './virtual-nodes.ts';
import { FUNCTIONS_ACCOUNT, functionsGroup } from './relay-manifests.ts';
import type { Tell } from './tell.ts';

type Scope = Pick<ClusterRecord, 'manages' | 'namespaces' | 'options'>;

export interface RemovalPlace extends EksPlace {
  clusters: Pick<DynamoDbClusters, 'put' | 'remove'>;
  senders: SenderIdentities;
  sqs: SQSClient;
  secrets: SecretsManagerClient;
  store: Pick<Store, 'workloads' | 'readHead' | 'updateHead' | 'forget'>;
  /** Deletes the notes of passes about a cluster. @returns the number of notes */
  forgetNotes: (cluster: string) => Promise<number>;
  clock: Pick<Clock, 'wait' | 'monotonicMs'>;
  /** Undefined: the cluster is unreachable and stays as it is. */
  administration: KubernetesAdministration | undefined;
}

/** Workloads and pods on the cluster that still depend on us. */
export interface Remains {
  /** Unfinished workloads that nobody would manage. */
  unfinished: NamedWorkloads;
  /** Pods with the tracking finalizer. */
  tracked: Pod[];
}

/**
 * A pass or ingest that began with the oldest record allowed ends with its function at the latest. One more second is for its last writes
 * on their way to the table.
 */
const PASSES_END_MS = RECORD_AGE_MS_MAX + (FUNCTION_SECONDS + 1) * 1000;
const LIST_PAGE = 500;
const MOST_TRIES = 5;
const ROUNDS = 10;

/**
 * @param record defines our workloads and namespaces
 * @param kept workloads and namespaces that stay managed; absent: none
 */
export async function remainsOn(
  administration: Pick<KubernetesAdministration, 'list'>,
  record: Scope,
  { kept, kinds = ALL_FACTS }: { kept?: Scope; kinds?: readonly KindFacts[] } = {},
): Promise<Remains> {
  const isLeft = (facts: KindFacts, object: WorkloadObject | Pod, { namespace = '' } = object.metadata): boolean =>
    !(kept && isManagedKind(facts, kept.manages) && isInScope(kept, namespace) && isSelected(usedOf(facts, kept), object));
  const tracking = managedKinds(record.manages, kinds).filter(({ pods }) => pods?.haveTrackingFinalizer);
  // List pods first. An owner of one of them is then in the later list.
  const pods = tracking.length === 0 ? [] : await administration.list<Pod>(PODS);
  const owners = await ownersOn(administration, record, kinds);
  const others = new Set(
    owners.flatMap(({ facts, owners: ofKind }) =>
      ofKind.filter((owner) => isLeft(facts, owner) && !facts.isManaged(owner, record.manages)).map(({ metadata }) => metadata.uid),
    ),
  );
  return {
    unfinished: namedIn(owners, record, (facts, owner) => isLeft(facts, owner) && !facts.isFinished(owner)),
    tracked: pods.filter((pod) => {
      const { metadata } = pod;
      if (!isTracked(metadata) || !isInScope(record, metadata.namespace ?? '')) return false;
      if (!tracking.some((facts) => isLeft(facts, pod))) return false;
      const owner = trackedOwnerUid(metadata);
      // Where upstream's controller runs, it looks after pods whose owner is unknown.
      return owner === undefined ? tracking.some((facts) => facts.isAlone?.(record.manages) ?? true) : !others.has(owner);
    }),
  };
}

/** Whether an owner is one of those that the kind's options name, by the field that they are selected by. */
function isSelected({ ownerSelections }: KindFacts, object: object): boolean {
  if (!ownerSelections) return true;
  return ownerSelections.some((selection) => {
    const [path = '', value] = ('fieldSelector' in selection ? selection.fieldSelector : '').split('=');
    return path.split('.').reduce<unknown>((fields, name) => fieldsOf(fields)[name], object) === value;
  });
}

/**
 * Each step continues after an earlier try. The record is removed last, so that a failed removal can be repeated.
 * @throws TerminalError pods keep our finalizer in spite of every try
 */
export async function removeCluster(
  place: RemovalPlace,
  { record, relayNamespace }: { record: ClusterRecord; relayNamespace: string },
  tell: Tell,
): Promise<void> {
  const { administration, clock, clusters } = place;
  const { name } = record;
  const nodes = virtualNodesOf(record);
  // While passes still stop what runs for them.
  const emptied = administration && nodes.length > 0 ? await emptyNodes(place, administration, { record, nodes }, tell) : record;
  // A pass that reads it can neither call the cluster nor send commands to its relay.
  await marked(clusters, emptied, 'leaving');
  const passesEndAtMs = clock.monotonicMs() + PASSES_END_MS;
  tell('access', 'functions begin nothing on it any more');
  if (administration) await clearCluster(place, administration, { record, relayNamespace }, tell);
  if (administration) for (const gone of await removeNodes(administration, nodes)) tell('node', `${gone} removed`);
  if (record.eks) for (const told of await removeFromEks(place, { known: record.eks, relayNamespace })) tell('eks', `${told} removed`);
  await removeFromAws(place, name, tell);
  // Wait: a pass or ingest with an older record may write again what is deleted here, and nothing would ever delete it.
  await waitForPasses(clock, passesEndAtMs - clock.monotonicMs(), tell);
  await forgetAll(place, name, tell);
  await clusters.remove(name);
  tell('record', `${name} is not registered any more`);
}

/**
 * Removes from AWS what belongs to a cluster without a readable record. Without a record the registration ended early, so the cluster has
 * none of our objects. With an unreadable one, our objects on the cluster are unknown and stay.
 * @returns whether there was anything
 */
export async function removeUnregistered(
  place: Omit<RemovalPlace, 'administration' | 'clock'>,
  name: string,
  tell: Tell,
): Promise<boolean> {
  const wasThere = [await removeFromAws(place, name, tell), await forgetAll(place, name, tell), await place.clusters.remove(name)];
  if (wasThere[2]) tell('record', `what stood in the place of ${name}'s record is gone`);
  return wasThere.includes(true);
}

/** The objects that `removeUnregistered` would remove. */
export interface Leftovers {
  /** The record exists and is unreadable. */
  isUnreadable: boolean;
  /** All other objects, in words. */
  others: string[];
}

/** Only reads. @param name of a cluster without a record, or with an unreadable one */
export async function leftOnAws(
  {
    installation: { secretPrefix: prefix, stackName },
    ...place
  }: Pick<RemovalPlace, 'installation' | 'senders' | 'secrets' | 'sqs'> & {
    clusters: Pick<DynamoDbClusters, 'holds'>;
    store: Pick<Store, 'workloads'>;
  },
  name: string,
): Promise<Leftovers> {
  const { keys } = await place.store.workloads(name, { limit: 1 });
  return {
    isUnreadable: await place.clusters.holds(name),
    others: [
      ...((await hasCredential(place.secrets, { prefix, cluster: name })) ? [`secret ${prefix}${name}`] : []),
      ...(await place.senders.named(relayIdentityName(stackName, name))),
      ...(await relayQueuesOf(place.sqs, stackName, name)).map((queue) => `queue ${queue}`),
      ...(keys.length > 0 ? ['what is known of its workloads'] : []),
    ],
  };
}

/** @returns whether there was anything to delete */
async function forgetAll(place: Pick<RemovalPlace, 'store' | 'forgetNotes'>, name: string, tell: Tell): Promise<boolean> {
  const forgotten = await forgetWorkloads(place, name);
  const notes = await place.forgetNotes(name);
  if (forgotten + notes > 0) tell('views', `${forgotten} workloads and ${notes} notes forgotten`);
  return forgotten + notes > 0;
}

/** Removes from AWS what is found by the cluster's name alone. @returns whether there was anything */
async function removeFromAws(
  { installation, senders, secrets, sqs }: Pick<RemovalPlace, 'installation' | 'senders' | 'secrets' | 'sqs'>,
  cluster: string,
  tell: Tell,
): Promise<boolean> {
  let isAnything = false;
  const gone = (step: string, what: string): void => {
    isAnything = true;
    tell(step, `${what} removed`);
  };
  if (await removeCredential(secrets, { prefix: installation.secretPrefix, cluster }))
    gone('credential', `secret ${installation.secretPrefix}${cluster}`);
  const tokens = providerTokensName(installation.secretPrefix, cluster);
  if (await removeSecret(secrets, tokens)) gone('credential', `secret ${tokens}`);
  for (const identity of await senders.remove(relayIdentityName(installation.stackName, cluster))) gone('identity', identity);
  for (const queue of await removeRelayQueue(sqs, installation.stackName, cluster)) gone('queue', queue);
  return isAnything;
}

async function clearCluster(
  { clock }: RemovalPlace,
  administration: KubernetesAdministration,
  { record, relayNamespace }: { record: ClusterRecord; relayNamespace: string },
  tell: Tell,
): Promise<void> {
  const found = await findOurs(administration, relayNamespace);
  const isAtWork = ({ resource }: (typeof found)[number]): boolean =>
    ['Deployment', 'ClusterRoleBinding', 'RoleBinding'].includes(resource.kind);
  for (const object of found.filter(isAtWork)) {
    await administration.delete(object.resource, object);
    tell('stop', `${objectText(object)} removed`);
  }
  // Without rights a pass can do nothing more. With a credential that we cannot revoke, or a relay that acts for it, wait until it ends.
  if (record.access === 'relayed' || !found.some(({ name }) => name === FUNCTIONS_ACCOUNT || name === functionsGroup(relayNamespace)))
    await waitForPasses(clock, PASSES_END_MS, tell);
  tell('finalizers', `${await stripAll(administration, record)} pods let go`);
  for (const object of found.filter((each) => !isAtWork(each)).toSorted((one, other) => orderOf(one) - orderOf(other))) {
    await administration.delete(object.resource, object);
    tell('cluster', `${objectText(object)} removed`);
  }
}

async function waitForPasses(clock: Pick<Clock, 'wait'>, ms: number, tell: Tell): Promise<void> {
  if (ms <= 0) return;
  tell('stop', `waiting ${Math.ceil(ms / 1000)} s for passes that may be under way`);
  await clock.wait(ms);
}

const orderOf = ({ resource }: { resource: (typeof OURS)[number] }): number => OURS.indexOf(resource);

/** @returns the number of pods whose finalizer was removed */
async function stripAll(administration: KubernetesAdministration, record: ClusterRecord): Promise<number> {
  let stripped = 0;
  for (let round = 1; round <= ROUNDS; round++) {
    const { tracked } = await remainsOn(administration, record);
    if (tracked.length === 0) return stripped;
    for (const pod of tracked) if (await strip(administration, pod)) stripped += 1;
  }
  throw new TerminalError(`pods keep getting the finalizer ${TRACKING_FINALIZER}: who else runs Jobs on this cluster?`);
}

/** @returns false if the pod has changed meanwhile or is gone */
async function strip(administration: KubernetesAdministration, { metadata }: Pod): Promise<boolean> {
  const { namespace = '', name = '', uid = '', finalizers = [] } = metadata;
  const at = finalizers.indexOf(TRACKING_FINALIZER);
  const operations = [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path: `/metadata/finalizers/${at}`, value: TRACKING_FINALIZER },
    { op: 'remove', path: `/metadata/finalizers/${at}` },
  ];
  try {
    await administration.patch(PODS, { namespace, name }, operations);
    return true;
  } catch (error) {
    // 422: the patch's test failed, so the pod has changed. The next round reads it again.
    if (error instanceof NotFoundError || (error instanceof TerminalError && error.code === 422)) return false;
    throw error;
  }
}

/**
 * Deletes heads and views. They are a cache; without the cluster they only cause requests in vain.
 * @throws TerminalError a head is written again and again
 */
async function forgetWorkloads({ store }: Pick<RemovalPlace, 'store'>, cluster: string): Promise<number> {
  let forgotten = 0;
  let after: string | undefined;
  do {
    const { keys, next } = await store.workloads(cluster, { limit: LIST_PAGE, ...(after !== undefined && { after }) });
    for (const key of keys) if (await forgetWorkload(store, key)) forgotten += 1;
    after = next;
  } while (after !== undefined);
  return forgotten;
}

/** @returns false if it was already gone */
async function forgetWorkload(store: RemovalPlace['store'], key: WorkloadKey): Promise<boolean> {
  for (let attempt = 1; attempt <= MOST_TRIES; attempt++) {
    const head = await store.readHead(key);
    if (!head) return false;
    try {
      // Usually the pass of a wake on its way forgets the workload. On a leaving cluster passes do nothing.
      if (head.queued !== undefined) await store.updateHead(key, { ifFence: head.fence }, { queued: null });
      await store.forget(key, head.fence);
      return true;
    } catch (error) {
      // The head was written meanwhile: try again.
      if (!(error instanceof StaleWriteError)) throw error;
    }
  }
  throw new TerminalError(`what is known of ${formatKey(key)} is written again and again: give the command once more in a minute`);
}
