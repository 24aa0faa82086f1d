// Routes about workloads: the list, and all that is known of one.
import * as v from 'valibot';
import { WorkloadLogs } from '../answers/logs.ts';
import { Pass } from '../answers/passes.ts';
import { WorkloadDetail, WorkloadPage } from '../answers/workloads.ts';
import { absenceOfParts } from '../detail/absent-parts.ts';
import { logQueryOf } from '../logs/log-query.ts';
import { targetsOf } from '../logs/log-targets.ts';
import { workloadLogs } from '../logs/workload-logs.ts';
import { passesOfIndex, toldPasses } from '../passes.ts';
import { RefusedRequestError } from '../routed-request.ts';
import { listSummaries, removedNamed } from '../list/list-summaries.ts';
import { describeWorkloads, viewsNamed } from '../workloads.ts';
import { logParameters } from './log-parameters.ts';
import { keyOf, noWorkload } from './named-workload.ts';
import {
  age,
  continues,
  cost,
  ended,
  facets,
  kindNamed,
  labels,
  limit,
  needs,
  only,
  pageNumber,
  sort,
  states,
  textParameter,
  wholeNumber,
} from './parameters.ts';
import { route } from './route.ts';

const badRequest = { 400: 'a parameter is not usable' };
const absentWorkload = { 404: 'there is no such workload' };

export const workloadRoutes = [
  route('GET /v1/workloads', {
    summary: 'Workloads that match, page by page, with how many match in all. Without an order, in that of clusters and keys',
    query: {
      cluster: only('cluster'),
      kind: only('kind'),
      namespace: only('namespace'),
      name: only('name'),
      node: textParameter('only pods that are bound to the virtual node of this name'),
      state: states,
      label: labels,
      text: textParameter('only where it stands in namespace, name, reason or sentence'),
      age,
      ended,
      needs,
      sort,
      cost,
      facets,
      limit: limit(500),
      page: pageNumber,
      continue: continues,
    },
    answer: WorkloadPage,
    errors: badRequest,
    async handle(ports, { query }) {
      const { cluster, kind, namespace, name, node, state, label, text: part, sort: order, limit: most, page, continue: from } = query;
      if (page !== undefined && from !== undefined)
        throw new RefusedRequestError(400, '"page" and "continue" both say where to begin: give one of them');
      const choice = {
        kind,
        namespace,
        name,
        node,
        states: state,
        labels: label,
        age: query.age,
        endedWithinMs: query.ended,
        needsPerson: query.needs,
        ...(part !== undefined && part !== '' && { text: part }),
      };
      return await listSummaries(ports, {
        cluster,
        choice,
        order,
        page: { limit: most, number: page, from },
        withCost: query.cost,
        withFacets: query.facets,
      });
    },
  }),
  route('GET /v1/workloads/{cluster}/{kind}/{namespace}/{name}', {
    summary:
      'All that is known of a workload, whose namespace is `-` where it has none; several where one of a former uid is still being let go',
    answer: v.object({ items: v.array(WorkloadDetail) }),
    errors: absentWorkload,
    async handle(ports, { path }) {
      const found = await describeWorkloads(ports, keyOf(path));
      const items = found.length > 0 ? found : await removedNamed(ports, keyOf(path));
      if (items.length === 0) throw noWorkload(path);
      return { items };
    },
  }),
  route('GET /v1/workloads/{cluster}/{kind}/{namespace}/{name}/passes', {
    summary: 'Its recorded passes, newest first',
    query: {
      limit: limit(100),
      index: wholeNumber(
        'among so many passes only those that made, counted or removed pods of this index, with those actions alone; where several pods were counted in a row, the record names the first',
        'index',
      ),
    },
    answer: v.object({ items: v.array(Pass) }),
    errors: { ...badRequest, 404: 'there is no such kind' },
    async handle(ports, { path, query: { limit: most, index } }) {
      const { kind } = kindNamed(path.kind);
      const passes = await ports.recorder.passes({ ...keyOf(path), kind }, most);
      return { items: toldPasses(index === undefined ? passes : passesOfIndex(passes, path.name, index)) };
    },
  }),
  route('GET /v1/workloads/{cluster}/{kind}/{namespace}/{name}/logs', {
    summary: 'Logs of its pods, 20 at most: what is new since the cursor of an earlier answer, each line once',
    query: logParameters,
    answer: WorkloadLogs,
    errors: { ...badRequest, 404: 'there is no such workload, or it has no such pod', 504: 'nobody has answered for the cluster in time' },
    async handle(ports, { path, query }) {
      const asked = logQueryOf(query, ports.clock.nowMs());
      if (typeof asked === 'string') throw new RefusedRequestError(400, asked);
      const [found] = await viewsNamed(ports, keyOf(path));
      if (!found) throw noWorkload(path);
      const { record, known } = found;
      const workload = { record, facts: known.row.facts, view: known.view, namespace: known.head.key.namespace };
      const kindText = workload.facts.kind.toLowerCase();
      // A pod that was followed may be missing for a moment, and be back.
      if (asked.pod !== undefined && !asked.after && targetsOf(workload, { pod: asked.pod }).length === 0)
        throw new RefusedRequestError(
          404,
          `${kindText}/${path.name} has no pod called ${asked.pod}: "farloop explain ${kindText}/${path.name}" tells of its pods`,
        );
      if (!asked.after && targetsOf(workload, asked).length === 0) {
        const absence = absenceOfParts(known, asked, ports.clock.nowMs());
        if (absence !== undefined) throw new RefusedRequestError(400, absence);
      }
      const logs = await workloadLogs(ports, workload, asked);
      if (logs) return logs;
      throw new RefusedRequestError(
        504,
        `nobody has answered for cluster ${path.cluster} within 20 s: it is busy or does not answer, so ask again`,
      );
    },
  }),
] as const;
