// Commands: calls of passes on a cluster that nothing can dial. The relay carries them out with its own credentials, after comparing each
// with what it allows, and answers through the events queue. It decides nothing, and repeats nothing.
import { POD_READING } from '../objects/pod-facts.ts';
import { EVENTS, PODS, type Resource } from '../objects/resources.ts';
import { fieldsOf, textOf } from '../objects/untyped-fields.ts';
import type { WantedFields } from '../objects/field-mask.ts';
import { ALL_FACTS } from '../kinds/facts.ts';
import type { KindFacts } from '../kinds/kind.ts';
import type { Clock, Deadline } from '../ports/clock.ts';
import type { Cluster } from '../ports/cluster.ts';
import { isInScope } from '../ports/clusters.ts';
import {
  ConflictError,
  ExpiredError,
  NotDoneError,
  NotFoundError,
  TerminalError,
  ThrottledError,
  UnknownOutcomeError,
} from '../ports/errors.ts';
import type { Queue, ReceivedMessage } from '../ports/queue.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { Failure, Outcome } from '../wire/command-answers.ts';
import { encodeAnswer, sealOutcomes } from '../wire/command-answers.ts';
import type { Command, CommandMessage } from '../wire/commands.ts';
import { decodeCommands } from '../wire/commands.ts';
import { Commander, NOT_TOLD } from './commander.ts';

/** What may be done with a resource. */
export interface Allowed {
  resource: Resource;
  verbs: readonly Command['verb'][];
}

/** What passes of these kinds do, and nothing else. */
export function allowedTo(kinds: readonly KindFacts[]): readonly Allowed[] {
  const rules = new Map<string, Allowed>();
  const allow = (resource: Resource, verbs: Allowed['verbs']): void => {
    const name = `${resource.apiVersion}/${resource.plural}`;
    rules.set(name, { resource, verbs: [...new Set([...(rules.get(name)?.verbs ?? []), ...verbs])] });
  };
  for (const { resource, isOwnerless } of kinds) if (!isOwnerless) allow(resource, ['get', 'delete', 'patch']);
  const children = kinds.flatMap((kind) => kind.children.map(({ resource }) => resource));
  for (const resource of [PODS, ...children]) allow(resource, ['get', 'list', 'create', 'delete', 'patch']);
  allow(EVENTS, ['create']);
  // Asked for where the cluster's record says so, and its rights decide.
  for (const { resource, subresource, verbs, isForGranting } of kinds.flatMap(({ furtherRights = [] }) => furtherRights))
    if (isForGranting !== true && subresource === undefined) allow(resource, verbs);
  return [...rules.values()];
}

/** Of all kinds. */
export const ALLOWED: readonly Allowed[] = allowedTo(ALL_FACTS);

export interface CommandsSetup {
  /** The relay's own access: its rights are the cluster's to give. */
  executor: Cluster;
  /** Whose commands are carried out: unique id of the role under which passes run. Without it nobody's are. */
  commander: string | undefined;
  queue: Pick<Queue, 'send'>;
  clock: Clock;
  telemetry: Telemetry;
  cluster: string;
  /** Empty: all. */
  namespaces: readonly string[];
  kubeSystemUid: () => string;
  allowed?: readonly Allowed[];
}

/** When the queue handed a message out, by the relay's own clock. */
export interface Arrival {
  monotonicMs: number;
}

/** So far the relay's wall clock may differ from that of who sent a command (R17). */
export const CLOCK_BOUND_MS = 2_000;
/** Outcomes that come within travel together. */
const GATHERED_FOR_MS = 20;
/** A message that comes again after that is older than its commands' lives. */
const REMEMBERED_MS = 60_000;
const SEND_TRIES = 3;
const SEND_AGAIN_MS = 200;

export class Commands {
  readonly #setup: CommandsSetup;
  readonly #allowed: readonly Allowed[];
  readonly #commander: Commander;
  /** Ids of messages and when they came, oldest first: what is delivered twice is carried out once. */
  readonly #seen = new Map<string, number>();

  constructor(setup: CommandsSetup) {
    this.#setup = setup;
    this.#allowed = setup.allowed ?? ALLOWED;
    this.#commander = new Commander(setup);
  }

