// A provider that lives elsewhere and is reached by HTTP (docs/virtual-node.md has its contract). A pod's name is its only token, so a start looks before it
// creates. It is asked again and again what became of its pods while it has any.
import type { Pod, PodStatus } from '../../objects/kubernetes.ts';
import { hasEnded as isPhaseFinal } from '../../objects/placement/schedulable.ts';
import { requestTextsOf } from '../../objects/pods/pod-requests.ts';
import type { Task, TaskName } from '../../objects/task.ts';
import { timeOf } from '../../objects/values/unix-seconds.ts';
import { fieldsOf, isFields, jsonIn, type Fields } from '../../objects/values/untyped-fields.ts';
import { hasPassed, type Clock, type Deadline } from '../../ports/clock.ts';
import { NotDoneError, NotFoundError, TerminalError, ThrottledError, UnknownOutcomeError } from '../../ports/errors.ts';
import type { Health, Limits, Provider } from '../../ports/provider.ts';
import type { Authentication } from '../kubernetes/access.ts';
import { AnswerTooLongError, Connection, type Incoming, type Outgoing } from '../kubernetes/connection.ts';
import type { TaskChange } from './simulated.ts';

/** A request's whole life (R17). */
const CALL_MS = 10_000;
const CALLS_AT_ONCE = 16;
/** A node has 1,000 pods at most; 8 KB each. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
const POLL_MS = 5_000;
/** An answer that is no sentence is cut. */
const LONGEST_MESSAGE = 1_000;
const AGAIN_SECONDS = 5;

export interface HttpProviderOptions {
  /** Of its root. Checked by `problemOfProviderAddress`. */
  address: string;
  node: string;
  auth: Authentication;
  clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  pollMs?: number;
}

