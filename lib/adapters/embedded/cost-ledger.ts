// Who spent what: requests and units of embedded store and queue, and passes, by workload and hour, on a file of its own for 7 days.
import type { StatementSync } from 'node:sqlite';
import type { Clock } from '../../ports/clock.ts';
import type { Costs, Payer, Spent, SpentSince } from '../../ports/costs.ts';
import type { Recorder } from '../../ports/recorder.ts';
import type { QueueName } from '../../ports/queue.ts';
import { NOBODY, payerIn, payersOf } from '../telemetry/payers.ts';
import { parseKey } from '../../objects/workload.ts';
import { decodeTimer, decodeWake } from '../../wire/messages.ts';
import type { Units } from '../dynamodb/write-units.ts';
import { SystemClock } from '../clock/system-clock.ts';
import { isFifo } from '../sqs/queue-limits.ts';
import { SqliteFile } from './sqlite-file.ts';

/** Nothing is billed on one machine. */
type Part = Exclude<keyof Spent, 'billedMs'>;

const COLUMNS = {
  passes: 'passes',
  passMs: 'pass_ms',
  writes: 'writes',
  requests: 'requests',
  writeUnits: 'write_units',
  readUnits: 'read_units',
  fifoRequests: 'fifo_requests',
  fairRequests: 'fair_requests',
  standardRequests: 'standard_requests',
  wakesBatches: 'wakes_batches',
  eventsBatches: 'events_batches',
  timersBatches: 'timers_batches',
} as const satisfies Record<Part, string>;
const PARTS = Object.keys(COLUMNS) as Part[];
const AMOUNTS = Object.values(COLUMNS);

const SCHEMA_VERSION = 1;
const SCHEMA = `
  create table spent (hour integer not null, cluster text not null, kind text not null, namespace text not null, name text not null,
    ${AMOUNTS.map((amount) => `${amount} real not null`).join(', ')}, primary key (hour, cluster, kind, namespace, name)) without rowid;
  create table begun (at integer not null)`;

const HOUR_MS = 3_600_000;
const KEEP_HOURS = 7 * 24;
/** Amounts wait so long for the file. A kill loses them, which costs nothing but a figure. */
const WRITTEN_EVERY_MS = 60_000;
/** Or until they are of so many workloads. */
const MOST_WAITING = 5_000;

export class CostLedger implements Costs {
  readonly sinceMs: number;
  readonly #file: SqliteFile;
  readonly #clock: Clock;
  readonly #add: StatementSync;
  readonly #clean: StatementSync;
  readonly #waiting = new Map<string, { payer: Payer; spent: Record<Part, number> }>();
  /** Of the call that the store carries out now. */
  #payers: readonly Payer[] = [];
  #writtenAtMs: number;

