// What people and other controllers do to workloads in the middle of a pass: suspend, scale, recreate, end a namespace, write the status too.
import { findFacts } from '../../lib/kinds/facts.ts';
import type { KindFacts } from '../../lib/kinds/rows/kind.ts';
import { resourceKeyOf } from '../../lib/objects/child-state.ts';
import type { WorkloadObject } from '../../lib/objects/kubernetes.ts';
import type { WorkloadKey } from '../../lib/objects/workload.ts';
import { NAMESPACE, type SimApiServer } from './api-server.ts';
import type { Call } from './calls.ts';
import type { HandsOfKind } from './kinds/table.ts';
import type { Simulation } from './simulation.ts';

const MERGE = 'application/merge-patch+json';
/** Until a user takes back what was changed. */
const SHORTLY_MS = 3_000;
/** Another controller writes so often, so far apart: times in managedFields are whole seconds. */
const FIGHT = { writes: 4, everyMs: 1_500 };

interface Hands {
  server: SimApiServer;
  owner: WorkloadObject;
  facts: KindFacts;
  hands: HandsOfKind;
}

/** The owner that the pass is about, while it lives and has not ended. */
export function liveOwner(simulation: Simulation, call: Call): Hands | undefined {
  const key = call.invocation?.key;
  const facts = findFacts(key?.kind ?? '');
  if (!key || !facts) return undefined;
  const server = simulation.server(key.cluster);
  const owner = ownerOf(server, key);
  const isLive = owner?.metadata.uid === key.uid && owner.metadata.deletionTimestamp === undefined && !facts.isFinished(owner);
  return owner && isLive ? { server, owner, facts, hands: simulation.simulatedKind(key.kind)?.hands ?? {} } : undefined;
}

/** As it is now; undefined where there is none. */
export function ownerOf(
  server: SimApiServer,
  { kind, namespace, name }: Pick<WorkloadKey, 'kind' | 'namespace' | 'name'>,
): WorkloadObject | undefined {
  const facts = findFacts(kind);
  if (!facts || facts.isOwnerless) return undefined;
  return server.storage.get(resourceKeyOf(facts.resource), `${namespace}/${name}`)?.object;
}

const changeSpec = ({ server, owner, facts }: Hands, spec: object): void => {
  const { namespace = '', name = '' } = owner.metadata;
  void server.as('PATCH', facts.resource, { namespace, name, body: { spec }, type: MERGE });
};

type Edit = 'suspended' | 'scaledDown';

export const canEdit =
  (edit: Edit) =>
  (simulation: Simulation, call: Call): boolean => {
    const live = liveOwner(simulation, call);
    return live?.hands[edit]?.(live.owner) !== undefined;
  };

/** A change of the spec, and back again some seconds later. */
export const editShortly =
  (edit: Edit) =>
  (simulation: Simulation, call: Call): void => {
    const live = liveOwner(simulation, call);
    const change = live?.hands[edit]?.(live.owner);
    if (!live || !change) return;
    changeSpec(live, change.to);
    simulation.scheduler.after(SHORTLY_MS, () => changeSpec(live, change.back));
  };

/** Deleted, its children left to the garbage collector, and made anew under the same name. */
export function recreate(simulation: Simulation, call: Call): void {
  const live = liveOwner(simulation, call);
  if (!live) return;
  const { server, owner, facts, hands } = live;
  const { namespace = '', name = '' } = owner.metadata;
  const { apiVersion, kind } = facts.resource;
  const spec = structuredClone((owner as { spec?: object }).spec ?? {});
  const options = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' };
  void server.as('DELETE', facts.resource, { namespace, name, body: options });
  void server.as('POST', facts.resource, {
    namespace,
    body: { apiVersion, kind, metadata: { name }, spec: hands.asWritten?.(spec) ?? spec },
  });
}

/** The workload is in the namespace that may end, and that has not ended yet. */
export const hasNamespace = (simulation: Simulation, call: Call): boolean => {
  if (call.invocation?.key?.namespace !== NAMESPACE) return false;
  const { storage } = simulation.server(simulation.clusterOf(call));
  return storage.get('namespaces', `/${NAMESPACE}`)?.object.metadata.deletionTimestamp === undefined;
};

export function endNamespace(simulation: Simulation, call: Call): void {
  const cluster = simulation.clusterOf(call);
  simulation.tampering.endedNamespaces.add(cluster);
  void simulation.server(cluster).handle('DELETE', `/api/v1/namespaces/${NAMESPACE}`);
}

/** A controller that believes the workload to be its own, until somebody turns it off. */
export function fight(simulation: Simulation, call: Call): void {
  for (let nth = 0; nth < FIGHT.writes; nth++)
    simulation.scheduler.after(nth * FIGHT.everyMs, () => {
      const live = liveOwner(simulation, call);
      const status = live?.hands.foreignStatus?.(live.owner, 'often');
      if (!live || !status) return;
      const { namespace = '', name = '' } = live.owner.metadata;
      void live.server.as('PATCH', live.facts.resource, { namespace, name, subresource: 'status', body: { status }, type: MERGE });
    });
}

export const canFight = (simulation: Simulation, call: Call): boolean => {
  const live = liveOwner(simulation, call);
  return live?.hands.foreignStatus?.(live.owner, 'often') !== undefined;
};
