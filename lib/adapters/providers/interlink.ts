// A provider reached through interLink, which lets batch systems run pods: its API server at the edge takes the calls that its own virtual kubelet
// makes. Written from the calls as its sources of 2026 have them; not tried against a running edge.
import { isUtf8 } from 'node:buffer';
import type { ResolvedPod, Source, VolumeContent } from '../../objects/environment/sources.ts';
import type { Condition, ContainerState, ContainerStatus, PodStatus } from '../../objects/kubernetes.ts';
import type { LogRequest } from '../../objects/log-request.ts';
import type { Task, TaskName } from '../../objects/task.ts';
import { fieldsOf, isFields, textOf, type Fields } from '../../objects/values/untyped-fields.ts';
import { deadlineIn, type Deadline } from '../../ports/clock.ts';
import { NotFoundError, TerminalError } from '../../ports/errors.ts';
import type { Health, Limits, Provider } from '../../ports/provider.ts';
import { firstBytes, noWordOfPods, pageOf, Service, SharedRead, type ServiceOptions } from './service.ts';

/** Its edge tells nobody of changes. */
const LOOK_AGAIN_SECONDS = 10;

/** Of the statuses that say which pod a log is of. */
const STATUS_MS = 10_000;
/** Go's zero time, which stands for no time. */
const NO_TIME = '0001-01-01T00:00:00Z';

/** Of a pod, as the edge tells it. */
interface EdgeStatus {
  uid: string;
  namespace: string;
  name: string;
  containers: ContainerStatus[];
  initContainers: ContainerStatus[];
}

export class InterLinkProvider implements Provider {
  readonly lookAgainSeconds = LOOK_AGAIN_SECONDS;
  /** A status names no node. */
  readonly sharesTasks = true;
  readonly #service: Service;
  readonly #clock: ServiceOptions['clock'];
  readonly #statuses: SharedRead<EdgeStatus[]>;

  /** @throws TerminalError the address cannot be used */
  constructor(options: ServiceOptions) {
    this.#service = new Service(options);
    this.#clock = options.clock;
    this.#statuses = new SharedRead(async () => await this.#statusesOf([]), options.clock);
  }

  close(): void {
    this.#service.close();
  }

  /** A create has no token: one that was taken is not made again. */
  async start({ uid }: TaskName, pod: ResolvedPod, deadline: Deadline): Promise<void> {
    const { volumeContents: _volumes, sources: _sources, ...sent } = pod;
    const known = await this.#statusesOf([sent], deadline);
    if (known.some((status) => status.uid === uid)) return;
    await this.#service.call('POST', '/create', { deadline, body: createOf(pod) });
  }

