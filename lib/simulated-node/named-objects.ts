// Objects that a pod names and cannot be without: claims before it is placed; accounts, config maps and secrets before its containers start.
import type { Pod } from '../objects/kubernetes.ts';
import { claimsOf } from '../objects/placement/schedulable.ts';
import { fieldsOf, listOf, textOf, type Fields } from '../objects/values/untyped-fields.ts';
import type { NodeClient } from './node-client.ts';
import { RefusedError } from './problems.ts';

/** Something that a pod names is not there. The words are those of kube-scheduler and of the kubelet. */
export interface MissingObject {
  /** Of the containers that wait. None where the pod is not placed. */
  reason: string;
  message: string;
  /** The one container that cannot start; undefined: none of them can. */
  container?: string;
}

type Resource = 'configmaps' | 'secrets' | 'serviceaccounts' | 'persistentvolumeclaims';

/** One object that a pod names. */
export interface NamedObject {
  resource: Resource;
  name: string;
  /** The key that is read; undefined: all there are. */
  key?: string;
  missing: (problem: string) => MissingObject;
}

const SINGULARS: Readonly<Record<Resource, string>> = {
  configmaps: 'configmap',
  secrets: 'secret',
  serviceaccounts: 'serviceaccount',
  persistentvolumeclaims: 'persistentvolumeclaim',
};

const KINDS: Partial<Record<Resource, string>> = { configmaps: 'ConfigMap', secrets: 'Secret' };

/** Of an object's data. */
type Keys = ReadonlySet<string> | 'absent' | 'unread';

/** How long an answer stands: pods of one workload name the same objects. */
const ANSWER_MS = 500;
const ANSWERS_MAX = 1_000;

/** Looks up what pods name. An object that was missing is found within a second of being made. */
export class NamedObjects {
  readonly #client: NodeClient;
  readonly #nowMs: () => number;
  readonly #answers = new Map<string, { atMs: number; keys: Promise<Keys> }>();

  constructor(client: NodeClient, nowMs: () => number) {
    this.#client = client;
    this.#nowMs = nowMs;
  }

  /**
   * The first of these that is not there. Undefined: nothing is missing.
   * @throws when no answer came, or one that says neither yes nor no
   */
  async firstMissing(namespace: string, named: readonly NamedObject[]): Promise<MissingObject | undefined> {
    for (const { resource, name, key, missing } of named) {
      const keys = await this.#keysOf(`/api/v1/namespaces/${namespace}/${resource}/${encodeURIComponent(name)}`);
      if (keys === 'absent') return missing(`${SINGULARS[resource]} ${JSON.stringify(name)} not found`);
      if (key !== undefined && keys !== 'unread' && !keys.has(key))
        return missing(`couldn't find key ${key} in ${KINDS[resource]} ${namespace}/${name}`);
    }
    return undefined;
  }

  #keysOf(path: string): Promise<Keys> {
    const nowMs = this.#nowMs();
    const known = this.#answers.get(path);
    if (known !== undefined && nowMs - known.atMs < ANSWER_MS) return known.keys;
    if (this.#answers.size >= ANSWERS_MAX) this.#answers.clear();
    const keys = this.#read(path);
    keys.catch(() => this.#answers.delete(path));
    this.#answers.set(path, { atMs: nowMs, keys });
    return keys;
  }

  async #read(path: string): Promise<Keys> {
    const { status, body } = await this.#client.request({ method: 'GET', path });
    if (status === 404) return 'absent';
    // These credentials may place pods and not read secrets: pods then start as if all were there.
    if (status === 403) return 'unread';
    if (status !== 200) throw new RefusedError(`GET ${path}`, status, body);
    const { data, binaryData } = fieldsOf(body);
    return new Set([...Object.keys(fieldsOf(data)), ...Object.keys(fieldsOf(binaryData))]);
  }
}

/** Objects that a pod needs to begin: its claims before it has a node; on its node the rest, in the order in which a kubelet needs it. */
export function objectsNamedBy(pod: Pod): NamedObject[] {
  const spec: Fields = pod.spec;
  const volumes = listOf(spec['volumes']);
  if ((pod.spec.nodeName ?? '') === '') return claimsOf(pod).map(claimNamed);
  return [
    ...accountOf(spec),
    ...volumes.flatMap((volume) => [
      ...sourceOf('configmaps', volume['configMap'], volume),
      ...sourceOf('secrets', volume['secret'], volume),
      ...listOf(fieldsOf(volume['projected'])['sources']).flatMap((source) => [
        ...sourceOf('configmaps', source['configMap'], volume),
        ...sourceOf('secrets', source['secret'], volume),
      ]),
    ]),
    ...[...listOf(spec['initContainers']), ...listOf(spec['containers'])].flatMap(environmentOf),
  ];
}

const claimNamed = (name: string): NamedObject => ({
  resource: 'persistentvolumeclaims',
  name,
  missing: (message) => ({ reason: 'Unschedulable', message }),
});

/** Every namespace of a real cluster has the account `default`; a sandbox does without it. */
function accountOf(spec: Fields): NamedObject[] {
  const name = textOf(spec['serviceAccountName']);
  if (name === '' || name === 'default') return [];
  const message = `MountVolume.SetUp failed for volume "kube-api-access" : failed to fetch token: serviceaccounts ${JSON.stringify(name)} not found`;
  return [{ resource: 'serviceaccounts', name, missing: () => ({ reason: 'FailedMount', message }) }];
}

function sourceOf(resource: 'configmaps' | 'secrets', given: unknown, volume: Fields): NamedObject[] {
  const source = fieldsOf(given);
  const name = textOf(source['name']) || textOf(source['secretName']);
  if (name === '' || source['optional'] === true) return [];
  const failed = (problem: string): MissingObject => ({
    reason: 'FailedMount',
    message: `MountVolume.SetUp failed for volume ${JSON.stringify(textOf(volume['name']))} : ${problem}`,
  });
  const kind = resource === 'configmaps' ? 'config' : 'secret';
  return [
    { resource, name, missing: failed },
    ...listOf(source['items']).map(({ key }): NamedObject => {
      const missing = (): MissingObject => failed(`references non-existent ${kind} key: ${textOf(key)}`);
      return { resource, name, key: textOf(key), missing };
    }),
  ];
}

function environmentOf(container: Fields): NamedObject[] {
  const missing = (message: string): MissingObject => ({
    reason: 'CreateContainerConfigError',
    message,
    container: textOf(container['name']),
  });
  const named = (resource: 'configmaps' | 'secrets', given: unknown): NamedObject[] => {
    const { name, key, optional } = fieldsOf(given);
    if (textOf(name) === '' || optional === true) return [];
    return [{ resource, name: textOf(name), ...(typeof key === 'string' && { key }), missing }];
  };
  return [
    ...listOf(container['envFrom']).flatMap((source) => [
      ...named('configmaps', source['configMapRef']),
      ...named('secrets', source['secretRef']),
    ]),
    ...listOf(container['env']).flatMap(({ valueFrom }) => [
      ...named('configmaps', fieldsOf(valueFrom)['configMapKeyRef']),
      ...named('secrets', fieldsOf(valueFrom)['secretKeyRef']),
    ]),
  ];
}
