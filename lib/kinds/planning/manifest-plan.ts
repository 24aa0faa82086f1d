// Planning from manifests: takes parsed documents and returns what one pass would do, as `farloop plan` prints it. Contacts nothing.
import { resourceKeyOf, type ChildState } from '../../objects/child-state.ts';
import type { KubernetesObject, Pod, WorkloadObject } from '../../objects/kubernetes.ts';
import type { KindOptions } from '../../objects/kind-options.ts';
import type { PodFacts } from '../../objects/pods/pod-facts.ts';
import type { PatchType } from '../../objects/resources.ts';
import type { Fields } from '../../objects/values/untyped-fields.ts';
import { childStateOf } from '../rows/child.ts';
import type { ChildFacts, PlannedFacts } from '../rows/kind.ts';
import type { DocumentPlan, EvictAction, ManifestGiven } from '../rows/kind-manifests.ts';
import { misshapen, SeveralWorkloadsError, UnusableManifestError, type SourcedDocument } from '../rows/manifest-documents.ts';
import {
  fullName,
  isNamed,
  objectOf,
  sortedOut,
  withoutNulls,
  type ManifestReader,
  type Owner,
  type Sorted,
  type Sourced,
} from './manifest-sorting.ts';
import { plannedKinds, type PlannedKind } from '../manifests.ts';
import { podReaderOf } from '../rows/pod-reader.ts';
import { EMPTY_HEAD, type Action, type Plan, type ProviderCall, type Snapshot, type Target } from '../rows/plan.ts';
import { managesAll } from '../settings.ts';

export type ManifestAction =
  | { verb: 'create'; object: KubernetesObject; why: string }
  | ({ verb: 'delete'; propagationPolicy?: 'Foreground'; gracePeriodSeconds?: number; why: string } & Target)
  | ({ verb: 'patch'; type: PatchType; patch: object; why: string } & Target)
  | { verb: `provider.${ProviderCall}`; node: string; uid: string; attempt: number; graceSeconds?: number; why: string }
  | { verb: 'status'; status: object; why: string }
  | { verb: 'event'; type: 'Normal' | 'Warning'; reason: string; message: string; regarding: Target }
  | EvictAction;

/** The outcome of one pass in which every action succeeds. */
export interface ManifestPlan {
  workload: Target;
  actions: ManifestAction[];
  status: object;
  /** Of a pod that asks for room on a node. */
  admission?: object;
  requeueAfterSeconds?: number;
  outcome: Plan<object>['outcome'];
  why: string[];
  /** The kind's own addition; absent where it adds nothing. */
  extra?: Fields;
}

export interface PlanRequest {
  now: Date;
  /** `KIND/[NAMESPACE/]NAME`: selects one of several workloads. */
  workload?: string;
  /** Options of kinds, as a cluster is registered with them. */
  options?: KindOptions;
  /** Reads documents as the API server does. Absent: nulls are dropped, and only fields that planners read have their types checked. */
  read?: ManifestReader;
  /** Absent: all kinds of this build. */
  kinds?: readonly PlannedKind[];
}

/**
 * @throws UnusableManifestError a document is unreadable, or the API server would refuse the workload
 * @throws SeveralWorkloadsError
 */
export const planManifests = (documents: readonly SourcedDocument[], request: PlanRequest): ManifestPlan =>
  printedPlan(decideFromManifests(documents, request));

/** A workload and the planner's own plan for it. */
export interface Decision {
  workload: Target;
  kind: PlannedKind;
  plan: DocumentPlan;
  extra?: Fields;
}

/** The plan as printed, without fields that only the loop needs. */
export const printedPlan = ({ workload, plan, extra }: Decision): ManifestPlan => ({
  workload,
  actions: plan.actions.map(printedAction),
  status: plan.status,
  ...(plan.admission && { admission: plan.admission }),
  ...(plan.requeueAfterSeconds !== undefined && { requeueAfterSeconds: plan.requeueAfterSeconds }),
  outcome: plan.outcome,
  why: plan.why,
  ...(extra && { extra }),
});

