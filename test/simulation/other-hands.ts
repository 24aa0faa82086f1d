// What people and other controllers do to Jobs in the middle of a pass: suspend, scale, recreate, end a namespace, write the status too.
import { isJobFinished } from '../../lib/objects/job-facts.ts';
import type { Job } from '../../lib/objects/kubernetes.ts';
import { JOBS } from '../../lib/objects/resources.ts';
import { NAMESPACE, type SimApiServer } from './api-server.ts';
import type { Call } from './calls.ts';
import type { Simulation } from './simulation.ts';

const MERGE = 'application/merge-patch+json';
const CONTROLLER_LABELS = ['batch.kubernetes.io/controller-uid', 'batch.kubernetes.io/job-name', 'controller-uid', 'job-name'];
/** Until a user takes back what was changed. */
const SHORTLY_MS = 3_000;
/** Another controller writes so often, so far apart: times in managedFields are whole seconds. */
const FIGHT = { writes: 4, everyMs: 1_500 };

interface Hands {
  server: SimApiServer;
  job: Job;
}

/** The Job that the pass is about, while it lives and has not ended. */
export function liveJob(simulation: Simulation, call: Call): Hands | undefined {
  const key = call.invocation?.key;
  if (!key) return undefined;
  const server = simulation.server(key.cluster);
  const job = server.job(key.name, key.namespace);
  const isLive = job?.metadata.uid === key.uid && job.metadata.deletionTimestamp === undefined && !isJobFinished(job);
  return job && isLive ? { server, job } : undefined;
}

const changeSpec = ({ server, job }: Hands, spec: Partial<Job['spec']>): void => {
  const { namespace = '', name = '' } = job.metadata;
  void server.as('PATCH', JOBS, { namespace, name, body: { spec }, type: MERGE });
};

export const canSuspend = (simulation: Simulation, call: Call): boolean => {
  const hands = liveJob(simulation, call);
  return hands !== undefined && hands.job.spec.suspend !== true;
};

export function suspendShortly(simulation: Simulation, call: Call): void {
  const hands = liveJob(simulation, call);
  if (!hands) return;
  changeSpec(hands, { suspend: true });
  simulation.scheduler.after(SHORTLY_MS, () => changeSpec(hands, { suspend: false }));
}

export const canScale = (simulation: Simulation, call: Call): boolean => (liveJob(simulation, call)?.job.spec.parallelism ?? 0) > 1;

export function scaleShortly(simulation: Simulation, call: Call): void {
  const hands = liveJob(simulation, call);
  if (!hands) return;
  const { parallelism = 1 } = hands.job.spec;
  changeSpec(hands, { parallelism: 1 });
  simulation.scheduler.after(SHORTLY_MS, () => changeSpec(hands, { parallelism }));
}

/** Deleted, its pods left to the garbage collector, and made anew under the same name. */
export function recreate(simulation: Simulation, call: Call): void {
  const hands = liveJob(simulation, call);
  if (!hands) return;
  const { server, job } = hands;
  const { namespace = '', name = '' } = job.metadata;
  const { selector: _, ...spec } = structuredClone(job.spec);
  for (const label of CONTROLLER_LABELS) delete spec.template?.metadata?.labels?.[label];
  const options = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' };
  void server.as('DELETE', JOBS, { namespace, name, body: options });
  void server.as('POST', JOBS, { namespace, body: { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec } });
}

/** The Job is in the namespace that may end, and that has not ended yet. */
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

/** A controller that believes the Job to be its own, until somebody turns it off. */
export function fight(simulation: Simulation, call: Call): void {
  for (let nth = 0; nth < FIGHT.writes; nth++)
    simulation.scheduler.after(nth * FIGHT.everyMs, () => {
      const hands = liveJob(simulation, call);
      if (!hands) return;
      const { namespace = '', name = '' } = hands.job.metadata;
      const ready = (hands.job.status?.ready ?? 0) > 0 ? 0 : Math.min(1, hands.job.status?.active ?? 0);
      void hands.server.as('PATCH', JOBS, { namespace, name, subresource: 'status', body: { status: { ready } }, type: MERGE });
    });
}
