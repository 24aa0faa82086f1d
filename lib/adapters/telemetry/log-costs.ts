// The cost of workloads on AWS: CloudWatch Logs Insights sums up what the functions logged, when somebody asks. A question is paid for by
// the bytes that it scans, so the same one is not asked twice within a while.
import type { CloudWatchLogsClient, GetQueryResultsCommandOutput } from '@aws-sdk/client-cloudwatch-logs';
import type { Clock } from '../../ports/clock.ts';
import type { Costs, Payer, SpentSince } from '../../ports/costs.ts';
import { NotDoneError, TerminalError, ThrottledError } from '../../ports/errors.ts';
import { nameOf, translated } from '../aws/aws-errors.ts';
import { COUNTED_FUNCTIONS, costQuery, costRowOf, MOST_ROWS, type CostRow, type CountedFunction } from './cost-lines.ts';
import { NOBODY } from './payers.ts';

export interface LogCostsOptions {
  /** Of all functions that are counted. */
  logGroups: readonly string[];
  /** How long the groups keep their lines. */
  retentionDays: number;
  /** Loaded with the first question. */
  client: () => Promise<Pick<CloudWatchLogsClient, 'send'>>;
  clock: Clock;
}

const DAY_MS = 86_400_000;
/** The gateway waits for 30 s, the function lives 29, and it may have to start first. */
const ANSWER_MS = 22_000;
/** The service takes five looks a second from all of an account. */
const FIRST_LOOK_MS = 500;
const LOOK_MS = 1_000;
const STOP_MS = 2_000;
/** Lines come within seconds, and nobody reads cost by the minute. */
const KEPT_MS = 120_000;
const MOST_KEPT = 20;
/** Beside an invocation: its batch is received and deleted. */
const REQUESTS_A_BATCH = 2;
const ALL_FIELDS: readonly (keyof Payer)[] = ['cluster', 'kind', 'namespace', 'name'];
const REFUSED = new Set(['AccessDeniedException', 'AccessDenied', 'UnauthorizedOperation']);

export class LogCosts implements Costs {
  readonly isPaidByQuestion = true;
  readonly #options: LogCostsOptions;
  readonly #kept = new Map<string, { atMs: number; answer: Promise<SpentSince> }>();

  constructor(options: LogCostsOptions) {
    this.#options = options;
  }

  get sinceMs(): number {
    return this.#options.clock.nowMs() - this.#options.retentionDays * DAY_MS;
  }

