// Deletions: preconditions, grace, finalizers. What depends on the deleted is garbage-collection.ts.
import type { FieldError } from '../../objects/field-error.ts';
import { durationSecondsOf } from '../../objects/values/time.ts';
import { badRequest, conflict, invalid } from '../objects/api-error.ts';
import type { Subject } from '../objects/api-error.ts';
import { isFields, timeText } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import type { DeleteOptions } from '../http/body.ts';
import { flagIn, problemsOfDryRun } from '../http/request.ts';
import type { ResourceRow } from '../rows/resource-row.ts';
import { storageName } from '../rows/resources.ts';
import { Version } from '../storage/version.ts';
import { kindSubject, storedRow } from './writing.ts';
import type { Cluster } from './writing.ts';

const policies = ['Foreground', 'Background', 'Orphan'] as const;
const ownFinalizers = ['orphan', 'foregroundDeletion'];

/** The options of a DELETE, from its body and its query. @throws ApiError 400, 422 */
export function deleteOptionsOf(body: unknown, query: URLSearchParams): DeleteOptions {
  if (body !== undefined && !isFields(body)) throw badRequest('the body of a deletion is a DeleteOptions object');
  if (typeof body?.['kind'] === 'string' && body['kind'] !== 'DeleteOptions') {
    throw badRequest(`the body of a deletion is a DeleteOptions object, not a ${body['kind']}`);
  }
  // The query counts only where no body came, not even an empty object.
  const asked: Fields = body ?? {
    gracePeriodSeconds: query.get('gracePeriodSeconds'),
    propagationPolicy: query.get('propagationPolicy'),
    orphanDependents: query.has('orphanDependents') ? flagIn(query, 'orphanDependents') : undefined,
    dryRun: query.getAll('dryRun'),
  };
  const { gracePeriodSeconds: grace, orphanDependents: orphan } = asked;
  const policy = asked['propagationPolicy'] ?? undefined;
  const preconditions = isFields(asked['preconditions']) ? asked['preconditions'] : {};
  const dryRun = Array.isArray(asked['dryRun']) ? asked['dryRun'].map(String) : [];
  const known = policies.find((each) => each === policy);
  const errors: FieldError[] = [];
  if (policy !== undefined && typeof orphan === 'boolean') {
    const message = `Invalid value: ${JSON.stringify(policy)}: orphanDependents and deletionPropagation cannot be both set`;
    errors.push({ reason: 'FieldValueInvalid', field: 'propagationPolicy', message });
  }
  if (policy !== undefined && !known) {
    const message = `Unsupported value: ${JSON.stringify(policy)}: supported values: "Foreground", "Background", "Orphan", "nil"`;
    errors.push({ reason: 'FieldValueNotSupported', field: 'propagationPolicy', message });
  }
  errors.push(...problemsOfDryRun(dryRun));
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions', name: '' }, errors);
  const graceSeconds = grace === undefined || grace === null || grace === '' ? undefined : Number(grace);
  if (graceSeconds !== undefined && !Number.isInteger(graceSeconds))
    throw badRequest(`gracePeriodSeconds must be a whole number, not ${JSON.stringify(grace)}`);
  const { uid, resourceVersion } = preconditions;
  const chosen = known ?? (orphan === true ? 'Orphan' : orphan === false ? 'Background' : undefined);
  return {
    dryRun,
    ...(typeof uid === 'string' && { uid }),
    ...(typeof resourceVersion === 'string' && { resourceVersion }),
    ...(graceSeconds !== undefined && { graceSeconds: graceSeconds < 0 ? 1 : graceSeconds }),
    ...(chosen && { policy: chosen }),
  };
}

/** The outcome of a deletion: gone, or still there with a mark. */
export interface Deletion {
  isGone: boolean;
  version: Version;
}

/**
 * Deletes an object, or marks it where grace or finalizers keep it.
 * @throws ApiError 409 where a precondition does not hold
 */
export function deleteObject(cluster: Cluster, row: ResourceRow, previous: Version, options: DeleteOptions, isDryRun = false): Deletion {
  const { storage, surroundings } = cluster;
  const stored = storedRow(row);
  const before = previous.object;
  checkPreconditions(kindSubject(row, before.metadata.name ?? ''), before, options);
  const nowMs = surroundings.now();
  if (stored.marked && before.metadata.deletionTimestamp === undefined) return markedAlone(cluster, row, previous, isDryRun);
  const graceful = withGrace(stored, before, options, nowMs);
  if (graceful === 'pending') return { isGone: false, version: previous };

  const finalizers = finalizersAfter(stored, before, options);
  const kept = graceful ?? before;
  const marked: ApiObject = {
    ...kept,
    metadata: { ...kept.metadata, ...(finalizers.length > 0 || before.metadata.finalizers ? { finalizers } : {}) },
  };
  if (marked.metadata.finalizers?.length === 0) delete marked.metadata.finalizers;
  const isHeld = finalizers.length > 0;
  if (isHeld && !graceful) markDeleted(marked, nowMs);
  if (isDryRun) return { isGone: !isHeld && !graceOf(marked), version: new Version(previous.key, previous.revision, { object: marked }) };
  const name = storageName(row);
  let version = previous;
  if (graceful || isHeld) {
    version = isUnchanged(marked, before) ? previous : storage.put(name, previous.key, marked);
    if (isHeld || graceOf(marked) > 0) return { isGone: false, version };
  }
  return { isGone: true, version: storage.remove(name, previous.key) ?? version };
}

