// Jobs and pods of one namespace, or of all: the pods are listed after their Jobs, and what both lists say goes out as whole lists.
import { JOB_FIELDS } from '../objects/job-facts.ts';
import type { Job, KubernetesObject, Pod } from '../objects/kubernetes.ts';
import { isOurs } from '../objects/managed-by.ts';
import { POD_FIELDS } from '../objects/pod-facts.ts';
import { JOBS, PODS } from '../objects/resources.ts';
import type { Clock } from '../ports/clock.ts';
import type { ClusterSource } from '../ports/cluster.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { WatchState } from '../wire/observations.ts';
import type { Audited } from './audit.ts';
import type { News, RelayCache, Workload } from './cache.ts';
import type { Readiness } from './readiness.ts';
import { readinessOf } from './readiness.ts';
import type { WatchOptions } from './watch.ts';
import type { Follower, WatcherSetup } from './watcher.ts';
import { Watcher } from './watcher.ts';

export interface ScopeSetup {
  /** Undefined: all namespaces. */
  namespace: string | undefined;
  source: ClusterSource;
  cache: RelayCache;
  clock: Clock;
  telemetry: Telemetry;
  options: WatchOptions & { pageSize: number };
  note: (news: News) => void;
  noteWhole: (workload: Workload) => void;
  /** A Job came that this one manages, and not we. */
  isExternal: (controllerName: string) => void;
  /** Both lists are through, and everything has been noted. */
  listed: () => void;
  failed: (error: unknown, namespace: string | undefined) => void;
  /** No list of it is to be waited for. */
  refused: () => void;
  /** A watch goes on after it broke off before its time. */
  resumed: () => void;
  restored: Follower<Pod>['restored'];
  sawDate: WatcherSetup<Pod>['sawDate'];
}

export class Scope {
  readonly namespace: string | undefined;
  /** Versions of the last whole lists; `0` before. */
  jobFloor = '0';
  podFloor = '0';
  /** Unix milliseconds at which the last list of the pods began. */
  startedAtMs = 0;
  readonly #setup: ScopeSetup;
  /** Listed anew after the API server was restored: until that list is through, what is known is of no use (R3). */
  #begins: 'jobs' | 'pods' | undefined;
  readonly #jobs: Watcher<Job>;
  readonly #pods: Watcher<Pod>;

  constructor(setup: ScopeSetup) {
    this.#setup = setup;
    this.namespace = setup.namespace;
    const { source, namespace, clock, telemetry, options, sawDate } = setup;
    const shared = { source, namespace, clock, telemetry, options, sawDate };
    this.#jobs = new Watcher<Job>({ ...shared, resource: JOBS, fields: JOB_FIELDS, follower: this.#jobFollower() });
    this.#pods = new Watcher<Pod>({ ...shared, resource: PODS, fields: POD_FIELDS, follower: this.#podFollower() });
  }

  /** Lists everything, from the start or anew. */
  list(): void {
    this.#jobs.list();
  }

  /** Lists everything, and tells nothing of what was known before. */
  beginAnew(): void {
    this.#begins = 'jobs';
    this.podFloor = '0';
    this.#jobs.list();
  }

  stop(): void {
    this.#jobs.stop();
    this.#pods.stop();
  }

