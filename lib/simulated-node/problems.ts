// Problems of a simulated node, for people: each problem once when it begins and once when it is over. The node
// itself tries on, several times a second.
import { fieldsOf, textOf } from '../objects/values/untyped-fields.ts';

/** One thing that the node does again and again. */
export type Deed =
  | 'register the Node'
  | 'renew the Lease of the Node'
  | 'list and watch pods'
  | 'read what pods name'
  | 'bind pods'
  | 'report pods'
  | 'remove pods';

/** The API server answered, and not what was asked for. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly status: number;

  /** @param answer a Status, perhaps */
  constructor(call: string, status: number, answer?: unknown) {
    const said = textOf(fieldsOf(answer)['message']);
    super(`${call} answered ${status}${said === '' ? '' : ` (${said.slice(0, MESSAGE_LENGTH_MAX)})`}`);
    this.status = status;
  }
}

/** A client's own error for an answer that is not 200 is one, too. */
type Refusal = Error & { status: number };

const isRefusal = (error: unknown): error is Refusal => error instanceof Error && 'status' in error && typeof error.status === 'number';

interface Problem {
  /** Failed tries by what they were about. */
  tries: Map<string, number>;
  saidAtMs?: number;
}

const MESSAGE_LENGTH_MAX = 500;
/** A conflict or a busy server is over with the next try, mostly. */
const PASSING_TRIES = 3;
/** So long must every call be answered before the server counts as reached again. */
const QUIET_MS = 1_000;
/** A problem that pods take away with them, and others bring back, is not said again before. */
const SAID_AGAIN_MS = 60_000;

export class Problems {
  readonly #say: (line: string) => void;
  readonly #nowMs: () => number;
  readonly #refusals = new Map<string, Problem>();
  /** Since the server last gave no answer. */
  #unreachable: { lastMs: number } | undefined;

  constructor(say: (line: string) => void, nowMs: () => number) {
    this.#say = say;
    this.#nowMs = nowMs;
  }

  /** @param about uid of a pod; empty for the node's own objects */
  failed(deed: Deed, about: string, error: unknown): void {
    if (isRefusal(error)) {
      this.#answered();
      this.#refused(deed, about, error);
    } else this.#notAnswered(error);
  }

  /** Done, or found not to be needed any more. */
  worked(deed: Deed, about: string): void {
    this.#answered();
    if (this.#refusals.size === 0) return;
    for (const [key, { tries, saidAtMs }] of this.#refusals) {
      if (!key.startsWith(`${deed}/`) || !tries.delete(about) || tries.size > 0) continue;
      this.#refusals.delete(key);
      if (saidAtMs !== undefined) this.#say(`can ${deed} again`);
    }
  }

  /** The pod is of no interest any more, whatever was wrong with it. */
  forget(about: string): void {
    for (const { tries } of this.#refusals.values()) tries.delete(about);
  }

  #refused(deed: Deed, about: string, { status, message }: Refusal): void {
    const key = `${deed}/${status}`;
    const problem = this.#refusals.get(key) ?? { tries: new Map<string, number>() };
    this.#refusals.set(key, problem);
    const tries = (problem.tries.get(about) ?? 0) + 1;
    problem.tries.set(about, tries);
    if (isPassing(status) && tries < PASSING_TRIES) return;
    const isSaid =
      problem.saidAtMs !== undefined && (problem.tries.size > 1 || tries > 1 || this.#nowMs() - problem.saidAtMs < SAID_AGAIN_MS);
    if (isSaid) return;
    problem.saidAtMs = this.#nowMs();
    this.#say(`cannot ${deed}: ${message}: ${adviceOn(status)}`);
  }

  #notAnswered(error: unknown): void {
    const isNew = this.#unreachable === undefined;
    this.#unreachable = { lastMs: this.#nowMs() };
    if (!isNew) return;
    const words = error instanceof Error ? error.message : String(error);
    this.#say(`no answer from the API server: ${words}; the node tries again until there is one`);
  }

  #answered(): void {
    if (!this.#unreachable || this.#nowMs() - this.#unreachable.lastMs < QUIET_MS) return;
    this.#unreachable = undefined;
    this.#say('the API server answers again');
  }
}

const isPassing = (status: number): boolean => status === 409 || status === 429 || status >= 500;

function adviceOn(status: number): string {
  if (status === 401) return 'it does not know these credentials: log in again, or give another kubeconfig';
  if (status === 403) return 'these credentials may not do it: give those of somebody who may, such as an administrator of the cluster';
  if (status === 404) return 'check that the address is that of an API server, and that the namespace kube-node-lease exists';
  if (status === 409) return 'somebody else writes it all the time: give this node another --name';
  if (status === 429) return 'it is busy; the node tries again until it takes it';
  if (status >= 500) return 'the fault lies with the API server: see its log; the node tries again until it takes it';
  return 'the API server does not take what a simulated node writes: check its admission webhooks and policies';
}
