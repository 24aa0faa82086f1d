// Creates and updates of objects: rules of the resource, rules of metadata, preconditions, then the store.
import { validateObjectMeta, validateObjectMetaUpdate } from '../../admission/metadata/object-metadata-validation.ts';
import type { ManagedFieldsEntry } from '../../objects/kubernetes.ts';
import type { MetadataRules } from '../../admission/metadata/object-metadata-validation.ts';
import { uniqueRefusals } from '../../objects/refusals.ts';
import { alreadyExists, badRequest, conflict, forbidden, invalid, notFound, staleVersion, ApiError } from '../objects/api-error.ts';
import type { Subject } from '../objects/api-error.ts';
import { isSame, timeText } from '../objects/api-object.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { changesSpec, withServerMetadata } from './metadata-rules.ts';
import { claimsAfterUpdate, claimsBefore, differencesOf, entriesOf, isSameOwnership } from '../ownership/managed-fields.ts';
import type { Claim, Writer } from '../ownership/managed-fields.ts';
import { untouchedBy, viewsOf } from '../ownership/views.ts';
import { admit } from '../policies/admission.ts';
import type { AdmissionRequest } from '../policies/admission.ts';
import type { Person, Reviewing } from '../objects/asker.ts';
import type { ResourceRow } from '../rows/resource-row.ts';
import { apiVersionOf, storageName } from '../rows/resources.ts';
import type { Resources } from '../rows/resources.ts';
import type { Storage } from '../storage/storage.ts';
import { storable } from '../storage/stored-size.ts';
import { nameFrom, uuidFrom } from '../objects/surroundings.ts';
import type { Surroundings } from '../objects/surroundings.ts';
import { keyOf, Version } from '../storage/version.ts';

export interface Cluster {
  storage: Storage;
  surroundings: Surroundings;
  resources: Resources;
}

/** Through which path an object is written, where it is not its own: both leave most of it as it is. */
export type Subresource = 'status' | 'scale' | 'token';

/** How a write came: for whom it is recorded, and whether it is only tried. */
export interface WriteContext {
  manager: string;
  /** As the request named it: an object may be seen through two groups. */
  row: ResourceRow;
  isDryRun: boolean;
  subresource?: Subresource;
  /** Who writes; the server itself where nobody is named. */
  asker?: Person;
  /** Takes what admission policies warn of. */
  warnings?: string[];
  /** Who owns the object's fields after an apply; a plain write finds out by itself. */
  claims?: readonly Claim[];
}

const attemptsAtNames = 8;

/** The row whose rules and storage hold for a row: its own, but for a second view on the same objects. */
export const storedRow = (row: ResourceRow): ResourceRow => row.stored?.as ?? row;

/** How refusals name an object of a row; those of rules and preconditions by its kind. */
export const subjectOf = ({ group, plural }: ResourceRow, name: string): Subject => ({ group, kind: plural, name });
export const kindSubject = ({ group, kind }: ResourceRow, name: string): Subject => ({ group, kind, name });

/**
 * Creates an object.
 * @param namespace undefined for objects without one
 * @throws ApiError 400, 403 and 404 about the namespace, 409 for a taken name, 422 for what the rules refuse
 */
export function createObject(cluster: Cluster, given: ApiObject, namespace: string | undefined, context: WriteContext): Version {
  const { row } = context;
  const stored = storedRow(row);
  const { storage, surroundings } = cluster;
  checkNamespaceName(given, namespace);
  if (namespace !== undefined) checkNamespace(storage, namespace, row, given.metadata.name ?? '');
  if (row.defined?.isTerminating()) {
    const why = 'create not allowed while custom resource definition is terminating';
    throw forbidden(subjectOf(row, given.metadata.name ?? ''), why);
  }
  // A dry run never reaches the storage, which would refuse it.
  const claimed = context.isDryRun ? 0n : readVersion(given.metadata.resourceVersion);
  if (typeof claimed === 'bigint' && claimed > 0n)
    throw new ApiError(500, '', 'resourceVersion should not be set on objects to be created');
  const named = withName(cluster, given, namespace, row);
  const entries = entriesAfter(cluster, undefined, named, context);
  const {
    deletionTimestamp: _,
    deletionGracePeriodSeconds: __,
    selfLink: ___,
    managedFields: ____,
    namespace: _____,
    ...metadata
  } = { selfLink: '', ...named.metadata };
  const object = stored.rules.create({
    ...named,
    metadata: {
      ...metadata,
      ...(namespace !== undefined && { namespace }),
      uid: uuidFrom(surroundings.random),
      creationTimestamp: timeText(surroundings.now()),
      ...(stored.countsGenerations && { generation: 1 }),
    },
  });
  const name = object.metadata.name ?? '';
  const errors = [
    ...(stored.rules.validateMetadata ? validateObjectMeta(object.metadata, metadataRulesOf(stored)) : []),
    ...row.rules.validate(object), // a second view may be stricter
  ];
  if (errors.length > 0) throw invalid(kindSubject(stored, name), errors);
  askPolicies(cluster, context, { operation: 'CREATE', namespace, name, object, oldObject: undefined });
  const key = keyOf(namespace, name);
  const holder = storage.get(storageName(row), key)?.object.metadata;
  if (holder) throw alreadyExists(subjectOf(row, name), { before: holder.deletionTimestamp ? 'object is being deleted: ' : '' });
  if (entries.length > 0) object.metadata.managedFields = entries;
  if (context.isDryRun) return new Version(key, 0, { object });
  return put(cluster, context, key, object);
}

