// Planning from manifests: takes parsed documents and returns what one pass would do, as `farloop plan` prints it. Contacts nothing.
import { withJobDefaults, withStoredJobDefaults } from '../admission/job/job-defaults.ts';
import { validateJob, validateJobUpdate } from '../admission/job/job-validation.ts';
import { isJobFinished } from '../objects/job-facts.ts';
import { legacyControllerUidLabel } from '../objects/job-labels.ts';
import { SCHEDULING_WORKLOADS, type PodGroup, type SchedulingWorkload } from '../objects/job-scheduling.ts';
import type { Job, KubernetesObject, Pod } from '../objects/kubernetes.ts';
import { podFactsOf } from '../objects/pod-facts.ts';
import type { PatchType } from '../objects/resources.ts';
import { isFields, type Fields } from '../objects/untyped-fields.ts';
import { ALL_FACTS, factsFor, findFacts } from './facts.ts';
import type { KindFacts } from './kind.ts';
import { managesAll } from './settings.ts';
import { plannerRowFor } from './planners.ts';
import { isJob, isPod, jobProblem, podProblem, readHead, type ShapeProblem } from './manifest-shapes.ts';
import { isPodGroup, isSchedulingWorkload, schedulingProblem } from './manifest-shapes.ts';
import { schedulingActions } from './job/scheduling-actions.ts';
import type { SchedulingGroup, SchedulingObjects } from './job/scheduling.ts';
import { EMPTY_HEAD, type Action, type Plan, type PlanHead, type Target } from './plan.ts';

/** A parsed document and its place, such as `job.yaml:12`. */
export interface SourcedDocument {
  document: unknown;
  source: string;
}

/** Unusable input. The message says where, what is wrong and what was expected. */
export class UnusableManifestError extends Error {
  override readonly name = 'UnusableManifestError';
}

/** More than one workload, and the request names none. */
export class SeveralWorkloadsError extends Error {
  override readonly name = 'SeveralWorkloadsError';
}

export type ManifestAction =
  | { verb: 'create'; object: KubernetesObject; why: string }
  | ({ verb: 'delete'; propagationPolicy?: 'Foreground'; why: string } & Target)
  | ({ verb: 'patch'; type: PatchType; patch: object; why: string } & Target)
  | { verb: 'status'; status: object; why: string }
  | { verb: 'event'; type: 'Normal' | 'Warning'; reason: string; message: string; regarding: Target };

/** The outcome of one pass in which every action succeeds. */
export interface ManifestPlan {
  workload: Target;
  actions: ManifestAction[];
  status: object;
  requeueAfterSeconds?: number;
  outcome: Plan<object>['outcome'];
  why: string[];
}

export interface PlanRequest {
  now: Date;
  /** `KIND/[NAMESPACE/]NAME`: which one, where there are several. */
  workload?: string;
  /** Alpha: the Workload and PodGroup that stand for a Job's pods are planned, too; off, `spec.scheduling` means nothing. */
  workloadWithJob?: boolean;
  /** Reads documents as the API server does. Absent: nulls are dropped, and only fields that planners read have their types checked. */
  read?: ManifestReader;
}

/** Reads a document of a kind as the API server would, or says why it would refuse. */
export type ManifestReader = (kind: 'Job' | 'Pod', document: Fields, source: string) => { object: Fields } | { problem: ShapeProblem };

const HEAD_API_VERSION = 'farloop.dev/v1';
/** The uid of a Job that no API server has stored yet. */
const UNSTORED_UID = '00000000-0000-0000-0000-000000000000';

/**
 * @throws UnusableManifestError something cannot be read, or the API server would refuse the workload
 * @throws SeveralWorkloadsError
 */
export const planManifests = (documents: readonly SourcedDocument[], request: PlanRequest): ManifestPlan =>
  printedPlan(decideFromManifests(documents, request));

/** A workload and the planner's own plan for it. */
export interface Decision {
  workload: Target;
  plan: Plan<object>;
}

/** The plan as it is printed, without what only the loop needs. */
export const printedPlan = ({ workload, plan }: Decision): ManifestPlan => ({
  workload,
  actions: plan.actions.map(printedAction),
  status: plan.status,
  ...(plan.requeueAfterSeconds !== undefined && { requeueAfterSeconds: plan.requeueAfterSeconds }),
  outcome: plan.outcome,
  why: plan.why,
});

