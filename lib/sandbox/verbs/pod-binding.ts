// A pod is bound to a node.
import { badRequest, conflict, invalid } from '../objects/api-error.ts';
import { fieldsAt, isFields, listAt, textAt, timeText } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import type { ApiResponse } from '../http/request.ts';
import type { ResourceRow } from '../rows/resource-row.ts';
import { storageName } from '../rows/resources.ts';
import type { Version } from '../storage/version.ts';
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
