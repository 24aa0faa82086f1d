// `up --apply`: manifests onto the cluster, created or brought up to date, and how the workloads among them get on that Farloop manages.
import type { WorkloadSummary } from '../../api/told-workload.ts';
import { listWorkloads } from '../../api/workloads.ts';
import type { KubernetesObject, WorkloadObject } from '../../objects/kubernetes.ts';
import type { Resource } from '../../objects/resources.ts';
import { NAMESPACES, NODES, PODS } from '../../objects/resources.ts';
import { fieldsOf, isObjectMetadata, textOf } from '../../objects/values/untyped-fields.ts';
import type { ManifestObject, SourcedDocument } from '../../kinds/rows/manifest-documents.ts';
import { objectsIn, UnusableManifestError } from '../../kinds/rows/manifest-documents.ts';
import { ALL_FACTS } from '../../kinds/facts.ts';
import type { KindFacts } from '../../kinds/rows/kind.ts';
import { shownFor } from '../../kinds/shown.ts';
import { deadlineIn } from '../../ports/clock.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { isInScope, type ClusterRecord } from '../../ports/clusters.ts';
import { ConflictError } from '../../ports/errors.ts';
import type { Ports } from '../../ports/ports.ts';
import { UsageError } from '../terminal/exit.ts';
import { progressText } from '../queries/figures.ts';
import { standingText } from '../queries/standing-text.ts';
import { whoseText } from '../queries/whose-workload.ts';
import { LiveLines, type LiveLine } from '../terminal/live-lines.ts';
import { printLine, printProblem } from '../terminal/output.ts';
import { colourOfState } from '../terminal/state-colour.ts';
import { suggestionText } from '../terminal/suggestions.ts';

/** An object and where it stands, such as `job.yaml:12`. */
export interface SourcedObject {
  object: KubernetesObject;
  source: string;
  placeOf?: (path: string) => string;
}

const core = (kind: string, plural: string): Resource => ({ apiVersion: 'v1', kind, plural, namespaced: true });

/** The kinds whose owners can be applied. */
const OWNED = ALL_FACTS.filter(({ isOwnerless }) => !isOwnerless);

const DEFINITIONS: Resource = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
const of = (apiVersion: string, kind: string, plural: string, namespaced = true): Resource => ({ apiVersion, kind, plural, namespaced });
const RBAC = 'rbac.authorization.k8s.io/v1';
const ADMISSION = 'admissionregistration.k8s.io/v1';

/** Resources that can be applied: workloads, and the objects around them that a sandbox keeps. */
const APPLICABLE: readonly Resource[] = [
  ...OWNED.map(({ resource }) => resource),
  PODS,
  NAMESPACES,
  NODES,
  core('ConfigMap', 'configmaps'),
  core('Secret', 'secrets'),
  core('Service', 'services'),
  core('ServiceAccount', 'serviceaccounts'),
  core('PersistentVolumeClaim', 'persistentvolumeclaims'),
  DEFINITIONS,
  of('apps/v1', 'Deployment', 'deployments'),
  of('autoscaling/v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers'),
  of('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies'),
  of('policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets'),
  of('scheduling.k8s.io/v1', 'PriorityClass', 'priorityclasses', false),
  of(RBAC, 'Role', 'roles'),
  of(RBAC, 'RoleBinding', 'rolebindings'),
  of(RBAC, 'ClusterRole', 'clusterroles', false),
  of(RBAC, 'ClusterRoleBinding', 'clusterrolebindings', false),
  of(ADMISSION, 'ValidatingAdmissionPolicy', 'validatingadmissionpolicies', false),
  of(ADMISSION, 'ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings', false),
];

/** Resources that definitions among the objects make. */
function definedBy(objects: Iterable<Pick<KubernetesObject, 'apiVersion' | 'kind'>>): Resource[] {
  const resources: Resource[] = [];
  for (const object of objects) {
    if (!isOf(object, DEFINITIONS)) continue;
    const { group, names, scope, versions } = fieldsOf(fieldsOf(object)['spec']);
    const { kind, plural } = fieldsOf(names);
    for (const version of Array.isArray(versions) ? versions : [])
      resources.push(of(`${textOf(group)}/${textOf(fieldsOf(version)['name'])}`, textOf(kind), textOf(plural), scope !== 'Cluster'));
  }
  return resources;
}

/** Definitions and namespaces go before the objects that need them. */
const rankOf = ({ object }: SourcedObject): number => (isOf(object, DEFINITIONS) ? 0 : isOf(object, NAMESPACES) ? 1 : 2);