function put({ storage }: Cluster, { row }: WriteContext, key: string, object: ApiObject): Version {
  const version = storage.put(storageName(row), key, storable(row.defined?.store(object) ?? object, row.isCustom === true));
  row.defined?.wrote(version.object);
  return version;
}

/** Puts a write to the admission policies. @throws ApiError as they say */
function askPolicies(
  cluster: Cluster,
  { row, subresource, isDryRun, asker = system, warnings = [] }: WriteContext,
  write: Omit<AdmissionRequest, 'row' | 'subresource' | 'isDryRun' | 'asker'>,
): void {
  admit(cluster, { ...write, row, subresource, isDryRun, asker }, warnings);
}

/** The server's own controllers. */
const system = { name: 'system:kube-controller-manager', groups: ['system:authenticated'] };

/** The body must not name another namespace than the path; where the path has none, it is left out. @throws ApiError 400 */
function checkNamespaceName({ metadata }: ApiObject, namespace: string | undefined): void {
  if (namespace === undefined || !metadata.namespace || metadata.namespace === namespace) return;
  throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

function checkNamespace(storage: Storage, namespace: string, row: ResourceRow, name: string): void {
  const found = storage.get('namespaces', keyOf(undefined, namespace));
  if (!found) throw notFound({ group: '', kind: 'namespaces', name: namespace });
  if (found.object.metadata.deletionTimestamp === undefined) return;
  throw forbidden(subjectOf(row, name), `unable to create new content in namespace ${namespace} because it is being terminated`, [
    { reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' },
  ]);
}

function withName({ storage, surroundings }: Cluster, given: ApiObject, namespace: string | undefined, row: ResourceRow): ApiObject {
  const { name, generateName } = given.metadata;
  if (name || !generateName) return given;
  for (let attempt = 0; attempt < attemptsAtNames; attempt += 1) {
    const generated = nameFrom(generateName, surroundings.random);
    if (!storage.get(storageName(row), keyOf(namespace, generated))) return { ...given, metadata: { ...given.metadata, name: generated } };
  }
  throw alreadyExists(subjectOf(row, generateName), { after: ', the server was not able to generate a unique name for the object' });
}

/**
 * Replaces an object by another state of it.
 * @param given the whole new state; what the server alone sets is put back
 * @param isReplacement the body came whole (PUT): its uid is a precondition, its resourceVersion may be required
 * @returns the new version, or the old one where nothing changed, and whether the object is gone with its last finalizer
 * @throws ApiError 400 for another name, 409 for another version or uid, 422 for what the rules refuse
 */
export function updateObject(
  cluster: Cluster,
  previous: Version,
  given: ApiObject,
  context: WriteContext & { isReplacement: boolean },
): Version {
  const { row, subresource, isDryRun, isReplacement } = context;
  const { storage } = cluster;
  const stored = storedRow(row);
  const before = previous.object;
  const name = before.metadata.name ?? '';
  checkIdentity(given, before, row, isReplacement);
  const asked = readVersion(given.metadata.resourceVersion);
  if (typeof asked !== 'bigint') throw new ApiError(500, '', asked.problem);
  if (asked === 0n) {
    if (stored.needsVersion) {
      throw invalid(subjectOf(row, name), [
        { reason: 'FieldValueInvalid', field: 'metadata.resourceVersion', message: 'Invalid value: 0: must be specified for an update' },
      ]);
    }
  } else if (asked !== readVersion(before.metadata.resourceVersion)) throw staleVersion(subjectOf(row, name));

  const requested = withServerMetadata(given, before);
  const next = applyRules(stored, requested, before, subresource);
  const errors = [
    ...(stored.rules.validateMetadata || subresource === 'status'
      ? validateObjectMetaUpdate(next.metadata, before.metadata, metadataRulesOf(stored))
      : []),
    ...(subresource === 'status' ? (stored.rules.validateStatus?.(next, before) ?? []) : row.rules.validateUpdate(next, before)),
  ];
  if (errors.length > 0) throw invalid(kindSubject(stored, name), uniqueRefusals(errors));
  askPolicies(cluster, context, { operation: 'UPDATE', namespace: before.metadata.namespace, name, object: next, oldObject: before });

  next.metadata.resourceVersion = before.metadata.resourceVersion ?? '';
  const known = before.metadata.managedFields ?? [];
  const isUntouched = isSame(next, before);
  if (isUntouched && !context.claims && (subresource || isSame(given.metadata.managedFields ?? known, known))) return previous;
  const entries = entriesAfter(
    cluster,
    before,
    { ...requested, metadata: { ...requested.metadata, managedFields: given.metadata.managedFields ?? known } },
    context,
  );
  if (isUntouched && isSameOwnership(entries, known)) return previous;
  const { managedFields: _, ...metadata } = next.metadata;
  next.metadata = entries.length > 0 ? { ...metadata, managedFields: entries } : metadata;
  if (isDryRun) return new Version(previous.key, previous.revision, { object: next });
  if (isReleased(next)) {
    const removed = storage.remove(storageName(row), previous.key);
    // The answer is the state asked for; watches hear of the state before, as from any deletion.
    return new Version(previous.key, removed?.revision ?? previous.revision, { object: next });
  }
  return put(cluster, context, previous.key, next);
}

/** The answer to an object that is a question, and is not stored. @throws ApiError as its row says */
export function answerObject(cluster: Cluster, question: ApiObject, reviewing: Reviewing, context: WriteContext): ApiObject {
  const entries = entriesAfter(cluster, undefined, question, context);
  const object = context.row.answer?.(question, reviewing) ?? question;
  return entries.length > 0 ? { ...object, metadata: { ...object.metadata, managedFields: entries } } : object;
}

/** The object that a write asks for, with defaults, and with the stored values of fields that it cannot change. */
function wantedOf(row: ResourceRow, before: ApiObject | undefined, asked: ApiObject, subresource: Subresource | undefined): ApiObject {
  if (!before) return row.rules.defaults(asked);
  if (subresource === 'status') return { ...asked, ...(before.spec && { spec: before.spec }) };
  const hasStatus = row.subresources.some(({ name }) => name === 'status');
  return row.rules.defaults({ ...asked, ...(hasStatus && before.status && { status: before.status }) }, before);
}

/** The entries after a write. @param asked what was asked for, before what the server alone does to it */
function entriesAfter(cluster: Cluster, before: ApiObject | undefined, asked: ApiObject, context: WriteContext): ManagedFieldsEntry[] {
  if (context.claims) return entriesOf(context.claims);
  const { row, subresource } = context;
  const { managedFields, ...metadata } = asked.metadata;
  const stored = before?.metadata.managedFields ?? [];
  const claims = claimsBefore(stored, subresource ? undefined : managedFields);
  // Objects that nobody owns stay so until somebody applies them.
  if (before && claims.length === 0) return [];
  const wanted = wantedOf(storedRow(row), before, { ...asked, metadata }, subresource);
  const differences = differencesOf(viewsOf(cluster.resources, row), before, wanted, untouchedBy(row, subresource));
  return entriesOf(claimsAfterUpdate(claims, differences, writerOf(cluster, context)));
}

/** Marked as deleted, no grace left and no finalizer: nothing keeps it. */
const isReleased = ({ metadata }: ApiObject): boolean =>
  metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0 && (metadata.deletionGracePeriodSeconds ?? 0) === 0;

/** The resourceVersion of a body, 0 where it names none. */
function readVersion(text = ''): bigint | { problem: string } {
  const why = !/^\d*$/.test(text) ? 'invalid syntax' : BigInt(text) >= 2n ** 64n ? 'value out of range' : undefined;
  return why === undefined ? BigInt(text) : { problem: `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}` };
}

function checkIdentity({ metadata }: ApiObject, { metadata: known }: ApiObject, row: ResourceRow, isReplacement: boolean): void {
  if (!metadata.name) throw badRequest(`the name of the object (${known.name} based on URL) was undeterminable: name must be provided`);
  if (metadata.name !== known.name) {
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${known.name})`);
  }
  if (known.namespace !== undefined && metadata.namespace !== undefined && metadata.namespace !== known.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  if (isReplacement && metadata.uid !== undefined && metadata.uid !== known.uid) {
    throw conflict(
      subjectOf(row, known.name ?? ''),
      `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${known.uid}`,
    );
  }
}

function applyRules(row: ResourceRow, given: ApiObject, before: ApiObject, subresource: Subresource | undefined): ApiObject {
  const { namespace: _, ...metadata } = given.metadata;
  const { name, namespace } = before.metadata;
  const named: ApiObject = {
    ...given,
    metadata: { ...metadata, ...(name !== undefined && { name }), ...(namespace !== undefined && { namespace }) },
  };
  if (subresource === 'status') {
    const { spec: __, ...rest } = named;
    const next: ApiObject = { ...rest, ...(before.spec && { spec: before.spec }) };
    return withServerMetadata(row.rules.updateStatus?.(next, before) ?? next, before);
  }
  const next = row.rules.update(named, before);
  if (!row.countsGenerations || !changesSpec(row, next, before)) return next;
  return { ...next, metadata: { ...next.metadata, generation: (before.metadata.generation ?? 0) + 1 } };
}

const metadataRulesOf = ({ namespaced, rules }: ResourceRow): MetadataRules => ({
  isNamespaced: namespaced,
  isCustom: !rules.qualifiesFinalizers,
  problemsOfName: rules.nameProblems,
});

export const writerOf = ({ surroundings }: Cluster, { manager, row, subresource }: WriteContext): Writer => ({
  manager,
  apiVersion: apiVersionOf(row),
  // A real server writes no time for those who scale.
  time: subresource === 'scale' ? '' : timeText(surroundings.now()),
  ...(subresource && { subresource }),
});