  get readiness(): Readiness {
    return readinessOf({ watchers: [this.#jobs, this.#pods], hasLists: this.podFloor !== '0', isAnew: this.#begins !== undefined });
  }

  get podsHeardUntil(): string {
    return this.#pods.resourceVersion;
  }

  /** Monotonic: when the server was last heard of; −∞ before its first answer. */
  get heardAtMs(): number {
    return Math.max(this.#jobs.heardAtMs ?? -Infinity, this.#pods.heardAtMs ?? -Infinity);
  }

  get watches(): WatchState[] {
    const suffix = this.namespace === undefined ? '' : `:${this.namespace}`;
    return [
      { name: 'jobs', watcher: this.#jobs },
      { name: 'pods', watcher: this.#pods },
    ].map(({ name, watcher: { ageMs, resourceVersion, isRefused } }) => ({
      resource: `${name}${suffix}`,
      ageMs,
      resourceVersion,
      ...(isRefused && { refused: true as const }),
    }));
  }

  /** What an audit compares, and what to do where it finds a difference. */
  get audits(): (Audited & { listAnew: () => void })[] {
    const { cache, namespace } = this.#setup;
    return [
      {
        resource: JOBS,
        fields: JOB_FIELDS,
        namespace,
        knows: (metadata) => cache.knowsJob(metadata),
        knownUntil: (version) => cache.jobsUntil(version, namespace),
        heardUntil: () => this.#jobs.resourceVersion,
        listAnew: () => this.list(),
      },
      {
        resource: PODS,
        fields: POD_FIELDS,
        namespace,
        knows: (metadata) => cache.knowsPod(metadata),
        knownUntil: (version) => cache.podsUntil(version, namespace),
        heardUntil: () => this.#pods.resourceVersion,
        listAnew: () => this.#pods.list(),
      },
    ];
  }

  #failures(): Pick<Follower<Job>, 'failed' | 'refused'> {
    const { namespace, failed, refused } = this.#setup;
    return {
      failed: (error) => failed(error, namespace),
      refused: () => {
        if (this.readiness === 'refusedListing') refused();
      },
    };
  }

  #jobFollower(): Follower<Job> {
    const { cache, namespace, note, resumed, restored } = this.#setup;
    let mark = 0;
    return {
      begin: () => {
        mark = cache.beginList();
      },
      page: (jobs) => {
        for (const job of jobs) {
          this.#warnOf('Job', job);
          this.#countExternal(job);
          cache.putJob(job, mark);
        }
      },
      listed: (resourceVersion) => {
        cache.endJobList(mark, namespace);
        this.jobFloor = resourceVersion;
        if (this.#begins === 'jobs') this.#begins = 'pods';
        // What the Jobs' list no longer names may have left pods, and those floors must rise with it.
        this.#pods.list();
      },
      changed: (type, job) => {
        this.#warnOf('Job', job);
        if (type !== 'DELETED') this.#countExternal(job);
        const news = type === 'DELETED' ? cache.deleteJob(job) : cache.putJob(job);
        if (news && !this.#begins) note(news);
      },
      ...this.#failures(),
      resumed,
      restored,
    };
  }

  #warnOf(kind: string, { metadata: { namespace, name }, unreadable }: KubernetesObject): void {
    if (unreadable !== undefined) this.#setup.telemetry.warn('object cannot be read', { kind, namespace, name, reason: unreadable });
  }

  /** One that has just come, and says that somebody else manages it. */
  #countExternal({ metadata, spec: { managedBy } }: Job): void {
    const { cache, isExternal } = this.#setup;
    if (managedBy === undefined || isOurs({ managedBy }, 'all') || cache.workload(metadata.uid ?? '')?.job) return;
    isExternal(managedBy);
  }

  #podFollower(): Follower<Pod> {
    const { cache, namespace, clock, note, noteWhole, listed, resumed, restored } = this.#setup;
    let mark = 0;
    return {
      begin: () => {
        mark = cache.beginList();
        this.startedAtMs = Math.round(clock.nowMs());
      },
      page: (pods) => {
        for (const pod of pods) {
          this.#warnOf('Pod', pod);
          cache.putPod(pod, mark);
        }
      },
      listed: (resourceVersion) => {
        cache.endPodList(mark, namespace);
        // One that was under way already: another one follows the Jobs' list.
        if (this.#begins === 'jobs') return;
        this.#begins = undefined;
        this.podFloor = resourceVersion;
        for (const workload of cache.workloads(namespace)) noteWhole(workload);
        listed();
      },
      changed: (type, pod) => {
        this.#warnOf('Pod', pod);
        for (const news of type === 'DELETED' ? cache.deletePod(pod) : cache.putPod(pod)) if (!this.#begins) note(news);
      },
      ...this.#failures(),
      resumed,
      restored,
    };
  }
}
