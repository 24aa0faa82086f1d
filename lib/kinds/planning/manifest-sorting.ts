// Sorts documents by the rows' resources: owners, pods, heads, and other objects that a kind reads.
import type { KubernetesObject, Pod } from '../../objects/kubernetes.ts';
import { PODS, type Resource } from '../../objects/resources.ts';
import { isFields, type Fields } from '../../objects/values/untyped-fields.ts';
import type { KindOptions } from '../../objects/kind-options.ts';
import { wordsFor } from '../kind-names.ts';
import { dropNulls, misshapen, objectsIn, UnusableManifestError, type SourcedDocument } from '../rows/manifest-documents.ts';
import { isObject, isPod, objectProblem, podProblem, readHead, type ShapeProblem } from '../rows/manifest-shapes.ts';
import type { PlannedKind } from '../manifests.ts';
import type { PlanHead } from '../rows/plan.ts';

export interface Sourced<Value> {
  value: Value;
  source: string;
}

export interface Owner extends Sourced<Fields> {
  kind: PlannedKind;
  /** Empty for an owner whose resource is cluster-scoped. */
  namespace: string;
  name: string;
}

export interface Sorted {
  owners: Owner[];
  /** Of the kind that the request names, but not the one. */
  unnamed: Owner[];
  pods: Sourced<Pod>[];
  heads: (Sourced<PlanHead> & { document: Fields })[];
  beside: Map<Resource, Sourced<KubernetesObject>[]>;
  /** Objects of the resources that children of the wanted kinds have, pods apart. */
  children: Sourced<KubernetesObject>[];
}

/**
 * Reads a document as the API server does, or returns why the server would refuse it.
 * @param schema the API server's name of its type; undefined if the server does not know its fields
 */
export type ManifestReader = (
  schema: string | undefined,
  document: Fields,
  source: string,
) => { object: Fields } | { problem: ShapeProblem };

export interface SortRequest {
  kinds: readonly PlannedKind[];
  options: KindOptions;
  read: ManifestReader;
  /** `KIND/[NAMESPACE/]NAME` */
  workload: string | undefined;
}

const HEAD_API_VERSION = 'farloop.dev/v1';

/** Leaves out objects that no planner reads. */
export function sortedOut(documents: readonly SourcedDocument[], { kinds, options, read, workload }: SortRequest): Sorted {
  const sorted: Sorted = { owners: [], unnamed: [], pods: [], heads: [], beside: new Map(), children: [] };
  const uids = new Map<string, string>();
  const names = new Map<string, string>();
  const wanted = kinds.filter(({ facts, manifests }) => !manifests.isOnlyByName || isOfKind(facts, workload));
  const besides = wanted.flatMap(({ manifests }) => manifests.besides(options));
  const ofChildren = wanted.flatMap(({ facts }) => (facts.children ?? []).map(({ resource }) => resource));
  for (const { object: document, source } of objectsIn(documents)) {
    if (document.apiVersion === HEAD_API_VERSION && document.kind === 'Head') {
      dropNulls(document);
      const head = readHead(document);
      if ('expected' in head) throw misshapen(head, source);
      sorted.heads.push({ value: head, document, source });
      continue;
    }
    const beside = besides.find(({ resource }) => isOf(resource, document));
    if (beside) {
      dropNulls(document);
      const given = beside.schema === undefined ? document : objectOf(beside.schema, { value: document, source }, read);
      const problem = beside.problemOf(given);
      if (problem) throw misshapen(problem, source);
      // The shape was checked, so metadata is there.
      const value = given as Fields & KubernetesObject;
      sorted.beside.set(beside.resource, [...(sorted.beside.get(beside.resource) ?? []), { value, source }]);
    }
    if (ofChildren.some((resource) => isOf(resource, document))) {
      dropNulls(document);
      if (!isObject(document)) throw misshapen(objectProblem(document), source);
      sorted.children.push({ value: document, source });
    }
    let value: Fields = document;
    if (isOf(PODS, document)) {
      const pod = podIn(objectOf('Pod', { value: document, source }, read), source);
      const { uid = '', name } = pod.metadata;
      const first = uids.get(uid);
      // Refuse a pod that is given twice: it would be counted twice.
      if (first !== undefined)
        throw new UnusableManifestError(`${source}: metadata.uid: expected each pod once, found ${name} (${uid}) as in ${first}`);
      uids.set(uid, source);
      sorted.pods.push({ value: pod, source });
      value = { ...pod };
    }
    for (const kind of wanted) {
      if (!isOf(kind.facts.resource, document)) continue;
      const owner = ownerIn(value, source, kind);
      if (kind.manifests.isOnlyByName && !isNamed(owner, workload ?? '')) {
        sorted.unnamed.push(owner);
        continue;
      }
      const full = fullName(owner);
      const first = names.get(full);
      // --workload could not distinguish the two.
      if (first !== undefined)
        throw new UnusableManifestError(`${source}: metadata.name: expected each workload once, found ${full} as in ${first}`);
      names.set(full, source);
      sorted.owners.push(owner);
    }
  }
  return sorted;
}

const isOf = (resource: Resource, { apiVersion, kind }: { apiVersion: string; kind: string }): boolean =>
  resource.kind === kind && resource.apiVersion === apiVersion;

function podIn(pod: Fields, source: string): Pod {
  if (!isPod(pod)) throw misshapen(podProblem(pod), source);
  pod.metadata.namespace ??= 'default';
  return pod;
}

function ownerIn(document: Fields, source: string, kind: PlannedKind): Owner {
  const metadata = isFields(document['metadata']) ? document['metadata'] : {};
  const { name } = metadata;
  const namespace = kind.facts.resource.namespaced ? (metadata['namespace'] ?? 'default') : '';
  if (typeof name !== 'string' || typeof namespace !== 'string' || name === '')
    throw new UnusableManifestError(`${source}: metadata.name: expected the name of this ${kind.facts.kind}`);
  return { value: document, source, kind, namespace, name };
}

/** `KIND/NAMESPACE/NAME`, or `KIND/NAME` for an owner without a namespace. */
export const fullName = ({ kind, namespace, name }: Owner): string =>
  [kind.facts.kind, ...(namespace === '' ? [] : [namespace]), name].join('/');

/** Also false if `wanted` is not a workload's name. */
export function isNamed({ kind, namespace, name }: Owner, wanted: string): boolean {
  const parts = wanted.split('/');
  const [wantedKind = '', ...rest] = parts;
  if (parts.length < 2 || parts.length > 3) return false;
  const [wantedName, wantedNamespace] = rest.toReversed();
  return name === wantedName && (wantedNamespace === undefined || namespace === wantedNamespace) && isWordFor(kind.facts, wantedKind);
}

/** Whether a workload's name names one of this kind. */
export const isOfKind = (facts: PlannedKind['facts'], wanted: string | undefined): boolean =>
  wanted !== undefined && isWordFor(facts, wanted.split('/', 1)[0] ?? '');

const isWordFor = (facts: PlannedKind['facts'], word: string): boolean => wordsFor(facts).includes(word.toLowerCase());

/** @throws UnusableManifestError the reader cannot read it */
export function objectOf(schema: string | undefined, { value, source }: Sourced<Fields>, read: ManifestReader): Fields {
  const result = read(schema, value, source);
  if ('problem' in result) throw misshapen(result.problem, source);
  return result.object;
}

/** A reader that checks no types. */
export function withoutNulls(_schema: string | undefined, document: Fields): { object: Fields } {
  dropNulls(document);
  return { object: document };
}
