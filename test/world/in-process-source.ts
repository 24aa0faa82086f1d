// The relay's side of the sandbox's API server without sockets: pages and watches, as the server tells them.
import type { KubernetesObject, Status } from '../../lib/objects/kubernetes.ts';
import { pathOf, type Resource } from '../../lib/objects/resources.ts';
import type { Answer, ClusterSource, ListAnswer, Named, WatchEvent } from '../../lib/ports/cluster.ts';
import type { EmbeddedCluster } from '../../lib/sandbox/sandbox.ts';
import { errorOf, objectIn } from './in-process-cluster.ts';

const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

export class InProcessSource implements ClusterSource {
  readonly #handle: EmbeddedCluster['handle'];
  readonly #nowMs: () => number;

  /** @param nowMs the cluster's clock */
  constructor(handle: EmbeddedCluster['handle'], nowMs: () => number) {
    this.#handle = handle;
    this.#nowMs = nowMs;
  }

  signOfLife = async (): Promise<void> => {};

  async get<Item extends KubernetesObject>(resource: Resource, target: Named): Promise<Answer<Item>> {
    return await this.#ask<Item>(resource, target, {});
  }

  async listPage<Item extends KubernetesObject>(
    resource: Resource,
    selection: Parameters<ClusterSource['listPage']>[1],
  ): Promise<ListAnswer<Item> & { continueToken?: string }> {
    const { namespace, labelSelector, fieldSelector, limit, continueToken, resourceVersion, metadataOnly } = selection;
    const exact = resourceVersion === undefined ? undefined : 'Exact';
    const query = {
      labelSelector,
      fieldSelector,
      limit: String(limit),
      continue: continueToken,
      resourceVersion,
      resourceVersionMatch: exact,
    };
    const { object, dateMs } = await this.#ask<KubernetesObject & { items: Item[]; metadata: { continue?: string } }>(
      resource,
      { namespace },
      query,
      metadataOnly === true ? METADATA_ONLY : undefined,
    );
    const { resourceVersion: version = '0', continue: next } = object.metadata;
    return { items: object.items, resourceVersion: version, dateMs, ...(next && { continueToken: next }) };
  }

  async *watch<Item extends KubernetesObject>(
    resource: Resource,
    { namespace, labelSelector, fieldSelector, resourceVersion, timeoutSeconds }: Parameters<ClusterSource['watch']>[1],
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent<Item>, void> {
    const query = {
      watch: 'true',
      allowWatchBookmarks: 'true',
      labelSelector,
      fieldSelector,
      resourceVersion,
      timeoutSeconds: String(timeoutSeconds),
    };
    const answer = await this.#handle(requestOf(pathOf(resource, { namespace }), query));
    if ('body' in answer) throw errorOf(JSON.parse(answer.body) as Status, answer.status);
    const told: { type: string; object: KubernetesObject }[] = [];
    let hasEnded = false;
    let wake = (): void => {};
    const stop = answer.stream({
      write: (text) => {
        told.push(JSON.parse(text) as (typeof told)[number]);
        wake();
      },
      end: () => {
        hasEnded = true;
        wake();
      },
    });
    signal.addEventListener('abort', () => wake(), { once: true });
    try {
      while (!signal.aborted) {
        const next = told.shift();
        if (next?.type === 'ERROR') throw errorOf(next.object as unknown as Status, Number((next.object as { code?: number }).code));
        if (next?.type === 'BOOKMARK') yield { type: 'BOOKMARK', resourceVersion: next.object.metadata.resourceVersion ?? '0' };
        else if (next) yield { type: next.type as 'ADDED', object: next.object as Item };
        else if (hasEnded) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      stop();
    }
  }

  async #ask<Answered>(
    resource: Resource,
    target: { namespace?: string | undefined; name?: string | undefined },
    query: Record<string, string | undefined>,
    accept?: string,
  ): Promise<Answer<Answered>> {
    const answer = await this.#handle(requestOf(pathOf(resource, target), query, accept));
    if (!('body' in answer)) throw new Error('a stream where an answer was expected');
    const object = objectIn(answer);
    if (answer.status >= 300) throw errorOf(object as Status, answer.status);
    return { object: object as Answered, dateMs: Math.floor(this.#nowMs() / 1000) * 1000 };
  }
}

const requestOf = (path: string, query: Record<string, string | undefined>, accept = 'application/json') => ({
  method: 'GET',
  path,
  query: new URLSearchParams(Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)),
  headers: { accept },
  body: '',
});
