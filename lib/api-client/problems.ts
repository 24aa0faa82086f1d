// A request that got no answer, or one that is an error: which of both, and in which words.

export type ProblemKind =
  /** Nothing answers there. */
  | 'unreachable'
  /** Something took the request and has not answered in time. */
  | 'silent'
  /** The server refuses the request, or failed at it: `status` says how. */
  | 'refused'
  /** The answer is not the API's: of a proxy, a login page, another program. */
  | 'foreign';

export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly kind: ProblemKind;
  readonly status: number | undefined;
  /** The server's own sentence; undefined where it said none, as a gateway. */
  readonly detail: string | undefined;
  /** The right that is missing; undefined where the refusal names none. */
  readonly needs: string | undefined;
  constructor(
    kind: ProblemKind,
    message: string,
    { status, detail, needs, ...options }: { status?: number; detail?: string; needs?: string; cause?: unknown } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.status = status;
    this.detail = detail;
    this.needs = needs;
  }
}

/** An answer whose status is no success. */
export function problemOf({ status, text }: { status: number; text: string }): ApiProblem {
  if (status >= 300 && status < 400)
    return new ApiProblem('foreign', `it sends elsewhere, which is not followed (redirect ${status})`, { status });
  const fields = objectIn(text);
  // `error` is from a server of the version before, `message` from a gateway.
  const detail = textIn(fields, 'detail') ?? textIn(fields, 'error');
  const needs = textIn(fields, 'needs');
  const said = detail ?? textIn(fields, 'message');
  return new ApiProblem('refused', said ?? `the API answered something unexpected (${status}): ${text.slice(0, 200)}`, {
    status,
    ...(detail !== undefined && { detail }),
    ...(needs !== undefined && { needs }),
  });
}

/** The object that the API answered. @throws ApiProblem */
export function answerIn(text: string): object {
  const found = objectIn(text);
  if (found) return found;
  throw new ApiProblem('foreign', `it answers ${/^\s*</.test(text) ? 'HTML' : 'something else'} where Farloop's API answers JSON`);
}

function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function textIn(fields: object | undefined, name: string): string | undefined {
  const value: unknown = fields && Reflect.get(fields, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
