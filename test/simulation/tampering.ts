// What faults do to the world: tables dropped or set back, servers restored, objects changed by other hands, events withheld.
import type { SQLOutputValue } from 'node:sqlite';
import { findFacts } from '../../lib/kinds/facts.ts';
import type { Pod, WorkloadObject } from '../../lib/objects/kubernetes.ts';
import { resourceKeyOf } from '../../lib/objects/child-state.ts';
import type { WorkloadKey } from '../../lib/objects/workload.ts';
import { PODS, type Resource } from '../../lib/objects/resources.ts';
import type { ClusterSource, PageSelection } from '../../lib/ports/cluster.ts';
import { sendWake } from '../../lib/reconciler/head/wake.ts';
import type { Snapshot } from './api-server.ts';
import type { Call } from './calls.ts';
import { ownerOf } from './other-hands.ts';
import type { Simulation } from './simulation.ts';

export interface Fate {
  lost?: boolean;
  delayMs?: number;
  silent?: boolean;
  /** A bookmark at its version takes its place. */
  bookmark?: boolean;
}

interface Copy {
  atMs: number;
  tables: { table: string; rows: Record<string, SQLOutputValue>[] }[];
  servers: Map<string, Snapshot>;
}

const COPY_EVERY_MS = 1_000;
const COPIES_KEPT = 5;
/** A copy is at least that old when it takes its place. */
const COPY_AGE_MS = 2_500;
const MERGE = 'application/merge-patch+json';
const TABLES = ['heads', 'items', 'notes', 'summaries'];

export class Tampering {
  readonly #simulation: Simulation;
  readonly #copies: Copy[] = [];
  #fate: Fate = {};
  /** Other hands had pods. */
  touchedPods = 0;
  /** Clusters whose namespace somebody has deleted: what was in it is gone in the end. */
  readonly endedNamespaces = new Set<string>();
  readonly #darkUntilMs = new Map<string, number>();

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  /** Copies are kept only where a fault wants one. */
  start(): void {
    const { run, scheduler } = this.#simulation;
    const faults = [...run.plan.map(({ fault }) => fault), ...(run.storm?.faults ?? [])];
    const wanted = faults.some((fault) => ['tableIsOld', 'apiServerIsOld', 'listLags'].includes(fault));
    if (!wanted && !run.isSurvey) return;
    const last = Math.max(...run.plan.map(({ call }) => call));
    const copy = (): void => {
      // Nothing strikes any more.
      if (this.#simulation.hasEnded || (!run.storm && !run.isSurvey && this.#simulation.callNumber > last)) return;
      this.#copies.push(this.#copy());
      if (this.#copies.length > COPIES_KEPT) this.#copies.shift();
      scheduler.after(COPY_EVERY_MS, copy);
    };
    copy();
  }

  #copy(): Copy {
    const { store, scheduler, servers } = this.#simulation;
    return {
      atMs: scheduler.elapsedMs,
      tables: TABLES.map((table) => ({ table, rows: store.database.prepare(`select * from ${table}`).all() })),
      servers: new Map([...servers].map(([name, server]) => [name, server.snapshot()])),
    };
  }

  #oldCopy(): Copy | undefined {
    const { elapsedMs } = this.#simulation.scheduler;
    return this.#copies.findLast(({ atMs }) => atMs <= elapsedMs - COPY_AGE_MS) ?? this.#copies[0];
  }

  // --- events of watches

  fateOfEvent(fate: Fate): void {
    this.#fate = fate;
  }

  /** Of the event that is told now. */
  takeFate(): Fate {
    const fate = this.#fate;
    this.#fate = {};
    return fate;
  }

