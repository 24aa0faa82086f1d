// A provider reached by HTTP that says what a story lets it say. It tells nobody of changes, so both sides ask it again and again.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import type { Pod, PodStatus } from '../../../lib/objects/kubernetes.ts';
import { ended, running } from './story.ts';

export type Call = 'createPod' | 'updatePod' | 'deletePod';
/** `cut`: it does what it is asked, and the connection breaks. */
export type Answer = { status: number; body?: string } | 'cut';

/** Of a pod, by `namespace/name`. */
export interface Asked {
  call: Call;
  pod: Pod;
  answered: number | 'cut';
}

export class ScriptedProvider {
  readonly asked = new Map<string, Asked[]>();
  readonly #pods = new Map<string, Pod>();
  readonly #answers = new Map<string, Answer[]>();
  readonly #slow = new Set<string>();
  readonly #changed: (namespace: string) => void;
  readonly #server: Server;

  private constructor(changed: (namespace: string) => void) {
    this.#changed = changed;
    this.#server = createServer((request, response) => {
      void textOf(request).then((text) => {
        const [status, body] = this.#answer(`${request.method} ${request.url}`, text);
        if (status === 'cut') response.destroy();
        else
          response
            .writeHead(status, { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json' })
            .end(typeof body === 'string' ? body : JSON.stringify(body));
      });
    });
  }

  /** @param changed called with the namespace that a call was about */
  static async start(changed: (namespace: string) => void): Promise<ScriptedProvider> {
    const provider = new ScriptedProvider(changed);
    provider.#server.listen(0, '127.0.0.1');
    await once(provider.#server, 'listening');
    return provider;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  answers(key: string, call: Call, answers: readonly Answer[]): void {
    this.#answers.set(`${call} ${key}`, [...answers]);
  }

  task(key: string, status: PodStatus | undefined): void {
    const pod = this.#pods.get(key);
    if (status === undefined) this.#pods.delete(key);
    else if (pod) this.#pods.set(key, { ...pod, status });
  }

  endsSlowly(key: string): void {
    this.#slow.add(key);
  }

  stray(key: string, pod: Pod): void {
    this.#pods.set(key, { ...pod, status: running() });
  }

  #answer(call: string, text: string): [number | 'cut', unknown] {
    const [, namespace = '', name = '', part] = /^GET \/v1\/pods\/([^/]+)\/([^/]+)(\/status)?$/.exec(call) ?? [];
    if (name !== '') {
      const pod = this.#pods.get(`${namespace}/${name}`);
      if (!pod) return [404, `pod "${name}" is not known`];
      return [200, part === undefined ? pod : (pod.status ?? {})];
    }
    if (call === 'GET /v1/pods') return [200, { apiVersion: 'v1', kind: 'PodList', items: [...this.#pods.values()] }];
    const [, verb] = /^POST \/v1\/(createPod|updatePod|deletePod)$/.exec(call) ?? [];
    return verb === undefined ? [501, 'there is no such call'] : this.#asked(verb as Call, JSON.parse(text) as Pod);
  }

  #asked(call: Call, pod: Pod): [number | 'cut', unknown] {
    const { namespace = '', name = '' } = pod.metadata;
    const key = `${namespace}/${name}`;
    const scripted = this.#answers.get(`${call} ${key}`)?.shift();
    const status = scripted === undefined ? this.#usual(call, key) : scripted === 'cut' ? 'cut' : scripted.status;
    this.asked.set(key, [...(this.asked.get(key) ?? []), { call, pod, answered: status }]);
    this.#changed(namespace);
    if (status === 'cut' || status < 300) this.#carryOut(call, key, pod);
    return [
      status,
      scripted === undefined || scripted === 'cut' ? (status === 404 ? `pod "${name}" is not known` : {}) : (scripted.body ?? {}),
    ];
  }

  #usual(call: Call, key: string): number {
    return call === 'createPod' || this.#pods.has(key) ? 200 : 404;
  }

  #carryOut(call: Call, key: string, pod: Pod): void {
    const known = this.#pods.get(key);
    const names = pod.spec.containers.map((container) => container.name);
    if (call === 'createPod') this.#pods.set(key, { ...pod, status: running(names) });
    if (!known) return;
    if (call === 'updatePod') this.#pods.set(key, { ...pod, status: known.status ?? {} });
    if (call === 'deletePod' && !this.#slow.has(key) && known.status?.phase !== 'Succeeded' && known.status?.phase !== 'Failed')
      this.#pods.set(key, { ...known, status: ended(137, names) });
  }
}