const isOf = ({ apiVersion, kind }: Pick<KubernetesObject, 'apiVersion' | 'kind'>, resource: Resource): boolean =>
  resource.apiVersion === apiVersion && resource.kind === kind;

type FollowPorts = Pick<Ports, 'clock' | 'clusters' | 'store' | 'telemetry'>;

const CALL_MS = 10_000;
const LOOK_EVERY_MS = 250;
const ESTABLISHED_WITHIN_MS = 30_000;

/** Parsed documents as objects, lists opened. @throws UsageError, before anything is applied, for one that cannot be */
export function applicableObjects(documents: readonly SourcedDocument[]): SourcedObject[] {
  const objects: SourcedObject[] = [];
  try {
    const opened = [...objectsIn(documents)];
    const defined = definedBy(opened.map(({ object }) => object));
    for (const { object, source, placeOf } of opened) {
      resourceOf(object, source, defined);
      if (!isNamed(object)) throw new UsageError(`${source}: metadata.name: expected the name of this ${object.kind}`);
      objects.push({ object, source, ...(placeOf && { placeOf }) });
    }
  } catch (error) {
    throw error instanceof UnusableManifestError ? new UsageError(error.message, { cause: error }) : error;
  }
  return objects.toSorted((one, other) => rankOf(one) - rankOf(other));
}

const isNamed = (object: ManifestObject): object is ManifestObject & KubernetesObject =>
  isObjectMetadata(object['metadata']) && textOf(object['metadata']['name']) !== '';

function resourceOf(object: Pick<KubernetesObject, 'apiVersion' | 'kind'>, source: string, defined: readonly Resource[]): Resource {
  const found = [...APPLICABLE, ...defined].find((resource) => isOf(object, resource));
  if (found) return found;
  const { apiVersion, kind } = object;
  const kinds = APPLICABLE.map((resource) => resource.kind);
  const what = `${source}: ${kind ?? 'an object without kind'} of ${apiVersion ?? 'no apiVersion'} cannot be applied here`;
  const namesake = APPLICABLE.find((resource) => resource.kind === kind);
  if (namesake) throw new UsageError(`${what}: ${namesake.kind} is of ${namesake.apiVersion}`);
  throw new UsageError(`${what}${suggestionText(kind ?? '', kinds)}: expected one of ${kinds.join(', ')}`);
}

/**
 * Says on standard output what became of each, then how the workloads among them get on until all have ended or the signal fires. Nobody
 * waits for one that Farloop does not manage there: whose it is, and what to do, is said on standard error.
 */
