// A stand-in for the API server at an edge of interLink, by its calls as docs/virtual-node.md has them: each pod is one job of a batch system that runs until it is
// deleted, or as a test says. A create has no token there: one that is repeated makes a second job.
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import type { ContainerState, Pod } from '../lib/objects/kubernetes.ts';

export interface Created {
  pod: Pod;
  configmaps: { metadata: { name?: string }; data?: Record<string, string> }[];
  secrets: { metadata: { name?: string }; data?: Record<string, string> }[];
  projectedvolumesmaps: { metadata: { name?: string }; data?: Record<string, string> }[];
  [other: string]: unknown;
}

interface LogQuestion {
  PodUID: string;
  ContainerName: string;
  Opts: {
    Tail: number;
    Bytes: number;
    Timestamps: boolean;
    Follow: boolean;
    Previous: boolean;
    SinceSeconds: number;
    SinceTime: string;
  };
}

interface Job {
  id: string;
  created: Created;
  /** RFC 3339. */
  madeAt: string;
  states: { containers: ContainerState[]; initContainers: ContainerState[] };
}

export class InterLinkEdge {
  readonly calls: string[] = [];
  /** By uid, in the order in which they were made: two are one too many. */
  readonly jobs = new Map<string, Job[]>();
  /** Answers instead of the edge; undefined: the edge itself. `cut`: it does what it is asked, and the connection breaks. */
  instead: (call: string, body: string) => { status: number; body: string } | 'cut' | undefined = () => undefined;
  /** The states of containers as a job begins; a batch system may let it wait. */
  begins: ContainerState = { running: {} };
  token: string | undefined;
  /** Lines that each job prints at once. */
  prints: readonly string[] = ['one', 'two', 'three'];
  /** By uid. */
  readonly #followers = new Map<string, ServerResponse[]>();
  readonly #server: Server;
  #made = 0;

  private constructor() {
    this.#server = createServer((request, response) => {
      void textOf(request).then((body) => {
        const call = `${request.method} ${request.url}`;
        this.calls.push(call);
        const instead = this.instead(call, body);
        if (instead !== undefined && instead !== 'cut') return response.writeHead(instead.status).end(instead.body);
        const isLetIn = this.token === undefined || request.headers.authorization === `Bearer ${this.token}`;
        if (isLetIn && call === 'GET /getLogs') return this.#sendLog(JSON.parse(body) as LogQuestion, response);
        const answer = isLetIn ? this.#answer(call, body) : { status: 401, body: 'no' };
        if (instead === 'cut') return response.destroy();
        return response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
      });
    });
  }

  static async start(): Promise<InterLinkEdge> {
    const edge = new InterLinkEdge();
    edge.#server.listen(0, '127.0.0.1');
    await once(edge.#server, 'listening');
    return edge;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** As a new edge: nothing is known, nothing is scripted. */
  reset(): void {
    this.calls.length = 0;
    this.jobs.clear();
    this.instead = () => undefined;
    this.begins = { running: {} };
    this.token = undefined;
  }

  /** Every container of the pod comes to this state. */
  becomes(uid: string, state: ContainerState): void {
    for (const job of this.jobs.get(uid) ?? []) job.states.containers = job.states.containers.map(() => state);
    if (state.terminated) for (const follower of this.#followers.get(uid) ?? []) follower.end();
  }

  /** Pods of whose jobs something runs. */
  running(): Pod[] {
    return [...this.jobs.values()]
      .flat()
      .flatMap(({ created: { pod }, states }) =>
        states.containers.some(({ running }) => running) ? [{ ...pod, status: { phase: 'Running' } }] : [],
      );
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer(call: string, body: string): { status: number; body: string } {
    switch (call) {
      case 'POST /pinglink':
        return { status: 200, body: '' };
      case 'POST /create':
        return this.#create(JSON.parse(body) as Created);
      case 'DELETE /delete':
        return this.#delete((JSON.parse(body) as Pod).metadata.uid ?? '');
      case 'GET /status':
        return { status: 200, body: JSON.stringify(this.#statuses(JSON.parse(body) as Pod[])) };
      case 'POST /updateCache':
        return { status: this.jobs.delete(body) ? 200 : 404, body: '' };
      default:
        return { status: 404, body: `no such call: ${call}` };
    }
  }

  #create(created: Created): { status: number; body: string } {
    const { uid = '' } = created.pod.metadata;
    const id = String((this.#made += 1));
    const { containers, initContainers = [] } = created.pod.spec;
    const states = {
      containers: containers.map(() => this.begins),
      initContainers: initContainers.map(() => ({ terminated: { exitCode: 0 } })),
    };
    this.jobs.set(uid, [...(this.jobs.get(uid) ?? []), { id, created, madeAt: new Date().toISOString(), states }]);
    return { status: 200, body: JSON.stringify({ PodUID: uid, PodJID: id }) };
  }

  /** Its lines have the time at which the job was made. */
  #sendLog({ PodUID: uid, Opts: opts }: LogQuestion, response: ServerResponse): void {
    const [job] = this.jobs.get(uid) ?? [];
    if (opts.Tail > 0 && opts.Bytes > 0) return void response.writeHead(400).end('Tail and Bytes exclude each other');
    if (!job || opts.Previous) return void response.writeHead(404).end(`no log of ${uid}`);
    const isRecent = Date.parse(job.madeAt) >= Date.parse(opts.SinceTime);
    const lines = (isRecent ? this.prints : []).slice(-opts.Tail).map((line) => `${opts.Timestamps ? `${job.madeAt} ` : ''}${line}\n`);
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.flushHeaders();
    response.write(Buffer.from(lines.join('')).subarray(0, opts.Bytes || undefined));
    const runs = job.states.containers.some(({ terminated }) => !terminated);
    if (!opts.Follow || !runs) return void response.end();
    this.#followers.set(uid, [...(this.#followers.get(uid) ?? []), response]);
  }

  #delete(uid: string): { status: number; body: string } {
    if (!this.jobs.has(uid)) return { status: 500, body: `no job of ${uid}` };
    this.becomes(uid, { terminated: { exitCode: 143, reason: 'Cancelled' } });
    return { status: 200, body: '' };
  }

  #statuses(asked: readonly Pod[]): object[] {
    const uids = asked.length === 0 ? [...this.jobs.keys()] : asked.map(({ metadata }) => metadata.uid ?? '');
    return uids.map((uid) => {
      const [job] = this.jobs.get(uid) ?? [];
      const { name, namespace } = job?.created.pod.metadata ?? asked.find(({ metadata }) => metadata.uid === uid)?.metadata ?? {};
      const told = (containers: { name: string }[] = [], states: ContainerState[] = []): object[] =>
        containers.map((container, at) => ({ name: container.name, ready: states[at]?.running !== undefined, state: states[at] }));
      const { containers = [], initContainers = [] } = job?.created.pod.spec ?? {};
      return {
        name,
        namespace,
        UID: uid,
        JID: job?.id ?? '',
        containers: job ? told(containers, job.states.containers) : [],
        initContainers: told(initContainers, job?.states.initContainers),
      };
    });
  }
}
