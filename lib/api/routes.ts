// The HTTP API: one table of methods and paths. Every answer is JSON, except the metrics.
import * as v from 'valibot';
import { kindNames } from '../kinds/facts.ts';
import type { KindFacts } from '../kinds/rows/kind.ts';
import { findState, STATES, type State } from '../kinds/rows/state.ts';
import { LabelSelectorError, parseLabelSelector, type LabelMatcher } from '../objects/label-selector.ts';
import { NO_NAMESPACE } from '../objects/workload.ts';
import { findKindNamed } from '../kinds/kind-names.ts';
import type { QueueName } from '../ports/queue.ts';
import type { Ports } from '../ports/ports.ts';
import { RunRefusedError, type RunHost } from '../ports/runs.ts';
import { listClusters } from './clusters.ts';
import { objectsOnCluster } from './objects-on-cluster.ts';
import { costSoFar } from './cost.ts';
import { metricsText } from './metrics.ts';
import { openApiDocument } from './openapi.ts';
import { toldPass } from './passes.ts';
import { listDeadLetters, listQueues, queueNames, redrive, type FromQueues, type QueueFailure } from './queues.ts';
import { describeWorkloads, listWorkloads, viewsNamed, type WorkloadChoice, type WorkloadFilter } from './workloads.ts';
import { logQueryIn } from './logs/log-query.ts';
import { workloadLogs } from './logs/workload-logs.ts';

/** A request that cannot be fulfilled: the status and one sentence. */
export class RefusedRequestError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.name = 'RefusedRequestError';
    this.status = status;
  }
}

export interface RoutedRequest {
  method: string;
  /** Decoded parts of the path; none is empty. */
  path: readonly string[];
  query: URLSearchParams;
  /** Parsed JSON; undefined without a body. */
  body: unknown;
}

export type RoutedAnswer = { json: unknown } | { text: string; contentType: string };

interface Route {
  method: 'GET' | 'POST';
  /** A part in braces matches any value and names it. */
  path: string;
  answer(ports: Ports, request: RoutedRequest, named: Record<string, string>): Promise<RoutedAnswer>;
}

const Redrive = v.optional(v.strictObject({ messageIds: v.optional(v.pipe(v.array(v.string()), v.maxLength(1_000))) }), {});

