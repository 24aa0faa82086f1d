// The simulated node's client of an API server: two ways of talking to one.

export interface NodeClient {
  /**
   * One call.
   * @param request body: a value to be sent as JSON; contentType: `application/json` unless said otherwise
   * @returns status: of HTTP; body: the answer's JSON, `undefined` without one
   * @throws when no answer came
   */
  request: (request: NodeRequest) => Promise<{ status: number; body: unknown }>;
  /**
   * The events of a watch, parsed. Ends when the server ends the stream or `signal` is aborted.
   * @throws when the connection breaks; where the answer is not 200 the error has its `status`
   */
  watch: (request: { path: string; signal: AbortSignal }) => AsyncIterable<unknown>;
}

export interface NodeRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With query; begins with a slash. */
  path: string;
  body?: unknown;
  contentType?: string;
}