export async function applyAndFollow(
  { cluster, ports }: { cluster: { name: string; access: Pick<Cluster, 'create' | 'get' | 'patch'> }; ports: FollowPorts },
  manifests: readonly SourcedObject[],
  signal: AbortSignal,
): Promise<void> {
  const open = new Map<string, KindFacts>();
  const record = await ports.clusters.get(cluster.name);
  const defined = definedBy(manifests.map(({ object }) => object));
  for (const { object, source, placeOf = () => source } of manifests) {
    if (signal.aborted) return;
    const name = `${object.kind?.toLowerCase()}/${object.metadata.name}`;
    try {
      const { became, applied } = await applyOne(cluster.access, object, resourceOf(object, source, defined), {
        placeOf,
        clock: ports.clock,
      });
      printLine(`${name} ${became}`);
      if (isOf(object, DEFINITIONS)) await established(cluster.access, name, object, ports.clock);
      const facts = OWNED.find(({ resource }) => isOf(object, resource));
      if (!facts) continue;
      const whose = record && whoseIs(applied, { facts, given: object, record });
      if (whose === undefined) open.set(applied.metadata.uid ?? '', facts);
      else printProblem(`farloop: ${source}: ${name} is not managed by Farloop: ${whose}`);
    } catch (error) {
      // The instance runs all the same, and so do the other manifests.
      printProblem(`farloop: ${source}: ${name} is not applied: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  await follow(ports, cluster.name, open, signal);
}

/** @returns undefined for a workload that Farloop manages */
function whoseIs(
  applied: WorkloadObject,
  { facts, given, record }: { facts: KindFacts; given: WorkloadObject; record: ClusterRecord },
): string | undefined {
  const { namespace = '' } = applied.metadata;
  if ((!facts.resource.namespaced || isInScope(record, namespace)) && facts.isManaged(applied, record.manages)) return undefined;
  const managedBy = facts.managerOf(applied);
  return whoseText(shownFor(facts.kind), { namespace, ...(managedBy !== undefined && { managedBy }) }, record, facts.managerOf(given));
}

async function applyOne(
  cluster: Pick<Cluster, 'create' | 'get' | 'patch'>,
  given: KubernetesObject,
  resource: Resource,
  { placeOf, clock }: { placeOf: (path: string) => string; clock: Clock },
): Promise<{ became: 'created' | 'configured' | 'unchanged'; applied: WorkloadObject }> {
  const namespace = resource.namespaced ? (given.metadata.namespace ?? 'default') : '';
  const object = { ...given, metadata: { ...given.metadata, ...(resource.namespaced && { namespace }) } };
  // An API server names the field that it warns of, such as `unknown field "spec.foo"`.
  const warned = (warning: string): void => printProblem(`Warning: ${warning} (${placeOf(/ field "([^"]+)"/.exec(warning)?.[1] ?? '')})`);
  try {
    const { object: applied } = await cluster.create<WorkloadObject>(resource, object, deadlineIn(clock, CALL_MS), { warned });
    return { became: 'created', applied };
  } catch (error) {
    if (!(error instanceof ConflictError && error.reason === 'alreadyExists')) throw error;
  }
  const target = { namespace, name: given.metadata.name ?? '' };
  const { object: before } = await cluster.get(resource, target, deadlineIn(clock, CALL_MS));
  const uid = before.metadata.uid ?? '';
  const patch = { type: 'merge', body: object } as const;
  const { object: applied } = await cluster.patch<WorkloadObject>(resource, { ...target, uid }, patch, deadlineIn(clock, CALL_MS), {
    warned,
  });
  return { became: applied.metadata.resourceVersion === before.metadata.resourceVersion ? 'unchanged' : 'configured', applied };
}

/** Waits until the API server serves the objects of a definition. @throws Error if it does not */
async function established(cluster: Pick<Cluster, 'get'>, name: string, { metadata }: KubernetesObject, clock: Clock): Promise<void> {
  const target = { namespace: '', name: metadata.name ?? '' };
  for (let waitedMs = 0; waitedMs <= ESTABLISHED_WITHIN_MS; waitedMs += LOOK_EVERY_MS) {
    const { object } = await cluster.get(DEFINITIONS, target, deadlineIn(clock, CALL_MS));
    const { conditions } = fieldsOf(fieldsOf(object)['status']);
    const isTrue = (condition: unknown): boolean =>
      fieldsOf(condition)['type'] === 'Established' && fieldsOf(condition)['status'] === 'True';
    if (Array.isArray(conditions) && conditions.some(isTrue)) return;
    await clock.wait(LOOK_EVERY_MS);
  }
  throw new Error(`it was not established within ${ESTABLISHED_WITHIN_MS / 1_000} s: kubectl describe ${name} says why`);
}

/**
 * A training job has succeeded once its master has: what its workers that still ran came to is counted in a pass that follows, and a line that
 * says otherwise must not be the last.
 */
export function lineOf(kind: string, workload: WorkloadSummary): LiveLine {
  const { name, state, reason, figures } = workload;
  const standing = standingText(workload);
  const text = `${kind.toLowerCase()}/${name} ${standing}: ${progressText(workload)}${state === 'Parked' && reason !== undefined ? ` (${reason})` : ''}`;
  const isActive = figures.some((figure) => figure.name === 'active' && figure.value > 0);
  return { text, colour: colourOfState(standing), isLast: (state === 'Succeeded' || state === 'Failed') && !isActive };
}

/** A line for each, until all have ended. @param workloads uids, each with its kind */
async function follow(ports: FollowPorts, cluster: string, workloads: ReadonlyMap<string, KindFacts>, signal: AbortSignal): Promise<void> {
  const open = new Map(workloads);
  const lines = new LiveLines();
  try {
    while (open.size > 0 && !signal.aborted) {
      for (const kind of new Set([...open.values()].map((facts) => facts.kind))) {
        const { items } = await listWorkloads(ports, { cluster, kind }, { limit: 1_000 });
        for (const workload of items) {
          const { uid } = workload;
          if (!open.has(uid)) continue;
          const line = lineOf(kind, workload);
          lines.set(uid, line);
          if (line.isLast) open.delete(uid);
        }
      }
      await ports.clock.wait(LOOK_EVERY_MS, signal);
    }
  } finally {
    lines.end();
  }
}
