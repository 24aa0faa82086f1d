// A hundred clusters at work for one installation: each gets Jobs of one pod at its share's pace, one may be dead, one may flood. Measured
// is what people see: from a Job's creation to its first pod, and from its pod's end to its own, at the clusters' own commits.
import { isJobFinished } from '../../lib/kinds/job/terms/owner-facts.ts';
import type { Job, KubernetesObject, Pod } from '../../lib/objects/kubernetes.ts';
import { JOBS } from '../../lib/objects/resources.ts';
import type { Clock, Deadline } from '../../lib/ports/clock.ts';
import { hasPassed } from '../../lib/ports/clock.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';
import type { ClusterRecord, Clusters } from '../../lib/ports/clusters.ts';
import { NotDoneError, UnknownOutcomeError } from '../../lib/ports/errors.ts';
import type { Change } from '../../lib/sandbox/storage/version.ts';
import { NAMESPACE, SimApiServer } from '../simulation/api-server.ts';
import { DirectCluster } from '../simulation/cluster-port.ts';
import { Kubelet } from '../simulation/kubelet.ts';
import { aJob } from '../simulation/kinds/job/acts.ts';
import type { Scheduler } from '../simulation/scheduler.ts';
import { noLog } from '../world/no-log.ts';

export const CLUSTERS = 100;
/** Names of the two that are in trouble in a storm; in a quiet run they are like all others. */
export const DEAD = 'c0';
export const FLOODING = 'c1';
const FLOOD = 10;
/** Of the calls of passes, there and back. */
const CALL_MS = 4;
/** A request lives no longer (R17). */
const REQUEST_MS = 10_000;

export interface CrowdOptions {
  /** Between two Jobs of one cluster. */
  everyMs: number;
  /** Jobs begin so late, for relays to have listed. */
  fromMs: number;
  untilMs: number;
  isStormy: boolean;
  writesPerSecond: number;
}

/** Milliseconds, sorted. */
export interface Lags {
  creation: number[];
  completion: number[];
}

export class Crowd {
  readonly names = Array.from({ length: CLUSTERS }, (_, at) => `c${at}`);
  readonly directs = new Map<string, DirectCluster>();
  readonly records = new Map<string, ClusterRecord>();
  /** Of calls that passes made, by cluster. */
  readonly calls = new Map<string, number>();
  created = 0;
  readonly #options: CrowdOptions;
  readonly #scheduler: Scheduler;
  readonly #createdAtMs = new Map<string, number>();
  readonly #endedAtMs = new Map<string, number>();
  readonly #lags = new Map<string, Lags>();
  #unfinished = 0;

  constructor(scheduler: Scheduler, options: CrowdOptions) {
    this.#scheduler = scheduler;
    this.#options = options;
    const { writesPerSecond } = options;
    for (const name of this.names) {
      const server = new SimApiServer(name, scheduler, (changes) => {
        for (const change of changes) {
          kubelet.see(change);
          this.#note(name, change);
        }
      });
      const kubelet = new Kubelet(server, scheduler, { fateOf: () => ({ startsAfterMs: 300, runsMs: 2_000, exitCode: 0 }) });
      this.directs.set(name, new DirectCluster(server));
      const budget = { writesPerSecond, burst: 2 * writesPerSecond };
      this.records.set(name, { name, era: 0, manages: ['all-jobs'], namespaces: [], senders: ['local'], budget, version: 1 });
      this.#lags.set(name, { creation: [], completion: [] });
    }
  }

  /** Jobs from now on. */
  start(): void {
    const { everyMs, fromMs, isStormy } = this.#options;
    for (const [at, name] of this.names.entries()) {
      const paceMs = isStormy && name === FLOODING ? everyMs / FLOOD : everyMs;
      this.#next(name, { nth: 0, atMs: fromMs + (at / CLUSTERS) * everyMs, paceMs });
    }
  }

  close(): void {
    for (const { api } of this.directs.values()) api.close();
  }

  get clusters(): Clusters {
    return {
      get: async (name) => this.records.get(name),
      list: async () => [...this.records.values()],
      put: async (record, expectedVersion) => {
        const next = { ...record, version: expectedVersion + 1 };
        this.records.set(record.name, next);
        return next;
      },
    };
  }

