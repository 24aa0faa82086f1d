// A virtual node's HTTP API for tests, on the loopback: its cluster and its tasks are what a test says, and its callers come over TLS.
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import { join } from 'node:path';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import type { KubernetesObject, Pod } from '../../lib/objects/kubernetes.ts';
import type { Resource } from '../../lib/objects/resources.ts';
import { serveNode, type NodeServer, type NodeTasks } from '../../lib/node-api/node-server.ts';
import { NotFoundError } from '../../lib/ports/errors.ts';
import type { Task } from '../../lib/objects/task.ts';
import type { Fields } from '../../lib/ports/telemetry.ts';
import { until } from '../claims.ts';
import { kubeletClient, type KubeletClient } from '../cluster/kubelet-client.ts';

export const NODE = 'edge';
const TEXT_BYTES_MAX = 16 * 1024 * 1024;

/** Resolves once a figure has stayed the same for half a second. */
export async function settled(what: string, figure: () => number): Promise<number> {
  let [before, sinceMs] = [figure(), performance.now()];
  await until(
    `${what} stays the same`,
    () => {
      const now = figure();
      if (now !== before) [before, sinceMs] = [now, performance.now()];
      return performance.now() - sinceMs > 500;
    },
    30_000,
  );
  return before;
}

/** As TokenReview and SubjectAccessReview would answer. */
export interface Rights {
  /** By token: who that is. A token of another audience is nobody's. */
  tokens: Record<string, { username: string; groups?: string[] }>;
  /** What a caller may do, as `verb subresource`; `*`: everything. */
  allowed: Record<string, readonly string[]>;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

interface Ask {
  method?: string;
  headers?: Record<string, string>;
  /** Absent: the API server's certificate. */
  as?: { cert?: string; key?: string; token?: string };
}

export const runningPod = (name: string, { node = NODE, uid = `uid-${name}`, ...status }: Record<string, unknown> = {}): Pod =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', name, uid },
    spec: { nodeName: node, containers: [{ name: 'main', image: 'none' }] },
    status: { phase: 'Running', containerStatuses: [{ name: 'main', state: { running: {} } }], ...status },
  }) as Pod;

export const taskOf = ({ metadata }: Pod, hasEnded = false): Task => ({
  uid: metadata.uid ?? '',
  attempt: 1,
  namespace: 'default',
  name: metadata.name ?? '',
  hasEnded,
  status: {},
});

/** Certificates cost some time: one for all tests of a file. */
export class NodeUnderTest {
  readonly pods: Pod[] = [];
  readonly rights: Rights = { tokens: {}, allowed: { 'kube-apiserver-kubelet-client': ['*'] } };
  /** Reviews that were asked for, by kind. */
  readonly reviews: string[] = [];
  readonly warnings: { message: string; fields: Fields }[] = [];
  tasks: NodeTasks = { list: async () => ({ tasks: this.pods.map((pod) => taskOf(pod)) }) };
  client!: KubeletClient;
  caPem = '';
  #own: { cert: string; key: string } | undefined;
  #server: NodeServer | undefined;

  static async prepare(): Promise<NodeUnderTest> {
    const under = new NodeUnderTest();
    under.client = await kubeletClient();
    under.caPem = await readFile(join(under.client.folder, 'ca.crt'), 'utf8');
    under.#own = await under.client.certificate({ name: 'kube-apiserver-kubelet-client', group: 'system:masters' });
    return under;
  }

  /** Anew, with nothing known. */
  async start({ isOpen = false }: { isOpen?: boolean } = {}): Promise<void> {
    await this.#server?.close();
    const clock = new SystemClock();
    const nothing = (): void => {};
    this.#server = await serveNode({
      node: NODE,
      host: '127.0.0.1',
      address: '127.0.0.1',
      port: 0,
      isOpen,
      signersAgainMs: 300,
      beatEveryMs: 200,
      tasks: this.tasks,
      cluster: {
        get: async (resource: Resource, { namespace, name }: { namespace: string; name: string }) => ({
          object: this.#object(resource, namespace, name),
        }),
        list: async () => ({ items: this.pods.filter(({ spec }) => spec.nodeName === NODE) }),
        create: async (resource: Resource, review: KubernetesObject) => ({ object: this.#reviewed(resource, review) }),
      } as never,
      clock,
      telemetry: {
        debug: nothing,
        info: nothing,
        error: nothing,
        count: nothing,
        warn: (message, fields = {}) => void this.warnings.push({ message, fields }),
      },
    });
  }

  get port(): number {
    return this.#server?.port ?? 0;
  }

  async stop(): Promise<void> {
    await this.#server?.close();
    await this.client.dispose();
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  /** @param as a caller without a certificate has `{}` */
  options(path: string, { method = 'GET', headers = {}, as = this.#own ?? {} }: Ask = {}): RequestOptions {
    const { token, ...certificate } = as;
    return {
      host: '127.0.0.1',
      port: this.port,
      path,
      method,
      agent: false,
      rejectUnauthorized: false,
      ...certificate,
      headers: { ...headers, ...(token !== undefined && { Authorization: `Bearer ${token}` }) },
    };
  }

  /** Once the head is there. */
  async open(path: string, ask: Ask = {}): Promise<IncomingMessage> {
    return await new Promise((resolve, reject) => {
      request(this.options(path, ask), resolve).on('error', reject).end();
    });
  }

  async ask(path: string, ask: Ask = {}): Promise<Answer> {
    const response = await this.open(path, ask);
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > TEXT_BYTES_MAX) throw new Error('the answer is longer than a test reads');
      chunks.push(chunk);
    }
    return { status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString() };
  }

  #object({ kind }: Resource, namespace: string, name: string): KubernetesObject {
    if (kind === 'ConfigMap' && this.caPem !== '')
      return { metadata: { namespace, name }, data: { 'client-ca-file': this.caPem } } as KubernetesObject;
    const pod = this.pods.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
    if (kind !== 'Pod' || !pod) throw new NotFoundError(`${kind} ${namespace}/${name} not found`);
    return pod;
  }

  #reviewed({ kind }: Resource, review: KubernetesObject): KubernetesObject {
    this.reviews.push(kind);
    const spec = Reflect.get(review, 'spec') as {
      token?: string;
      user?: string;
      resourceAttributes?: { verb: string; subresource: string; resource: string; name: string };
    };
    if (kind === 'TokenReview') {
      const user = this.rights.tokens[spec.token ?? ''];
      return { ...review, status: user ? { authenticated: true, user } : { authenticated: false, error: 'invalid token' } } as never;
    }
    const { verb = '', subresource = '', resource, name } = spec.resourceAttributes ?? {};
    const allowed = this.rights.allowed[spec.user ?? ''] ?? [];
    const isAllowed = resource === 'nodes' && name === NODE && (allowed.includes('*') || allowed.includes(`${verb} ${subresource}`));
    return { ...review, status: { allowed: isAllowed } } as never;
  }
}
