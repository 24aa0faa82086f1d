// A provider that lives elsewhere and is reached by HTTP (docs/virtual-node.md has its contract). A pod's name is its only token, so a start looks before it
// creates. It is asked again and again what became of its pods while it has any.
import type { ResolvedPod } from '../../objects/environment/sources.ts';
import type { Pod, PodStatus } from '../../objects/kubernetes.ts';
import { hasEnded as isPhaseFinal } from '../../objects/placement/schedulable.ts';
import type { LogRequest } from '../../objects/log-request.ts';
import { requestTextsOf } from '../../objects/pods/pod-requests.ts';
import type { Task, TaskName } from '../../objects/task.ts';
import { timeOf } from '../../objects/values/unix-seconds.ts';
import { fieldsOf, isFields, type Fields } from '../../objects/values/untyped-fields.ts';
import { deadlineIn, type Deadline } from '../../ports/clock.ts';
import { NotDoneError, NotFoundError } from '../../ports/errors.ts';
import type { ContainerFigures, Health, Limits, Provider, TaskFigures } from '../../ports/provider.ts';
import { Notifications } from './notifications.ts';
import { firstBytes, NotOfferedError, noWordOfPods, pageOf, Service, SharedRead, type ServiceOptions } from './service.ts';
import type { TaskChange } from './simulated.ts';

const POLL_MS = 5_000;
/** A notification may be lost. */
const TOLD_POLL_MS = 60_000;
/** Of the list that says which pod a log is of. */
const LIST_MS = 10_000;
const VOLUMES_MEMBER = 'farloop.dev/volumes';

export interface HttpProviderOptions extends ServiceOptions {
  /** Nobody listens to this process for long: a look comes after so many seconds. */
  lookAgainSeconds?: number;
  /** It is on this machine: it is asked to notify this process of changes. */
  isTold?: true;
  pollMs?: number;
  /** Of one that notifies this process. */
  toldPollMs?: number;
}

export class HttpProvider implements Provider {
  readonly #service: Service;
  readonly lookAgainSeconds?: number;
  readonly #node: string;
  readonly #clock: ServiceOptions['clock'];
  readonly #pollMs: number;
  readonly #toldPollMs: number;
  readonly #listeners = new Set<(change: TaskChange) => void>();
  readonly #list: SharedRead<Pod[]>;
  /** The status of each pod when it was listed last, as text, by uid. */
  #seen = new Map<string, { change: TaskChange; text: string }>();
  #timer: NodeJS.Timeout | undefined;
  readonly #wantsToBeTold: boolean;
  /** Undefined: it was not asked since it answered last. */
  #telling: Promise<Notifications | undefined> | undefined;
  #isTelling = false;
  #askedToTellAtMs = 0;
  #isClosed = false;

  /** @throws TerminalError the address cannot be used */
  constructor({ lookAgainSeconds, isTold, pollMs = POLL_MS, toldPollMs = TOLD_POLL_MS, ...options }: HttpProviderOptions) {
    const { node, clock } = options;
    this.#service = new Service(options);
    if (lookAgainSeconds !== undefined) this.lookAgainSeconds = lookAgainSeconds;
    this.#node = node;
    this.#clock = clock;
    this.#list = new SharedRead(async () => await this.#read(), clock);
    this.#pollMs = pollMs;
    this.#toldPollMs = toldPollMs;
    this.#wantsToBeTold = isTold === true;
  }

  onChange(listener: (change: TaskChange) => void): void {
    this.#listeners.add(listener);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#listeners.clear();
    void this.#telling?.then((notifications) => notifications?.close());
    this.#service.close();
  }