/** @throws as planManifests */
export function decideFromManifests(
  documents: readonly SourcedDocument[],
  { now, workload, options = {}, read = withoutNulls, kinds = plannedKinds() }: PlanRequest,
): Decision {
  const { owners, unnamed, pods, heads, beside, children } = sortedOut(documents, { kinds, options, read, workload });
  const chosen = chooseOwner({ owners, unnamed }, workload, kinds);
  const { facts, row, manifests } = chosen.kind;
  const owner = ownerOf(chosen, { now, options, read });
  const [head, second] = heads;
  if (second) throw new UnusableManifestError(`${second.source}: a second Head; expected at most one, for the workload that is planned`);
  const { namespace = '', name = '', uid = '' } = owner.metadata;
  const snapshot = {
    owner,
    pods: facts.pods ? childrenOf({ pods: facts.pods }, pods, namespace) : [],
    ...(facts.children?.length && { children: otherChildrenOf(facts.children, children, { uid, options }) }),
    isWhole: true,
    head: head?.value ?? EMPTY_HEAD,
    manages: managesAll(kinds.map((kind) => kind.facts)),
    options,
  };
  const planOf = (of: Snapshot<WorkloadObject>): Plan<object> => {
    if (!row) throw new Error(`${facts.kind} has no planner of its own`);
    return row.planner.plan(of, now);
  };
  const sources = new Map<object, string>();
  const valueOf = <Value extends object>({ value, source }: Sourced<Value>): Value => {
    sources.set(value, source);
    return value;
  };
  const given: ManifestGiven<WorkloadObject> = {
    snapshot,
    now,
    read: new Map([...beside].map(([resource, found]) => [resource, found.map(valueOf)])),
    pods: pods.map(valueOf),
    head: head && valueOf({ value: head.document, source: head.source }),
    sourceOf: (object) => sources.get(object) ?? chosen.source,
    options,
    planOf,
  };
  const plan = manifests.plan?.(given) ?? planOf(snapshot);
  const extra = manifests.extraOf?.(given, plan);
  const target = { apiVersion: owner.apiVersion ?? '', kind: facts.kind, namespace, name, uid };
  return { workload: target, kind: chosen.kind, plan, ...(extra && { extra }) };
}

/** Most workloads that a message names. */
const MAX_NAMES = 5;

/** The children of an owner with a namespace are in that namespace. */
const childrenOf = (facts: Required<Pick<PlannedFacts, 'pods'>>, pods: readonly Sourced<Pod>[], namespace: string): PodFacts[] =>
  pods.map(({ value }) => podReaderOf(facts).factsOf(value)).filter((pod) => namespace === '' || pod.namespace === namespace);

/** Children other than pods, by resource: those that the owner controls. */
function otherChildrenOf(
  rows: readonly ChildFacts[],
  given: readonly Sourced<KubernetesObject>[],
  { uid, options }: { uid: string; options: KindOptions },
): ReadonlyMap<string, readonly ChildState[]> {
  const used = rows.filter(({ isUsed }) => isUsed?.({ options }) ?? true);
  return new Map(
    used.map((row): [string, ChildState[]] => {
      const { apiVersion, kind } = row.resource;
      const own = given.filter(({ value }) => value.apiVersion === apiVersion && value.kind === kind);
      const states = own.filter(({ value }) => row.membershipOf(value.metadata)?.uid === uid).map(({ value }) => childStateOf(row, value));
      return [resourceKeyOf(row.resource), states];
    }),
  );
}

