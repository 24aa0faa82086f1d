// Routes about the parts of one workload: pods in pages, the map, the plan, the children.
import { readKnownCluster } from '../../reconciler/cluster/known-cluster.ts';
import type { Ports } from '../../ports/ports.ts';
import { ChildPage, PlanNow, PodPage, WorkloadMap } from '../answers/workload-parts.ts';
import { childrenOf } from '../detail/children.ts';
import type { Known } from '../detail/known.ts';
import { podPage, podStatesIn } from '../detail/pod-pages.ts';
import { mapOf } from '../detail/workload-map.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import { RefusedRequestError } from '../routed-request.ts';
import { viewsNamed } from '../workloads.ts';
import { POD_STATES } from '../../objects/detail/pod-standing.ts';
import { continues, limit, readParameter, Refusal, textParameter, wholeNumber } from './parameters.ts';
import { keyOf, noWorkload, type NamedWorkload } from './named-workload.ts';
import { route } from './route.ts';

const errors = { 404: 'there is no such workload' };
const badRequest = { 400: 'a parameter is not usable' };

const podStates = readParameter(`only in one of these states, with commas between: ${POD_STATES.join(', ')}`, (text) => {
  const states = podStatesIn(text);
  return typeof states === 'string' ? new Refusal(states) : states;
});

export const workloadPartRoutes = [
  route('GET /v1/workloads/{cluster}/{kind}/{namespace}/{name}/pods', {
    summary: 'Its pods by type, index and name, page by page, of any number',
    query: {
      state: podStates,
      index: wholeNumber('only of this completion index, or index of a replica', 'index'),
      type: textParameter('only of this type of replicas, such as Worker'),
      limit: limit(100),
      continue: continues,
    },
    answer: PodPage,
    errors: { ...badRequest, ...errors },
    async handle(ports, { path, query: { state, index, type, limit: most, continue: from } }) {
      const { known, nowMs } = await find(ports, path);
      const choice = {
        ...(state && { states: state }),
        ...(index !== undefined && { index: String(index) }),
        ...(type !== undefined && { type }),
      };
      return orRefuse(400, podPage(known, choice, { limit: most, nowMs, ...(from !== undefined && { from }) }));
    },
  }),
  route('GET /v1/workloads/{cluster}/{kind}/{namespace}/{name}/map', {
    summary:
      'Its parts at a glance, in 20 KB at most: the state of each index as packed ranges and what is out of the ordinary, or the replicas by type',
    query: {
      from: wholeNumber('the first index that is told; absent: 0', 'from'),
      to: wholeNumber('the first index that is left out behind it; absent: all are told', 'to'),
      at: wholeNumber('an index whose pods are told', 'at'),
    },
    answer: WorkloadMap,
    errors: { ...badRequest, ...errors },
    async handle(ports, { path, query }) {
      const { known, nowMs } = await find(ports, path);
      return orRefuse(400, mapOf(known, query, nowMs));
    },
  }),
  route('GET /v1/workloads/{cluster}/{kind}/{namespace}/{name}/plan', {
    summary: 'What a pass would do now, as far as it can be told without reading live; nothing is done',
    answer: PlanNow,
    errors: { ...errors, 409: 'what is known of it is not enough to plan with' },
    async handle(ports, { path }) {
      const { known, record, nowMs } = await find(ports, path);
      // Most starts of the API are for something else.
      const { planNow } = await import('../detail/plan-now.ts');
      return orRefuse(409, planNow(known, { record, nowMs }));
    },
  }),
  route('GET /v1/workloads/{cluster}/{kind}/{namespace}/{name}/children', {
    summary: 'Its objects other than pods, such as services and config maps of a training job',
    answer: ChildPage,
    errors,
    async handle(ports, { path }) {
      const { known } = await find(ports, path);
      return childrenOf(known);
    },
  }),
] as const;

/** The youngest of that name, and the time of its cluster. */
async function find(ports: Ports, path: NamedWorkload): Promise<{ known: Known; record: ClusterRecord; nowMs: number }> {
  const [found] = await viewsNamed(ports, keyOf(path));
  if (!found) throw noWorkload(path);
  const { marker } = await readKnownCluster(ports, found.record, found.known.head.key.namespace);
  return { ...found, nowMs: ports.clock.nowMs() + (marker?.clockOffsetMs ?? 0) };
}

function orRefuse<Answer extends object>(status: number, answer: Answer | string): Answer {
  if (typeof answer === 'string') throw new RefusedRequestError(status, answer);
  return answer;
}