  async start(task: TaskName, pod: ResolvedPod, deadline: Deadline): Promise<void> {
    const { namespace = '', name = '' } = pod.metadata;
    const there = await this.#podNamed(namespace, name, deadline);
    if (there?.metadata.uid === task.uid) return;
    if (there && there.spec.nodeName !== this.#node)
      throw new NotDoneError(
        `the provider has a pod called ${namespace}/${name} of another node, ${there.spec.nodeName}: a provider knows pods by their names`,
      );
    if (there && !hasEnded(there)) throw new NotDoneError(`the provider still runs another pod called ${namespace}/${name}`);
    if (there) await this.#delete(there, 0, deadline).catch(notThere);
    await this.#post('createPod', pod, deadline);
    this.#pollSoon();
  }

  async update(task: TaskName, pod: ResolvedPod, deadline: Deadline): Promise<void> {
    const { namespace = '', name = '' } = pod.metadata;
    const there = await this.#podNamed(namespace, name, deadline);
    if (there?.metadata.uid !== task.uid) throw new NotFoundError(`the provider does not know the pod ${namespace}/${name}`);
    await this.#post('updatePod', pod, deadline);
    this.#pollSoon();
  }

  async stop(task: TaskName, { graceSeconds }: { graceSeconds: number }, deadline: Deadline): Promise<void> {
    const pod = await this.#podOf(task, deadline);
    if (!pod) throw new NotFoundError('pod not found');
    if (!hasEnded(pod)) await this.#delete(pod, graceSeconds, deadline);
  }

  /** As other virtual kubelets delete a pod that has ended. */
  async forget(task: TaskName, deadline: Deadline): Promise<void> {
    try {
      const pod = await this.#podOf(task, deadline);
      if (pod) await this.#delete(pod, 0, deadline);
    } catch {
      // It keeps one pod more.
    }
  }

  async #podOf({ uid }: TaskName, deadline: Deadline): Promise<Pod | undefined> {
    return (await this.#list.get(deadline)).find(({ metadata }) => metadata.uid === uid);
  }

  async #delete(pod: Pod, graceSeconds: number, deadline: Deadline): Promise<void> {
    const deletionTimestamp = timeOf(Math.floor(this.#clock.nowMs() / 1_000) + graceSeconds);
    await this.#post(
      'deletePod',
      { ...pod, metadata: { ...pod.metadata, deletionTimestamp, deletionGracePeriodSeconds: graceSeconds } },
      deadline,
    );
    this.#pollSoon();
  }

  async look(tasks: readonly TaskName[], deadline: Deadline): Promise<(Task | undefined)[]> {
    const byUid = new Map((await this.#list.get(deadline)).map((pod) => [pod.metadata.uid, pod]));
    return tasks.map(({ uid, attempt }) => {
      const pod = byUid.get(uid);
      return pod && { ...taskOf(pod), attempt };
    });
  }

  async list(page: { limit: number; after?: string }, deadline: Deadline): Promise<{ tasks: Task[]; next?: string }> {
    return pageOf((await this.#list.get(deadline)).map(taskOf), page);
  }

  async *logs(task: TaskName, wanted: LogRequest, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const pod = await this.#podOf(task, deadlineIn(this.#clock, LIST_MS));
    if (!pod) throw new NotFoundError('pod not found');
    yield* firstBytes(this.#service.stream(logPathOf(pod, wanted), { signal }), wanted.limitBytes);
  }

  /** A provider need not measure anything. */
  async figures(deadline: Deadline): Promise<TaskFigures[]> {
    try {
      const { items } = await this.#service.read('/v1/figures', isList, { what: 'no list of figures', deadline });
      return items.flatMap((item) => figuresIn(item) ?? []);
    } catch (error) {
      if (error instanceof NotFoundError || error instanceof NotOfferedError) return [];
      throw error;
    }
  }

  async health(deadline: Deadline): Promise<Health> {
    await this.#list.get(deadline);
    return {};
  }

  limits(): Limits {
    return { cannot: [] };
  }

  /** All pods of this node that the provider knows, as they are now. */
  async #read(): Promise<Pod[]> {
    const { items } = await this.#service.read('/v1/pods', isList, { what: 'no list of pods' }).catch((error: unknown) => {
      // One that was started anew has forgotten whom to tell.
      this.#forgetTelling();
      throw noWordOfPods(error);
    });
    if (this.#wantsToBeTold && this.#listeners.size > 0) this.#stayTold();
    const pods = items.filter((item): item is Pod => isPodOf(item, this.#node)).map((pod) => ({ ...pod, status: statusIn(pod) }));
    this.#tellChanges(pods);
    return pods;
  }

  async #podNamed(namespace: string, name: string, deadline: Deadline): Promise<Pod | undefined> {
    const path = `/v1/pods/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
    try {
      const pod = await this.#service.read(path, isPod, { what: 'no pod', deadline });
      return { ...pod, status: statusIn(pod) };
    } catch (error) {
      return notThere(error);
    }
  }

  async #post(call: 'createPod' | 'updatePod' | 'deletePod', pod: ResolvedPod, deadline: Deadline): Promise<void> {
    await this.#service.call('POST', `/v1/${call}`, { deadline, body: sentFormOf(pod) });
  }

  #tellChanges(pods: readonly Pod[]): void {
    const seen = new Map<string, { change: TaskChange; text: string }>();
    for (const pod of pods) {
      const { uid = '', namespace = '', name = '' } = pod.metadata;
      seen.set(uid, { change: { uid, namespace, name, node: this.#node }, text: JSON.stringify(pod.status ?? {}) });
    }
    const before = this.#seen;
    this.#seen = seen;
    const changes = [
      ...[...seen].flatMap(([uid, { change, text }]) => (before.get(uid)?.text === text ? [] : [change])),
      ...[...before].flatMap(([uid, { change }]) => (seen.has(uid) ? [] : [change])),
    ];
    for (const change of changes) for (const listener of this.#listeners) listener(change);
    if (pods.some((pod) => !hasEnded(pod))) this.#pollIn(this.#isTelling ? this.#toldPollMs : this.#pollMs);
  }

  /** A provider that restarted between two polls has forgotten the address to notify, and nothing else shows it. */
  #stayTold(): void {
    const isDue = (ms: number): boolean => this.#clock.monotonicMs() - this.#askedToTellAtMs >= ms;
    if (this.#telling === undefined || (!this.#isTelling && isDue(this.#toldPollMs))) this.#telling = this.#askToTell();
    else if (this.#isTelling && isDue(this.#toldPollMs / 2)) void this.#remind(this.#telling);
  }

  async #remind(telling: Promise<Notifications | undefined>): Promise<void> {
    this.#askedToTellAtMs = this.#clock.monotonicMs();
    try {
      await this.#service.call('POST', '/v1/notifyPods', { body: { url: (await telling)?.url } });
    } catch {
      if (this.#telling === telling) this.#forgetTelling();
    }
  }

  /** @returns undefined: it tells nobody, and is asked again and again */
  async #askToTell(): Promise<Notifications | undefined> {
    this.#askedToTellAtMs = this.#clock.monotonicMs();
    let notifications: Notifications | undefined;
    try {
      notifications = await Notifications.open((pod) => {
        if (!isPodOf(pod, this.#node)) return;
        const { uid = '', namespace = '', name = '' } = pod.metadata;
        for (const listener of this.#listeners) listener({ uid, namespace, name, node: this.#node });
      });
      await this.#service.call('POST', '/v1/notifyPods', { body: { url: notifications.url } });
      this.#isTelling = true;
      return notifications;
    } catch {
      notifications?.close();
      return undefined;
    }
  }

  #forgetTelling(): void {
    this.#isTelling = false;
    void this.#telling?.then((notifications) => notifications?.close());
    this.#telling = undefined;
  }

  /** A call has changed something. */
  #pollSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pollIn(Math.min(this.#pollMs, 500));
  }

  #pollIn(ms: number): void {
    if (this.#timer !== undefined || this.#isClosed || this.#listeners.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      // The node's pass tells of a provider that does not answer.
      this.#list.get().catch(() => this.#pollIn(this.#pollMs));
    }, ms);
    this.#timer.unref();
  }
}

/** As a kubelet's, so that a provider may hand it on. */
function logPathOf(pod: Pod, { container, previous, tailLines, limitBytes, sinceMs, timestamps, follow }: LogRequest): string {
  const { namespace = '', name = '' } = pod.metadata;
  const query = new URLSearchParams({
    ...(previous && { previous: 'true' }),
    ...(tailLines !== undefined && { tailLines: String(tailLines) }),
    ...(limitBytes !== undefined && { limitBytes: String(limitBytes) }),
    ...(sinceMs !== undefined && { sinceTime: new Date(sinceMs).toISOString() }),
    ...(timestamps && { timestamps: 'true' }),
    ...(follow && { follow: 'true' }),
  }).toString();
  return `/v1/containerLogs/${[namespace, name, container].map(encodeURIComponent).join('/')}${query === '' ? '' : `?${query}`}`;
}

/** @returns undefined for what names no pod; of the figures those that are some */
function figuresIn(item: unknown): TaskFigures | undefined {
  const { uid, time, containers } = fieldsOf(item);
  const timeMs = (value: unknown): number | undefined => {
    const ms = typeof value === 'string' ? Date.parse(value) : NaN;
    // Go writes the year 1 for a time that it does not know.
    return ms >= 0 ? ms : undefined;
  };
  const atMs = timeMs(time);
  if (typeof uid !== 'string' || atMs === undefined || !Array.isArray(containers)) return undefined;
  const amount = (value: unknown): number | undefined =>
    typeof value === 'number' && value >= 0 && Number.isFinite(value) ? value : undefined;
  const known = containers.flatMap((each): ContainerFigures[] => {
    const { name, startTime, cpuSeconds, cpuCores, memoryBytes } = fieldsOf(each);
    const figures = {
      cpuSeconds: amount(cpuSeconds),
      cpuCores: amount(cpuCores),
      memoryBytes: amount(memoryBytes),
      startedAtMs: timeMs(startTime),
    };
    return typeof name === 'string' ? [{ name, ...definedOnly(figures) }] : [];
  });
  return { uid, atMs, containers: known };
}

/** A reader of Kubernetes' pods passes over the member that is ours. */
function sentFormOf({ volumeContents, sources: _sources, ...pod }: ResolvedPod): object {
  return { ...pod, ...(volumeContents && { [VOLUMES_MEMBER]: volumeContents }) };
}

const isList = (value: unknown): value is { items: unknown[] } => isFields(value) && Array.isArray(value['items']);

const isPod = (value: unknown): value is Pod =>
  isFields(value) && isFields(value['metadata']) && isFields(value['spec']) && typeof value['metadata']['name'] === 'string';

/** Those of other nodes are none of ours, and one without a uid is nobody's. */
const isPodOf = (value: unknown, node: string): value is Pod =>
  isPod(value) && value.spec.nodeName === node && typeof value.metadata.uid === 'string' && value.metadata.uid !== '';

/** Its phase says so, and none of its containers runs. */
const hasEnded = (pod: Pod): boolean =>
  isPhaseFinal(pod) &&
  ![...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])].some(({ state }) => state?.running);

function taskOf(pod: Pod): Task {
  const { uid = '', namespace = '', name = '' } = pod.metadata;
  return { uid, attempt: 1, namespace, name, hasEnded: hasEnded(pod), status: pod.status ?? {}, requests: requestsOf(pod) };
}

/** As the provider says it, without what is no list of named states. The API server judges the rest. */
function statusIn({ status }: Pod): PodStatus {
  const { containerStatuses, initContainerStatuses, conditions, ...rest } = fieldsOf(status);
  const listOf = (value: unknown, key: string): Fields[] | undefined =>
    Array.isArray(value) ? value.filter((item): item is Fields => isFields(item) && typeof item[key] === 'string') : undefined;
  return {
    ...rest,
    ...definedOnly({
      conditions: listOf(conditions, 'type'),
      containerStatuses: listOf(containerStatuses, 'name'),
      initContainerStatuses: listOf(initContainerStatuses, 'name'),
    }),
  };
}

const definedOnly = (fields: Fields): Fields => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** A provider may say of requests what it likes. */
function requestsOf(pod: Pod): Readonly<Record<string, string>> {
  try {
    return requestTextsOf(pod);
  } catch {
    return {};
  }
}

/** @throws every other error */
function notThere(error: unknown): undefined {
  if (!(error instanceof NotFoundError)) throw error;
  return undefined;
}
