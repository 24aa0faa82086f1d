// A cluster in this thread on a virtual clock: the API server is the real one, a player stands for kubelets, and watches tell what
// happens. Nothing moves unless told to.
import type { VirtualClock } from './virtual-clock.ts';
import { factsFor } from '../../lib/kinds/facts.ts';
import { watchesOf } from '../../lib/kinds/rows/watches.ts';
import type { KindFacts } from '../../lib/kinds/rows/kind.ts';
import type { Job, KubernetesObject, Pod, WorkloadObject } from '../../lib/objects/kubernetes.ts';
import { controllerOf, isActive, podFactsOf } from '../../lib/objects/pods/pod-facts.ts';
import { JOBS, pathOf, PODS, type Resource } from '../../lib/objects/resources.ts';
import type { EmbeddedCluster } from '../../lib/sandbox/sandbox.ts';
import type { ResourceRow } from '../../lib/sandbox/rows/resource-row.ts';
import { openCluster } from '../../lib/sandbox/sandbox.ts';
import type { Heard } from './reporter.ts';

export interface PlayedClusterOptions {
  clock: VirtualClock;
  /** The cluster's clock is so far ahead of Farloop's (R12). */
  clusterAheadMs?: number;
  /** Where the API server keeps its objects; in memory when absent. */
  apiFolder?: string | undefined;
  /** Resources that the API server has besides the built-in ones. */
  rows?: readonly ResourceRow[] | undefined;
  /** Which kinds are watched. */
  kinds: readonly KindFacts[];
}

export class PlayedCluster {
  readonly clock: VirtualClock;
  api: EmbeddedCluster;
  /** Every pod there ever was, as last heard, by uid. */
  readonly podsEver = new Map<string, Pod>();
  /** By the owner's name: the most pods that were active at any one moment. */
  readonly mostActive = new Map<string, number>();
  /** Events of the watches that nobody has taken yet. */
  #heard: Heard[] = [];
  /** uids of active pods by owner name. */
  readonly #active = new Map<string, Set<string>>();
  #podsMoved = true;
  readonly #breakOff: (() => void)[] = [];
  readonly #clusterAheadMs: number;
  readonly #apiFolder: string | undefined;
  readonly #rows: readonly ResourceRow[];
  readonly kinds: readonly KindFacts[];

  constructor({ clock, clusterAheadMs = 0, apiFolder, rows = [], kinds }: PlayedClusterOptions) {
    this.clock = clock;
    this.#clusterAheadMs = clusterAheadMs;
    this.#apiFolder = apiFolder;
    this.#rows = rows;
    this.kinds = kinds;
    this.api = this.#openApi();
  }

  #openApi(): EmbeddedCluster {
    const { clock } = this;
    return openCluster({
      surroundings: {
        now: () => this.clusterNowMs(),
        random: () => Math.floor(clock.random() * 2 ** 32),
        defer: (run) => queueMicrotask(run),
        after: (delayMs, run) => {
          const calledOff = new AbortController();
          void clock.wait(delayMs, calledOff.signal).then(() => (calledOff.signal.aborted ? undefined : run()));
          return () => calledOff.abort();
        },
      },
      windowEvents: 200_000,
      rows: this.#rows,
      ...(this.#apiFolder !== undefined && { folder: this.#apiFolder }),
    });
  }

