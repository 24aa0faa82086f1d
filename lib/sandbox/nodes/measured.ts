// `metrics.k8s.io`: what nodes and pods use, asked of the nodes at each request and never kept.
import type { ApiRequest, ApiResponse, ResourcePath } from '../http/request.ts';
import { flagIn } from '../http/request.ts';
import { methodRefused, notFound } from '../objects/api-error.ts';
import { fieldsAt, isFields, listAt, textAt, timeText } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import { nodes } from '../rows/nodes.ts';
import { pods } from '../rows/pods.ts';
import type { Column, ResourceRow } from '../rows/resource-row.ts';
import { column, nameColumn, row } from '../rows/row.ts';
import { keyOf, Version } from '../storage/version.ts';
import { listObjects } from '../verbs/list.ts';
import { renderList, renderObject, representationOf } from '../verbs/representation.ts';
import type { Cluster } from '../verbs/writing.ts';
import { wholeBody } from './node-dialer.ts';
import type { NodeDialer } from './node-dialer.ts';
import { endpointIn } from './node-endpoint.ts';

const group = 'metrics.k8s.io';
/** A node that has not answered by then is left out. */
const withinMs = 5_000;
const largestSummary = 32 * 1024 * 1024;
/** Kubelets do not say over which time they measured; the usual span of a metrics server. */
const usualWindow = '15s';

const usageOf = (object: ApiObject, name: string): string => textAt(fieldsAt(object, 'usage'), name);
const windowColumn: Column = column('Window', (object) => textAt(object, 'window'));

const measured = { group, version: 'v1beta1', singular: '', isMeasured: true } as const;

export const nodeMetrics = row({
  ...measured,
  plural: 'nodes',
  kind: 'NodeMetrics',
  namespaced: false,
  columns: [nameColumn, column('CPU', (node) => usageOf(node, 'cpu')), column('Memory', (node) => usageOf(node, 'memory')), windowColumn],
});

export const podMetrics = row({ ...measured, plural: 'pods', kind: 'PodMetrics', columns: [nameColumn, windowColumn] });

interface Question {
  row: ResourceRow;
  path: ResourcePath;
  request: ApiRequest;
}

/** @throws ApiError 404 for one without figures, 405 for anything but a look */
export async function answerMeasured(
  cluster: Cluster,
  dialer: NodeDialer | undefined,
  { row: own, path, request }: Question,
): Promise<ApiResponse> {
  const { method, query, headers } = request;
  if ((method !== 'GET' && method !== 'HEAD') || path.subresource !== undefined || flagIn(query, 'watch')) throw methodRefused();
  const { storage, surroundings } = cluster;
  const of = own.namespaced ? pods : nodes;
  const representation = representationOf(headers['accept'], query);
  const contentType = { 'Content-Type': representation.contentType };
  const nowMs = surroundings.now();
  const figuresOf = async (versions: readonly Version[]): Promise<Version[]> => {
    const objects = versions.map(({ object }) => object);
    const nodeNameOf = ({ spec, metadata }: ApiObject): string => (own.namespaced ? textAt(spec, 'nodeName') : (metadata.name ?? ''));
    const summaries = await summariesOf(cluster, dialer, new Set(objects.map(nodeNameOf)));
    // Only the node that a pod is on speaks of it.
    const keyIn = (node: string, uid: string): string => `${node}/${uid}`;
    const ofPods = new Map(
      [...summaries].flatMap(([node, summary]) =>
        listAt(summary, 'pods').map((pod) => [keyIn(node, textAt(fieldsAt(pod, 'podRef'), 'uid')), pod] as const),
      ),
    );
    return objects.flatMap((object) => {
      const node = nodeNameOf(object);
      const found = own.namespaced ? ofPods.get(keyIn(node, object.metadata.uid ?? '')) : fieldsAt(summaries.get(node), 'node');
      const figures = own.namespaced ? podFigures(found) : nodeFigures(found);
      if (!figures) return [];
      const { name = '', namespace, labels } = object.metadata;
      const metadata = {
        name,
        ...(namespace !== undefined && { namespace }),
        creationTimestamp: timeText(nowMs),
        ...(labels && { labels }),
      };
      return [
        new Version(keyOf(namespace, name), 0, { object: { metadata, timestamp: timeText(nowMs), window: usualWindow, ...figures } }),
      ];
    });
  };
  if (path.name !== undefined) {
    const found = storage.get(of.plural, keyOf(path.namespace, path.name));
    const [figures] = found ? await figuresOf([found]) : [];
    if (!figures)
      throw notFound({ group, kind: own.kind.toLowerCase(), name: own.namespaced ? `${path.namespace}/${path.name}` : path.name });
    return { status: 200, headers: contentType, body: renderObject(own, figures, representation, nowMs) };
  }
  const { versions, facts } = listObjects(storage, of, path.namespace || undefined, query);
  return { status: 200, headers: contentType, body: renderList(own, await figuresOf(versions), facts, representation, nowMs) };
}

/** By the names of the nodes that answered. */
async function summariesOf({ storage }: Cluster, dialer: NodeDialer | undefined, names: ReadonlySet<string>): Promise<Map<string, Fields>> {
  const asked = [...names].map(async (name): Promise<[string, Fields][]> => {
    const endpoint = endpointIn(storage, name);
    if (!dialer || !endpoint) return [];
    try {
      const answer = await dialer.ask(endpoint, { method: 'GET', path: '/stats/summary', withinMs });
      const body = await wholeBody(answer, { bytes: largestSummary, withinMs });
      const summary: unknown = answer.statusCode === 200 && body ? JSON.parse(body.toString()) : undefined;
      return isFields(summary) ? [[name, summary]] : [];
    } catch {
      return []; // a node without figures, for whatever reason
    }
  });
  return new Map((await Promise.all(asked)).flat());
}

/** Both figures as quantities; undefined where one is missing. */
function usageIn(of: Fields | undefined): Fields | undefined {
  const cores = fieldsAt(of, 'cpu')['usageNanoCores'];
  const bytes = fieldsAt(of, 'memory')['workingSetBytes'];
  if (!isCount(cores) || !isCount(bytes)) return undefined;
  return { cpu: `${cores}n`, memory: bytes % 1024 === 0 ? `${bytes / 1024}Ki` : String(bytes) };
}

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

function nodeFigures(node: Fields | undefined): Fields | undefined {
  const usage = usageIn(node);
  return usage && { ...timeOf([node]), usage };
}

/** Of a pod all containers, or nothing: a sum of some would be wrong. */
function podFigures(pod: Fields | undefined): Fields | undefined {
  const all = listAt(pod, 'containers');
  const containers = all.flatMap((each) => {
    const usage = usageIn(each);
    return usage ? [{ name: textAt(each, 'name'), usage }] : [];
  });
  return all.length > 0 && containers.length === all.length ? { ...timeOf(all), containers } : undefined;
}

/** When it was measured: the earliest time that was said. */
function timeOf(all: readonly (Fields | undefined)[]): { timestamp?: string } {
  const times = all.map((each) => Date.parse(textAt(fieldsAt(each, 'cpu'), 'time'))).filter((ms) => !Number.isNaN(ms));
  return times.length > 0 ? { timestamp: timeText(Math.min(...times)) } : {};
}
