// An answer that a command shows until it is told to stop: that the server has gone silent is said once, with the age of what was shown, and
// once that it is back.
import { follow, SILENT_MS } from '../../api-client/live.ts';
import { ApiProblem } from '../../api-client/problems.ts';
import type { ApiClient, AskingAgain } from '../instance/api-client.ts';
import { FailedError } from '../terminal/exit.ts';
import { printProblem } from '../terminal/output.ts';

/** Connects anew, for an instance that was started again is another one. @throws FailedError */
export type Connect = (again?: AskingAgain) => ApiClient;

interface Followed<Value> {
  read: (api: ApiClient) => Promise<Value>;
  everyMs: number;
  /** When the value was read that is shown already. */
  shownAtMs?: number;
  /** Ends it. */
  signal?: AbortSignal;
}

/** Yields each answer. @throws what is no failure of the server's */
export async function* followed<Value>(
  connect: Connect,
  { read, everyMs, shownAtMs, signal = new AbortController().signal }: Followed<Value>,
): AsyncGenerator<Value> {
  const kept: AskingAgain['kept'] = new Map();
  let isSilent = false;
  const updates = follow<Value>({
    async read(ending) {
      try {
        return await read(connect({ kept, isQuiet: true, signal: ending }));
      } catch (error) {
        throw error instanceof FailedError ? new ApiProblem('refused', error.message, { cause: error }) : error;
      }
    },
    changes: (ending) => connect({ kept, isQuiet: true, signal: ending }).changes(ending),
    everyMs,
    signal,
  });
  for await (const { isAnswer, value, asOfMs = shownAtMs, problem } of updates) {
    if (!isAnswer && !isSilent) printProblem(`farloop: ${problem?.message ?? SILENT}; ${ageText(asOfMs)}it is asked again`);
    if (isAnswer && isSilent) printProblem('farloop: it answers again');
    isSilent = !isAnswer;
    if (isAnswer) yield value as Value;
  }
}

const SILENT = `Farloop has been silent for ${SILENT_MS / 1_000} s`;

const ageText = (asOfMs: number | undefined): string =>
  asOfMs === undefined ? '' : `what was shown is as of ${new Date(asOfMs).toISOString().slice(0, 19)}Z, and `;
