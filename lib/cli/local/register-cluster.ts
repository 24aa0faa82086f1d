// A local instance registers its one cluster at its start: what is asked for now counts, era and identity stay.
import { NAMESPACES } from '../../objects/resources.ts';
import { deadlineIn } from '../../ports/clock.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { Ports } from '../../ports/ports.ts';
import { FailedError } from '../terminal/exit.ts';

export type Registration = Pick<ClusterRecord, 'name' | 'manages' | 'namespaces' | 'senders' | 'budget' | 'access' | 'options'>;

const PROBE_MS = 10_000;

/**
 * Asks the cluster who it is first, so that an address, a certificate or a token that will not do is reported at once.
 * @throws the adapter's error of one sentence; FailedError when another cluster is registered under that name
 */
export async function registerCluster(
  { clusters, connect, clock }: Pick<Ports, 'clusters' | 'connect' | 'clock'>,
  { name, manages, namespaces, senders, budget, access, options }: Registration,
): Promise<ClusterRecord> {
  const known = await clusters.get(name);
  const how = { ...(access !== undefined && { access }), ...(options && { options }) };
  const wanted = { name, manages, namespaces, senders, budget, ...how, era: known?.era ?? 0 };
  const draft: ClusterRecord = { ...known, ...wanted, version: known?.version ?? 0 };
  const { object } = await connect(draft).get(NAMESPACES, { namespace: '', name: 'kube-system' }, deadlineIn(clock, PROBE_MS));
  const kubeSystemUid = object.metadata.uid ?? '';
  if (known?.kubeSystemUid !== undefined && known.kubeSystemUid !== kubeSystemUid)
    throw new FailedError(
      `the cluster behind "${name}" is another one than before (its namespace kube-system has another uid): give it a state folder of its own with --state`,
    );
  return await clusters.put({ ...wanted, kubeSystemUid }, draft.version);
}
