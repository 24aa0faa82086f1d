// Plays stories on one API server, on which some controller serves the node `edge`, and writes down what came of them.
import type { JsonClient } from '../../../lib/adapters/kubernetes/json-client.ts';
import type { KubernetesObject, Pod } from '../../../lib/objects/kubernetes.ts';
import { CONFIG_MAPS, EVENTS, pathOf, PODS, SECRETS, SERVICES, type Resource } from '../../../lib/objects/resources.ts';
import { comesAbout, until } from '../../claims.ts';
import { called, type Told, type WatchEvent } from '../api-server.ts';
import { callsOf, environmentOf, lineOfEvent, linesOf, type Outcome } from './outcome.ts';
import type { ScriptedProvider } from './scripted-provider.ts';
import type { Acts, Story } from './story.ts';

export const NODE = 'edge';
const SETTLED_WITHIN_MS = 40_000;
const STEP_WITHIN_MS = 120_000;
const KINDS: readonly Resource[] = [CONFIG_MAPS, SECRETS, SERVICES];

/** Known of one namespace. */
class Namespace {
  readonly pods = new Map<string, Pod | undefined>();
  readonly told = new Map<string, Set<string>>();
  changedAtMs = performance.now();
}

export interface PlayerOptions {
  client: JsonClient;
  provider: ScriptedProvider;
  /** A namespace in which nothing happened for so long is settled. */
  quietMs: number;
  restart: (meanwhile: () => Promise<void>) => Promise<void>;
}

export class Player {
  readonly #namespaces = new Map<string, Namespace>();
  readonly #addresses = new Map<string, string>();
  readonly #ending = new AbortController();
  readonly #options: PlayerOptions;
  #failure: unknown;

  constructor(options: PlayerOptions) {
    this.#options = options;
  }

  /** The provider was asked about a pod there. */
  changed(namespace: string): void {
    const known = this.#namespaces.get(namespace);
    if (known) known.changedAtMs = performance.now();
  }