  async update({ uid }: TaskName, _pod: ResolvedPod, deadline: Deadline): Promise<void> {
    if (!(await this.#known(deadline)).has(uid)) throw new NotFoundError('pod not found');
    throw new TerminalError('an edge of interLink cannot update a pod that runs');
  }

  async stop({ uid }: TaskName, _how: { graceSeconds: number }, deadline: Deadline): Promise<void> {
    const status = (await this.#known(deadline)).get(uid);
    if (!status) throw new NotFoundError('pod not found');
    if (stateOf(status).hasEnded) return;
    const { namespace, name } = status;
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name, uid }, spec: { containers: [] } };
    await this.#service.call('DELETE', '/delete', { deadline, body: pod });
  }

  async look(tasks: readonly TaskName[], deadline: Deadline): Promise<(Task | undefined)[]> {
    const known = await this.#known(deadline);
    // An edge that was started anew may not know for a while what runs: that counts only where it is well.
    if (tasks.some(({ uid }) => !known.has(uid))) await this.#ping(deadline);
    return tasks.map(({ uid, attempt }) => {
      const status = known.get(uid);
      return status && taskOf(status, attempt);
    });
  }

  async list(page: { limit: number; after?: string }, deadline: Deadline): Promise<{ tasks: Task[]; next?: string }> {
    const { tasks, ...rest } = pageOf([...(await this.#known(deadline)).values()], page);
    return { tasks: tasks.map((status) => taskOf(status, 1)), ...rest };
  }

  /** The edge keeps the statuses of pods that have ended, until then. */
  async forget({ uid }: TaskName, deadline: Deadline): Promise<void> {
    await this.#service.call('POST', '/updateCache', { deadline, body: uid }).catch(() => {});
  }

  /** Its edge reads the body of a GET. */
  async *logs({ uid }: TaskName, wanted: LogRequest, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const status = (await this.#known(deadlineIn(this.#clock, STATUS_MS))).get(uid);
    if (!status) throw new NotFoundError('pod not found');
    const { namespace, name } = status;
    const { container, tailLines, limitBytes, sinceMs, timestamps, follow, previous } = wanted;
    // Of its edge no lines are all lines: what comes from now on is asked for by its time.
    const isFromNow = tailLines === 0;
    if (isFromNow && follow !== true) return;
    const fromMs = isFromNow ? Math.max(this.#clock.nowMs(), sinceMs ?? 0) : sinceMs;
    const body = {
      Namespace: namespace,
      PodUID: uid,
      PodName: name,
      ContainerName: container,
      Opts: {
        Tail: tailLines ?? 0,
        // The edge takes one of the two.
        Bytes: (tailLines ?? 0) === 0 ? (limitBytes ?? 0) : 0,
        Timestamps: timestamps === true,
        Follow: follow === true,
        Previous: previous === true,
        SinceSeconds: 0,
        SinceTime: fromMs === undefined ? NO_TIME : new Date(fromMs).toISOString(),
      },
    };
    yield* firstBytes(this.#service.stream('/getLogs', { signal, body }), limitBytes);
  }

  async health(deadline: Deadline): Promise<Health> {
    await this.#ping(deadline);
    return {};
  }

  limits(): Limits {
    const elsewhere =
      'an edge of interLink gets no volumes of the cluster; leave it out, or put what it holds into a config map or a secret';
    return {
      cannot: ['persistentVolumeClaim', 'ephemeral', 'hostPath'].map((kind) => ({ field: `spec.volumes.*.${kind}`, why: elsewhere })),
    };
  }

  async #ping(deadline: Deadline): Promise<void> {
    await this.#service.call('POST', '/pinglink', { deadline }).catch((error: unknown) => {
      throw noWordOfPods(error);
    });
  }

  /** By uid, all that the edge knows. */
  async #known(deadline: Deadline): Promise<Map<string, EdgeStatus>> {
    const statuses = await this.#statuses.get(deadline);
    return new Map(statuses.map((status) => [status.uid, status]));
  }

  /** Its edge reads the body of a GET. @param pods empty: of all that it knows */
  async #statusesOf(pods: readonly object[], deadline?: Deadline): Promise<EdgeStatus[]> {
    const told = await this.#service
      .read('/status', (answer): answer is unknown[] => Array.isArray(answer), {
        what: 'no list of statuses',
        body: pods,
        ...(deadline && { deadline }),
      })
      .catch((error: unknown) => {
        throw noWordOfPods(error);
      });
    return told.flatMap((each) => statusIn(each) ?? []);
  }
}

/** @returns undefined for what names no pod, or a pod that the edge does not know: it has neither a job nor containers of it */
function statusIn(told: unknown): EdgeStatus | undefined {
  const { UID: uid, name, namespace, JID: job, containers, initContainers } = fieldsOf(told);
  if (typeof uid !== 'string' || uid === '') return undefined;
  const status = {
    uid,
    namespace: textOf(namespace),
    name: textOf(name),
    containers: containersIn(containers),
    initContainers: containersIn(initContainers),
  };
  return textOf(job) === '' && status.containers.length === 0 ? undefined : status;
}

const containersIn = (told: unknown): ContainerStatus[] =>
  Array.isArray(told)
    ? told
        .filter((each): each is Fields & { name: string } => isFields(each) && typeof each['name'] === 'string')
        .map((each) => ({ ...each, state: timedState(fieldsOf(each['state'])) }))
    : [];

/** A time that is not known is Go's zero time. */
function timedState(state: Fields): ContainerState {
  const timed = (fields: unknown): Fields =>
    Object.fromEntries(Object.entries(fieldsOf(fields)).filter(([, value]) => value !== null && !textOf(value).startsWith('0001-01-01T')));
  const { waiting, running, terminated } = state;
  if (isFields(terminated)) return { terminated: { exitCode: 0, ...timed(terminated) } };
  if (isFields(running)) return { running: timed(running) };
  return { waiting: { reason: 'ContainerCreating', ...fieldsOf(waiting) } };
}

/** The edge tells of containers; how the pod is follows from them (spec section 18.1). */
function stateOf({ containers, initContainers }: EdgeStatus): { phase: string; hasEnded: boolean } {
  const exitOf = ({ state }: ContainerStatus): number | undefined => state?.terminated?.exitCode;
  if (initContainers.some((container) => (exitOf(container) ?? 0) !== 0)) return { phase: 'Failed', hasEnded: true };
  const exits = containers.map(exitOf);
  if (exits.length > 0 && exits.every((exit) => exit !== undefined))
    return { phase: exits.every((exit) => exit === 0) ? 'Succeeded' : 'Failed', hasEnded: true };
  const hasBegun = containers.some(({ state }) => state?.running ?? state?.terminated);
  return { phase: hasBegun ? 'Running' : 'Pending', hasEnded: false };
}

function taskOf(status: EdgeStatus, attempt: number): Task {
  const { uid, namespace, name } = status;
  const { phase, hasEnded } = stateOf(status);
  return { uid, attempt, namespace, name, hasEnded, status: podStatusOf(status, phase) };
}

function podStatusOf({ containers, initContainers }: EdgeStatus, phase: string): PodStatus {
  const isInitialized = initContainers.every(({ state }) => state?.terminated?.exitCode === 0);
  const isReady = phase === 'Running' && containers.every(({ ready }) => ready === true);
  const ended = phase === 'Succeeded' ? 'PodCompleted' : phase === 'Failed' ? 'PodFailed' : undefined;
  const condition = (type: string, is: boolean): Condition => ({
    type,
    status: is ? 'True' : 'False',
    ...(!is && ended !== undefined && { reason: ended }),
  });
  return {
    phase,
    conditions: [
      condition('PodScheduled', true),
      condition('Initialized', isInitialized),
      condition('ContainersReady', isReady),
      condition('Ready', isReady),
    ],
    containerStatuses: containers,
    ...(initContainers.length > 0 && { initContainerStatuses: initContainers }),
  };
}

/** The pod, and beside it what its volumes and environment come from. */
function createOf({ volumeContents = [], sources = [], ...pod }: ResolvedPod): object {
  const ofKind = (kind: string): Source[] =>
    sources.filter((source) => source.kind === kind).map((source) => ({ apiVersion: 'v1', ...source }));
  const projected = new Set(
    ((pod.spec['volumes'] ?? []) as { name: string; projected?: object; downwardAPI?: object }[]).flatMap((volume) =>
      (volume.projected ?? volume.downwardAPI) ? volume.name : [],
    ),
  );
  return {
    pod,
    configmaps: ofKind('ConfigMap'),
    secrets: ofKind('Secret'),
    persistentvolumes: [],
    projectedvolumesmaps: volumeContents
      .filter(({ name }) => projected.has(name))
      .map((volume) => filesAsMap(volume, pod.metadata.namespace)),
    jobscriptURL: '',
  };
}

/** As a config map holds them: what is no text is binary data. */
function filesAsMap({ name, files }: VolumeContent, namespace = ''): object {
  const data: [string, string][] = [];
  const binaryData: [string, string][] = [];
  for (const { path, data: base64 } of files) {
    const bytes = Buffer.from(base64, 'base64');
    if (isUtf8(bytes)) data.push([path, bytes.toString()]);
    else binaryData.push([path, base64]);
  }
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
    data: Object.fromEntries(data),
    ...(binaryData.length > 0 && { binaryData: Object.fromEntries(binaryData) }),
  };
}
