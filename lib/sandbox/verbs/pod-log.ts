// The log of a pod's container. No kubelet keeps one here: it is what the pod's annotation says, else a line when the container started and
// one when it ended.
import type { FieldError } from '../../objects/field-error.ts';
import { badRequest, invalid } from '../objects/api-error.ts';
import { fieldsAt, isFields, listAt, textAt } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import type { ApiResponse, Sink } from '../http/request.ts';
import { flagIn, numberIn } from '../http/request.ts';
import type { Version } from '../storage/version.ts';
import type { Cluster } from './writing.ts';

const LOG_ANNOTATION = 'sim.farloop.dev/log';

/** One line, with its line break. */
interface Line {
  /** RFC 3339 */
  time: string;
  text: string;
}

/**
 * Of a pod without a node it is empty; `follow=true` waits for the container's end.
 * @throws ApiError 400 for a container that is not there, not named among several, not started or never ended before; 422 for options
 *   that make no sense
 */
export function logOf({ storage, surroundings }: Cluster, pod: Version, query: URLSearchParams): ApiResponse {
  const name = pod.object.metadata.name ?? '';
  const shape = shapeOf(query, { name, nowMs: surroundings.now() });
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
  const shown = shape(lines, { isFirst: true });
  if (isPrevious || !flagIn(query, 'follow') || hasEnded(pod.object, container)) return { status: 200, headers, body: shown };
  const stream = (sink: Sink): (() => void) => {
    sink.write(shown);
    let told = lines.length;
    const leave = storage.onCommit((changes) => {
      for (const { resource, type, current } of changes) {
        if (resource !== 'pods' || current.key !== pod.key) continue;
        const all = linesOf(current.object, container, false) ?? [];
        sink.write(shape(all.slice(told), { isFirst: false }));
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

/**
 * The part of the lines that is shown, as one text: `isFirst`, those that were there at the request, of which a client may want the
 * last ones only. @throws ApiError 422
 */
function shapeOf(
  query: URLSearchParams,
  { name, nowMs }: { name: string; nowMs: number },
): (lines: readonly Line[], which: { isFirst: boolean }) => string {
  const [tail, limit, seconds] = ['tailLines', 'limitBytes', 'sinceSeconds'].map((option) => numberIn(query, option));
  const since = query.get('sinceTime');
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
  const fromMs = seconds !== undefined ? nowMs - seconds * 1000 : since ? Date.parse(since) : Number.NEGATIVE_INFINITY;
  const hasTimes = flagIn(query, 'timestamps');
  let left = limit ?? Number.POSITIVE_INFINITY;
  return (lines, { isFirst }) => {
    const recent = lines.filter(({ time }) => !(Date.parse(time) < fromMs));
    const shown = isFirst && tail !== undefined ? recent.slice(Math.max(0, recent.length - tail)) : recent;
    const bytes = Buffer.from(shown.map(({ time, text }) => (hasTimes ? `${time} ${text}` : text)).join('')).subarray(0, left);
    left -= bytes.length;
    return bytes.toString();
  };
}

/** @throws ApiError 400 */
function containerOf(pod: ApiObject, asked: string): string {
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

/** The log's lines so far, of the run before where there was one; undefined before the container has started. */
function linesOf(pod: ApiObject, container: string, isPrevious: boolean): Line[] | undefined {
  const state = fieldsAt(statusOf(pod, container), isPrevious ? 'lastState' : 'state');
  const terminated = isFields(state['terminated']) ? state['terminated'] : undefined;
  const running = isFields(state['running']) ? state['running'] : undefined;
  if (!terminated && !running) return undefined;
  const time = textAt(running ?? terminated, 'startedAt');
  const written = pod.metadata.annotations?.[LOG_ANNOTATION];
  if (written !== undefined)
    return (written.match(/[^\n]+\n?|\n/g) ?? []).map((text) => ({ time, text: text.endsWith('\n') ? text : `${text}\n` }));
  const begun = { time, text: `${time} ${container} started\n` };
  if (!terminated) return [begun];
  const endTime = textAt(terminated, 'finishedAt');
  return [begun, { time: endTime, text: `${endTime} ${container} ended with exit code ${textAt(terminated, 'exitCode')}\n` }];
}
