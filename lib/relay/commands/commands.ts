// Commands are calls of passes to a cluster that nothing can dial. The relay compares each command with the allowed ones, carries it out
// with its own credentials, and answers through the events queue. It decides nothing and repeats nothing.
import * as v from 'valibot';
import { EVENTS, EVICTION, PODS, type Resource } from '../../objects/resources.ts';
import { fieldsOf, textOf } from '../../objects/values/untyped-fields.ts';
import type { WantedFields } from '../../objects/field-mask.ts';
import { ALL_FACTS } from '../../kinds/facts.ts';
import type { KindFacts } from '../../kinds/rows/kind.ts';
import { podFieldsOfKinds } from '../../kinds/rows/pod-reader.ts';
import type { Clock, Deadline } from '../../ports/clock.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { isInScope } from '../../ports/clusters.ts';
import type { Queue, ReceivedMessage } from '../../ports/queue.ts';
import { failureOf } from '../../reconciler/questions/failure.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import type { Failure, Outcome } from '../../wire/command-answers.ts';
import { encodeAnswer, sealOutcomes } from '../../wire/command-answers.ts';
import type { Command, CommandMessage } from '../../wire/commands.ts';
import { decodeCommands, POD_EVICTIONS, POD_LOGS } from '../../wire/commands.ts';
import { LogRequestWords } from '../../wire/words/log-words.ts';
import { Commander, NOT_TOLD } from './commander.ts';

/** A resource and the verbs that are allowed on it. */
export interface Allowed {
  resource: Resource;
  /** That is created, of an object that is there. */
  subresource?: string;
  verbs: readonly Command['verb'][];
}

/** Exactly the calls that passes of these kinds make, and people through them. */
export function allowedTo(kinds: readonly KindFacts[]): readonly Allowed[] {
  const rules = new Map<string, Allowed>();
  const allow = (resource: Resource, verbs: Allowed['verbs'], subresource?: string): void => {
    const name = `${resource.apiVersion}/${resource.plural}/${subresource ?? ''}`;
    const all = [...new Set([...(rules.get(name)?.verbs ?? []), ...verbs])];
    rules.set(name, { resource, verbs: all, ...(subresource !== undefined && { subresource }) });
  };
  for (const { resource, isOwnerless } of kinds) if (!isOwnerless) allow(resource, ['get', 'delete', 'patch']);
  // A person retries a workload as a new one. Only where the cluster was registered with --actions do the relay's rights allow it.
  for (const { resource, actions } of kinds) if (actions) allow(resource, ['create']);
  // A person drains a virtual node, under the same condition.
  if (kinds.some(({ nodes }) => nodes)) allow(POD_EVICTIONS, ['create']);
  const children = kinds.flatMap((kind) => kind.children.map(({ resource }) => resource));
  for (const resource of [...(kinds.some(({ pods }) => pods) ? [PODS] : []), ...children])
    allow(resource, ['get', 'list', 'create', 'delete', 'patch']);
  allow(EVENTS, ['create', 'list']);
  // No pass reads a log: people ask for it, of pods of workloads that are managed.
  if (rules.has(`${PODS.apiVersion}/${PODS.plural}/`)) allow(POD_LOGS, ['get']);
  // Allow these always: passes send them only if the cluster's record says so, and the cluster's RBAC decides.
  for (const { resource, subresource, verbs, isForGranting } of kinds.flatMap(({ furtherRights = [] }) => furtherRights))
    if (isForGranting !== true)
      allow(
        resource,
        verbs.filter((verb) => verb !== 'watch'),
        subresource,
      );
  return [...rules.values()];
}

export interface CommandsSetup {
  /** The relay's own access. The cluster's RBAC decides its rights. */
  executor: Cluster;
  /** Unique id of the role under which passes run. Commands of every other sender are refused; undefined: of every sender. */
  commander: string | undefined;
  queue: Pick<Queue, 'send'>;
  clock: Clock;
  telemetry: Telemetry;
  cluster: string;
  /** Empty: all namespaces. */
  namespaces: readonly string[];
  kubeSystemUid: () => string;
  /** Absent: the calls that passes of all kinds make, but for those whose owners are chosen by options. */
  allowed?: readonly Allowed[];
  /** Fields of pods that those passes read; absent: those of all kinds. */
  podFields?: WantedFields;
  /** Pods are owners of one of the kinds: a pass that hands one to a provider reads all of it. */
  arePodsOwners?: boolean;
}

/** Time at which the queue handed out a message, by the relay's own clock. */
export interface Arrival {
  monotonicMs: number;
}

/** Most by which the relay's wall clock may differ from the sender's (R17). */
export const CLOCK_BOUND_MS = 2_000;
/** Outcomes within this time are sent in one message. */
const GATHERED_FOR_MS = 20;
/** Longer than any command may live: a message redelivered after this time holds only expired commands. */
const REMEMBERED_MS = 60_000;
const SEND_TRIES = 3;
const SEND_AGAIN_MS = 200;

export class Commands {
  readonly #setup: CommandsSetup;
  readonly #allowed: readonly Allowed[];
  readonly #podFields: WantedFields;
  readonly #commander: Commander;
  /** Id of each message → arrival time, oldest first. A message that is delivered twice is carried out once. */
  readonly #seen = new Map<string, number>();

  constructor(setup: CommandsSetup) {
    this.#setup = setup;
    this.#allowed = setup.allowed ?? allowedTo(ALL_FACTS.filter(({ ownersOn }) => !ownersOn));
    this.#podFields = setup.podFields ?? podFieldsOfKinds(ALL_FACTS);
    this.#commander = new Commander(setup);
  }

