// All containers of a pod, each with the path that a refusal of it names.
import type { PodSpec } from '../../objects/kubernetes.ts';
import type { Fields } from '../../objects/values/untyped-fields.ts';
import { listOf } from '../../objects/values/untyped-fields.ts';

/** Those of a spec that lies at `field`, in the order in which the API server looks at them. */
export const placedContainers = (spec: PodSpec, field: string): { container: Fields; path: string }[] =>
  ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) =>
    listOf(spec[list]).map((container, at) => ({ container, path: `${field}.${list}[${at}]` })),
  );
