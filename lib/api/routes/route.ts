// A route of the API, declared once: the declaration makes the checks of a request, its part of the description and the client's types.
import * as v from 'valibot';
import type { Ports } from '../../ports/ports.ts';
import type { Told } from '../answers/values.ts';
import { RefusedRequestError, type RoutedAnswer, type RoutedRequest } from '../routed-request.ts';

/** Method and path. A part in braces matches any value and names it. */
export type RouteName = `${'GET' | 'POST'} /${string}`;

type PartsNamed<Name extends string> = Name extends `${string}{${infer Part}}${infer Rest}` ? Part | PartsNamed<Rest> : never;

interface Words {
  /** What it answers or does; without a full stop. */
  summary: string;
  /** Statuses in addition to those of every route, and what each says. */
  errors?: Readonly<Record<number, string>>;
}

interface Declared<Query extends v.ObjectEntries, Body extends v.GenericSchema | undefined> extends Words {
  /** Each parameter: see parameters.ts. Others are refused. */
  query?: Query;
  body?: Body;
  /** The sentence for a body that is unusable, whatever it is. Absent: the first fault, with its place. */
  unusableBody?: string;
}

interface Asked<Name extends RouteName, Query extends v.ObjectEntries, Body extends v.GenericSchema | undefined> {
  path: Readonly<Record<PartsNamed<Name>, string>>;
  query: v.InferOutput<v.ObjectSchema<Query, undefined>>;
  body: Body extends v.GenericSchema ? v.InferOutput<Body> : undefined;
  /** Who asks. */
  by: string;
}

/** A declared route. Its types are those of the declaration, its `respond` takes a request as it came. */
export interface Route<
  Name extends RouteName = RouteName,
  Query extends v.ObjectEntries = v.ObjectEntries,
  Body extends v.GenericSchema | undefined = v.GenericSchema | undefined,
  Answer extends v.GenericSchema | undefined = v.GenericSchema | undefined,
> extends Words {
  name: Name;
  query: v.ObjectSchema<Query, undefined>;
  body: Body | undefined;
  /** Undefined: text. */
  answer: Answer;
  /** Of a text, without its parameters. */
  contentType?: string;
  /** @throws RefusedRequestError */
  respond(this: void, ports: Ports, request: RoutedRequest, path: Readonly<Record<string, string>>): Promise<RoutedAnswer>;
}

/** A route that answers JSON. */
export function route<
  const Name extends RouteName,
  const Query extends v.ObjectEntries,
  Body extends v.GenericSchema | undefined,
  Answer extends v.GenericSchema,
>(
  name: Name,
  declared: Declared<Query, Body> & {
    answer: Answer;
    /** A word that costs little and changes whenever the answer does. Who has the answer of this word is not answered again. */
    version?: (ports: Ports, asked: Asked<Name, Query, Body>) => Promise<string | undefined>;
    handle: (ports: Ports, asked: Asked<Name, Query, Body>) => Promise<Told<Answer>>;
  },
): Route<Name, Query, Body, Answer> {
  const { answer, handle, version } = declared;
  const query = v.object<Query>(declared.query ?? ({} as Query));
  return {
    name,
    ...wordsOf(declared),
    query,
    body: declared.body,
    answer,
    async respond(ports, request, path) {
      const asked = {
        path,
        query: queryIn(query, request.query),
        body: bodyIn(declared, request.body),
        by: request.by ?? SOMEBODY,
      } as Asked<Name, Query, Body>;
      // Before the answer: a change in between makes the next tag another one.
      const tag = await version?.(ports, asked);
      if (tag !== undefined && request.knownTags?.includes(tag)) return { unchangedTag: tag };
      return { json: await handle(ports, asked), ...(tag !== undefined && { tag }) };
    },
  };
}

/** A route whose answer goes on: server-sent events, one text each. */
export function eventsRoute<const Name extends RouteName>(
  name: Name,
  { events, ...words }: Words & { events: (ports: Ports, signal: AbortSignal) => AsyncIterable<string> },
): Route<Name, v.ObjectEntries, undefined, undefined> {
  return {
    name,
    ...wordsOf(words),
    query: NO_PARAMETERS,
    body: undefined,
    answer: undefined,
    contentType: 'text/event-stream',
    async respond(ports, request) {
      queryIn(NO_PARAMETERS, request.query);
      return { events: (signal) => events(ports, signal) };
    },
  };
}

/** A route that answers text, for programs that read no JSON. */
export function textRoute<const Name extends RouteName>(
  name: Name,
  { contentType, handle, ...words }: Words & { contentType: string; handle: (ports: Ports) => Promise<string> },
): Route<Name, v.ObjectEntries, undefined, undefined> {
  return {
    name,
    ...wordsOf(words),
    query: NO_PARAMETERS,
    body: undefined,
    answer: undefined,
    contentType: contentType.split(';', 1)[0] ?? contentType,
    async respond(ports, request) {
      queryIn(NO_PARAMETERS, request.query);
      return { text: await handle(ports), contentType };
    },
  };
}

const NO_PARAMETERS: v.ObjectSchema<v.ObjectEntries, undefined> = v.object({});

/** Where nothing says who asks. */
const SOMEBODY = 'somebody';

const wordsOf = ({ summary, errors }: Words): Words => ({ summary, ...(errors && { errors }) });

/** @throws RefusedRequestError with the schema's own sentence, which names the parameter */
function queryIn(schema: v.ObjectSchema<v.ObjectEntries, undefined>, query: URLSearchParams): unknown {
  const names = Object.keys(schema.entries);
  const given = new Map<string, string>();
  // A misspelt filter that is passed over would show everything as if it had been filtered.
  for (const [name, value] of query) {
    if (!names.includes(name))
      throw new RefusedRequestError(
        400,
        `there is no parameter ${JSON.stringify(name)} here: ${names.length === 0 ? 'this takes none' : `there are ${names.join(', ')}`}`,
      );
    if (given.has(name)) throw new RefusedRequestError(400, `"${name}" may be given once only`);
    given.set(name, value);
  }
  const checked = v.safeParse(schema, Object.fromEntries(given), { abortEarly: true });
  if (!checked.success) throw new RefusedRequestError(400, checked.issues[0].message);
  return checked.output;
}

/** @throws RefusedRequestError */
function bodyIn({ body, unusableBody }: { body?: v.GenericSchema | undefined; unusableBody?: string }, given: unknown): unknown {
  if (!body) return undefined;
  const checked = v.safeParse(body, given);
  if (checked.success) return checked.output;
  const [issue] = checked.issues;
  throw new RefusedRequestError(400, unusableBody ?? `${v.getDotPath(issue) ?? 'the body'}: ${issue.message}`);
}