  /** Takes the API server down, lets its folder be changed, and up again; watches begin anew. */
  async whileApiIsDown(change: (folder: string) => void): Promise<void> {
    if (this.#apiFolder === undefined) throw new Error('only a world with a folder for its API server can take it down');
    await this.settle();
    for (const breakOff of this.#breakOff.splice(0)) breakOff();
    this.api.close();
    change(this.#apiFolder);
    this.api = this.#openApi();
    await this.watch();
  }

  close(): void {
    for (const breakOff of this.#breakOff) breakOff();
    this.api.close();
  }

  /** Opens the watches; whatever happens from now on is heard. */
  async watch(): Promise<void> {
    for (const watched of watchesOf(this.kinds)) {
      const answer = await this.api.handle({
        method: 'GET',
        path: pathOf(watched.resource),
        query: new URLSearchParams({ watch: 'true', ...watched.selection }),
        headers: {},
        body: '',
      });
      if (!('stream' in answer)) throw new Error(`no watch: ${answer.body}`);
      let rest = '';
      const sink = {
        write: (text: string) => {
          rest += text;
          const lines = rest.split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) if (line !== '') this.#hear(JSON.parse(line) as Heard);
        },
        end: () => {},
      };
      this.#breakOff.push(answer.stream(sink));
    }
  }

  #hear(event: Heard): void {
    this.#heard.push(event);
    if (event.object.kind !== 'Pod') return;
    this.#podsMoved = true;
    const pod = event.object as Pod;
    if (event.type === 'DELETED') pod.metadata.deletionTimestamp ??= this.#now();
    this.podsEver.set(pod.metadata.uid ?? '', pod);
    const owner = controllerOf(pod.metadata.ownerReferences)?.name ?? '';
    const active = this.#active.get(owner) ?? new Set();
    this.#active.set(owner, active);
    if (isActive(podFactsOf(pod))) active.add(pod.metadata.uid ?? '');
    else active.delete(pod.metadata.uid ?? '');
    this.mostActive.set(owner, Math.max(this.mostActive.get(owner) ?? 0, active.size));
  }

  /** What the watches have told since; from now on it is the caller's. */
  takeHeard(): Heard[] {
    return this.#heard.splice(0);
  }

  /** Whether a pod has changed since this was asked last. */
  podsHaveMoved(): boolean {
    const haveMoved = this.#podsMoved;
    this.#podsMoved = false;
    return haveMoved;
  }

  get unreported(): number {
    return this.#heard.filter(({ type }) => type !== 'BOOKMARK').length;
  }

  /** Events heard and never told: a watch that skips them. */
  loseHeard(): void {
    this.#heard.splice(0);
  }

  /** Everything deferred in this thread has run. */
  async settle(): Promise<void> {
    await this.clock.advance(0);
  }

  /** The cluster's time. */
  clusterNowMs(): number {
    return this.clock.nowMs() + this.#clusterAheadMs;
  }

  /** @param owner of any kind that is watched */
  async apply<Owner extends WorkloadObject>(owner: Owner): Promise<Owner> {
    return await this.as<Owner>('POST', factsFor(owner.kind ?? '').resource, { namespace: 'default', body: owner });
  }

  async job(name: string): Promise<Job> {
    return await this.as<Job>('GET', JOBS, { namespace: 'default', name });
  }

  async pods(): Promise<Pod[]> {
    return await this.all<Pod>(PODS);
  }

  /** All of the namespace. */
  async all<Item extends KubernetesObject = KubernetesObject>(resource: Resource): Promise<Item[]> {
    return (await this.as<{ items: Item[] }>('GET', resource, { namespace: 'default' })).items;
  }

  /** One request of somebody else than Farloop. @throws Error with the server's message */
  async as<Answered>(
    method: string,
    resource: Resource,
    {
      namespace,
      name,
      subresource,
      body,
      type,
      query,
    }: { namespace?: string; name?: string; subresource?: string; body?: unknown; type?: string; query?: Record<string, string> },
  ): Promise<Answered> {
    const scope = namespace === undefined ? '' : `/namespaces/${namespace}`;
    const root = resource.apiVersion.includes('/') ? `/apis/${resource.apiVersion}` : `/api/${resource.apiVersion}`;
    const path = [`${root}${scope}/${resource.plural}`, name, subresource].filter((part) => part !== undefined).join('/');
    const headers = { 'content-type': type ?? 'application/json', 'user-agent': 'somebody/1' };
    const answer = await this.api.handle({
      method,
      path,
      query: new URLSearchParams(query),
      headers,
      body: body === undefined ? '' : JSON.stringify(body),
    });
    if (!('body' in answer)) throw new Error('a stream');
    const object = JSON.parse(answer.body) as Answered & { message?: string };
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${object.message}`);
    return object;
  }

  /** What a kubelet would do next with each pod: unbound → running → ended with the code that `exitCode` gives. */
  async play(exitCode: (pod: Pod) => number | undefined = () => 0): Promise<void> {
    for (const pod of await this.pods()) {
      const phase = pod.status?.phase;
      if (pod.metadata.deletionTimestamp !== undefined) await this.endDeleted(pod);
      else if (phase === 'Pending' && !pod.spec.nodeName) await this.startPod(pod);
      else if (phase === 'Running') {
        const code = exitCode(pod);
        if (code !== undefined) await this.end(pod, code);
      }
    }
  }

  async startPod(pod: Pod): Promise<void> {
    const { name = '', namespace = 'default' } = pod.metadata;
    const target = { kind: 'Node', name: 'node-1' };
    await this.as('POST', PODS, {
      namespace,
      name,
      subresource: 'binding',
      body: { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target },
    });
    await this.#status(pod, { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: this.#now() }] });
  }

  async unready(pod: Pod): Promise<void> {
    await this.#status(pod, { conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: this.#now() }] });
  }

  async ready(pod: Pod): Promise<void> {
    await this.#status(pod, { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: this.#now() }] });
  }

  async end(pod: Pod, exitCode: number): Promise<void> {
    const [container] = pod.spec.containers;
    const containerStatuses = [
      {
        name: container?.name ?? 'main',
        image: 'none',
        imageID: '',
        ready: false,
        restartCount: 0,
        state: { terminated: { exitCode, finishedAt: this.#now() } },
      },
    ];
    const conditions = [{ type: 'Ready', status: 'False', lastTransitionTime: this.#now() }];
    await this.#status(pod, { phase: exitCode === 0 ? 'Succeeded' : 'Failed', containerStatuses, conditions });
  }

  async endDeleted(pod: Pod): Promise<void> {
    const { name = '', namespace = 'default' } = pod.metadata;
    if (pod.status?.phase === 'Running') await this.end(pod, 137);
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 };
    await this.as('DELETE', PODS, { namespace, name, body }).catch(() => {});
  }

  async #status(pod: Pod, status: object): Promise<void> {
    const { name = '', namespace = 'default' } = pod.metadata;
    await this.as('PATCH', PODS, {
      namespace,
      name,
      subresource: 'status',
      body: { status },
      type: 'application/strategic-merge-patch+json',
    });
  }

  #now = (): string => new Date(Math.floor(this.clusterNowMs() / 1000) * 1000).toISOString().replace('.000Z', 'Z');
}
