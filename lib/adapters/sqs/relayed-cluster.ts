// Cluster for what nothing can dial: calls become commands on the queue of that cluster's relay, answers come back through ingest, which
// believes the cluster's own sender only (R15), and are waited for here. What is not answered in time is an unknown outcome (R6).
import * as v from 'valibot';
import type { KubernetesObject } from '../../objects/kubernetes.ts';
import { PODS, type Resource } from '../../objects/resources.ts';
import type { Clock, Deadline } from '../../ports/clock.ts';
import { hasPassed } from '../../ports/clock.ts';
import type {
  Answer,
  BoundedLogRequest,
  Cluster,
  Deletion,
  ListAnswer,
  Named,
  Patch,
  PatchTarget,
  ProjectedSelection,
  ReadLog,
  Writing,
} from '../../ports/cluster.ts';
import { NotDoneError, TerminalError, ThrottledError, UnknownOutcomeError } from '../../ports/errors.ts';
import type { Queue } from '../../ports/queue.ts';
import type { Store } from '../../ports/store.ts';
import type { Failure, Outcome } from '../../wire/command-answers.ts';
import { isLastPart, openOutcomes } from '../../wire/command-answers.ts';
import type { Command } from '../../wire/commands.ts';
import { COMMANDS_MAX, encodeCommands, LEFT_MS_MAX, POD_EVICTIONS, POD_LOGS } from '../../wire/commands.ts';
import { LogAnswer } from '../../wire/words/log-words.ts';
import { errorOf } from './failed-answer.ts';
import { MESSAGE_BYTES_MAX } from './queue-limits.ts';

export interface RelayedClusterOptions {
  /** Name under which it is registered. */
  cluster: string;
  queue: Pick<Queue, 'send'>;
  store: Pick<Store, 'readAnswer'>;
  clock: Clock;
}

/** As long as any request lives: then its outcome is unknown. */
const LIFE_MS = 10_000;
/** Calls that are made at the same time travel together. */
const GATHERED_FOR_MS = 2;
/** Of a message before it is packed: one command alone may be larger. */
const GATHERED_BYTES = 768 * 1024;
/** Answers that took longer set no clock offset: its error is half of that. */
const TELLS_TIME_MS = 2_000;
/** One that is further off is a fault that a person must mend; until then its commands are late or early, and refused. */
const CLOCKS_APART_MS_MAX = 300_000;
const FIRST_LOOK_MS = 60;
const LONGEST_LOOK_MS = 400;

interface Waiting {
  command: Command;
  text: string;
  deadline: Deadline;
  settle: (outcome: Outcome) => void;
  fail: (error: Error) => void;
}

const isWrite = ({ verb }: Command): boolean => verb !== 'get' && verb !== 'list';

const describe = ({ verb, plural, namespace, name }: Command, cluster: string): string =>
  `${verb} ${plural} ${[namespace, name].filter(Boolean).join('/')} through the relay of ${cluster}`;

export class RelayedCluster implements Cluster {
  readonly #cluster: string;
  readonly #queue: Pick<Queue, 'send'>;
  readonly #store: Pick<Store, 'readAnswer'>;
  readonly #clock: Clock;
  #gathered: Waiting[] = [];
  /** The relay's wall clock minus ours, as its answers show: it compares with its own whether a command is late (R17). */
  #relayAheadMs = 0;

  constructor({ cluster, queue, store, clock }: RelayedClusterOptions) {
    this.#cluster = cluster;
    this.#queue = queue;
    this.#store = store;
    this.#clock = clock;
  }

  async get<Item extends KubernetesObject>(resource: Resource, { namespace, name }: Named, deadline: Deadline): Promise<Answer<Item>> {
    return await this.#object<Item>({ ...aim('get', resource, namespace), name }, deadline);
  }

  async list<Item extends KubernetesObject>(
    resource: Resource,
    { namespace, labelSelector, fieldSelector, fields }: ProjectedSelection,
    deadline: Deadline,
  ): Promise<ListAnswer<Item>> {
    const body = typeof fields === 'object' ? fields : undefined;
    const command: Command = { ...aim('list', resource, namespace), labelSelector, fieldSelector, body };
    const outcome = await this.#outcome(command, deadline);
    if (!('items' in outcome)) throw this.#senseless(command);
    return { items: outcome.items as Item[], resourceVersion: outcome.resourceVersion, dateMs: outcome.dateMs };
  }

