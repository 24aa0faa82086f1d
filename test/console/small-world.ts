// A cluster of a few objects that keeps what is written to it: for tests that look at what an action has left behind.
import type { KubernetesObject, Pod } from '../../lib/objects/kubernetes.ts';
import { isFields, type Fields } from '../../lib/objects/values/untyped-fields.ts';
import { NotFoundError } from '../../lib/ports/errors.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';

export interface SmallWorld {
  cluster: Cluster;
  /** Owners and nodes, by name. */
  objects: Map<string, Fields>;
  /** By name. */
  pods: Map<string, Pod>;
}

/** As an API server merges: null removes. */
function mergedInto(object: Fields, patch: Fields): Fields {
  const after = { ...object };
  for (const [field, value] of Object.entries(patch)) {
    const before = after[field];
    if (value === null) Reflect.deleteProperty(after, field);
    else after[field] = isFields(value) ? mergedInto(isFields(before) ? before : {}, value) : value;
  }
  return after;
}

export function smallWorld(objects: Map<string, Fields>, pods = new Map<string, Pod>()): SmallWorld {
  let version = 100;
  const found = (name: string): Fields => {
    const object = objects.get(name);
    if (!object) throw new NotFoundError(`${name} is not there`);
    return object;
  };
  const store = (name: string, object: Fields): { object: Fields; dateMs: number } => {
    const stored = mergedInto(object, { metadata: { resourceVersion: String(version++) } });
    objects.set(name, stored);
    return { object: stored, dateMs: 0 };
  };
  const cluster = {
    get: async (_resource: unknown, { name }: { name: string }) => ({ object: found(name), dateMs: 0 }),
    list: async () => ({ items: [...pods.values()], resourceVersion: '1', dateMs: 0 }),
    patch: async (_resource: unknown, { name }: { name: string }, { body }: { body: Fields }) => store(name, mergedInto(found(name), body)),
    create: async (_resource: unknown, object: KubernetesObject) => {
      const { name = '' } = object.metadata;
      if (object.kind !== 'Eviction') return store(name, mergedInto(object as unknown as Fields, { metadata: { uid: `uid-of-${name}` } }));
      pods.delete(name);
      return { object, dateMs: 0 };
    },
  };
  return { cluster: cluster as unknown as Cluster, objects, pods };
}