/** @throws as planManifests */
export function decideFromManifests(
  documents: readonly SourcedDocument[],
  { now, workload, workloadWithJob = false, read = withoutNulls }: PlanRequest,
): Decision {
  const { owners, pods, heads, scheduling } = sortedOut(documents, { workloadWithJob, read });
  const chosen = chooseOwner(owners, workload);
  if (!workloadWithJob && isFields(chosen.value['spec'])) delete chosen.value['spec']['scheduling'];
  const owner = ownerOf({ ...chosen, value: objectOf('Job', chosen, read) }, now);
  const [head, second] = heads;
  if (second) throw new UnusableManifestError(`${second.source}: a second Head; expected at most one, for the workload that is planned`);
  // Owners have children in their own namespace only.
  const facts = pods.map(({ value }) => podFactsOf(value)).filter((pod) => pod.namespace === owner.metadata.namespace);
  const given = { owner, pods: facts, head: head?.value ?? EMPTY_HEAD, manages: managesAll() };
  const planOf = (group?: SchedulingGroup): Plan<object> =>
    plannerRowFor(chosen.kind).planner.plan({ ...given, ...(group && { schedulingGroup: group }) }, now);
  const plan = workloadWithJob ? withScheduling(given, scheduling, planOf) : planOf();
  const { namespace = '', name = '', uid = '' } = owner.metadata;
  return { workload: { apiVersion: owner.apiVersion ?? '', kind: chosen.kind, namespace, name, uid }, plan };
}

/** The plan with the scheduling group of the pods: its objects are created or changed before all else. */
function withScheduling(
  { owner, pods }: { owner: Job; pods: readonly unknown[] },
  given: SchedulingObjects,
  planOf: (group?: SchedulingGroup) => Plan<object>,
): Plan<object> {
  const plan = planOf();
  if (plan.outcome === 'notOurs' || plan.outcome === 'parked' || isJobFinished(owner) || owner.metadata.deletionTimestamp !== undefined)
    return plan;
  const { actions, group, why, problem } = schedulingActions(owner, given, pods.length);
  if (problem !== undefined) return { ...plan, actions: [], status: owner.status ?? {}, outcome: 'parked', why: [problem] };
  const grouped = planOf(group);
  return {
    ...grouped,
    actions: [...actions, ...grouped.actions],
    ...(actions.length > 0 && { outcome: 'acted' }),
    why: [...grouped.why, why],
  };
}

interface Sourced<Value> {
  value: Value;
  source: string;
}

interface Owner extends Sourced<Fields> {
  kind: string;
  namespace: string;
  name: string;
}

/** A document with the two fields that every Kubernetes object has. */
export type ManifestObject = Fields & { apiVersion: string; kind: string };

/**
 * The objects of the documents one by one, lists opened. Empty documents are skipped.
 * @throws UnusableManifestError for a document or a list item that is not an object
 */
export function* objectsIn(documents: readonly SourcedDocument[]): Generator<{ object: ManifestObject; source: string }> {
  const waiting = documents.toReversed();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { document, source } = next;
    if (document === null || document === undefined) continue;
    if (!isFields(document)) throw new UnusableManifestError(`${source}: expected a Kubernetes object, found ${shortened(document)}`);
    if (!isManifestObject(document))
      throw new UnusableManifestError(`${source}: expected apiVersion and kind, as every Kubernetes object has them`);
    const { apiVersion, kind, items = null } = document;
    if (!kind.endsWith('List') || (items === null && kind !== 'List')) {
      yield { object: document, source };
      continue;
    }
    const listed: unknown = items ?? [];
    if (!Array.isArray(listed))
      throw new UnusableManifestError(`${source}: items: expected a list of Kubernetes objects, found ${shortened(items)}`);
    // Items of a typed list, such as JobList, may omit apiVersion and kind.
    const given = kind === 'List' ? {} : { apiVersion, kind: kind.slice(0, -'List'.length) };
    const opened = listed.map((item: unknown, at) => ({
      document: isFields(item) ? { ...given, ...item } : item,
      source: `${source} item ${at}`,
    }));
    waiting.push(...opened.toReversed());
  }
}

const isManifestObject = (document: Fields): document is ManifestObject =>
  typeof document['apiVersion'] === 'string' && typeof document['kind'] === 'string';