  /**
   * Carries out the commands of a message. Resolves once they are answered, and never rejects for the failure of a call. A message of
   * another sender than the commander is neither read nor answered.
   * @throws UndecodableMessageError at once, before anything is carried out
   */
  take(message: ReceivedMessage, arrival: Arrival): Promise<void> {
    const isTaken = this.#commander.takesFrom(message.senderId);
    // Without a commander do answer: passes then get an error that says what to do. Otherwise they would only see a silent relay.
    if (!isTaken && this.#commander.isKnown) return Promise.resolve();
    const decoded = decodeCommands(message.body);
    // The message came before. A relay that crashed may have carried it out, and no pass waits for its answer any more.
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
    // Not Terminal: passes continue by themselves once the relay knows its commander.
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

  /** @returns the rule that allows the command, or the reason of the refusal */
  #allowedFor({ verb, apiVersion, plural, namespace, name, subresource, body }: Command): Allowed | string {
    // A status is patched by the rule of its object.
    const created = verb === 'patch' ? undefined : subresource;
    const rule = this.#allowed.find(
      (each) => each.resource.apiVersion === apiVersion && each.resource.plural === plural && each.subresource === created,
    );
    if (!rule?.verbs.includes(verb))
      return `this relay does not ${verb} ${created === undefined ? '' : `a ${created} of `}${plural} of ${apiVersion}`;
    if (verb === 'patch' && subresource !== undefined && subresource !== 'status') return `this relay does not patch a ${subresource}`;
    const isOfAll = verb === 'list' && this.#setup.namespaces.length === 0;
    if (rule.resource.namespaced && (namespace ?? '') === '' && !isOfAll) return 'it names no namespace';
    if (namespace !== undefined && !isInScope(this.#setup, namespace))
      return `the namespace ${namespace} is not one of those that this relay is for`;
    if (verb === 'list') return rule;
    if (name === undefined) return 'it names no object';
    if (verb !== 'create') return rule;
    const object = fieldsOf(body);
    const metadata = fieldsOf(object['metadata']);
    if (textOf(metadata['name']) !== name || (rule.resource.namespaced && textOf(metadata['namespace']) !== namespace))
      return 'the object to create is another one than is named';
    if (rule.subresource !== undefined) return rule;
    if (rule.resource === POD_EVICTIONS)
      return object['kind'] === EVICTION.kind && object['apiVersion'] === EVICTION.apiVersion ? rule : 'it is no eviction';
    const isOfKind = (object['kind'] ?? rule.resource.kind) === rule.resource.kind && (object['apiVersion'] ?? apiVersion) === apiVersion;
    return isOfKind ? rule : 'the object to create is of another kind';
  }

  async #call(resource: Resource, command: Command, deadline: Deadline): Promise<Unplaced> {
    const { executor } = this.#setup;
    const { verb, namespace = '', name = '', uid, resourceVersion, propagationPolicy, gracePeriodSeconds } = command;
    const { labelSelector, fieldSelector } = command;
    // Passes read no other fields of pods. Whole pods in the answers to a wave of creates may take a hundred megabytes.
    const isInPart = resource === PODS && !(verb === 'get' && this.#setup.arePodsOwners === true);
    const reading = isInPart ? { fields: this.#podFields } : {};
    switch (verb) {
      case 'get':
        if (resource === POD_LOGS) return await this.#log(command, deadline);
        return await executor.get(resource, { namespace, name }, deadline, reading);
      case 'list': {
        const selection = { ...(labelSelector !== undefined && { labelSelector }), ...(fieldSelector !== undefined && { fieldSelector }) };
        // Keep the field mask: a list of thousands of whole pods would take the relay's memory and block its other work.
        const fields = command.body as WantedFields | undefined;
        return await executor.list(
          resource,
          { ...(namespace !== '' && { namespace }), ...selection, ...(fields !== undefined && { fields }) },
          deadline,
        );
      }
      case 'create': {
        const body = fieldsOf(command.body);
        const { subresource } = command;
        const object = { ...body, metadata: fieldsOf(body['metadata']) };
        if (resource === POD_EVICTIONS) return await executor.create(PODS, object, deadline, { subresource: 'eviction' });
        return await executor.create(resource, object, deadline, { ...reading, ...(subresource !== undefined && { subresource }) });
      }
      case 'delete': {
        if (uid === undefined) return refused('a delete without a uid');
        const preconditions = { uid, ...(resourceVersion !== undefined && { resourceVersion }) };
        const how = { ...(propagationPolicy && { propagationPolicy }), ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }) };
        const target = { namespace, name, ...preconditions, ...how };
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

  async #log({ namespace = '', name = '', body }: Command, deadline: Deadline): Promise<Unplaced> {
    const { executor, clock } = this.#setup;
    const wanted = v.safeParse(LogRequestWords, body);
    if (!wanted.success) return refused(`it does not say what of the log is wanted: ${wanted.issues[0].message}`);
    const { text, isCut } = await executor.log({ namespace, name }, wanted.output, deadline);
    return { dateMs: clock.nowMs(), object: { metadata: {}, log: text, isCut } };
  }

  /** If an answer cannot be sent, the waiting pass sees an unknown outcome. */
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
 * The deadline has two limits, in the relay's own time (R17):
 * - By the wall clock, which may differ by a bounded offset. A relay whose clock is further ahead refuses everything.
 * - By the monotonic clock, since the message was sent. The queue states, by its own clock, how long the message lay there.
 */
function deadlineOf({ untilMs, leftMs }: Command, lainMs: number, arrival: Arrival): Deadline {
  return { wallMs: untilMs + CLOCK_BOUND_MS, monotonicMs: arrival.monotonicMs + leftMs - lainMs };
}

const refused = (reason: string): { failure: Failure } => ({
  failure: { kind: 'Terminal', message: `the relay refuses a command: ${reason}`, code: 403, reason: 'Forbidden' },
});
