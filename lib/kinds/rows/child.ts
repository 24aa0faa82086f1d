// A child of a kind's row as views, messages and digests hold it.
import { partBytes, PART_BYTES_MAX, resourceKeyOf, type ChildState } from '../../objects/child-state.ts';
import type { KubernetesObject } from '../../objects/kubernetes.ts';
import { controllerOf } from '../../objects/pods/pod-facts.ts';
import type { ChildFacts } from './kind.ts';

/** Counts the uses of a child's name, where names are used again (R5). */
const NUMBER_ANNOTATION = 'farloop.dev/number';

/** The part that the kind's planner compares takes too many bytes. The workload is parked with this sentence. */
export class OversizedPartError extends Error {
  constructor(kind: string, { namespace, name }: { namespace?: string | undefined; name?: string | undefined }, bytes: number) {
    super(
      `${kind} ${namespace ?? ''}/${name ?? ''}: what is compared of it takes ${bytes} bytes of JSON; at most ${PART_BYTES_MAX} are kept`,
    );
    this.name = 'OversizedPartError';
  }
}

/** @throws OversizedPartError */
export function childStateOf(child: ChildFacts, object: KubernetesObject): ChildState {
  const { resource, revision } = child;
  const { metadata } = object;
  const part = { revision, facts: child.partOf(object) };
  const bytes = partBytes(part);
  if (bytes > PART_BYTES_MAX) throw new OversizedPartError(resource.kind, metadata, bytes);
  const { uid = '', namespace = '', name = '', resourceVersion = '0', labels, annotations, deletionTimestamp } = metadata;
  const number = annotations?.[NUMBER_ANNOTATION];
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