  async create<Item extends KubernetesObject>(
    resource: Resource,
    object: Item,
    deadline: Deadline,
    { subresource }: Writing = {},
  ): Promise<Answer<Item>> {
    const { namespace, name } = object.metadata;
    if (resource === PODS && subresource === 'eviction')
      return await this.#object<Item>({ ...aim('create', POD_EVICTIONS, namespace), name, body: object }, deadline).catch(
        (error: unknown) => {
          throw isOfOldRelay(error, 'create', POD_EVICTIONS)
            ? new TerminalError(oldRelayText(this.#cluster, 'evicts no pods'), { cause: error })
            : error;
        },
      );
    if (subresource !== undefined && subresource !== 'token')
      throw new TerminalError(`a relay creates objects and tokens, not ${subresource}`);
    return await this.#object<Item>({ ...aim('create', resource, namespace), name, subresource, body: object }, deadline);
  }

  async delete<Item extends KubernetesObject>(
    resource: Resource,
    { namespace, name, uid, resourceVersion, propagationPolicy, gracePeriodSeconds }: Deletion,
    deadline: Deadline,
  ): Promise<Answer<Item | undefined>> {
    const command: Command = { ...aim('delete', resource, namespace), name, uid, resourceVersion, propagationPolicy, gracePeriodSeconds };
    const outcome = await this.#outcome(command, deadline);
    if ('items' in outcome) throw this.#senseless(command);
    return { object: outcome.object as Item | undefined, dateMs: outcome.dateMs };
  }

  async patch<Item extends KubernetesObject>(
    resource: Resource,
    { namespace, name, uid, subresource }: PatchTarget,
    { type, body }: Patch,
    deadline: Deadline,
  ): Promise<Answer<Item>> {
    if (subresource !== undefined && subresource !== 'status')
      throw new TerminalError(`a relay patches objects and their status, not ${subresource}`);
    if (typeof body !== 'object' || body === null) throw new TerminalError('a patch is an object or a list');
    return await this.#object<Item>({ ...aim('patch', resource, namespace), name, uid, subresource, patchType: type, body }, deadline);
  }

  async log({ namespace, name }: Named, wanted: BoundedLogRequest, deadline: Deadline): Promise<ReadLog> {
    const command: Command = { ...aim('get', POD_LOGS, namespace), name, body: wanted };
    const outcome = await this.#outcome(command, deadline).catch((error: unknown) => {
      throw isOfOldRelay(error, 'get', POD_LOGS)
        ? new TerminalError(oldRelayText(this.#cluster, 'reads no logs'), { cause: error })
        : error;
    });
    const answer = v.safeParse(LogAnswer, 'object' in outcome ? outcome.object : undefined);
    if (!answer.success) throw this.#senseless(command);
    const { log: text, isCut } = answer.output;
    return { text, isCut };
  }

  async #object<Item extends KubernetesObject>(command: Command, deadline: Deadline): Promise<Answer<Item>> {
    const outcome = await this.#outcome(command, deadline);
    if ('items' in outcome || !outcome.object) throw this.#senseless(command);
    return { object: outcome.object as Item, dateMs: outcome.dateMs };
  }

  async #outcome(command: Command, deadline: Deadline): Promise<Exclude<Outcome, { failure: Failure }>> {
    const text = JSON.stringify(command);
    const outcome = await new Promise<Outcome>((settle, fail) => {
      this.#gathered.push({ command, text, deadline, settle, fail });
      if (this.#gathered.length === 1) void this.#sendGathered();
    });
    if ('failure' in outcome) throw errorOf(outcome.failure);
    return outcome;
  }