const ROUTES: readonly Route[] = [
  { method: 'GET', path: 'v1/clusters', answer: async (ports) => ({ json: { items: await listClusters(ports) } }) },
  {
    method: 'GET',
    path: 'v1/clusters/{cluster}/{kind}/{name}',
    async answer(ports, { query }, { cluster = '', kind = '', name = '' }) {
      const namespace = query.get('namespace') ?? undefined;
      const found = await objectsOnCluster(ports, { cluster, facts: kindNamed(kind), name, namespace });
      if (!found) throw new RefusedRequestError(404, `there is no cluster ${cluster}`);
      return { json: found };
    },
  },
  {
    method: 'GET',
    path: 'v1/workloads',
    async answer(ports, { query }) {
      const from = query.get('continue');
      const options = { limit: limitOf(query, 500), ...(from !== null && { from }) };
      try {
        return { json: await listWorkloads(ports, { ...filterOf(query), ...choiceOf(query) }, options) };
      } catch (error) {
        if (from === null || !(error instanceof SyntaxError || /names no cluster/.test(String(error)))) throw error;
        throw new RefusedRequestError(400, '"continue" is not what an earlier answer gave: ask without it');
      }
    },
  },
  {
    method: 'GET',
    path: 'v1/workloads/{cluster}/{kind}/{namespace}/{name}',
    async answer(ports, _request, named) {
      const items = await describeWorkloads(ports, keyOf(named));
      if (items.length === 0) throw new RefusedRequestError(404, `there is no workload ${Object.values(named).join('/')}`);
      return { json: { items } };
    },
  },
  {
    method: 'GET',
    path: 'v1/workloads/{cluster}/{kind}/{namespace}/{name}/passes',
    async answer(ports, { query }, named) {
      const { cluster, kind: asked, namespace, name } = keyOf(named);
      const { kind } = kindNamed(asked);
      const passes = await ports.recorder.passes({ cluster, kind, namespace, name }, limitOf(query, 100));
      return { json: { items: passes.map(toldPass) } };
    },
  },
  {
    method: 'GET',
    path: 'v1/workloads/{cluster}/{kind}/{namespace}/{name}/logs',
    async answer(ports, { query }, named) {
      const asked = logQueryIn(query, ports.clock.nowMs());
      if (typeof asked === 'string') throw new RefusedRequestError(400, asked);
      const [found] = await viewsNamed(ports, keyOf(named));
      if (!found) throw new RefusedRequestError(404, `there is no workload ${Object.values(named).join('/')}`);
      const { record, known } = found;
      const workload = { record, facts: known.row.facts, view: known.view, namespace: known.head.key.namespace };
      const logs = await workloadLogs(ports, workload, asked);
      if (logs) return { json: logs };
      throw new RefusedRequestError(
        504,
        `nobody has answered for cluster ${named['cluster']} within 20 s: it is busy or does not answer, so ask again`,
      );
    },
  },
  {
    method: 'GET',
    path: 'v1/passes/{passId}',
    async answer(ports, _request, { passId = '' }) {
      const recorded = await ports.recorder.pass(passId);
      if (!recorded)
        throw new RefusedRequestError(404, `there is no pass ${passId}: passes are kept for 7 days, and "farloop explain" tells their ids`);
      const { pass, snapshot } = recorded;
      return { json: { pass: toldPass(pass), ...(snapshot && { snapshot: Buffer.from(snapshot).toString('base64') }) } };
    },
  },
  { method: 'GET', path: 'v1/queues', answer: async (ports) => ({ json: itemsOf(ports, await listQueues(ports)) }) },
  {
    method: 'GET',
    path: 'v1/dead-letters',
    answer: async (ports, { query }) => ({
      json: itemsOf(ports, await listDeadLetters(ports, await chosenQueues(ports, query.get('queue')), limitOf(query, 100))),
    }),
  },
  {
    method: 'POST',
    path: 'v1/dead-letters/redrive',
    async answer(ports, { query, body }) {
      const asked = v.safeParse(Redrive, body);
      if (!asked.success) throw new RefusedRequestError(400, 'the body must be JSON as in {"messageIds": ["…"]}, or empty for all');
      const names = await chosenQueues(ports, query.get('queue'));
      const { told, failed, unfinished } = await redrive(ports, names, asked.output.messageIds);
      logFailures(ports, failed);
      return { json: { redriven: told.reduce((sum, count) => sum + count, 0), ...toldFailures([...failed, ...unfinished]) } };
    },
  },
  {
    method: 'POST',
    path: 'v1/runs',
    answer: async (ports, { body }) => ({ json: await fromRuns(ports, async (runs) => await runs.start(body)) }),
  },
  {
    method: 'GET',
    path: 'v1/runs',
    async answer(ports, { query }) {
      const after = query.get('continue');
      const page = { limit: limitOf(query, 100), ...(after !== null && { after }) };
      return { json: await fromRuns(ports, async (runs) => await runs.list(page)) };
    },
  },
  {
    method: 'GET',
    path: 'v1/runs/{runId}',
    answer: async (ports, _request, { runId = '' }) => ({ json: await fromRuns(ports, async (runs) => await runs.get(runId)) }),
  },
  {
    method: 'POST',
    path: 'v1/runs/{runId}/cancel',
    answer: async (ports, _request, { runId = '' }) => ({
      json: await fromRuns(ports, async (runs) => await runs.cancel(runId)),
    }),
  },
  { method: 'GET', path: 'v1/cost', answer: async (ports) => ({ json: await costSoFar(ports) }) },
  {
    method: 'GET',
    path: 'metrics',
    answer: async (ports) => ({ text: await metricsText(ports), contentType: 'text/plain; version=0.0.4; charset=utf-8' }),
  },
  { method: 'GET', path: 'openapi.json', answer: async () => ({ json: openApiDocument() }) },
];

/** @throws RefusedRequestError */
async function fromRuns({ runs }: Ports, ask: (runs: RunHost) => Promise<object>): Promise<object> {
  if (!runs)
    throw new RefusedRequestError(501, 'this installation has no provider for runs: use farloop up, or farloop run-once on your machine');
  try {
    return await ask(runs);
  } catch (error) {
    if (error instanceof RunRefusedError) throw new RefusedRequestError(error.status, error.message);
    throw error;
  }
}

/** Every method and path, spelled as in the description. */
export const routeNames = (): string[] => ROUTES.map(({ method, path }) => `${method} /${path}`);