/** Of an object that a controller takes from here. */
function markedAlone({ storage, surroundings }: Cluster, row: ResourceRow, previous: Version, isDryRun: boolean): Deletion {
  const object = row.marked?.(previous.object, timeText(surroundings.now())) ?? previous.object;
  const { key, revision } = previous;
  return { isGone: false, version: isDryRun ? new Version(key, revision, { object }) : storage.put(storageName(row), key, object) };
}

const graceOf = ({ metadata }: ApiObject): number => metadata.deletionGracePeriodSeconds ?? 0;

const isUnchanged = (next: ApiObject, before: ApiObject): boolean =>
  before.metadata.deletionTimestamp === next.metadata.deletionTimestamp &&
  before.metadata.deletionGracePeriodSeconds === next.metadata.deletionGracePeriodSeconds &&
  (before.metadata.finalizers ?? []).join() === (next.metadata.finalizers ?? []).join();

/** @throws ApiError 409 where the uid or resourceVersion asked for is not the object's */
export function checkPreconditions(subject: Subject, { metadata }: ApiObject, { uid, resourceVersion }: DeleteOptions): void {
  if (uid !== undefined && uid !== metadata.uid) {
    throw conflict(
      subject,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw conflict(
      subject,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
  }
}

/** The object with its grace begun or shortened; undefined where the kind knows none or it is over; pending where nothing changes. */
function withGrace(row: ResourceRow, object: ApiObject, { graceSeconds }: DeleteOptions, nowMs: number): ApiObject | 'pending' | undefined {
  if (!row.graceSeconds) return undefined;
  const { metadata } = object;
  if (metadata.deletionTimestamp === undefined) {
    const seconds = row.graceSeconds(object, graceSeconds);
    const generation = metadata.generation === undefined ? {} : { generation: metadata.generation + 1 };
    return marked(object, nowMs + durationSecondsOf(seconds) * 1000, seconds, generation);
  }
  const current = metadata.deletionGracePeriodSeconds ?? 0;
  if (current === 0) return undefined;
  if (graceSeconds === undefined || graceSeconds >= current) return 'pending';
  const endsMs = Date.parse(metadata.deletionTimestamp) - durationSecondsOf(current) * 1000 + durationSecondsOf(graceSeconds) * 1000;
  if (endsMs >= nowMs) return marked(object, endsMs, graceSeconds);
  return marked(object, nowMs, graceSeconds === 0 ? 0 : 1);
}

const marked = (object: ApiObject, endsMs: number, seconds: number, more: { generation?: number } = {}): ApiObject => ({
  ...object,
  metadata: { ...object.metadata, ...more, deletionTimestamp: timeText(endsMs), deletionGracePeriodSeconds: seconds },
});

/** Held by finalizers alone: marked as of now. */
function markDeleted(object: ApiObject, nowMs: number): void {
  const { metadata } = object;
  if (metadata.deletionTimestamp === undefined) {
    metadata.deletionTimestamp = timeText(nowMs);
    if (metadata.generation !== undefined) metadata.generation += 1;
  } else if (Date.parse(metadata.deletionTimestamp) > nowMs) metadata.deletionTimestamp = timeText(nowMs);
  metadata.deletionGracePeriodSeconds = 0;
}

/** The finalizers that the collector's policy asks for, besides the object's own. */
function finalizersAfter(row: ResourceRow, { metadata }: ApiObject, { policy }: DeleteOptions): string[] {
  const present = metadata.finalizers ?? [];
  if (row.dependents === 'ignored') return present;
  const others = present.filter((finalizer) => !ownFinalizers.includes(finalizer));
  const wanted = policy ?? policyOf(present, row);
  const result = wanted === 'Orphan' ? [...others, 'orphan'] : wanted === 'Foreground' ? [...others, 'foregroundDeletion'] : others;
  return result.length === present.length && result.every((finalizer) => present.includes(finalizer)) ? present : result;
}

function policyOf(present: readonly string[], row: ResourceRow): 'Orphan' | 'Foreground' | 'Background' {
  if (present.includes('orphan')) return 'Orphan';
  if (present.includes('foregroundDeletion')) return 'Foreground';
  return row.dependents === 'orphan' ? 'Orphan' : 'Background';
}