function chooseOwner(
  { owners, unnamed }: Pick<Sorted, 'owners' | 'unnamed'>,
  wanted: string | undefined,
  kinds: readonly PlannedKind[],
): Owner {
  const [one] = owners;
  if (wanted !== undefined && one && !/^[^/]*\/[^/]*(?:\/[^/]*)?$/.test(wanted))
    throw new UnusableManifestError(`--workload ${wanted}: expected KIND/NAME or KIND/NAMESPACE/NAME, such as ${one.kind.facts.kind}/demo`);
  const candidates = wanted === undefined ? owners : owners.filter((owner) => isNamed(owner, wanted));
  const [first, second] = candidates;
  if (first && !second) return first;
  const names = owners.map(fullName).join(', ');
  if (first)
    throw new SeveralWorkloadsError(`there are ${candidates.length} workloads (${names}): say which with --workload KIND/[NAMESPACE/]NAME`);
  if (wanted !== undefined) {
    const known = [...owners.map(fullName), ...unnamed.map((owner) => nameWith(wanted, owner))];
    const more = known.length > MAX_NAMES ? ` and ${known.length - MAX_NAMES} more` : '';
    const found = known.length === 0 ? 'there is none at all' : `there are ${known.slice(0, MAX_NAMES).join(', ')}${more}`;
    throw new UnusableManifestError(`no workload is named ${wanted}; ${found}`);
  }
  const byName = kinds
    .filter(({ facts, manifests }) => manifests.isOnlyByName && !facts.isOwnerless)
    .map(({ facts }) => `a ${facts.resource.kind}`);
  const rows = kinds.filter(({ manifests }) => !manifests.isOnlyByName).map(({ facts }) => facts);
  const versions = [...Map.groupBy(rows, ({ resource }) => resource.apiVersion)];
  const expected = versions.map(([version, ofVersion]) => `${ofVersion.map(({ kind }) => kind).join(', ')} (${version})`);
  throw new UnusableManifestError(
    `no workload in the input; expected one of ${expected.join(', ')}${byName.length === 0 ? '' : `, or ${byName.join(' or ')} that --workload names`}`,
  );
}

/** With the word for its kind that the request uses. */
const nameWith = (wanted: string, { namespace, name }: Owner): string =>
  [wanted.split('/', 1)[0], ...(namespace === '' ? [] : [namespace]), name].join('/');

/** The owner as the API server stores it, or would store it: with its defaults, and valid. */
function ownerOf(
  { kind: { manifests }, value, source, namespace }: Owner,
  { now, options, read }: { now: Date; options: KindOptions; read: ManifestReader },
): WorkloadObject {
  manifests.prepare?.(value, options);
  const result = manifests.read(objectOf(manifests.schema, { value, source }, read), { namespace, now });
  if ('owner' in result) return result.owner;
  if ('problem' in result) throw misshapen(result.problem, source);
  const [{ field, message }, ...others] = result.refusals;
  const more = others.length === 0 ? '' : ` (and ${others.length} more: ${others.map((other) => other.field).join(', ')})`;
  throw new UnusableManifestError(`${source}: ${field}: ${message}${more}`);
}

const howDeleted = ({ propagationPolicy, gracePeriodSeconds }: Extract<Action, { verb: 'delete' }>) => ({
  ...(propagationPolicy && { propagationPolicy }),
  ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
});

function printedAction(action: Action | EvictAction): ManifestAction {
  switch (action.verb) {
    case 'create':
      return { verb: 'create', object: action.object, why: action.why };
    case 'delete':
    case 'patch': {
      const { apiVersion, kind, namespace, name, uid, why } = action;
      const target = { apiVersion, kind, namespace, name, uid };
      return action.verb === 'delete'
        ? { verb: 'delete', ...target, ...howDeleted(action), why }
        : { verb: 'patch', ...target, type: action.type, patch: action.patch, why };
    }
    case 'call': {
      const { verb: _verb, call, ...about } = action;
      return { verb: `provider.${call}`, ...about };
    }
    case 'status':
      return { verb: 'status', status: action.status, why: action.why };
    case 'evict': {
      const { verb, apiVersion, kind, namespace, name, uid, status, why } = action;
      return { verb, apiVersion, kind, namespace, name, uid, status, why };
    }
    case 'event':
      break;
  }
  const { type, reason, message, regarding } = action;
  return { verb: 'event', type, reason, message, regarding };
}
