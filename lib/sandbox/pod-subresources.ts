// What a pod offers besides itself and its status: being bound to a node, and its log.
import { ApiError, badRequest, conflict, invalid } from './api-error.ts';
import { fieldsAt, isFields, listAt, textAt, timeText } from './api-object.ts';
import type { ApiObject, Fields } from './api-object.ts';
import type { ApiResponse, Sink } from './request.ts';
import { flagIn, numberIn } from './request.ts';
import type { ResourceRow } from './resource-row.ts';
import { storageName } from './resources.ts';
import type { Version } from './version.ts';
import { subjectOf } from './writing.ts';
import type { Cluster } from './writing.ts';

/**
 * Gives a pod its node, once.
 * @throws ApiError 409 when it has one, is being deleted or is held by scheduling gates, or a precondition fails; 422 without a node
 */
export function bindPod(
  { storage, surroundings }: Cluster,
  row: ResourceRow,
  pod: Version,
  { body, isDryRun }: { body: unknown; isDryRun: boolean },
): ApiResponse {
  const binding: Fields = isFields(body) ? body : {};
  const metadata = fieldsAt(binding, 'metadata');
  const node = textAt(fieldsAt(binding, 'target'), 'name');
  const before = pod.object;
  const name = before.metadata.name ?? '';
  const subject = { ...subjectOf(row, name), kind: 'pods/binding' };
  if (textAt(metadata, 'name') && textAt(metadata, 'name') !== name) throw badRequest('name in URL does not match name in Binding object');
  if (node === '') {
    throw invalid({ group: '', kind: 'Binding', name }, [
      { reason: 'FieldValueRequired', field: 'target.name', message: 'Required value' },
    ]);
  }
  const uid = textAt(metadata, 'uid');
  if (uid && uid !== before.metadata.uid) {
    throw conflict(subject, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${before.metadata.uid}`);
  }
  if (before.metadata.deletionTimestamp !== undefined)
    throw conflict(subject, `pod ${name} is being deleted, cannot be assigned to a host`);
  const current = textAt(before.spec, 'nodeName');
  if (current !== '') throw conflict(subject, `pod ${name} is already assigned to node ${JSON.stringify(current)}`);
  if (listAt(before.spec, 'schedulingGates').length > 0) throw conflict(subject, `pod ${name} has non-empty .spec.schedulingGates`);
  if (!isDryRun)
    storage.put(storageName(row), pod.key, bound(before, node, fieldsAt(metadata, 'annotations'), timeText(surroundings.now())));
  const answer = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
  return { status: 201, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(answer) };
}

function bound(pod: ApiObject, nodeName: string, annotations: Fields, time: string): ApiObject {
  const others = listAt(pod.status, 'conditions').filter((condition) => condition['type'] !== 'PodScheduled');
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: time };
  const texts = Object.entries(annotations).map(([key, value]): [string, string] => [key, String(value)]);
  return {
    ...pod,
    metadata: { ...pod.metadata, ...(texts.length > 0 && { annotations: { ...pod.metadata.annotations, ...Object.fromEntries(texts) } }) },
    spec: { ...pod.spec, nodeName },
    status: { ...pod.status, conditions: [...others, scheduled] },
  };
}

const logAnnotation = 'sim.farloop.dev/log';

/**
 * A container's log. No kubelet keeps one here: it is what the annotation `sim.farloop.dev/log` says, else a line when the
 * container started and one when it ended. `follow=true` waits for that end.
 * @throws ApiError 400 for a container that is not there, not named among several, or not started
 */
export function logOf({ storage }: Cluster, pod: Version, query: URLSearchParams): ApiResponse {
  const container = containerOf(pod.object, query.get('container') ?? '');
  const headers = { 'Content-Type': 'text/plain' };
  const lines = linesOf(pod.object, container);
  if (!lines) {
    throw new ApiError(
      400,
      'BadRequest',
      `container "${container}" in pod "${pod.object.metadata.name}" is waiting to start: ${waitingReason(pod.object, container)}`,
    );
  }
  const tail = numberIn(query, 'tailLines');
  const shown = tail === undefined || tail < 0 ? lines : lines.slice(Math.max(0, lines.length - tail));
  if (!flagIn(query, 'follow') || hasEnded(pod.object, container)) return { status: 200, headers, body: shown.join('') };
  const stream = (sink: Sink): (() => void) => {
    for (const line of shown) sink.write(line);
    let told = lines.length;
    const leave = storage.onCommit((changes) => {
      for (const { resource, type, current } of changes) {
        if (resource !== 'pods' || current.key !== pod.key) continue;
        const all = linesOf(current.object, container) ?? [];
        for (const line of all.slice(told)) sink.write(line);
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

function containerOf(pod: ApiObject, asked: string): string {
  const names = ['containers', 'initContainers'].flatMap((field) => listAt(pod.spec, field).map((container) => textAt(container, 'name')));
  const name = pod.metadata.name ?? '';
  if (asked === '') {
    const own = listAt(pod.spec, 'containers').map((container) => textAt(container, 'name'));
    if (own.length === 1) return own[0] ?? '';
    throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${own.join(' ')}]`);
  }
  if (!names.includes(asked)) throw badRequest(`container ${asked} is not valid for pod ${name}`);
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

/** The log's lines so far; undefined before the container has started. */
function linesOf(pod: ApiObject, container: string): string[] | undefined {
  const state = fieldsAt(statusOf(pod, container), 'state');
  const terminated = isFields(state['terminated']) ? state['terminated'] : undefined;
  const running = isFields(state['running']) ? state['running'] : undefined;
  if (!terminated && !running) return undefined;
  const written = pod.metadata.annotations?.[logAnnotation];
  const begun = written ?? `${textAt(running ?? terminated, 'startedAt')} ${container} started\n`;
  const lines = [begun.endsWith('\n') ? begun : `${begun}\n`];
  if (terminated && written === undefined)
    lines.push(`${textAt(terminated, 'finishedAt')} ${container} ended with exit code ${textAt(terminated, 'exitCode')}\n`);
  return lines;
}
