// Requests about runs: begun, listed, looked at, cancelled. A caller may repeat each of them any number of times. Functions do not load this: an API
// server's rules about pods would make them larger.
import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { nodeObject } from '../kinds/virtual-node/node-object.ts';
import { checkTogether, podDocument, podToAdmit, type SourcedPod } from '../kinds/run-once/given-pods.ts';
import type { RunOptions } from '../kinds/run-once/options.ts';
import { summaryOf, type RunSummary } from '../kinds/run-once/results.ts';
import { readRun } from '../kinds/run-once/run.ts';
import { objectsIn, UnusableManifestError } from '../kinds/rows/manifest-documents.ts';
import type { Node, Pod } from '../objects/kubernetes.ts';
import { RUN_ID } from '../objects/task.ts';
import type { Clock } from '../ports/clock.ts';
import { RunRefusedError, type RunHost, type Runs } from '../ports/runs.ts';
import { cancelRun } from '../reconciler/runs/advance.ts';
import { beginRun } from '../reconciler/runs/begin-run.ts';
import { environmentOf } from '../reconciler/runs/provider-answers.ts';
import { isKept, keptRun } from '../reconciler/runs/kept-runs.ts';
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
  /** A run was begun or cancelled: it is driven from now on. */
  wake(this: void, id: string): void | Promise<void>;
  /** Runs whose time is over are left to the table. */
  isSwept?: true;
}

export const runHost = (given: RunHostGiven): RunHost => ({
  start: async (body) => await startRun(given, body),
  list: async (page) => await listRuns(given, page),
  get: async (id) => await runNamed(given, id),
  cancel: async (id) => await cancelNamed(given, id),
});

/** @returns the run as it stands: the one that is there, where the id is known. @throws RunRefusedError */
async function startRun({ records, clock, problemOfProvider, usualProvider, wake }: RunHostGiven, body: unknown): Promise<RunSummary> {
  const asked = v.safeParse(RunRequest, body);
  if (!asked.success) {
    const [issue] = asked.issues;
    throw new RunRefusedError(400, `${v.getDotPath(issue) ?? 'the body'}: ${issue.message}`);
  }
  const { runId: id = newId(clock.nowMs()), provider = usualProvider, node: name = USUAL_NODE, manifest, options } = asked.output;
  if (provider === undefined)
    throw new RunRefusedError(400, 'provider: expected who is to run the pods, as in "simulated" or "http:ADDRESS"');
  const problem = problemOfProvider(provider);
  if (problem !== undefined) throw new RunRefusedError(400, `provider: ${problem}`);
  const node = nodeOf(name);
  const pods = manifest === undefined ? undefined : podsIn(manifest, node);
  const given = { id, provider, node, pods, options: withoutUndefined(options ?? {}) };
  try {
    const { run } = await beginRun(given, { runs: records, clock });
    await wake(id);
    return summaryOf(run);
  } catch (error) {
    if (error instanceof RunConflictError) throw new RunRefusedError(409, error.message, { cause: error });
    throw error;
  }
}

const newId = (nowMs: number): string =>
  `run-${new Date(nowMs).toISOString().replaceAll(/\D/g, '').slice(0, 14)}-${randomBytes(3).toString('hex')}`;

const withoutUndefined = (options: object): Partial<RunOptions> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

const nodeOf = (name: string): Node => {
  const { metadata } = nodeObject({ name, provider: 'simulated', labels: {}, taints: [], takesDaemonSets: true, capacity: AMPLE });
  return { apiVersion: 'v1', kind: 'Node', metadata, status: { allocatable: { ...AMPLE } } };
};

/** @throws RunRefusedError */
function podsIn(manifest: readonly object[], node: Node): Pod[] {
  try {
    const documents = manifest.map((document, at) => ({ document, source: `manifest[${at}]` }));
    const pods: SourcedPod[] = [...objectsIn(documents)].map(({ object, source }) =>
      readPod(() => podToAdmit(podDocument(object, at(source)), at(source)), source),
    );
    checkTogether(pods, 'manifest');
    for (const { pod, placeOf } of pods) {
      const resolution = environmentOf(pod, { node });
      if ('problem' in resolution)
        throw new UnusableManifestError(`${placeOf('spec')}: ${resolution.problem}: a run has no API server that could give it`);
    }
    return pods.map(({ pod }) => pod);
  } catch (error) {
    if (error instanceof UnusableManifestError) throw new RunRefusedError(400, error.message, { cause: error });
    throw error;
  }
}

const at = (source: string) => (): string => source;

/** A field of another type than it has in Kubernetes is met by code that knows the type alone. */
function readPod(read: () => SourcedPod, source: string): SourcedPod {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UnusableManifestError(`${source}: a field has another type than in a Pod of v1`, { cause: error });
  }
}

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
async function runNamed({ records, clock }: RunHostGiven, id: string): Promise<RunSummary> {
  const record = RUN_ID.test(id) ? await keptRun(records, id, clock.nowMs()) : undefined;
  if (!record) throw absent(id);
  return summaryOf(readRun(record.state));
}

/** @throws RunRefusedError */
async function cancelNamed({ records, clock, wake }: RunHostGiven, id: string): Promise<RunSummary> {
  const run = RUN_ID.test(id) ? await cancelRun(id, { runs: records, clock }) : undefined;
  if (!run) throw absent(id);
  await wake(id);
  return summaryOf(run);
}

const absent = (id: string): RunRefusedError => new RunRefusedError(404, `there is no run ${id}`);
