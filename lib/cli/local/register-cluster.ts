// A local instance registers its clusters at its start: what is asked for now counts, era and identity stay.
import { NAMESPACES } from '../../objects/resources.ts';
import { deadlineIn } from '../../ports/clock.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import { mayPass, TerminalError, UnusableInputError } from '../../ports/errors.ts';
import type { Ports } from '../../ports/ports.ts';
import { FailedError } from '../terminal/exit.ts';

export type Registration = Pick<ClusterRecord, 'name' | 'manages' | 'namespaces' | 'senders' | 'budget' | 'access' | 'options' | 'actions'>;

const PROBE_MS = 10_000;

/**
 * Asks the cluster who it is, so that an address, a certificate or a token that will not do is reported at once.
 * @returns the uid of its namespace kube-system
 * @throws the adapter's error of one sentence
 */
export async function identityOf({ connect, clock }: Pick<Ports, 'connect' | 'clock'>, registration: Registration): Promise<string> {
  const draft: ClusterRecord = { ...registration, era: 0, version: 0 };
  const { object } = await connect(draft).get(NAMESPACES, { namespace: '', name: 'kube-system' }, deadlineIn(clock, PROBE_MS));
  return object.metadata.uid ?? '';
}

/** @throws FailedError when another cluster is registered under that name, or this one under another name */
export async function registerCluster(
  { clusters }: Pick<Ports, 'clusters'>,
  registration: Registration,
  kubeSystemUid: string,
): Promise<ClusterRecord> {
  const { name } = registration;
  const { wanted, known } = await wantedOf(clusters, registration);
  if (known?.kubeSystemUid !== undefined && known.kubeSystemUid !== kubeSystemUid)
    throw new FailedError(
      `the cluster behind "${name}" is another one than before (its namespace kube-system has another uid): give it a state folder of its own with --state`,
    );
  const namesake = (await clusters.list()).find((other) => other.name !== name && other.kubeSystemUid === kubeSystemUid);
  if (namesake)
    throw new FailedError(
      `"${namesake.name}" and "${name}" are one cluster (its namespace kube-system has the same uid): leave one of them out`,
    );
  return await clusters.put({ ...wanted, kubeSystemUid }, known?.version ?? 0);
}

/** Without asking the cluster: it is shown as one that does not answer, and who it is stays as it was known. */
export async function registerAway({ clusters }: Pick<Ports, 'clusters'>, registration: Registration): Promise<void> {
  const { wanted, known } = await wantedOf(clusters, registration);
  const identity = known?.kubeSystemUid === undefined ? {} : { kubeSystemUid: known.kubeSystemUid };
  await clusters.put({ ...wanted, ...identity }, known?.version ?? 0);
}

async function wantedOf(
  clusters: Ports['clusters'],
  { name, manages, namespaces, senders, budget, access, options, actions }: Registration,
): Promise<{ wanted: Omit<ClusterRecord, 'version' | 'kubeSystemUid'>; known: ClusterRecord | undefined }> {
  const known = await clusters.get(name);
  const how = { ...(access !== undefined && { access }), ...(options && { options }), ...(actions && { actions }) };
  return { wanted: { name, manages, namespaces, senders, budget, ...how, era: known?.era ?? 0 }, known };
}

/** It does not answer, or not to these credentials, which may pass; another one may be worked on meanwhile. */
export const isAway = (error: unknown): error is Error =>
  mayPass(error) || (error instanceof TerminalError && !(error instanceof UnusableInputError));