export class HttpProvider implements Provider {
  readonly #connection: Connection;
  readonly #node: string;
  readonly #clock: HttpProviderOptions['clock'];
  readonly #pollMs: number;
  readonly #listeners = new Set<(change: TaskChange) => void>();
  /** The list that is being read, and the one after it: who asks gets one that was asked for no sooner. */
  #reading: Promise<unknown> | undefined;
  #next: Promise<Pod[]> | undefined;
  /** The status of each pod when it was listed last, as text, by uid. */
  #seen = new Map<string, { change: TaskChange; text: string }>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** @throws TerminalError the address cannot be used */
  constructor({ address, node, auth, clock, pollMs = POLL_MS }: HttpProviderOptions) {
    this.#connection = new Connection(
      { server: address, auth },
      { connections: CALLS_AT_ONCE, timeoutMs: CALL_MS, answerBytesMax: ANSWER_BYTES_MAX, peer: 'provider' },
    );
    this.#node = node;
    this.#clock = clock;
    this.#pollMs = pollMs;
  }

  onChange(listener: (change: TaskChange) => void): void {
    this.#listeners.add(listener);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#listeners.clear();
    this.#connection.close();
  }

  async start(task: TaskName, pod: Pod, deadline: Deadline): Promise<void> {
    const { namespace = '', name = '' } = pod.metadata;
    const there = await this.#podNamed(namespace, name, deadline);
    if (there?.metadata.uid === task.uid) return;
    if (there && !hasEnded(there)) throw new NotDoneError(`the provider still runs another pod called ${namespace}/${name}`);
    if (there) await this.#post('deletePod', there, deadline).catch(notThere);
    await this.#post('createPod', pod, deadline);
    this.#pollSoon();
  }

  async update(task: TaskName, pod: Pod, deadline: Deadline): Promise<void> {
    const { namespace = '', name = '' } = pod.metadata;
    const there = await this.#podNamed(namespace, name, deadline);
    if (there?.metadata.uid !== task.uid) throw new NotFoundError(`the provider does not know the pod ${namespace}/${name}`);
    await this.#post('updatePod', pod, deadline);
    this.#pollSoon();
  }

  async stop(task: TaskName, { graceSeconds }: { graceSeconds: number }, deadline: Deadline): Promise<void> {
    const pod = (await this.#listed(deadline)).find(({ metadata }) => metadata.uid === task.uid);
    if (!pod) throw new NotFoundError('pod not found');
    if (hasEnded(pod)) return;
    const deletionTimestamp = timeOf(Math.floor(this.#clock.nowMs() / 1_000) + graceSeconds);
    await this.#post(
      'deletePod',
      { ...pod, metadata: { ...pod.metadata, deletionTimestamp, deletionGracePeriodSeconds: graceSeconds } },
      deadline,
    );
    this.#pollSoon();
  }

  async look(tasks: readonly TaskName[], deadline: Deadline): Promise<(Task | undefined)[]> {
    const byUid = new Map((await this.#listed(deadline)).map((pod) => [pod.metadata.uid, pod]));
    return tasks.map(({ uid, attempt }) => {
      const pod = byUid.get(uid);
      return pod && { ...taskOf(pod), attempt };
    });
  }

  async list({ limit, after = '' }: { limit: number; after?: string }, deadline: Deadline): Promise<{ tasks: Task[]; next?: string }> {
    const tasks = (await this.#listed(deadline))
      .map(taskOf)
      .filter(({ uid }) => uid > after)
      .toSorted((one, other) => (one.uid < other.uid ? -1 : 1));
    const page = tasks.slice(0, limit);
    const last = page.at(-1);
    return { tasks: page, ...(tasks.length > limit && last && { next: last.uid }) };
  }

  async health(deadline: Deadline): Promise<Health> {
    await this.#listed(deadline);
    return {};
  }

  limits(): Limits {
    return { cannot: [] };
  }

  /** All pods of this node that the provider knows, as they are now. */
  async #listed(deadline: Deadline): Promise<Pod[]> {
    this.#next ??= this.#readNext();
    const pods = await this.#next;
    if (hasPassed(deadline, this.#clock)) throw new NotDoneError('the provider answered too late');
    return pods;
  }

  async #readNext(): Promise<Pod[]> {
    await this.#reading?.catch(() => {});
    this.#next = undefined;
    const reading = this.#read();
    this.#reading = reading;
    return await reading;
  }

  async #read(): Promise<Pod[]> {
    const path = '/v1/pods';
    const { items } = fieldsOf(await this.#call('GET', path).catch(noList));
    if (!Array.isArray(items)) throw new UnknownOutcomeError(`GET ${path} answers with something that is no list of pods`);
    const pods = items.filter((item): item is Pod => isPodOf(item, this.#node)).map((pod) => ({ ...pod, status: statusIn(pod) }));
    this.#tellChanges(pods);
    return pods;
  }

  async #podNamed(namespace: string, name: string, deadline: Deadline): Promise<Pod | undefined> {
    const path = `/v1/pods/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
    try {
      const pod = await this.#call('GET', path, { deadline });
      if (!isPod(pod)) throw new UnknownOutcomeError(`GET ${path} answers with something that is no pod`);
      return { ...pod, status: statusIn(pod) };
    } catch (error) {
      return notThere(error);
    }
  }

  async #post(call: 'createPod' | 'updatePod' | 'deletePod', pod: Pod, deadline: Deadline): Promise<void> {
    await this.#call('POST', `/v1/${call}`, { deadline, body: JSON.stringify(pod) });
  }

  /** @returns the answer, parsed. @throws the errors of errors.ts; the text of a failure is the provider's own */
  async #call(method: Outgoing['method'], path: string, { deadline, body }: { deadline?: Deadline; body?: string } = {}): Promise<unknown> {
    const incoming = await this.#connection
      .call({
        method,
        path,
        accept: 'application/json',
        isTooLate: () => deadline !== undefined && hasPassed(deadline, this.#clock),
        ...(body !== undefined && { body, contentType: 'application/json' }),
      })
      .catch((error: unknown) => {
        if (!(error instanceof AnswerTooLongError)) throw error;
        throw new UnknownOutcomeError(`${method} ${path} answers with more than ${ANSWER_BYTES_MAX / 1024 / 1024} MB`, { cause: error });
      });
    if (incoming.status < 200 || incoming.status >= 300) throw failureOf(`${method} ${path}`, incoming);
    const answer = jsonIn(incoming.text);
    if (method === 'GET' && !isFields(answer))
      throw new UnknownOutcomeError(`${method} ${path} answers with ${incoming.headers['content-type'] ?? 'a text'}: expected JSON`);
    return answer;
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
    if (pods.some((pod) => !hasEnded(pod))) this.#pollIn(this.#pollMs);
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
      this.#next ??= this.#readNext();
      // The node's pass tells of a provider that does not answer.
      this.#next.catch(() => this.#pollIn(this.#pollMs));
    }, ms);
    this.#timer.unref();
  }
}

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

/** A list that is not found says nothing about a pod. */
function noList(error: unknown): never {
  throw error instanceof NotFoundError ? new NotDoneError(error.message, { cause: error }) : error;
}

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

function failureOf(call: string, { status, headers, text }: Incoming): Error {
  const isPage = /html/.test(headers['content-type'] ?? '');
  const said = isPage ? '' : text.trim().slice(0, LONGEST_MESSAGE);
  const message = said === '' ? `${call} answered ${status}${isPage ? ' with a page' : ''}` : said;
  if (status === 404) return new NotFoundError(message);
  if (status === 400) return new TerminalError(message);
  if (status >= 300 && status < 400)
    return new NotDoneError(`${call} answered ${status}, which leads elsewhere: give the address that answers itself`);
  if (status === 429) return new ThrottledError(message, { retryAfterSeconds: Number(headers['retry-after']) || AGAIN_SECONDS });
  return status < 500 ? new NotDoneError(message) : new UnknownOutcomeError(message);
}
