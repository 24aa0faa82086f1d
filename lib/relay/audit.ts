// A watch can skip an event without an error. From time to time the relay compares its cache with a list of metadata alone.
import type { KubernetesObject, ObjectMeta } from '../objects/kubernetes.ts';
import { compareResourceVersions } from '../objects/values/resource-version.ts';
import type { Resource } from '../objects/resources.ts';
import type { WantedFields } from '../objects/field-mask.ts';
import type { Clock } from '../ports/clock.ts';
import { deadlineIn } from '../ports/clock.ts';
import type { Cluster, ClusterSource, ListSelection } from '../ports/cluster.ts';
import { NotFoundError } from '../ports/errors.ts';
import type { OwnVersion } from './cache/cached-workload.ts';

export interface Audited {
  resource: Resource;
  fields: WantedFields;
  /** The selection of the watch; undefined: all objects of the resource. */
  selection?: Omit<ListSelection, 'namespace'> | undefined;
  namespace: string | undefined;
  /** Whether the cache holds the object in the listed version or a later one, or the object is not ours. */
  knows: (metadata: ObjectMeta) => boolean;
  /** Objects that the cache holds in that version or an earlier one. */
  knownUntil: (version: string) => Iterable<OwnVersion>;
  /** The newest version that the watch has reached. */
  observedUntil: () => string;
}

export interface AuditOptions {
  pageSize: number;
  /** How long to wait for a watch that has not reached the version of a difference. */
  graceMs: number;
}

const LIFE_MS = 10_000;
const LOOKED_UP = 20;
const POLL_MS = 250;

export interface Findings {
  /** Objects that differ between API server and cache although the watch is past their version. A few are enough. */
  skipped: string[];
  /** More objects differ, but the watch had not reached this version. It may still deliver them. */
  untoldUntil?: string;
  /** Two live reads were older than a version that the watch had reached: the API server was restored from an older state (R3). */
  restored?: { from: string; to: string };
}

const NOTHING: Findings = { skipped: [] };

interface Tools {
  source: ClusterSource & Pick<Cluster, 'get'>;
  clock: Clock;
  options: AuditOptions;
  signal: AbortSignal;
}

/** The API server's objects, from a list of metadata. */
interface Listed {
  /** Version of the oldest page. */
  version: string;
  /** uid → resourceVersion. */
  objects: ReadonlyMap<string, string>;
  /** Objects of ours that the cache does not hold in the listed version or a later one. */
  unknown: readonly ObjectMeta[];
}

/**
 * @param untoldUntil from the comparison before. A watch that has still not reached that version is stuck and delivers nothing any more
 * @returns objects whose events the watch skipped, or that it reported from a past that the API server no longer has
 * @throws the API server's refusal
 */
export async function findSkipped(audited: Audited, tools: Tools, untoldUntil?: string): Promise<Findings> {
  const { resource, fields, knows, knownUntil, observedUntil } = audited;
  const { source, clock, options, signal } = tools;
  const observedBefore = observedUntil();
  const { version, objects, unknown } = await listMetadata(audited, tools);
  const past = await findPast(audited, tools, { version, objects, observedBefore });
  if (past) return past;
  const missing = [...knownUntil(version)].filter(({ uid }) => !objects.has(uid));
  if (unknown.length === 0 && missing.length === 0) return NOTHING;
  const missed = new Set(missing.map(({ uid }) => uid));
  const isObserved = (changedAt: string): boolean => compareResourceVersions(observedUntil(), changedAt) >= 0;
  // Do not wait for versions that the watch has already passed: it will not deliver them.
  const mayBeTold = (): boolean =>
    unknown.some((metadata) => !isObserved(metadata.resourceVersion ?? '0') && !knows(metadata)) ||
    (!isObserved(version) && [...knownUntil(version)].some(({ uid }) => missed.has(uid)));
  const graceEndsMs = clock.monotonicMs() + options.graceMs;
  while (clock.monotonicMs() < graceEndsMs && !signal.aborted && mayBeTold()) await clock.wait(POLL_MS, signal);
  const observed = observedUntil();
  const isStuck = untoldUntil !== undefined && compareResourceVersions(observed, untoldUntil) < 0;
  const mayStillTell = (changedAt: string): boolean => !isStuck && !isObserved(changedAt);

  const skipped: string[] = [];
  const differing = unknown.filter((metadata) => !knows(metadata));
  const skippable = differing.filter(({ resourceVersion = '0' }) => !mayStillTell(resourceVersion));
  // The version of the deletion is unknown. It is at most the version of the list.
  const gone = [...knownUntil(version)].filter(({ uid }) => missed.has(uid));
  const isGoneUntold = gone.length > 0 && mayStillTell(version);
  // An object that the cache by now holds in its listed version was not skipped. Read the object to see whether it still exists and is
  // ours. Do not judge by the version read: the object may have changed a moment ago, before the watch could deliver that.
  for (const listed of skippable.slice(0, LOOKED_UP)) {
    const { namespace = '', name = '', uid } = listed;
    const now = await lookUp(source, { resource, fields }, { namespace, name }, clock);
    if (now !== undefined && now.uid === uid && !knows(listed) && !knows(now)) skipped.push(`${namespace}/${name}`);
  }
  for (const { uid, namespace, name } of isGoneUntold ? [] : gone.slice(0, LOOKED_UP)) {
    const now = await lookUp(source, { resource, fields }, { namespace, name }, clock);
    if (now?.uid !== uid || !(await isSelected(audited, tools, { namespace, name }))) skipped.push(`${namespace}/${name}`);
  }
  return { skipped, ...((skippable.length < differing.length || isGoneUntold) && { untoldUntil: version }) };
}