const shortened = (value: unknown): string => JSON.stringify(value).slice(0, 80);

/** Sorts objects by kind. Leaves out those that no planner reads. */
function sortedOut(
  documents: readonly SourcedDocument[],
  { workloadWithJob, read }: Required<Pick<PlanRequest, 'workloadWithJob' | 'read'>>,
): { owners: Owner[]; pods: Sourced<Pod>[]; heads: Sourced<PlanHead>[]; scheduling: SchedulingObjects } {
  const owners: Owner[] = [];
  const pods: Sourced<Pod>[] = [];
  const uids = new Map<string, string>();
  const names = new Map<string, string>();
  const heads: Sourced<PlanHead>[] = [];
  const workloads: SchedulingWorkload[] = [];
  const podGroups: PodGroup[] = [];
  for (const { object: document, source } of objectsIn(documents)) {
    const { apiVersion, kind } = document;
    if (apiVersion === HEAD_API_VERSION && kind === 'Head') {
      dropNulls(document);
      const head = readHead(document);
      if ('expected' in head) throw misshapen(head, source);
      heads.push({ value: head, source });
    } else if (apiVersion === 'v1' && kind === 'Pod') {
      const pod = objectOf('Pod', { value: document, source }, read);
      if (!isPod(pod)) throw misshapen(podProblem(pod), source);
      pod.metadata.namespace ??= 'default';
      const { uid = '', name } = pod.metadata;
      const first = uids.get(uid);
      // A pod that is given twice would be counted twice.
      if (first !== undefined)
        throw new UnusableManifestError(`${source}: metadata.uid: expected each pod once, found ${name} (${uid}) as in ${first}`);
      uids.set(uid, source);
      pods.push({ value: pod, source });
    } else if (workloadWithJob && apiVersion === SCHEDULING_WORKLOADS.apiVersion && (kind === 'Workload' || kind === 'PodGroup')) {
      dropNulls(document);
      if (kind === 'Workload' && isSchedulingWorkload(document)) workloads.push(document);
      else if (kind === 'PodGroup' && isPodGroup(document)) podGroups.push(document);
      else throw misshapen(schedulingProblem(document, kind), source);
    } else if (isOwnerOf(findFacts(kind), { apiVersion, kind })) {
      const metadata = isFields(document['metadata']) ? document['metadata'] : {};
      const { name } = metadata;
      const namespace = metadata['namespace'] ?? 'default';
      if (typeof name !== 'string' || typeof namespace !== 'string' || name === '') {
        throw new UnusableManifestError(`${source}: metadata.name: expected the name of this ${kind}`);
      }
      const full = `${kind}/${namespace}/${name}`;
      const first = names.get(full);
      // --workload could not tell the two apart.
      if (first !== undefined)
        throw new UnusableManifestError(`${source}: metadata.name: expected each workload once, found ${full} as in ${first}`);
      names.set(full, source);
      owners.push({ value: document, source, kind, namespace, name });
    }
  }
  return { owners, pods, heads, scheduling: { workloads, podGroups } };
}

/** @throws UnusableManifestError for what the reader cannot read */
function objectOf(kind: 'Job' | 'Pod', { value, source }: Sourced<Fields>, read: ManifestReader): Fields {
  const result = read(kind, value, source);
  if ('problem' in result) throw misshapen(result.problem, source);
  return result.object;
}

function withoutNulls(_kind: string, document: Fields): { object: Fields } {
  dropNulls(document);
  return { object: document };
}

/** In JSON, null means that a field is absent. Changes the document itself. */
function dropNulls(value: Fields): void {
  for (const key of Object.keys(value)) {
    const field = value[key];
    if (field === null) delete value[key];
    else if (Array.isArray(field)) for (const item of field) if (isFields(item)) dropNulls(item);
    if (isFields(field)) dropNulls(field);
  }
}

function misshapen({ field, expected, found }: ShapeProblem, source: string): UnusableManifestError {
  return new UnusableManifestError(
    `${source}: ${field === '' ? 'the document' : field}: expected ${expected}, found ${found ?? 'nothing'}`,
  );
}