/** @throws RefusedRequestError */
export async function answerRoute(ports: Ports, request: RoutedRequest): Promise<RoutedAnswer> {
  let isKnownPath = false;
  for (const route of ROUTES) {
    const named = namedParts(route.path, request.path);
    if (!named) continue;
    isKnownPath = true;
    if (route.method !== request.method) continue;
    return await route.answer(ports, request, named).catch((error: unknown) => {
      // The caller gets the sentence; the operator finds the error in the log.
      if (!(error instanceof RefusedRequestError))
        ports.telemetry.error('request failed', { method: request.method, path: `/${request.path.join('/')}`, error });
      throw error;
    });
  }
  if (isKnownPath) throw new RefusedRequestError(405, `${request.method} is not possible here`);
  throw new RefusedRequestError(404, `there is nothing at /${request.path.join('/')}`);
}

/** @returns undefined if the path does not match */
function namedParts(pattern: string, path: readonly string[]): Record<string, string> | undefined {
  const parts = pattern.split('/');
  if (parts.length !== path.length) return undefined;
  const named: Record<string, string> = {};
  for (const [at, part] of parts.entries()) {
    const given = path[at] ?? '';
    if (part.startsWith('{')) named[part.slice(1, -1)] = given;
    else if (part !== given) return undefined;
  }
  return named;
}

function limitOf(query: URLSearchParams, otherwise: number): number {
  const text = query.get('limit');
  if (text === null) return otherwise;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > 1_000) throw new RefusedRequestError(400, '"limit" must be a whole number from 1 to 1000');
  return limit;
}

function filterOf(query: URLSearchParams): WorkloadFilter {
  const filter: Record<string, string> = {};
  for (const field of ['cluster', 'kind', 'namespace', 'name']) {
    const value = query.get(field);
    if (value !== null) filter[field] = value;
  }
  return filter;
}

/** @throws RefusedRequestError */
function choiceOf(query: URLSearchParams): WorkloadChoice {
  const [states, label, text] = [query.get('state'), query.get('label'), query.get('text')];
  return {
    ...(states !== null && { states: states.split(',').map(stateNamed) }),
    ...(label !== null && { labels: labelsIn(label) }),
    ...(text !== null && text !== '' && { text }),
  };
}

/** @throws RefusedRequestError */
function stateNamed(word: string): State {
  const state = findState(word);
  if (!state) throw new RefusedRequestError(400, `there is no state ${JSON.stringify(word)}: there are ${STATES.join(', ')}`);
  return state;
}

/** @throws RefusedRequestError */
function labelsIn(text: string): LabelMatcher {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    if (!(error instanceof LabelSelectorError)) throw error;
    throw new RefusedRequestError(400, `"label" is no label selector, as in team=a,!test: ${error.message}`);
  }
}

const keyOf = ({
  cluster = '',
  kind = '',
  namespace = '',
  name = '',
}: Record<string, string>): Parameters<typeof describeWorkloads>[1] => ({
  cluster,
  kind,
  namespace: namespace === NO_NAMESPACE ? '' : namespace,
  name,
});

/** @throws RefusedRequestError */
function kindNamed(word: string): KindFacts {
  const facts = findKindNamed(word);
  if (!facts) throw new RefusedRequestError(404, `there is no kind ${word}: there are ${kindNames().join(', ')}`);
  return facts;
}

/** Empty if all queues answered. */
const toldFailures = (failed: readonly QueueFailure[]): { failed?: readonly QueueFailure[] } => (failed.length === 0 ? {} : { failed });

/** Logs the failures for the operator. */
function logFailures({ telemetry }: Pick<Ports, 'telemetry'>, failed: readonly QueueFailure[]): void {
  for (const failure of failed) telemetry.error('queue did not answer', { ...failure });
}

function itemsOf<Item>(ports: Ports, { told, failed }: FromQueues<Item>): { items: Item[]; failed?: readonly QueueFailure[] } {
  logFailures(ports, failed);
  return { items: told, ...toldFailures(failed) };
}

async function chosenQueues(ports: Ports, name: string | null): Promise<QueueName[]> {
  const names = await queueNames(ports);
  if (name === null) return names;
  const chosen = names.filter((candidate) => candidate === name);
  if (chosen.length === 0) throw new RefusedRequestError(404, `there is no queue ${name}: there are ${names.join(', ')}`);
  return chosen;
}