  /** Ready when pods and events are watched. */
  async open(): Promise<void> {
    for (const resource of [PODS, EVENTS]) {
      const path = pathOf(resource);
      const { metadata } = await this.#call<{ metadata: { resourceVersion: string } }>('GET', path);
      void this.#watch(path, metadata.resourceVersion).catch((error: unknown) => {
        if (!this.#ending.signal.aborted) this.#failure = error;
      });
    }
    this.#addresses.set(await this.#apiServerAddress(), 'API-SERVER');
  }

  /** The sandbox has no Service of its API server. */
  async #apiServerAddress(): Promise<string> {
    const path = pathOf(SERVICES, { namespace: 'default' });
    const { items } = await this.#call<{ items: (KubernetesObject & { spec: { clusterIP: string } })[] }>('GET', path);
    const found = items.find(({ metadata }) => metadata.name === 'kubernetes');
    if (found) return found.spec.clusterIP;
    const ports = [{ name: 'https', port: 443, targetPort: 6_443 }];
    const made = await this.#call<{ spec: { clusterIP: string } }>('POST', path, { metadata: { name: 'kubernetes' }, spec: { ports } });
    return made.spec.clusterIP;
  }

  close(): void {
    this.#ending.abort();
  }

  async play({ name, steps }: Story): Promise<Outcome> {
    const namespace = new Namespace();
    this.#namespaces.set(name, namespace);
    await this.#call('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const acts = this.#acts(name, namespace);
    const after: Outcome['after'] = [];
    for (const step of steps) {
      namespace.changedAtMs = performance.now();
      await step.act(acts).catch((error: unknown) => {
        throw new Error(`${name}: ${step.says}: ${(error as Error).message}`, { cause: error });
      });
      await comesAbout(() => performance.now() - namespace.changedAtMs > this.#options.quietMs, SETTLED_WITHIN_MS);
      after.push({ step: step.says, pods: inOrder([...namespace.pods].map(([pod, is]) => [pod, is ? linesOf(is) : ['gone']])) });
    }
    if (this.#failure !== undefined) throw this.#failure;
    const { asked } = this.#options.provider;
    const about = (pod: string) => asked.get(`${name}/${pod}`) ?? [];
    const pods = [...namespace.pods.keys()];
    return {
      after,
      calls: inOrder(pods.map((pod) => [pod, callsOf(about(pod))])),
      environments: inOrder(pods.map((pod) => [pod, environmentOf(about(pod), this.#addresses)])),
      told: inOrder([...namespace.told].map(([pod, lines]) => [pod, [...lines].toSorted()])),
    };
  }

  #acts(namespace: string, known: Namespace): Acts {
    const { provider, restart } = this.#options;
    const keyOf = (name: string): string => `${namespace}/${name}`;
    const wasCalled: Acts['wasCalled'] = (name, call, times = 1) =>
      (provider.asked.get(keyOf(name)) ?? []).filter((asked) => asked.call === call).length >= times;
    return {
      create: async (object) => {
        const resource = KINDS.find(({ kind }) => kind === object.kind);
        if (!resource) throw new Error(`no ${object.kind} is made in a story`);
        const made = await this.#call<KubernetesObject & { spec?: { clusterIP?: string } }>('POST', pathOf(resource, { namespace }), {
          ...object,
          metadata: { ...object.metadata, namespace },
        });
        const address = made.spec?.clusterIP;
        if (address !== undefined && address !== 'None') this.#addresses.set(address, `SERVICE-${made.metadata.name}`);
      },
      pod: async (name, spec = {}, metadata = {}) => {
        await this.#call('POST', pathOf(PODS, { namespace }), {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name, ...metadata },
          spec: {
            nodeName: NODE,
            restartPolicy: 'Never',
            enableServiceLinks: false,
            automountServiceAccountToken: false,
            terminationGracePeriodSeconds: 2,
            tolerations: [{ operator: 'Exists' }],
            containers: [{ name: 'main', image: 'one' }],
            ...spec,
          },
        });
        await until(`pod ${name} seen`, () => known.pods.has(name));
      },
      change: async (name, patch, subresource) =>
        void (await this.#call('PATCH', pathOf(PODS, { namespace, name, subresource }), patch, 'application/strategic-merge-patch+json')),
      remove: async (name, gracePeriodSeconds) =>
        void (await this.#call(
          'DELETE',
          pathOf(PODS, { namespace, name }),
          gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds },
        )),
      answers: (name, call, answers) => provider.answers(keyOf(name), call, answers),
      task: (name, status) => {
        known.changedAtMs = performance.now();
        provider.task(keyOf(name), status);
      },
      endsSlowly: (name) => provider.endsSlowly(keyOf(name)),
      stray: (name) => {
        known.pods.set(name, undefined);
        const metadata = { namespace, name, uid: `00000000-0000-4000-8000-${namespace.length.toString().padStart(12, '0')}` };
        provider.stray(keyOf(name), { apiVersion: 'v1', kind: 'Pod', metadata, spec: { nodeName: NODE, containers: [{ name: 'main' }] } });
      },
      restart: async (meanwhile = () => Promise.resolve()) => {
        await restart(meanwhile);
        known.changedAtMs = performance.now();
      },
      waitFor: async (what, holds) => await until(what, holds, STEP_WITHIN_MS),
      phaseOf: (name) => (known.pods.has(name) ? (known.pods.get(name)?.status?.phase ?? 'gone') : undefined),
      wasCalled,
    };
  }

  async #watch(path: string, resourceVersion: string): Promise<void> {
    const query = `?watch=true&allowWatchBookmarks=true&resourceVersion=${resourceVersion}`;
    for await (const line of this.#options.client.watch({ path: path + query, signal: this.#ending.signal })) {
      const { type, object } = line as WatchEvent;
      const namespace = this.#namespaces.get(object.metadata?.namespace ?? '');
      if (type === 'BOOKMARK' || !namespace) continue;
      if (object.kind === 'Event') {
        const { involvedObject } = object as Told;
        const told = namespace.told.get(involvedObject.name) ?? new Set();
        // One that only counts on is no news.
        if (!told.has(lineOfEvent(object as Told))) namespace.changedAtMs = performance.now();
        namespace.told.set(involvedObject.name, told.add(lineOfEvent(object as Told)));
        continue;
      }
      namespace.changedAtMs = performance.now();
      namespace.pods.set(object.metadata.name ?? '', type === 'DELETED' ? undefined : (object as Pod));
    }
    if (!this.#ending.signal.aborted) throw new Error(`the watch of ${path} has ended`);
  }

  async #call<Answered>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object, contentType?: string): Promise<Answered> {
    return await called<Answered>(this.#options.client, { method, path, body, contentType });
  }
}

const inOrder = <Value>(entries: readonly (readonly [string, Value])[]): Record<string, Value> =>
  Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