  private constructor(file: SqliteFile, clock: Clock) {
    this.#file = file;
    this.#clock = clock;
    this.#writtenAtMs = clock.nowMs();
    const { database } = file;
    database.prepare('insert into begun select ? where not exists (select * from begun)').run(clock.nowMs());
    this.sinceMs = Math.max(Number(database.prepare('select at from begun').get()?.['at']), clock.nowMs() - KEEP_HOURS * HOUR_MS);
    this.#add = database.prepare(
      `insert into spent values (?, ?, ?, ?, ?, ${AMOUNTS.map(() => '?').join(', ')}) on conflict do update set
       ${AMOUNTS.map((amount) => `${amount} = ${amount} + excluded.${amount}`).join(', ')}`,
    );
    this.#clean = database.prepare('delete from spent where hour < ?');
  }

  /** @param options.folder the state folder; in memory when absent */
  static open({ folder, clock = new SystemClock() }: { folder?: string; clock?: Clock } = {}): CostLedger {
    return new CostLedger(SqliteFile.open({ folder, file: 'costs.db', schemaVersion: SCHEMA_VERSION, schema: SCHEMA }), clock);
  }

  get rebuilt(): 'older version' | 'damaged' | undefined {
    return this.#file.rebuilt;
  }

  /** The same store, whose calls are put down to the workload or cluster that they name first. */
  payingStore<Store extends { meter: { listener?: (cost: Partial<Units>) => void } }>(store: Store): Store {
    store.meter.listener = ({ writeUnits = 0, indexUnits = 0, readUnits = 0, requests = 1 }) =>
      this.#spend(this.#payers, { writeUnits: writeUnits + indexUnits, readUnits, requests });
    return new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...given: unknown[]): unknown => {
          // An embedded store counts before it returns.
          this.#payers = payersOf(given[0]);
          try {
            return Reflect.apply(member, target, given);
          } finally {
            this.#payers = [];
          }
        };
      },
    });
  }

  /** Requests of that queue from now on. */
  follow({
    meter,
  }: {
    meter: { listener?: (queue: QueueName, requests: number, messages: readonly QueueMessage[], isBatch: boolean) => void };
  }): void {
    meter.listener = (queue, requests, messages, isBatch) => {
      const part = isFifo(queue) ? 'fifoRequests' : queue === 'events' || queue === 'timers' ? 'fairRequests' : 'standardRequests';
      this.#spend(
        messages.flatMap((message) => payerOfMessage(queue, message)),
        { [part]: requests, requests, ...(isBatch && batchOf(queue)) },
      );
    };
  }

  /** The same recorder, whose passes are counted. */
  countingRecorder(recorder: Recorder): Recorder {
    const append: Recorder['append'] = async (pass, snapshot) => {
      const writes = pass.actions.reduce((sum, { result, count = 1 }) => (result === 'notDone' ? sum : sum + count), 0);
      this.#spend([pass.key], { passes: 1, passMs: pass.durationMs, writes });
      await recorder.append(pass, snapshot);
    };
    return {
      append,
      passes: async (key, limit) => await recorder.passes(key, limit),
      pass: async (id) => await recorder.pass(id),
    };
  }

  async spentSince(fromMs: number): Promise<SpentSince> {
    this.#write();
    const rows = this.#file.database
      .prepare(
        `select cluster, kind, namespace, name, ${PARTS.map((part) => `sum(${COLUMNS[part]}) as "${part}"`).join(', ')} from spent
         where hour >= ? group by cluster, kind, namespace, name`,
      )
      .all(Math.floor(fromMs / HOUR_MS));
    return { rows: rows.map((row) => ({ ...payerIn(row), ...spentOf((part) => Number(row[part])) })) };
  }

  close(): void {
    try {
      this.#write();
    } finally {
      this.#file.close();
    }
  }

  /** In equal shares. */
  #spend(payers: readonly Payer[], spent: Partial<Record<Part, number>>): void {
    const all = payers.length === 0 ? [NOBODY] : payers;
    for (const payer of all) {
      const key = JSON.stringify([payer.cluster, payer.kind, payer.namespace, payer.name]);
      let sum = this.#waiting.get(key);
      if (!sum) this.#waiting.set(key, (sum = { payer, spent: spentOf(() => 0) }));
      for (const part of PARTS) sum.spent[part] += (spent[part] ?? 0) / all.length;
    }
    if (this.#waiting.size > MOST_WAITING || this.#clock.nowMs() - this.#writtenAtMs > WRITTEN_EVERY_MS) this.#write();
  }

  #write(): void {
    const nowMs = this.#clock.nowMs();
    const hour = Math.floor(nowMs / HOUR_MS);
    this.#writtenAtMs = nowMs;
    if (this.#waiting.size === 0) return;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    // A figure is not worth a pass: on a full disk it is lost.
    try {
      this.#file.transaction(() => {
        for (const { payer, spent } of waiting)
          this.#add.run(hour, payer.cluster, payer.kind, payer.namespace, payer.name, ...PARTS.map((part) => spent[part]));
        this.#clean.run(hour - KEEP_HOURS);
      });
    } catch {
      return;
    }
  }
}

type QueueMessage = { body: string; groupId?: string };

const spentOf = (amountOf: (part: Part) => number): Record<Part, number> => ({
  passes: amountOf('passes'),
  passMs: amountOf('passMs'),
  writes: amountOf('writes'),
  requests: amountOf('requests'),
  writeUnits: amountOf('writeUnits'),
  readUnits: amountOf('readUnits'),
  fifoRequests: amountOf('fifoRequests'),
  fairRequests: amountOf('fairRequests'),
  standardRequests: amountOf('standardRequests'),
  wakesBatches: amountOf('wakesBatches'),
  eventsBatches: amountOf('eventsBatches'),
  timersBatches: amountOf('timersBatches'),
});

const batchOf = (queue: QueueName): Partial<Spent> =>
  queue === 'wakes' ? { wakesBatches: 1 } : queue === 'events' ? { eventsBatches: 1 } : queue === 'timers' ? { timersBatches: 1 } : {};

/** Reports of a cluster are about many workloads: they are the cluster's. */
function payerOfMessage(queue: QueueName, { body, groupId }: QueueMessage): Payer[] {
  if (queue === 'events') return groupId === undefined ? [] : [{ ...NOBODY, cluster: groupId }];
  if (queue.startsWith('relay-')) return [{ ...NOBODY, cluster: queue.slice('relay-'.length) }];
  try {
    const message = queue === 'wakes' ? decodeWake(body) : decodeTimer(body);
    const key = 'key' in message ? parseKey(message.key) : undefined;
    return key ? [key] : [];
  } catch {
    // Not ours, and nobody's.
    return [];
  }
}
