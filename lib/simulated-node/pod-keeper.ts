// Keeps the pods of a simulated node going: what is known of each, which step is due, so many steps at a time.
import type { Pod } from '../objects/kubernetes.ts';
import { hasEnded } from '../objects/placement/schedulable.ts';
import { controllerOf } from '../objects/pods/pod-facts.ts';
import { isNewer } from '../objects/values/resource-version.ts';
import { Failures } from './failures.ts';
import type { MissingObject } from './named-objects.ts';
import { NamedObjects, objectsNamedBy } from './named-objects.ts';
import type { NodeClient } from './node-client.ts';
import type { NodeIdentity, PodStep } from './pod-step.ts';
import { isToBegin, nextStep } from './pod-step.ts';
import type { Deed, Problems } from './problems.ts';
import { RefusedError } from './problems.ts';
import type { NodeResources } from '../objects/placement/room.ts';
import { Room } from '../objects/placement/room.ts';
import { Turns } from './turns.ts';

export interface KeeperOptions extends NodeIdentity {
  resources: NodeResources;
  /** Calls at the same time. */
  concurrency: number;
  restartBackoffMs: number;
  nowMs: () => number;
  problems: Problems;
}

interface Known {
  pod: Pod;
  attempt: number;
  /** When the runs that this node started began, by container and restart count. */
  starts: Map<string, number>;
  failedTries: number;
}

type Step = Exclude<PodStep, { verb: 'wait' | 'nothing' }>;

const DEEDS: Record<Step['verb'], Deed> = { bind: 'bind pods', report: 'report pods', remove: 'remove pods' };
const longestTimerMs = 2 ** 31 - 1;
const firstRetryMs = 100;
const longestRetryMs = 10_000;
const strategicPatch = 'application/strategic-merge-patch+json';

export class PodKeeper {
  readonly client: NodeClient;
  readonly options: KeeperOptions;
  readonly known = new Map<string, Known>();
  readonly failures = new Failures();
  readonly due = new Turns();
  readonly busy = new Set<string>();
  readonly timers = new Map<string, NodeJS.Timeout>();
  /** Of pods bound to this node, or being bound, that have not ended. */
  readonly room: Room;
  readonly namedObjects: NamedObjects;
  readonly idle: (() => void)[] = [];
  isStopped = false;

  constructor(client: NodeClient, options: KeeperOptions) {
    this.client = client;
    this.options = options;
    this.room = new Room(options.resources);
    this.namedObjects = new NamedObjects(client, options.nowMs);
  }

  /** All pods there are. */
  replace(pods: readonly Pod[]): void {
    const uids = new Set(pods.map(({ metadata }) => metadata.uid));
    for (const uid of this.known.keys()) if (!uids.has(uid)) this.forget(uid);
    // Failures first: the pods beside them must know how many there were.
    for (const pod of pods) if (pod.status?.phase === 'Failed') this.failures.note(pod);
    for (const pod of pods) this.notice(pod);
  }

  /** A pod as observed; an older observation changes nothing. */
  notice(pod: Pod): void {
    const { uid, resourceVersion } = pod.metadata;
    if (uid === undefined || resourceVersion === undefined) return;
    const nodeName = pod.spec.nodeName ?? '';
    if (nodeName !== '' && nodeName !== this.options.nodeName) return this.forget(uid);
    const before = this.known.get(uid);
    if (before !== undefined && !isNewer(resourceVersion, before.pod.metadata.resourceVersion ?? '0')) return;
    if (pod.status?.phase === 'Failed') this.failures.note(pod);
    if (before === undefined) {
      this.known.set(uid, { pod: kept(pod), attempt: this.failures.before(pod), starts: new Map(), failedTries: 0 });
    } else before.pod = kept(pod);
    // A pod that is deleted before it was placed may be held by finalizers, and will not come.
    if (hasEnded(pod) || (nodeName === '' && pod.metadata.deletionTimestamp !== undefined)) this.makeRoom(uid);
    else if (nodeName !== '') this.room.hold(pod);
    this.enqueue(uid);
  }

  forget(uid: string): void {
    this.known.delete(uid);
    this.due.delete(uid);
    this.options.problems.forget(uid);
    clearTimeout(this.timers.get(uid));
    this.timers.delete(uid);
    this.makeRoom(uid);
  }

  /** Looks at every pod again: heals whatever was missed. */
  reconsiderAll(): void {
    for (const uid of this.known.keys()) this.enqueue(uid);
  }

  /** Takes no further step. Resolves when those under way are through. */
  async stop(): Promise<void> {
    this.isStopped = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
    this.due.clear();
    if (this.busy.size > 0) await new Promise<void>((done) => this.idle.push(done));
  }

  private enqueue(uid: string): void {
    if (this.isStopped) return;
    this.due.add(uid, controllerOf(this.known.get(uid)?.pod.metadata.ownerReferences)?.uid ?? uid);
    this.startSteps();
  }

  private startSteps(): void {
    while (this.busy.size < this.options.concurrency) {
      // One that is busy stays due: looked at again when it is through.
      const uid = this.due.take((each) => !this.busy.has(each));
      if (uid === undefined) return;
      this.busy.add(uid);
      void this.takeSteps(uid).finally(() => {
        this.busy.delete(uid);
        if (this.busy.size === 0) for (const done of this.idle.splice(0)) done();
        this.startSteps();
      });
    }
  }

