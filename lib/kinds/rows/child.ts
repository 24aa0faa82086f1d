// A child of a kind's row as views, messages and digests hold it.
import { createHash } from 'node:crypto';
import { canonicalText, partBytes, PART_BYTES_MAX, resourceKeyOf, type ChildState, type Part } from '../../objects/child-state.ts';
import type { KubernetesObject } from '../../objects/kubernetes.ts';
import { CHILD_NUMBER, controllerOf } from '../../objects/pods/pod-facts.ts';
import type { ChildFacts, KindFacts } from './kind.ts';

/** The part that the kind's planner compares takes too many bytes. The workload is parked with this sentence. */
export class OversizedPartError extends Error {
  constructor(kind: string, { namespace, name }: { namespace?: string | undefined; name?: string | undefined }, bytes: number) {
    super(
      `${kind} ${namespace ?? ''}/${name ?? ''}: what is compared of it takes ${bytes} bytes of JSON; at most ${PART_BYTES_MAX} are kept`,
    );
    this.name = 'OversizedPartError';
  }
}

/** The compared part of an object: one that its kind makes, or one that is there. */
export const childPartOf = ({ revision, partOf }: Pick<ChildFacts, 'revision' | 'partOf'>, object: KubernetesObject): Part => ({
  revision,
  facts: partOf(object),
});

/** A digest for a part, of values that are too large for one or that nobody but the cluster should keep. */
export const digestOf = (value: unknown): string =>
  createHash('sha256')
    .update(canonicalText(value ?? {}))
    .digest('hex')
    .slice(0, 16);

/** @throws OversizedPartError */
export function childStateOf(child: ChildFacts, object: KubernetesObject): ChildState {
  const { resource } = child;
  const { metadata } = object;
  const part = childPartOf(child, object);
  const bytes = partBytes(part);
  if (bytes > PART_BYTES_MAX) throw new OversizedPartError(resource.kind, metadata, bytes);
  const { uid = '', namespace = '', name = '', resourceVersion = '0', labels, annotations, deletionTimestamp } = metadata;
  const number = annotations?.[CHILD_NUMBER];
  return {
    resource: resourceKeyOf(resource),
    uid,
    namespace,
    name,
    resourceVersion,
    ...(labels && Object.keys(labels).length > 0 && { labels }),
    ...(number !== undefined && /^(0|[1-9]\d{0,8})$/.test(number) && { number: Number(number) }),
    ...(deletionTimestamp !== undefined && { terminating: true as const }),
    ...(child.mayAdopt && controllerOf(metadata.ownerReferences) === undefined && { orphaned: true as const }),
    part,
  };
}

/** Whether workloads of the kind can have children at all. */
export const hasChildren = ({ pods, children }: Pick<KindFacts, 'pods' | 'children'>): boolean => pods !== undefined || children.length > 0;
