// Requests about runs: begun, listed, looked at, planned, cancelled. A caller may repeat each of them any number of times.
import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { nodeObject } from '../kinds/virtual-node/node-object.ts';
import type { Cannot } from '../kinds/run-once/admission.ts';
import type { RunOptions } from '../kinds/run-once/options.ts';
import { summaryOf, type RunSummary } from '../kinds/run-once/results.ts';
import { readRun } from '../kinds/run-once/run.ts';
import type { Node } from '../objects/kubernetes.ts';
import { RUN_ID } from '../objects/task.ts';
import type { Clock } from '../ports/clock.ts';
import { RunRefusedError, type RunHost, type RunRecord, type Runs } from '../ports/runs.ts';
import { cancelRun } from '../reconciler/runs/advance.ts';
import { beginRun } from '../reconciler/runs/begin-run.ts';
import { isKept, keptRun } from '../reconciler/runs/kept-runs.ts';
import type { RunPlan } from '../reconciler/runs/planned-run.ts';
import { RunConflictError } from '../reconciler/runs/run-ports.ts';
import { RunRequest } from './run-request.ts';

const USUAL_NODE = 'run-once';
const AMPLE = { cpu: '1000000', memory: '1000Ti', 'ephemeral-storage': '1000Ti', pods: '1000' };

export interface RunHostGiven {
  records: Runs;
  clock: Clock;
  /** Why no run can be given to that provider, for people; undefined if it can. */
  problemOfProvider(this: void, word: string): string | undefined;
  /** Who runs the pods of requests that do not say. */
  usualProvider?: string;
  /** The node of a cluster in reach that a request names without a provider. */
  nodeNamed(this: void, name: string): Promise<NodeOfRun | { problem: string }>;
  /** Why runs of that provider show and evict no pods of a cluster, for people. */
  withoutCluster: string;
  /** Fields that no pod of the provider can have. */
  cannotOf(this: void, run: { provider: string; node: string }): Promise<Cannot>;
  /** A run was begun or cancelled: it is driven from now on. */
  wake(this: void, id: string): void | Promise<void>;
  /** Runs whose time is over are left to the table. */
  isSwept?: true;
}

/** A registered virtual node, and who runs its pods. */
export interface NodeOfRun {
  node: Node;
  provider: string;
}

export const runHost = (given: RunHostGiven): RunHost => ({
  start: async (body) => await startRun(given, body),
  list: async (page) => await listRuns(given, page),
  get: async (id) => summaryOf(readRun((await recordNamed(given, id)).state)),
  plan: async (id) => await planNamed(given, id),
  cancel: async (id) => await cancelNamed(given, id),
});

/** @returns the run as it stands: the one that is there, where the id is known. @throws RunRefusedError */
async function startRun(host: RunHostGiven, body: unknown): Promise<RunSummary> {
  const { records, clock, wake } = host;
  const asked = v.safeParse(RunRequest, body);
  if (!asked.success) {
    const [issue] = asked.issues;
    throw new RunRefusedError(400, `${v.getDotPath(issue) ?? 'the body'}: ${issue.message}`);
  }
  const { runId: id = newId(clock.nowMs()), manifest } = asked.output;
  const { provider, node, options, isOfCluster } = await placeOf(host, asked.output);
  const { podsIn } = await import('./run-pods.ts');
  const pods = manifest === undefined ? undefined : podsIn(manifest, { node, isOfCluster });
  try {
    const { run } = await beginRun({ id, provider, node, pods, options }, { runs: records, clock });
    await wake(id);
    return summaryOf(run);
  } catch (error) {
    if (error instanceof RunConflictError) throw new RunRefusedError(409, error.message, { cause: error });
    throw error;
  }
}

interface RunPlace extends NodeOfRun {
  options: Partial<RunOptions>;
  isOfCluster: boolean;
}

/** Where the run goes, and what it may do there. @throws RunRefusedError */
async function placeOf(
  { problemOfProvider, usualProvider, nodeNamed, withoutCluster }: RunHostGiven,
  { provider = usualProvider, node: name, options: { mirror, preempt, ...asked } = {} }: v.InferOutput<typeof RunRequest>,
): Promise<RunPlace> {
  const options = withoutUndefined(asked);
  if (provider !== undefined) {
    const problem = problemOfProvider(provider);
    if (problem !== undefined) throw new RunRefusedError(400, `provider: ${problem}`);
    for (const [option, isAsked] of Object.entries({ mirror, preempt }))
      if (isAsked) throw new RunRefusedError(400, `options.${option}: ${withoutCluster}`);
    return { provider, node: nodeOf(name ?? USUAL_NODE), options, isOfCluster: false };
  }
  if (name === undefined)
    throw new RunRefusedError(
      400,
      'provider: expected who is to run the pods, as in "simulated" or "http:ADDRESS", or node with the name of a virtual node',
    );
  const found = await nodeNamed(name);
  if ('problem' in found) throw new RunRefusedError(400, `node: ${found.problem}`);
  const { capacity = 'node' } = options;
  if (preempt && capacity === 'run')
    throw new RunRefusedError(400, 'options.preempt: with the capacity "run" other pods take no room, so none is evicted');
  const evicts = (preempt ?? true) && capacity === 'node';
  return {
    ...found,
    options: { ...options, capacity, ...(mirror && { mirror }), ...(evicts && { preempt: true as const }) },
    isOfCluster: true,
  };
}

const newId = (nowMs: number): string =>
  `run-${new Date(nowMs).toISOString().replaceAll(/\D/g, '').slice(0, 14)}-${randomBytes(3).toString('hex')}`;

const withoutUndefined = (options: object): Partial<RunOptions> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

const nodeOf = (name: string): Node => {
  const { metadata } = nodeObject({ name, provider: 'simulated', labels: {}, taints: [], takesDaemonSets: true, capacity: AMPLE });
  return { apiVersion: 'v1', kind: 'Node', metadata, status: { allocatable: { ...AMPLE } } };
};

/** Runs whose time is over are dropped. */
async function listRuns(
  { records, clock, isSwept }: RunHostGiven,
  page: { limit: number; after?: string },
): Promise<{ items: RunSummary[]; next?: string }> {
  const nowMs = clock.nowMs();
  const { runs, next } = await records.list(page);
  const kept = runs.filter((run) => isKept(run, nowMs));
  const dropped = isSwept ? [] : runs.filter((run) => !kept.includes(run));
  for (const { id, version } of dropped) await records.remove(id, version);
  return { items: kept.map(({ state }) => summaryOf(readRun(state))), ...(next !== undefined && { next }) };
}

/** @throws RunRefusedError */
async function recordNamed({ records, clock }: RunHostGiven, id: string): Promise<RunRecord> {
  const record = RUN_ID.test(id) ? await keptRun(records, id, clock.nowMs()) : undefined;
  if (!record) throw absent(id);
  return record;
}

/** @throws RunRefusedError */
async function planNamed(host: RunHostGiven, id: string): Promise<RunPlan> {
  const { plannedRun } = await import('../reconciler/runs/planned-run.ts');
  return await plannedRun(readRun((await recordNamed(host, id)).state), host);
}

/** @throws RunRefusedError */
async function cancelNamed({ records, clock, wake }: RunHostGiven, id: string): Promise<RunSummary> {
  const run = RUN_ID.test(id) ? await cancelRun(id, { runs: records, clock }) : undefined;
  if (!run) throw absent(id);
  await wake(id);
  return summaryOf(run);
}

const absent = (id: string): RunRefusedError => new RunRefusedError(404, `there is no run ${id}`);