  /** Of a list's first page: where the server was some seconds ago, if it was elsewhere. */
  #olderRevision(call: Call): number | undefined {
    const name = this.#simulation.clusterOf(call);
    const [resource, { continueToken }] = call.args as [Resource, Parameters<ClusterSource['listPage']>[1]];
    const stored = resourceKeyOf(resource);
    const revision = this.#oldCopy()?.servers.get(name)?.revisions.get(stored);
    return continueToken === undefined && revision !== this.#simulation.server(name).storage.revision(stored) ? revision : undefined;
  }

  canListOlder(call: Call): boolean {
    return this.#olderRevision(call) !== undefined;
  }

  /** The list as it was some seconds ago. */
  async listOlder(call: Call, effect: () => Promise<unknown>): Promise<unknown> {
    const revision = this.#olderRevision(call);
    const [resource, selection] = call.args as [Resource, Parameters<ClusterSource['listPage']>[1]];
    if (revision === undefined) return await effect();
    const direct = this.#simulation.direct(this.#simulation.clusterOf(call));
    return await direct.listPage(resource, { ...selection, resourceVersion: String(revision) });
  }

  /** The rest of a list, not as it was when the list began, but as it is now: other versions, and another version of the list. */
  async listOnFromNow(call: Call): Promise<unknown> {
    const [resource, selection] = call.args as [Resource, PageSelection];
    const token = JSON.parse(Buffer.from(selection.continueToken ?? '', 'base64url').toString()) as object;
    const continueToken = Buffer.from(JSON.stringify({ ...token, rv: -1 })).toString('base64url');
    return await this.#simulation.direct(this.#simulation.clusterOf(call)).listPage(resource, { ...selection, continueToken });
  }

  // --- tables and servers

  goDark(cluster: string, ms: number): void {
    this.#darkUntilMs.set(cluster, this.#simulation.scheduler.elapsedMs + ms);
    this.#simulation.server(cluster).breakOff();
  }

  isDark(cluster: string): boolean {
    return (this.#darkUntilMs.get(cluster) ?? 0) > this.#simulation.scheduler.elapsedMs;
  }

  /** The same view, or item of one, at its next version, as by another observer; where there is no such item yet, the very one. */
  async writeViewFirst({ method, args, process: { installation } }: Call, effect: () => Promise<unknown>): Promise<unknown> {
    const { store } = installation ?? this.#simulation;
    if (method === 'putItem') {
      const [key, item] = args as [WorkloadKey, { name: string; bytes: Uint8Array }];
      const [there] = await store.readItems(key, [item.name]);
      await store.putItem(key, there ?? item, there?.version ?? 0);
      return await effect();
    }
    const [key] = args as [WorkloadKey];
    const head = await store.readHead(key);
    if (head?.view) await store.updateHead(key, {}, { view: head.view });
    return await effect();
  }

  /** What checks know is what the table knew. */
  wipeStore(): void {
    const { checks, history, store } = this.#simulation;
    store.wipe();
    history.forgetKnown();
    checks.ledger.lostStore();
  }

  restoreStore(): void {
    const copy = this.#oldCopy();
    if (!copy) return;
    const { store } = this.#simulation;
    this.wipeStore();
    for (const { table, rows } of copy.tables)
      for (const row of rows) {
        const columns = Object.keys(row);
        const places = columns.map(() => '?').join(', ');
        store.database.prepare(`insert into ${table} (${columns.join(', ')}) values (${places})`).run(...Object.values(row));
      }
  }

  /** An older state that has every owner of the story, so that it can still be told to its end. */
  #oldServer(name: string): Snapshot | undefined {
    const snapshot = this.#oldCopy()?.servers.get(name);
    const server = this.#simulation.server(name);
    if (!snapshot || [...server.storage.revisions()].every(([resource, revision]) => snapshot.revisions.get(resource) === revision))
      return undefined;
    // Set back twice, a server may show an object under the version of another past with other contents. No observer could ever tell.
    const now = new Map(server.snapshot().rows.map((row) => [`${row.resource} ${row.key} ${row.revision}`, row.text]));
    const isHidden = ({ resource, key, revision, text }: Snapshot['rows'][number]): boolean =>
      (now.get(`${resource} ${key} ${revision}`) ?? text) !== text;
    if (snapshot.rows.some(isHidden)) return undefined;
    // Made, changed, let go and deleted as people have by now: the generation and the finalizers tell.
    const kept = new Set(snapshot.rows.map(({ text }) => wishOf(JSON.parse(text) as WorkloadObject)));
    const owners = server.owners();
    return owners.length > 0 && owners.every((owner) => kept.has(wishOf(owner))) ? snapshot : undefined;
  }

  canRestore(name: string): boolean {
    return this.#oldServer(name) !== undefined;
  }

  restoreApiServer(name: string): void {
    const snapshot = this.#oldServer(name);
    const { history, kubelets } = this.#simulation;
    const server = this.#simulation.server(name);
    if (!snapshot) return;
    server.restore(snapshot);
    history.forgetKnown();
    const objects = history.resources.flatMap((resource) => server.objects(resource));
    history.restore(name, { objects, pods: server.pods(), nowMs: this.#simulation.scheduler.elapsedMs });
    kubelets.get(name)?.resync();
  }

  jumpCluster(name: string, ms: number): void {
    this.#simulation.server(name).aheadMs += ms;
  }

  // --- other hands

  #runningPod(cluster: string): Pod | undefined {
    return this.#simulation
      .server(cluster)
      .pods()
      .find(({ metadata, status }) => status?.phase === 'Running' && metadata.deletionTimestamp === undefined);
  }

  hasRunningPod(cluster: string): boolean {
    return this.#runningPod(cluster) !== undefined;
  }

  deletePod(cluster: string): void {
    const pod = this.#runningPod(cluster);
    if (!pod) return;
    this.touchedPods += 1;
    const { name = '', namespace = '' } = pod.metadata;
    void this.#simulation.server(cluster).as('DELETE', PODS, { namespace, name, body: { kind: 'DeleteOptions', apiVersion: 'v1' } });
  }

  forcePodAway(cluster: string): void {
    const pod = this.#runningPod(cluster);
    if (!pod) return;
    this.touchedPods += 1;
    const server = this.#simulation.server(cluster);
    const { name = '', namespace = '' } = pod.metadata;
    void server.as('DELETE', PODS, { namespace, name, body: { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 } });
    void server.as('PATCH', PODS, { namespace, name, body: { metadata: { finalizers: null } }, type: MERGE });
  }

  takeName(call: Call): void {
    const wanted = call.args[1] as Pod;
    const { name = '', namespace = '' } = wanted.metadata;
    const body = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: { containers: [{ name: 'main', image: 'example.com/other' }] },
    };
    void this.#simulation.server(this.#simulation.clusterOf(call)).as('POST', PODS, { namespace, body });
  }

  /** The very object that the call is about. */
  annotate(call: Call): void {
    const [resource, { namespace, name }] = call.args as [Resource, { namespace: string; name: string }];
    const body = { metadata: { annotations: { 'example.com/edited': String(call.number) } } };
    void this.#simulation.server(this.#simulation.clusterOf(call)).as('PATCH', resource, { namespace, name, body, type: MERGE });
  }

  /** The owner that the pass is about, as it is now. */
  #ownerOf(call: Call): WorkloadObject | undefined {
    const key = call.invocation?.key;
    return key && ownerOf(this.#simulation.server(key.cluster), key);
  }

  hasOwner(call: Call): boolean {
    return this.#ownerOf(call) !== undefined;
  }

  labelOwner(call: Call): void {
    const key = call.invocation?.key;
    const facts = findFacts(key?.kind ?? '');
    if (!key || !facts) return;
    const { namespace, name } = key;
    const body = { metadata: { labels: { 'example.com/edited': String(call.number) } } };
    void this.#simulation.server(key.cluster).as('PATCH', facts.resource, { namespace, name, body, type: MERGE });
  }

  takeFence(call: Call): void {
    const key = call.invocation?.key;
    if (!key) return;
    const { store, queue } = call.process.installation ?? this.#simulation;
    const { scheduler } = this.#simulation;
    const fence = `sweep-${call.number}`;
    const nowMs = scheduler.wallMs();
    const { ledger } = this.#simulation.checks;
    void store.readHead(key).then(async (head) => {
      if (!head) return;
      // A wake too many may follow the fence that it replaces.
      ledger.forgetFence(head.fence);
      await store.updateHead(key, {}, { fence, queued: fence, pendingSinceMs: nowMs }).then(
        () => sendWake({ queue }, key, fence),
        () => {},
      );
    });
  }

  /** What another controller would write must be another status. */
  #foreignStatus(call: Call): object | undefined {
    const owner = this.#ownerOf(call);
    return owner && this.#simulation.simulatedKind(call.invocation?.key?.kind ?? '')?.hands.foreignStatus?.(owner, 'once');
  }

  canWriteForeignStatus(call: Call): boolean {
    return this.#foreignStatus(call) !== undefined;
  }

  writeForeignStatus(call: Call): void {
    const key = call.invocation?.key;
    const facts = findFacts(key?.kind ?? '');
    if (!key || !facts) return;
    const { cluster, namespace, name } = key;
    const body = { status: this.#foreignStatus(call) };
    void this.#simulation.server(cluster).as('PATCH', facts.resource, { namespace, name, subresource: 'status', body, type: MERGE });
  }
}

/** Finalizers of the API server's own bear no domain: they come and go without anybody's wish. */
const wishOf = ({ metadata }: WorkloadObject): string =>
  `${metadata.uid} ${metadata.generation} ${metadata.deletionTimestamp} ${metadata.finalizers?.filter((name) => name.includes('/')).join() ?? ''}`;