  /**
   * Carries out what a message asks for; resolves once that is answered, and never rejects for what a call ends with. A message of
   * somebody else than the commander is neither read nor answered.
   * @throws UndecodableMessageError at once, nothing being carried out
   */
  take(message: ReceivedMessage, arrival: Arrival): Promise<void> {
    const isTaken = this.#commander.takesFrom(message.senderId);
    // Where nobody is known, passes get an answer that says what to do: they would see a relay that keeps silent.
    if (!isTaken && this.#commander.isKnown) return Promise.resolve();
    const decoded = decodeCommands(message.body);
    // It came before, and may have been carried out by a relay that died of it: nobody waits for it any more.
    if (message.receiveCount > 1 || this.#hasSeen(decoded.id, arrival.monotonicMs)) return Promise.resolve();
    return this.#carryOut(decoded, message, arrival);
  }

  async #carryOut(message: CommandMessage, { receivedAtMs, sentAtMs }: ReceivedMessage, arrival: Arrival): Promise<void> {
    const { cluster, clock } = this.#setup;
    let outcomes: Outcome[] = [];
    let part = 0;
    let told = 0;
    const tell = async (): Promise<void> => {
      const parts = sealOutcomes({ relayMs: clock.nowMs(), outcomes }, message.secret, clock.randomId());
      told += outcomes.length;
      outcomes = [];
      const first = part;
      part += parts.length;
      await this.#send(message.id, first, parts);
    };
    const isOurs = message.cluster === cluster;
    const lainMs = Math.max((receivedAtMs ?? sentAtMs) - sentAtMs, 0);
    let news = Promise.withResolvers<void>();
    const ended = message.commands.map(async (command, at) => {
      const deadline = deadlineOf(command, lainMs, arrival);
      const outcome = isOurs ? await this.#outcomeOf(command, deadline) : refused(`they are for the cluster ${message.cluster}`);
      outcomes.push({ at, ...outcome });
      news.resolve();
    });
    const all = Promise.all(ended);
    while (told < message.commands.length) {
      await news.promise;
      await Promise.race([all, clock.wait(GATHERED_FOR_MS)]);
      news = Promise.withResolvers<void>();
      await tell();
    }
  }

  async #outcomeOf(command: Command, deadline: Deadline): Promise<Unplaced> {
    const { telemetry, cluster } = this.#setup;
    // Not Terminal: passes go on by themselves as soon as the relay knows whose commands to take.
    if (!this.#commander.isKnown)
      return { failure: { kind: 'NotDone', message: `the relay of ${cluster} carries out nothing: ${NOT_TOLD}` } };
    const allowed = this.#allowedFor(command);
    if (typeof allowed === 'string') {
      const { verb, plural, namespace, name } = command;
      telemetry.error('command refused', { cluster, verb, plural, namespace, name, reason: allowed });
      telemetry.count('RefusedCommands', 1, 'Count');
      return refused(allowed);
    }
    try {
      return await this.#call(allowed.resource, command, deadline);
    } catch (error) {
      return { failure: failureOf(error) };
    }
  }

  /** @returns the rule that allows it, or why none does */
  #allowedFor({ verb, apiVersion, plural, namespace, name, subresource, body }: Command): Allowed | string {
    const rule = this.#allowed.find(({ resource }) => resource.apiVersion === apiVersion && resource.plural === plural);
    if (!rule?.verbs.includes(verb)) return `this relay does not ${verb} ${plural} of ${apiVersion}`;
    if (subresource !== undefined && verb !== 'patch') return `this relay does not ${verb} a ${subresource}`;
    if (rule.resource.namespaced && namespace === undefined) return 'it names no namespace';
    if (namespace !== undefined && !isInScope(this.#setup, namespace))
      return `the namespace ${namespace} is not one of those that this relay is for`;
    if (verb === 'list') return rule;
    if (name === undefined) return 'it names no object';
    if (verb !== 'create') return rule;
    const object = fieldsOf(body);
    const metadata = fieldsOf(object['metadata']);
    if (textOf(metadata['name']) !== name || (rule.resource.namespaced && textOf(metadata['namespace']) !== namespace))
      return 'the object to create is another one than is named';
    const isOfKind = (object['kind'] ?? rule.resource.kind) === rule.resource.kind && (object['apiVersion'] ?? apiVersion) === apiVersion;
    return isOfKind ? rule : 'the object to create is of another kind';
  }

  async #call(resource: Resource, command: Command, deadline: Deadline): Promise<Unplaced> {
    const { executor } = this.#setup;
    const { verb, namespace = '', name = '', uid, resourceVersion, propagationPolicy, labelSelector, fieldSelector } = command;
    // Of pods passes read nothing else; whole, the answers to a wave of creates may be a hundred megabytes.
    const reading = resource === PODS ? POD_READING : {};
    switch (verb) {
      case 'get':
        return await executor.get(resource, { namespace, name }, deadline, reading);
      case 'list': {
        const selection = { ...(labelSelector !== undefined && { labelSelector }), ...(fieldSelector !== undefined && { fieldSelector }) };
        // Whole, a list of thousands of pods would take the relay's memory, and its time for all else.
        const fields = command.body as WantedFields | undefined;
        return await executor.list(resource, { namespace, ...selection, ...(fields !== undefined && { fields }) }, deadline);
      }
      case 'create': {
        const body = fieldsOf(command.body);
        return await executor.create(resource, { ...body, metadata: fieldsOf(body['metadata']) }, deadline, reading);
      }
      case 'delete': {
        if (uid === undefined) return refused('a delete without a uid');
        const preconditions = { uid, ...(resourceVersion !== undefined && { resourceVersion }) };
        const target = { namespace, name, ...preconditions, ...(propagationPolicy && { propagationPolicy }) };
        const { object, dateMs } = await executor.delete(resource, target, deadline, reading);
        return { dateMs, ...(object && { object }) };
      }
      case 'patch': {
        const { patchType: type, body, subresource } = command;
        if (uid === undefined || type === undefined || body === undefined) return refused('a patch without uid, type or body');
        const target = { namespace, name, uid, ...(subresource !== undefined && { subresource }) };
        return await executor.patch(resource, target, { type, body }, deadline, reading);
      }
      default:
        return refused(`this relay does not know how to ${String(verb)}`);
    }
  }

  /** What cannot be sent is an unknown outcome to whoever waits. */
  async #send(id: string, first: number, parts: readonly Uint8Array[]): Promise<void> {
    const { queue, clock, telemetry, cluster, kubeSystemUid } = this.#setup;
    const head = { cluster, kubeSystemUid: kubeSystemUid(), id };
    const messages = parts.map((bytes, index) => ({ body: encodeAnswer({ ...head, part: first + index, bytes }), groupId: cluster }));
    for (let attempt = 1; attempt <= SEND_TRIES; attempt++)
      try {
        await queue.send('events', messages);
        return;
      } catch (error) {
        telemetry.warn('answers to commands not sent', { cluster, attempt, error });
        await clock.wait(SEND_AGAIN_MS * attempt);
      }
  }