  /** Step after step until this pod waits for something. */
  private async takeSteps(uid: string): Promise<void> {
    for (;;) {
      const known = this.known.get(uid);
      if (known === undefined || this.isStopped) return;
      let deed: Deed = 'read what pods name';
      try {
        const named = this.isToBegin(known.pod) ? objectsNamedBy(known.pod) : [];
        let missing: MissingObject | undefined;
        if (named.length > 0) {
          missing = await this.namedObjects.firstMissing(known.pod.metadata.namespace ?? '', named);
          if (this.isStopped || this.known.get(uid) !== known) return;
          this.options.problems.worked(deed, uid);
        }
        const step = this.stepFor(known, missing);
        if (step.verb === 'nothing') return;
        if (step.verb === 'wait') return this.wakeAt(uid, step.untilMs);
        deed = DEEDS[step.verb];
        const status = await this.take(uid, known, step);
        if (this.known.has(uid)) this.options.problems.worked(deed, uid);
        if (status === 'done') known.failedTries = 0;
        else return;
      } catch (error) {
        known.failedTries += 1;
        this.options.problems.failed(deed, uid, error);
        const ms = Math.min(firstRetryMs * 2 ** (known.failedTries - 1), longestRetryMs);
        return this.wakeAt(uid, this.options.nowMs() + ms * (0.5 + Math.random() / 2));
      }
    }
  }

  private isToBegin(pod: Pod): boolean {
    return isToBegin(pod) && !(this.options.hasScheduler && (pod.spec.nodeName ?? '') === '');
  }

  private stepFor({ pod, attempt, starts }: Known, missing: MissingObject | undefined): PodStep {
    const { restartBackoffMs } = this.options;
    const nowMs = this.options.nowMs();
    const startedAtMs = (container: string, restartCount: number): number | undefined => starts.get(`${container}/${restartCount}`);
    const moment = { nowMs, attempt, startedAtMs, restartBackoffMs, ...(missing && { missing }) };
    const step = nextStep(pod, moment, this.options);
    if (step.verb !== 'bind') return step;
    return this.room.take(pod).length === 0 ? step : { verb: 'nothing' };
  }

  /** @returns 'done': look for the next step; 'settled': the watch will report. @throws when it has to be tried again */
  private async take(uid: string, known: Known, step: Step): Promise<'done' | 'settled'> {
    const { namespace = '', name = '' } = known.pod.metadata;
    const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
    switch (step.verb) {
      case 'bind': {
        const target = { apiVersion: 'v1', kind: 'Node', name: this.options.nodeName };
        const body = { apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace, uid }, target };
        const { status, body: answer } = await this.client.request({ method: 'POST', path: `${path}/binding`, body });
        if (status === 201) {
          // The answer holds no pod. What it did to this one is known all the same, so its start need not wait for the watch.
          known.pod = { ...known.pod, spec: { ...known.pod.spec, nodeName: this.options.nodeName } };
          return 'done';
        }
        this.makeRoom(uid);
        return this.refused(uid, step, new RefusedError(`POST ${path}/binding`, status, answer));
      }
      case 'report': {
        const nowMs = this.options.nowMs();
        const { status, body } = await this.client.request({
          method: 'PATCH',
          path: `${path}/status`,
          contentType: strategicPatch,
          body: { metadata: { uid }, status: step.status },
        });
        // A conflict is one among writers: ours carries no version, so it may simply be sent again.
        if (status === 409) throw new RefusedError(`PATCH ${path}/status`, status, body);
        if (status !== 200 || !isPod(body)) return this.refused(uid, step, new RefusedError(`PATCH ${path}/status`, status, body));
        for (const { name: container, restartCount = 0, state } of step.status.containerStatuses ?? []) {
          const key = `${container}/${restartCount}`;
          if (state?.running !== undefined && !known.starts.has(key)) known.starts.set(key, nowMs);
        }
        this.notice(body);
        return 'done';
      }
      case 'remove': {
        const body = { gracePeriodSeconds: 0, preconditions: { uid } };
        const answer = await this.client.request({ method: 'DELETE', path, body });
        if (answer.status !== 200) return this.refused(uid, step, new RefusedError(`DELETE ${path}`, answer.status, answer.body));
        return 'settled';
      }
      default:
        return step satisfies never;
    }
  }

  private refused(uid: string, { verb }: Step, error: RefusedError): 'settled' {
    // Gone, or another of its name (a foreign uid is 422): what is true comes with the watch.
    if (error.status === 404 || error.status === 422) {
      if (error.status === 422) this.options.problems.failed(DEEDS[verb], uid, error);
      this.forget(uid);
      return 'settled';
    }
    if (error.status === 409) return 'settled';
    throw error;
  }

  private wakeAt(uid: string, atMs: number): void {
    if (this.isStopped) return;
    clearTimeout(this.timers.get(uid));
    const waitMs = Math.min(Math.max(0, Math.ceil(atMs - this.options.nowMs())), longestTimerMs);
    this.timers.set(
      uid,
      setTimeout(() => {
        this.timers.delete(uid);
        this.enqueue(uid);
      }, waitMs),
    );
  }

  private makeRoom(uid: string): void {
    for (const next of this.room.release(uid)) this.enqueue(next);
  }
}

/** The part that decides steps; of a pod that has ended little is needed. */
function kept(pod: Pod): Pod {
  const { managedFields: _unread, ...metadata } = pod.metadata;
  if (!hasEnded(pod)) return { ...pod, metadata };
  const { annotations: _alsoUnread, labels: _labels, ...identity } = metadata;
  const { phase = '' } = pod.status ?? {};
  return { metadata: identity, spec: { containers: [], nodeName: pod.spec.nodeName ?? '' }, status: { phase } };
}

function isPod(body: unknown): body is Pod {
  return typeof body === 'object' && body !== null && 'kind' in body && body.kind === 'Pod';
}
