// Commands of a pass to the relay of a cluster that nothing can dial: calls on its API server as data. Never a URL, but resource, namespace and
// name, which the relay compares with what it allows. Compressed, because a wave of pods repeats one template.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as v from 'valibot';
import { isResourceVersion } from '../objects/values/resource-version.ts';
import type { PatchType, PropagationPolicy, Resource } from '../objects/resources.ts';
import { isFields } from '../objects/values/untyped-fields.ts';
import { DEEPEST_OBJECT, parseGuarded } from './words/guarded-json.ts';
import { COMMAND_ID, OBJECT_NAME } from './words/names.ts';
import { TooMuchError, UndecodableMessageError } from './words/undecodable.ts';

/** One call, and until when the relay may send it (R17): Unix milliseconds by the sender's clock, and how long that is. */
export interface Command {
  verb: 'get' | 'list' | 'create' | 'delete' | 'patch';
  apiVersion: string;
  plural: string;
  untilMs: number;
  leftMs: number;
  namespace?: string | undefined;
  name?: string | undefined;
  /** Of a patch `status`; of a create `token`, to a service account. A relay of a build without virtual nodes refuses that: functions send it to no other. */
  subresource?: 'status' | 'token' | undefined;
  uid?: string | undefined;
  resourceVersion?: string | undefined;
  propagationPolicy?: PropagationPolicy | undefined;
  /** A relay of a build without virtual nodes refuses it: functions send it to no other. */
  gracePeriodSeconds?: number | undefined;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
  patchType?: PatchType | undefined;
  /**
   * The object to create, the patch, what of a log is wanted, or, of a list, what is read of its objects (`WantedFields`; absent: they are wanted whole). A relay of
   * the build before passes over what a list has here, and answers with whole objects; a field of another name it would refuse.
   */
  body?: object | undefined;
}

/**
 * What a command names that reads a pod's log: its `body` says what of it. Not a subresource, because a relay of the build before could not read
 * the message at all, with all its other commands. This it reads, and answers that it does not know the resource.
 */
export const POD_LOGS: Resource = { apiVersion: 'v1', kind: 'PodLog', plural: 'pods.log', namespaced: true };

/** Named by a command that evicts a pod: for the same reason not a subresource. */
export const POD_EVICTIONS: Resource = { apiVersion: 'v1', kind: 'Eviction', plural: 'pods.eviction', namespaced: true };

export interface CommandMessage {
  cluster: string;
  /** Under it the answers are kept. */
  id: string;
  /** Seals the answers: without it they can be neither read nor forged. */
  secret: string;
  commands: Command[];
}

/** Marks commands: asks are JSON and cannot begin so. */
const PREFIX = 'commands:';
const LONGEST_BODY = 1_048_576;
const UNPACKED_BYTES_MAX = 16 * 1_048_576;
/** Enough for a hundred creates of a template with thousands of values. */
const VALUES_MAX = 2_000_000;
export const COMMANDS_MAX = 100;

/** A command is dropped after so long on its way. So a call that is still sent can be answered before the waiting pass gives up. */
export const LEFT_MS_MAX = 8_000;

const text = v.pipe(v.string(), v.maxLength(65_536));
const id = v.pipe(v.string(), v.regex(COMMAND_ID, 'an id'));
/** A name of a cluster, namespace, object or resource. It cannot change the path that it becomes part of. */
const name = v.pipe(v.string(), v.regex(OBJECT_NAME, 'a name'));

/** Fields that a list may name: several times what any of our readers needs. */
const FIELDS_MAX = 256;
const DEEPEST_FIELD = 8;
/** As long as an annotation's key at most; ASCII, so that a reader finds it by its bytes. */
const FIELD_NAME = /^[\x20-\x7e]{1,317}$/;

/** How many fields it names; Infinity for a value that is not a field mask. */
function namedBy(wanted: unknown, deepest = DEEPEST_FIELD): number {
  if (typeof wanted === 'boolean') return 0;
  if (!isFields(wanted) || deepest === 0) return Infinity;
  let named = 0;
  for (const [field, below] of Object.entries(wanted)) named += FIELD_NAME.test(field) ? 1 + namedBy(below, deepest - 1) : Infinity;
  return named;
}

const AnyCommand = v.strictObject({
  verb: v.picklist(['get', 'list', 'create', 'delete', 'patch']),
  apiVersion: v.pipe(v.string(), v.regex(/^([a-z0-9.-]{1,253}\/)?[a-z0-9]{1,63}$/, 'an API version')),
  plural: name,
  untilMs: v.pipe(v.number(), v.safeInteger()),
  leftMs: v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(LEFT_MS_MAX)),
  namespace: v.optional(name),
  name: v.optional(name),
  subresource: v.optional(v.picklist(['status', 'token'])),
  uid: v.optional(v.pipe(v.string(), v.regex(/^[\w-]{1,128}$/, 'a uid'))),
  resourceVersion: v.optional(
    v.pipe(
      v.string(),
      v.check((digits: string) => isResourceVersion(digits), 'a resourceVersion'),
    ),
  ),
  propagationPolicy: v.optional(v.picklist(['Background', 'Foreground', 'Orphan'])),
  gracePeriodSeconds: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
  labelSelector: v.optional(text),
  fieldSelector: v.optional(text),
  patchType: v.optional(v.picklist(['merge', 'json', 'strategic'])),
  body: v.optional(v.custom<object>((value) => typeof value === 'object' && value !== null, 'an object')),
});

const CommandSchema = v.pipe(
  AnyCommand,
  v.forward(
    v.check(({ verb, body }) => verb !== 'list' || body === undefined || namedBy(body) <= FIELDS_MAX, 'fields to read objects by'),
    ['body'],
  ),
);

const Message = v.strictObject({
  cluster: name,
  id,
  secret: id,
  commands: v.pipe(v.array(CommandSchema), v.minLength(1), v.maxLength(COMMANDS_MAX)),
});

export const isCommands = (body: string): boolean => body.startsWith(PREFIX);

export const encodeCommands = (message: CommandMessage): string =>
  PREFIX + deflateRawSync(Buffer.from(JSON.stringify(message))).toString('base64');

/** @throws UndecodableMessageError says what is wrong; the relay carries out nothing of such a message */
export function decodeCommands(body: string, bytesMax = UNPACKED_BYTES_MAX): CommandMessage {
  if (body.length > LONGEST_BODY)
    throw new UndecodableMessageError(`commands of ${body.length} characters; at most ${LONGEST_BODY} are read`);
  const packed = body.slice(PREFIX.length);
  if (!isCommands(body) || !/^[A-Za-z0-9+/]+={0,2}$/.test(packed)) throw new UndecodableMessageError('the commands are no base64');
  const json = unpacked(Buffer.from(packed, 'base64'), bytesMax);
  return parseGuarded(json, Message, 'message of commands', DEEPEST_OBJECT, { left: VALUES_MAX });
}

/** @throws UndecodableMessageError broken, or larger than that */
export function unpacked(bytes: Uint8Array, bytesMax: number): string {
  try {
    return inflateRawSync(bytes, { maxOutputLength: bytesMax }).toString();
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE')
      throw new TooMuchError(`it unpacks to more than ${bytesMax} bytes`, { cause: error });
    throw new UndecodableMessageError('what was packed is broken', { cause: error });
  }
}