  /** Jobs of the others that have not ended. */
  get unfinished(): number {
    return this.#unfinished;
  }

  /** Of all clusters that are never in trouble, together. */
  othersLags(): Lags {
    const others = this.names.filter((name) => name !== DEAD && name !== FLOODING).map((name) => this.lagsOf(name));
    const sorted = (part: keyof Lags): number[] => others.flatMap((lags) => lags[part]).toSorted((a, b) => a - b);
    return { creation: sorted('creation'), completion: sorted('completion') };
  }

  lagsOf(name: string): Lags {
    return this.#lags.get(name) ?? { creation: [], completion: [] };
  }

  /** The way of a pass to that cluster: some milliseconds, or nobody answers. */
  connect(name: string, clock: Clock): Cluster {
    const direct = this.directs.get(name);
    if (!direct) throw new Error(`no cluster ${name}`);
    const isDead = this.#options.isStormy && name === DEAD;
    const dial = async <Value>(isWrite: boolean, deadline: Deadline, effect: () => Promise<Value>): Promise<Value> => {
      if (hasPassed(deadline, clock)) throw new NotDoneError('the deadline of the pass has passed');
      this.calls.set(name, (this.calls.get(name) ?? 0) + 1);
      if (isDead) {
        await clock.wait(REQUEST_MS);
        throw isWrite ? new UnknownOutcomeError('no answer within 10 s') : new NotDoneError('no answer within 10 s');
      }
      await clock.wait(CALL_MS);
      const value = await effect();
      await clock.wait(CALL_MS);
      return value;
    };
    return {
      get: (resource, target, deadline) => dial(false, deadline, () => direct.get(resource, target)),
      list: (resource, selection, deadline) => dial(false, deadline, () => direct.list(resource, selection)),
      create: (resource, object, deadline) => dial(true, deadline, () => direct.create(resource, object)),
      delete: (resource, target, deadline) => dial(true, deadline, () => direct.delete(resource, target)),
      patch: (resource, target, patch, deadline) => dial(true, deadline, () => direct.patch(resource, target, patch)),
      log: noLog,
    };
  }

  #next(name: string, { nth, atMs, paceMs }: { nth: number; atMs: number; paceMs: number }): void {
    if (atMs >= this.#options.untilMs) return;
    this.#scheduler.after(atMs - this.#scheduler.elapsedMs, () => {
      const job = `j${nth}`;
      this.created += 1;
      if (name !== DEAD && name !== FLOODING) this.#unfinished += 1;
      this.#createdAtMs.set(`${name}/${job}`, this.#scheduler.elapsedMs);
      void this.directs.get(name)?.api.as('POST', JOBS, { namespace: NAMESPACE, body: aJob(job) });
      this.#next(name, { nth: nth + 1, atMs: atMs + paceMs, paceMs });
    });
  }

  #note(cluster: string, { type, resource, current }: Change): void {
    if (type === 'DELETED') return;
    const object = current.object as unknown as KubernetesObject;
    if (resource === 'pods') this.#notePod(cluster, object as unknown as Pod, type === 'ADDED');
    else if (resource === 'jobs.batch' && isJobFinished(object as unknown as Job))
      this.#took(cluster, 'completion', this.#endedAtMs, `${cluster}/${object.metadata.name}`);
  }

  #notePod(cluster: string, pod: Pod, isNew: boolean): void {
    const job = `${cluster}/${pod.metadata.ownerReferences?.[0]?.name}`;
    if (isNew) this.#took(cluster, 'creation', this.#createdAtMs, job);
    else if (pod.status?.phase === 'Succeeded' && !this.#endedAtMs.has(job)) this.#endedAtMs.set(job, this.#scheduler.elapsedMs);
  }

  /** The first time counts. */
  #took(cluster: string, part: keyof Lags, since: Map<string, number>, job: string): void {
    const sinceMs = since.get(job);
    if (sinceMs === undefined || sinceMs < 0) return;
    this.lagsOf(cluster)[part].push(this.#scheduler.elapsedMs - sinceMs);
    since.set(job, -1);
    if (part === 'completion' && cluster !== DEAD && cluster !== FLOODING) this.#unfinished -= 1;
  }
}

/** @param sorted ascending. @param share 0 to 1 */
export const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN;