  async #sendGathered(): Promise<void> {
    await this.#clock.wait(GATHERED_FOR_MS);
    const gathered = this.#gathered;
    this.#gathered = [];
    let together: Waiting[] = [];
    let bytes = 0;
    for (const waiting of gathered) {
      if (together.length > 0 && (together.length === COMMANDS_MAX || bytes + waiting.text.length > GATHERED_BYTES)) {
        void this.#carryOut(together);
        together = [];
        bytes = 0;
      }
      together.push(waiting);
      bytes += waiting.text.length;
    }
    void this.#carryOut(together);
  }

  /** Never rejects: each call hears how it went. */
  async #carryOut(gathered: readonly Waiting[]): Promise<void> {
    const clock = this.#clock;
    const id = clock.randomId();
    const secret = clock.randomId() + clock.randomId();
    const begunAtMs = clock.monotonicMs();
    const sent: Waiting[] = [];
    for (const waiting of gathered) {
      if (!hasPassed(waiting.deadline, clock)) sent.push(waiting);
      else waiting.fail(new NotDoneError(`${describe(waiting.command, this.#cluster)}: the deadline of the pass has passed`));
    }
    if (sent.length === 0) return;
    const nowMs = clock.nowMs();
    const commands = sent.map(({ command, deadline }) => {
      const leftMs = Math.floor(Math.min(deadline.wallMs - nowMs, deadline.monotonicMs - begunAtMs, LEFT_MS_MAX));
      return { ...command, untilMs: nowMs + leftMs + this.#relayAheadMs, leftMs };
    });
    const body = encodeCommands({ cluster: this.#cluster, id, secret, commands });
    if (Buffer.byteLength(body) > MESSAGE_BYTES_MAX) {
      for (const { command, fail } of sent)
        fail(new TerminalError(`${describe(command, this.#cluster)}: it is larger than a message of a queue: make the object smaller`));
      return;
    }
    const open = new Map(sent.entries());
    let reason = `no answer within ${LIFE_MS / 1000} s: check that the relay runs in the cluster, reaches its queue and takes commands of this installation (its log says whose it refuses)`;
    try {
      await this.#queue.send(`relay-${this.#cluster}`, [{ body }]);
      await this.#receive({ id, secret, open, begunAtMs });
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
      const isNotDone = error instanceof NotDoneError || error instanceof ThrottledError;
      if (isNotDone)
        for (const { command, fail } of open.values()) fail(new NotDoneError(`${describe(command, this.#cluster)}: ${reason}`));
      if (isNotDone) return;
    }
    for (const { command, fail } of open.values()) {
      const sentence = `${describe(command, this.#cluster)}: ${reason}`;
      fail(isWrite(command) ? new UnknownOutcomeError(sentence) : new NotDoneError(sentence));
    }
  }

  /** Takes out of `open` what was answered. @throws UndecodableMessageError a message that is not an answer */
  async #receive(of: { id: string; secret: string; open: Map<number, Waiting>; begunAtMs: number }): Promise<void> {
    const { id, secret, open, begunAtMs } = of;
    let lookAgainMs = FIRST_LOOK_MS;
    let parts: Uint8Array[] = [];
    for (let part = 0; open.size > 0;) {
      const bytes = await this.#store.readAnswer(this.#cluster, id, part).catch(() => undefined);
      if (!bytes) {
        if (this.#clock.monotonicMs() >= begunAtMs + LIFE_MS) return;
        await this.#clock.wait(lookAgainMs);
        lookAgainMs = Math.min(lookAgainMs * 1.3, LONGEST_LOOK_MS);
        continue;
      }
      part += 1;
      lookAgainMs = FIRST_LOOK_MS;
      parts.push(bytes);
      if (!isLastPart(bytes)) continue;
      const { relayMs, outcomes } = openOutcomes(parts, secret);
      this.#learnTime(relayMs, this.#clock.monotonicMs() - begunAtMs);
      for (const outcome of outcomes) {
        open.get(outcome.at)?.settle(outcome);
        open.delete(outcome.at);
      }
      parts = [];
    }
  }

  /** @param tookMs since the command was made; the relay looked at its clock within */
  #learnTime(relayMs: number, tookMs: number): void {
    const aheadMs = Math.round(relayMs - (this.#clock.nowMs() - tookMs / 2));
    if (tookMs <= TELLS_TIME_MS && Math.abs(aheadMs) <= CLOCKS_APART_MS_MAX) this.#relayAheadMs = aheadMs;
  }

  #senseless(command: Command): Error {
    const sentence = `${describe(command, this.#cluster)}: the relay answers something else than was asked`;
    return isWrite(command) ? new UnknownOutcomeError(sentence) : new NotDoneError(sentence);
  }
}

/** Its refusal names the resource, which an API server never does. */
const isOfOldRelay = (error: unknown, verb: Command['verb'], { plural }: Resource): boolean =>
  error instanceof TerminalError && error.message.includes(`does not ${verb} ${plural} `);

const oldRelayText = (cluster: string, lacks: string): string =>
  `the relay of ${cluster} is of an earlier version, which ${lacks}: give "farloop cluster add ${cluster}" again, with the relay image of this version`;

const aim = (verb: Command['verb'], { apiVersion, plural, namespaced }: Resource, namespace: string | undefined): Command => ({
  verb,
  apiVersion,
  plural,
  // Both when it is sent.
  untilMs: 0,
  leftMs: 0,
  ...(namespaced && { namespace }),
});