  async spentSince(fromMs: number, fields: readonly (keyof Payer)[] = ALL_FIELDS): Promise<SpentSince> {
    const { clock } = this.#options;
    const nowMs = clock.nowMs();
    for (const [name, { atMs }] of this.#kept)
      if (Math.abs(nowMs - atMs) >= KEPT_MS || this.#kept.size > MOST_KEPT) this.#kept.delete(name);
    const name = `${fields.join(' ')} ${Math.round((nowMs - fromMs) / LOOK_MS)}`;
    const known = this.#kept.get(name);
    if (known) return await known.answer;
    const answer = this.#ask(fromMs, nowMs, fields);
    this.#kept.set(name, { atMs: nowMs, answer });
    answer.catch(() => this.#kept.delete(name));
    return await answer;
  }

  async #ask(fromMs: number, nowMs: number, fields: readonly (keyof Payer)[]): Promise<SpentSince> {
    const { logGroups, clock } = this.#options;
    const giveUpAtMs = clock.monotonicMs() + ANSWER_MS;
    // A request that hangs must not outlast the time for all of them.
    const within = { abortSignal: AbortSignal.timeout(ANSWER_MS) };
    const { StartQueryCommand, GetQueryResultsCommand, StopQueryCommand } = await import('../aws/cloudwatch-logs-client.ts');
    const logs = await this.#options.client();
    const { queryId } = await logs
      .send(
        new StartQueryCommand({
          logGroupNames: [...logGroups],
          startTime: Math.floor(fromMs / 1000),
          endTime: Math.ceil(nowMs / 1000),
          queryString: costQuery(fields),
          limit: MOST_ROWS,
        }),
        within,
      )
      .catch((error: unknown) => this.#refused(error, 'logs:StartQuery'));
    let waitMs = FIRST_LOOK_MS;
    while (clock.monotonicMs() + waitMs < giveUpAtMs) {
      await clock.wait(waitMs);
      waitMs = LOOK_MS;
      const found = await logs.send(new GetQueryResultsCommand({ queryId }), within).catch((error: unknown) => {
        const failed = translated(error, 'reading the result of a query', false);
        // It goes on meanwhile.
        if (failed instanceof ThrottledError || failed instanceof NotDoneError) return undefined;
        return this.#refused(error, 'logs:GetQueryResults');
      });
      if (found?.status === 'Complete') return this.#spentIn(found, fields);
      if (found?.status === 'Failed' || found?.status === 'Cancelled' || found?.status === 'Timeout')
        throw new NotDoneError(`CloudWatch Logs Insights ended the query with ${found.status}: ask again, or for a shorter time`);
    }
    // Otherwise it goes on, and is paid for, though nobody waits for it. One that cannot be stopped ends by itself.
    await logs.send(new StopQueryCommand({ queryId }), { abortSignal: AbortSignal.timeout(STOP_MS) }).catch(() => {});
    throw new NotDoneError(
      `CloudWatch Logs Insights was not through the logs within ${ANSWER_MS / 1000} s, so the query was stopped: ask for a shorter time, as with since=24h or --since 24h`,
    );
  }

  #refused(error: unknown, right: string): never {
    const { logGroups } = this.#options;
    const name = nameOf(error);
    const groups = logGroups.join(', ');
    if (REFUSED.has(name))
      throw new TerminalError(
        `the role of the api function lacks the right ${right}, by which it sums up the logs ${groups}: deploy the stack of this version`,
        { cause: error },
      );
    if (name === 'LimitExceededException')
      throw new ThrottledError('as many queries of CloudWatch Logs Insights run in this account as it allows: ask again in a minute', {
        cause: error,
        retryAfterSeconds: 60,
      });
    if (name === 'ResourceNotFoundException')
      throw new TerminalError(`one of the logs ${groups} is not there: deploy the stack of this version`, { cause: error });
    throw translated(error, `asking CloudWatch Logs Insights about the logs ${groups}`, false);
  }

  #spentIn({ results = [], statistics }: GetQueryResultsCommandOutput, fields: readonly (keyof Payer)[]): SpentSince {
    const rows = results.map((row) => costRowOf(Object.fromEntries(row.map(({ field = '', value = '' }) => [field, value])), fields));
    return {
      rows: shared(rows),
      ...(statistics?.bytesScanned !== undefined && { scannedBytes: statistics.bytesScanned }),
      ...(results.length >= MOST_ROWS && { isCut: true }),
    };
  }
}

/** Workloads have what their passes spent; all that functions spent beside them is common. */
function shared(rows: readonly CostRow[]): SpentSince['rows'] {
  const passes = rows.filter(({ payer }) => payer !== undefined);
  const functions = rows.filter(({ payer }) => payer === undefined);
  const sumOf = (of: readonly CostRow[], amount: 'requests' | 'writeUnits' | 'readUnits' | 'passMs' | 'sent'): number =>
    of.reduce((sum, row) => sum + row[amount], 0);
  const ofFunction = (name: CountedFunction, amount: 'invocations' | 'billedMs'): number =>
    functions.reduce((sum, row) => sum + (row.function === name ? row[amount] : 0), 0);
  const restOf = (amount: 'requests' | 'writeUnits' | 'readUnits'): number => Math.max(sumOf(functions, amount) - sumOf(passes, amount), 0);
  const passMs = sumOf(passes, 'passMs');
  const [wakes, timers] = [ofFunction('reconcile', 'invocations'), ofFunction('timers', 'invocations')];
  const [events, sweeps] = [ofFunction('ingest', 'invocations'), ofFunction('sweep', 'invocations')];
  const polls = REQUESTS_A_BATCH * (wakes + events + timers);
  return [
    ...passes.flatMap(({ payer, ...row }) =>
      payer
        ? [
            {
              ...NOTHING,
              ...payer,
              passes: row.passes,
              passMs: row.passMs,
              writes: row.writes,
              requests: row.requests,
              writeUnits: row.writeUnits,
              readUnits: row.readUnits,
              // Passes of a batch run side by side, so their times add up to more than is billed.
              billedMs: { reconcile: passMs === 0 ? 0 : (ofFunction('reconcile', 'billedMs') * row.passMs) / passMs },
            },
          ]
        : [],
    ),
    {
      ...NOTHING,
      ...NOBODY,
      requests: restOf('requests') + polls,
      writeUnits: restOf('writeUnits'),
      readUnits: restOf('readUnits'),
      fifoRequests: REQUESTS_A_BATCH * wakes,
      // Functions send to queues of that price, but for the few commands to relays.
      fairRequests: REQUESTS_A_BATCH * (events + timers) + sumOf(functions, 'sent'),
      wakesBatches: wakes,
      // A sweep is an invocation like another.
      eventsBatches: events + sweeps,
      timersBatches: timers,
      billedMs: {
        ...Object.fromEntries(COUNTED_FUNCTIONS.map((name) => [name, ofFunction(name, 'billedMs')])),
        ...(passMs > 0 && { reconcile: 0 }),
      },
    },
  ];
}

const NOTHING = {
  passes: 0,
  passMs: 0,
  writes: 0,
  requests: 0,
  writeUnits: 0,
  readUnits: 0,
  fifoRequests: 0,
  fairRequests: 0,
  standardRequests: 0,
  wakesBatches: 0,
  eventsBatches: 0,
  timersBatches: 0,
};
