// TF_CONFIG: where every replica of a TFJob is found, and which one this is.
import type { Replicas, Terms } from '../terms/framework.ts';
import { nameOfSlot, type Slot } from '../names/slots.ts';
import { portOf, wantedOf } from '../terms/terms.ts';

/** Whether there is more than one replica of the known types. */
export const isDistributed = (terms: Terms): boolean =>
  terms.replicas.filter(({ type }) => terms.framework.types.includes(type)).reduce((sum, { wanted }) => sum + wanted, 0) !== 1;

/** Compact JSON. @param clusterDomain empty: none */
export function tensorflowConfig(terms: Terms, slot: Slot, clusterDomain: string): string {
  const addressesOf = (replicas: Replicas): string[] =>
    Array.from({ length: replicas.wanted }, (_, index) => addressOf(terms, { replicas, index }, clusterDomain));
  const task = { type: slot.type.toLowerCase(), index: slot.index };
  if (terms.job.spec.enableDynamicWorker === true) return JSON.stringify({ cluster: sparseCluster(terms, slot, addressesOf), task });
  return `{"cluster":${wholeCluster(terms, addressesOf)},"task":${JSON.stringify(task)},"environment":"cloud"}`;
}

/** The same in each replica of a pass, and as long as there are replicas. */
const wholeClusters = new WeakMap<Terms, string>();

function wholeCluster(terms: Terms, addressesOf: (replicas: Replicas) => string[]): string {
  const known = wholeClusters.get(terms);
  if (known !== undefined) return known;
  const byName = terms.replicas.toSorted((a, b) => (a.type.toLowerCase() < b.type.toLowerCase() ? -1 : 1));
  const text = JSON.stringify(Object.fromEntries(byName.map((replicas) => [replicas.type.toLowerCase(), addressesOf(replicas)])));
  wholeClusters.set(terms, text);
  return text;
}

function addressOf(terms: Terms, { replicas, index }: { replicas: Replicas; index: number }, clusterDomain: string): string {
  const { name, namespace, framework } = terms;
  const host = nameOfSlot(name, { type: replicas.type, index });
  const port = portOf(terms, replicas) ?? framework.port.number;
  return `${host}.${namespace}.svc${clusterDomain === '' ? '' : `.${clusterDomain}`}:${port}`;
}

/** Workers come and go, so that each knows itself and the parameter servers alone. */
function sparseCluster(terms: Terms, { type, index }: Slot, addressesOf: (replicas: Replicas) => string[]): object {
  const servers = terms.replicas.find((replicas) => replicas.type === 'PS');
  const own = terms.replicas.find((replicas) => replicas.type === type);
  const address = own && wantedOf(terms, type) > index ? addressesOf(own)[index] : undefined;
  if (type === 'Worker') return { worker: { [index]: address }, ps: servers ? addressesOf(servers) : null };
  return { worker: {}, ps: type === 'PS' && address !== undefined ? [address] : [] };
}