async function listMetadata(
  { resource, fields, selection, namespace, knows }: Audited,
  { source, options, signal }: Tools,
): Promise<Listed> {
  const objects = new Map<string, string>();
  const unknown: ObjectMeta[] = [];
  let version: string | undefined;
  let continueToken: string | undefined;
  do {
    const page = await source.listPage<KubernetesObject>(
      resource,
      {
        limit: options.pageSize,
        metadataOnly: true,
        fields,
        ...selection,
        ...(namespace !== undefined && { namespace }),
        ...(continueToken !== undefined && { continueToken }),
      },
      signal,
    );
    if (version === undefined || compareResourceVersions(page.resourceVersion, version) < 0) version = page.resourceVersion;
    for (const { metadata } of page.items) {
      objects.set(metadata.uid ?? '', metadata.resourceVersion ?? '0');
      if (!knows(metadata)) unknown.push(metadata);
    }
    ({ continueToken } = page);
  } while (continueToken !== undefined);
  return { version, objects, unknown };
}

/** Whether the list shows an older state than the watch has reached. The cache is of no use then (R3). */
async function findPast(
  { resource, fields, selection, namespace, knownUntil }: Audited,
  { source, clock, signal }: Tools,
  { version, objects, observedBefore }: Pick<Listed, 'version' | 'objects'> & { observedBefore: string },
): Promise<Findings | undefined> {
  // A live list older than the version that the watch had reached comes from an API server restored from an older state.
  if (compareResourceVersions(version, observedBefore) < 0) {
    const again = await source.listPage<KubernetesObject>(
      resource,
      { limit: 1, metadataOnly: true, fields: { metadata: { uid: true } }, ...selection, ...(namespace !== undefined && { namespace }) },
      signal,
    );
    const isRestored = compareResourceVersions(again.resourceVersion, observedBefore) < 0;
    return {
      skipped: [`everything since ${version}`],
      ...(isRestored && { restored: { from: observedBefore, to: again.resourceVersion } }),
    };
  }
  // So does a list that shows an object in a version before one that the cache holds and that the list should include.
  for (const { uid, namespace: within, name, version: known } of knownUntil(version)) {
    if (compareResourceVersions(objects.get(uid) ?? known, known) >= 0) continue;
    const now = await lookUp(source, { resource, fields }, { namespace: within, name }, clock);
    const shown = now?.uid === uid ? (now.resourceVersion ?? known) : known;
    const isRestored = compareResourceVersions(shown, known) < 0;
    return { skipped: [`${within}/${name}`], ...(isRestored && { restored: { from: known, to: shown } }) };
  }
  return undefined;
}

/** An object that lost a label is there all the same: a watch with a selection reports its end, and may have skipped that (trap 1). */
async function isSelected(
  { resource, selection }: Audited,
  { source, signal }: Tools,
  { namespace, name }: { namespace: string; name: string },
): Promise<boolean> {
  if (!selection) return true;
  const fieldSelector = [selection.fieldSelector, `metadata.name=${name}`].filter((each) => each !== undefined).join(',');
  const one = { limit: 1, metadataOnly: true, fields: { metadata: { uid: true } }, ...(namespace !== '' && { namespace }) };
  const page = await source.listPage<KubernetesObject>(resource, { ...one, ...selection, fieldSelector }, signal);
  return page.items.length > 0;
}

async function lookUp(
  source: Pick<Cluster, 'get'>,
  { resource, fields }: Pick<Audited, 'resource' | 'fields'>,
  target: { namespace: string; name: string },
  clock: Clock,
): Promise<ObjectMeta | undefined> {
  try {
    return (await source.get(resource, target, deadlineIn(clock, LIFE_MS), { fields })).object.metadata;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