  #hasSeen(id: string, nowMs: number): boolean {
    for (const [seen, atMs] of this.#seen) {
      if (nowMs - atMs < REMEMBERED_MS) break;
      this.#seen.delete(seen);
    }
    if (this.#seen.has(id)) return true;
    this.#seen.set(id, nowMs);
    return false;
  }
}

type Unplaced = { failure: Failure } | { dateMs: number; object?: object } | { dateMs: number; items: object[]; resourceVersion: string };

/**
 * In the relay's own time (R17): by its wall clock, which may differ by a bounded offset, so that one that is further ahead refuses
 * everything; and by the time since the message was sent, of which the queue tells, by a clock of its own, how much it lay there.
 */
function deadlineOf({ untilMs, leftMs }: Command, lainMs: number, arrival: Arrival): Deadline {
  return { wallMs: untilMs + CLOCK_BOUND_MS, monotonicMs: arrival.monotonicMs + leftMs - lainMs };
}

const refused = (reason: string): { failure: Failure } => ({
  failure: { kind: 'Terminal', message: `the relay refuses a command: ${reason}`, code: 403, reason: 'Forbidden' },
});

function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof NotFoundError) return { kind: 'NotFound', message };
  if (error instanceof ConflictError) return { kind: 'Conflict', message, conflict: error.reason };
  if (error instanceof ThrottledError) return { kind: 'Throttled', message, retryAfterSeconds: error.retryAfterSeconds };
  if (error instanceof TerminalError) {
    const { code, reason, causes, said } = error;
    return { kind: 'Terminal', message, code, reason, causes: causes.map((cause) => ({ ...cause })), said };
  }
  if (error instanceof NotDoneError) return { kind: 'NotDone', message };
  if (error instanceof ExpiredError) return { kind: 'Expired', message };
  if (error instanceof UnknownOutcomeError) return { kind: 'UnknownOutcome', message, said: error.said };
  return { kind: 'UnknownOutcome', message: `unexpected: ${message}` };
}
