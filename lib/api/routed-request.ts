// A request to the API behind HTTP, its answer, and its refusal.

export interface RoutedRequest {
  method: string;
  /** Decoded parts of the path; none is empty. */
  path: readonly string[];
  query: URLSearchParams;
  /** Parsed JSON; undefined without a body. */
  body: unknown;
  /** Who asks, as the gateway or this machine knows them. */
  by?: string;
  /** The entity tags of answers that the caller has, without quotes and marks of weakness. */
  knownTags?: readonly string[];
}

export type RoutedAnswer =
  /** `tag`: a word that changes whenever the answer does. Absent: made of the answer. */
  | { json: unknown; tag?: string }
  /** The caller has the answer of this tag. */
  | { unchangedTag: string }
  | { text: string; contentType: string }
  /** Events in the text format of server-sent events, until the caller goes away. */
  | { events: (signal: AbortSignal) => AsyncIterable<string> };

/** A request that cannot be fulfilled: the status and one sentence. */
export class RefusedRequestError extends Error {
  override readonly name = 'RefusedRequestError';
  readonly status: number;
  /** Further members of the problem, by which a program tells cases apart. */
  readonly members: Readonly<Record<string, unknown>>;
  constructor(status: number, message: string, members: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.status = status;
    this.members = members;
  }
}
