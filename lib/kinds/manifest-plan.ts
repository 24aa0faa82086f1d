// Planning from manifests: takes parsed documents and returns what one pass would do, as `farloop plan` prints it. Contacts nothing.
import type { KubernetesObject, WorkloadObject } from '../objects/kubernetes.ts';
import type { KindOptions } from '../objects/kind-options.ts';
import type { PatchType } from '../objects/resources.ts';
import type { Fields } from '../objects/untyped-fields.ts';
import type { ManifestGiven } from './kind-manifests.ts';
import { misshapen, SeveralWorkloadsError, UnusableManifestError, type SourcedDocument } from './manifest-documents.ts';
import { fullName, isNamed, objectOf, sortedOut, withoutNulls, type ManifestReader, type Owner } from './manifest-sorting.ts';
import { plannedKinds, type PlannedKind } from './manifests.ts';
import { podReaderOf } from './pod-reader.ts';
import { EMPTY_HEAD, type Action, type Plan, type Snapshot, type Target } from './plan.ts';
import { managesAll } from './settings.ts';

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
  /** What the kind adds; absent where it adds nothing. */
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
  plan: Plan<object>;
  extra?: Fields;
}

/** The plan as printed, without fields that only the loop needs. */
export const printedPlan = ({ workload, plan, extra }: Decision): ManifestPlan => ({
  workload,
  actions: plan.actions.map(printedAction),
  status: plan.status,
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
  const { owners, pods, heads, beside } = sortedOut(documents, { kinds, options, read, workload });
  const chosen = chooseOwner(owners, workload, kinds);
  const { facts, row, manifests } = chosen.kind;
  const owner = ownerOf(chosen, { now, options, read });
  const [head, second] = heads;
  if (second) throw new UnusableManifestError(`${second.source}: a second Head; expected at most one, for the workload that is planned`);
  const { namespace = '', name = '', uid = '' } = owner.metadata;
  // The children of an owner with a namespace are in that namespace.
  const children = pods
    .map(({ value }) => podReaderOf(facts).factsOf(value))
    .filter((pod) => namespace === '' || pod.namespace === namespace);
  const snapshot = {
    owner,
    pods: children,
    head: head?.value ?? EMPTY_HEAD,
    manages: managesAll(kinds.map((kind) => kind.facts)),
    options,
  };
  const planOf = (of: Snapshot<WorkloadObject>): Plan<object> => row.planner.plan(of, now);
  const given: ManifestGiven<WorkloadObject> = { snapshot, now, read: beside, options, planOf };
  const plan = manifests.plan?.(given) ?? planOf(snapshot);
  const extra = manifests.extraOf?.(given, plan);
  const target = { apiVersion: owner.apiVersion ?? '', kind: facts.kind, namespace, name, uid };
  return { workload: target, plan, ...(extra && { extra }) };
}

function chooseOwner(owners: readonly Owner[], wanted: string | undefined, kinds: readonly PlannedKind[]): Owner {
  const [one] = owners;
  if (wanted !== undefined && one && !/^[^/]*\/[^/]*(?:\/[^/]*)?$/.test(wanted))
    throw new UnusableManifestError(`--workload ${wanted}: expected KIND/NAME or KIND/NAMESPACE/NAME, such as ${one.kind.facts.kind}/demo`);
  const candidates = wanted === undefined ? owners : owners.filter((owner) => isNamed(owner, wanted));
  const [first, second] = candidates;
  if (first && !second) return first;
  const names = owners.map(fullName).join(', ');
  if (first)
    throw new SeveralWorkloadsError(`there are ${candidates.length} workloads (${names}): say which with --workload KIND/[NAMESPACE/]NAME`);
  if (wanted !== undefined)
    throw new UnusableManifestError(`no workload is named ${wanted}; ${names === '' ? 'there is none at all' : `there are ${names}`}`);
  const rows = kinds.filter(({ manifests }) => !manifests.isOnlyByName).map(({ facts }) => facts);
  throw new UnusableManifestError(
    `no workload in the input; expected one of ${rows.map(({ kind }) => kind).join(', ')} (${rows.map(({ resource }) => resource.apiVersion).join(', ')})`,
  );
}

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