function chooseOwner(owners: readonly Owner[], wanted: string | undefined): Owner {
  const candidates = wanted === undefined ? owners : owners.filter((owner) => isNamed(owner, wanted));
  const [first, second] = candidates;
  if (first && !second) return first;
  const names = owners.map(({ kind, namespace, name }) => `${kind}/${namespace}/${name}`).join(', ');
  if (first) {
    throw new SeveralWorkloadsError(`there are ${candidates.length} workloads (${names}): say which with --workload KIND/[NAMESPACE/]NAME`);
  }
  if (wanted !== undefined)
    throw new UnusableManifestError(`no workload is named ${wanted}; ${names === '' ? 'there is none at all' : `there are ${names}`}`);
  const rows = ALL_FACTS.filter(({ isOwnerless }) => !isOwnerless);
  throw new UnusableManifestError(
    `no workload in the input; expected one of ${rows.map(({ kind }) => kind).join(', ')} (${rows.map(({ resource }) => resource.apiVersion).join(', ')})`,
  );
}

const isOwnerOf = (facts: KindFacts | undefined, { apiVersion, kind }: { apiVersion: string; kind: string }): boolean =>
  facts !== undefined && !facts.isOwnerless && facts.resource.apiVersion === apiVersion && facts.resource.kind === kind;

function isNamed({ kind, namespace, name }: Owner, wanted: string): boolean {
  const parts = wanted.split('/');
  const [wantedKind = '', ...rest] = parts;
  if (parts.length < 2 || parts.length > 3) {
    throw new UnusableManifestError(`--workload ${wanted}: expected KIND/NAME or KIND/NAMESPACE/NAME, such as Job/demo`);
  }
  const [wantedName, wantedNamespace] = rest.toReversed();
  return (
    isKindNamed(factsFor(kind), wantedKind.toLowerCase()) &&
    name === wantedName &&
    (wantedNamespace === undefined || namespace === wantedNamespace)
  );
}

/** Names as kubectl takes them: singular or plural, with or without the group, with the version before it. */
function isKindNamed({ resource }: KindFacts, wanted: string): boolean {
  const [group = '', version = ''] = resource.apiVersion.split('/');
  return [resource.kind.toLowerCase(), resource.plural].some((word) =>
    [word, `${word}.${group}`, `${word}.${version}.${group}`].includes(wanted),
  );
}

/** The Job as the API server stores it, or would store it: with its defaults, and valid. */
function ownerOf({ value, source, namespace }: Owner, now: Date): Job {
  if (!isJob(value)) throw misshapen(jobProblem(value), source);
  const { metadata, ...rest } = value;
  const creationTimestamp = metadata.creationTimestamp ?? now.toISOString().replace(/\.\d+Z$/, 'Z');
  const given = { ...rest, metadata: { ...metadata, namespace, uid: metadata.uid || UNSTORED_UID, creationTimestamp } };
  const job = isStored(value) ? withStoredJobDefaults(given) : withJobDefaults(given);
  const [refusal, ...others] = isStored(value) ? validateJobUpdate(job, job) : validateJob(job);
  if (refusal) {
    const more = others.length === 0 ? '' : ` (and ${others.length} more: ${others.map(({ field }) => field).join(', ')})`;
    throw new UnusableManifestError(`${source}: ${refusal.field}: ${refusal.message}${more}`);
  }
  return job;
}

/** An API server has stored it. Add nothing to it: a Job from before Kubernetes 1.27 has no labels with the prefix, nor have its pods. */
const isStored = ({ metadata, spec }: Job): boolean =>
  Boolean(metadata.uid) && spec.selector !== undefined && spec.template?.metadata?.labels?.[legacyControllerUidLabel] === metadata.uid;

function printedAction(action: Action): ManifestAction {
  switch (action.verb) {
    case 'create':
      return { verb: 'create', object: action.object, why: action.why };
    case 'delete':
    case 'patch': {
      const { apiVersion, kind, namespace, name, uid, why } = action;
      const target = { apiVersion, kind, namespace, name, uid };
      return action.verb === 'delete'
        ? { verb: 'delete', ...target, ...(action.propagationPolicy && { propagationPolicy: action.propagationPolicy }), why }
        : { verb: 'patch', ...target, type: action.type, patch: action.patch, why };
    }
    case 'status':
      return { verb: 'status', status: action.status, why: action.why };
    case 'event':
      break;
  }
  const { type, reason, message, regarding } = action;
  return { verb: 'event', type, reason, message, regarding };
}
