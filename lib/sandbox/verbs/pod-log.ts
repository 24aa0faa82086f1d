// The log of a pod's container, and the questions about one. On a node without an API nobody keeps one: it is what the pod's annotation says,
// else a line when the container started and one when it ended.
import type { FieldError } from '../../objects/field-error.ts';
import { logShaper, type LogLine } from '../../objects/log-request.ts';
import { playedLog } from '../../simulated-node/played-log.ts';
import { badRequest, invalid } from '../objects/api-error.ts';
import { fieldsAt, isFields, listAt, textAt } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import type { ApiResponse, Sink } from '../http/request.ts';
import { flagIn, numberIn } from '../http/request.ts';
import type { Version } from '../storage/version.ts';
import type { Cluster } from './writing.ts';

/**
 * Of a pod without a node it is empty; `follow=true` waits for the container's end.
 * @throws ApiError 400 for a container that is not there, not named among several, not started or never ended before; 422 for options
 *   that make no sense
 */
export function logOf({ storage, surroundings }: Cluster, pod: Version, query: URLSearchParams): ApiResponse {
  const name = pod.object.metadata.name ?? '';
  const shape = shaperOf(query, { name, nowMs: surroundings.now() });
  const container = containerOf(pod.object, query.get('container') ?? '');
  const headers = { 'Content-Type': 'text/plain' };
  if (textAt(pod.object.spec, 'nodeName') === '') return { status: 200, headers, body: '' };
  const isPrevious = flagIn(query, 'previous');
  const lines = linesOf(pod.object, container, isPrevious);
  if (!lines) {
    throw badRequest(
      isPrevious
        ? `previous terminated container "${container}" in pod "${name}" not found`
        : `container "${container}" in pod "${name}" is waiting to start: ${waitingReason(pod.object, container)}`,
    );
  }
  const shown = shape(lines);
  if (isPrevious || !flagIn(query, 'follow') || hasEnded(pod.object, container)) return { status: 200, headers, body: shown };
  const stream = (sink: Sink): (() => void) => {
    sink.write(shown);
    let told = lines.length;
    const leave = storage.onCommit((changes) => {
      for (const { resource, type, current } of changes) {
        if (resource !== 'pods' || current.key !== pod.key) continue;
        const all = linesOf(current.object, container, false) ?? [];
        sink.write(shape(all.slice(told)));
        told = Math.max(told, all.length);
        if (type !== 'DELETED' && !hasEnded(current.object, container)) continue;
        leave();
        sink.end();
        return;
      }
    });
    return leave;
  };
  return { status: 200, headers, stream };
}

/** Of a log the end, so many bytes, what is younger; undefined for all of it. */
export interface LogOptions {
  tail: number | undefined;
  limit: number | undefined;
  seconds: number | undefined;
  sinceMs: number | undefined;
}

/** @param name of the pod @throws ApiError 400 for what cannot be read, 422 for what makes no sense */
export function logOptionsOf(query: URLSearchParams, name: string): LogOptions {
  const [tail, limit, seconds] = ['tailLines', 'limitBytes', 'sinceSeconds'].map((option) => numberIn(query, option));
  const since = query.get('sinceTime');
  const sinceMs = since ? Date.parse(since) : undefined;
  if (Number.isNaN(sinceMs)) throw badRequest(`sinceTime: ${JSON.stringify(since)} is no time such as 2026-01-02T15:04:05Z`);
  const errors: FieldError[] = [];
  const refuse = (field: string, value: number, why: string): unknown =>
    errors.push({ reason: 'FieldValueInvalid', field, message: `Invalid value: ${value}: ${why}` });
  if (tail !== undefined && tail < 0) refuse('tailLines', tail, 'must be greater than or equal to 0');
  if (limit !== undefined && limit < 1) refuse('limitBytes', limit, 'must be greater than 0');
  if (seconds !== undefined && since)
    errors.push({
      reason: 'FieldValueForbidden',
      field: '',
      message: 'Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
    });
  else if (seconds !== undefined && seconds < 1) refuse('sinceSeconds', seconds, 'must be greater than 0');
  if (errors.length > 0) throw invalid({ group: '', kind: 'PodLogOptions', name }, errors);
  return { tail, limit, seconds, sinceMs };
}

/** @throws ApiError 400, 422 */
function shaperOf(query: URLSearchParams, { name, nowMs }: { name: string; nowMs: number }): (lines: readonly LogLine[]) => string {
  const { tail, limit, seconds, sinceMs = seconds === undefined ? undefined : nowMs - seconds * 1000 } = logOptionsOf(query, name);
  const shape = logShaper({
    container: '',
    ...(tail !== undefined && { tailLines: tail }),
    ...(limit !== undefined && { limitBytes: limit }),
    ...(sinceMs !== undefined && { sinceMs }),
    ...(flagIn(query, 'timestamps') && { timestamps: true }),
  });
  return (lines) => Buffer.from(shape(lines)).toString();
}

const linesOf = (pod: ApiObject, container: string, isPrevious: boolean): LogLine[] | undefined => playedLog(pod, container, isPrevious);

/** The container that a request names, or the only one. @throws ApiError 400 */
export function containerOf(pod: ApiObject, asked: string): string {
  const namesIn = (...fields: string[]): string[] =>
    fields.flatMap((field) => listAt(pod.spec, field).map((container) => textAt(container, 'name')));
  const all = namesIn('initContainers', 'containers');
  const name = pod.metadata.name ?? '';
  if (asked === '') {
    const [only = '', ...others] = namesIn('containers');
    if (others.length === 0) return only;
    throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${all.join(' ')}]`);
  }
  if (!all.includes(asked)) throw badRequest(`container ${asked} is not valid for pod ${name}`);
  return asked;
}

const statusOf = (pod: ApiObject, container: string): Fields =>
  ['containerStatuses', 'initContainerStatuses']
    .flatMap((field) => listAt(pod.status, field))
    .find((status) => status['name'] === container) ?? {};

const waitingReason = (pod: ApiObject, container: string): string =>
  textAt(fieldsAt(fieldsAt(statusOf(pod, container), 'state'), 'waiting'), 'reason') || 'ContainerCreating';

const hasEnded = (pod: ApiObject, container: string): boolean =>
  isFields(fieldsAt(statusOf(pod, container), 'state')['terminated']) ||
  pod.status?.['phase'] === 'Succeeded' ||
  pod.status?.['phase'] === 'Failed';
