// The logs that the functions of a run would have written on AWS: passes, and at the end of each invocation its sums and Lambda's report.
import { AsyncLocalStorage } from 'node:async_hooks';
import { COUNTED_FUNCTIONS, type CountedFunction } from '../../lib/adapters/telemetry/cost-lines.ts';
import { EmfTelemetry } from '../../lib/adapters/telemetry/emf-telemetry.ts';
import { LogRecorder } from '../../lib/adapters/telemetry/log-recorder.ts';
import { SpentByWorkload } from '../../lib/adapters/telemetry/spent-by-workload.ts';
import type { WriteMeter } from '../../lib/adapters/dynamodb/write-units.ts';
import type { Ports } from '../../lib/ports/ports.ts';
import type { LogLine } from '../adapters/insights-query.ts';
import type { Process } from './process.ts';

/** As docs/costs.md assumes of an invocation without passes. */
export const OTHER_INVOCATION_MS = 40;
/** Messages that go in one request. */
const BATCH = 10;

interface Account {
  function: CountedFunction;
  spent: SpentByWorkload;
  /** Told of each request to the table. */
  meter: Pick<WriteMeter, 'listener'>;
  telemetry: EmfTelemetry;
  write: (message: string) => void;
  isBegun: boolean;
  requests: number;
  sent: number;
  writeUnits: number;
  readUnits: number;
  passMs: number;
}

const NOTHING = { requests: 0, sent: 0, writeUnits: 0, readUnits: 0, passMs: 0 };

export const logGroupOf = (name: CountedFunction): string => `/aws/lambda/farloop-test-${name}`;

export class FunctionLogs {
  readonly lines: LogLine[] = [];
  /** Of all functions, counted beside what they log. */
  readonly counted = { sent: 0, invocations: { ingest: 0, reconcile: 0, timers: 0, sweep: 0 } };
  readonly #accounts = new Map<Process, Account>();
  readonly #calling = new AsyncLocalStorage<Account>();
  readonly #tables = new Set<WriteMeter>();

  /** The same ports, with a log of what their calls spend. Ports of other processes stay as they are. */
  portsOf(process: Process, ports: Ports, table: WriteMeter): Ports {
    const name = COUNTED_FUNCTIONS.find((each) => process.name.startsWith(each));
    if (!name) return ports;
    this.#listenTo(table);
    const write = (message: string): void => void this.lines.push({ log: logGroupOf(name), timestamp: process.clock.nowMs(), message });
    const spent = new SpentByWorkload();
    // The level that tells least.
    const telemetry = new EmfTelemetry({ namespace: 'Farloop/test', referenceMetrics: true, level: 'error', clock: process.clock, write });
    const account: Account = { ...NOTHING, function: name, spent, meter: {}, telemetry, write, isBegun: false };
    this.#accounts.set(process, account);
    const called = <Port extends object>(port: Port): Port =>
      new Proxy(port, {
        get: (target, property) => {
          const member: unknown = property === 'meter' ? account.meter : Reflect.get(target, property);
          if (typeof member !== 'function') return member;
          return (...given: unknown[]): unknown => {
            if (property === 'send' && Array.isArray(given[1])) this.#sent(account, given[1].length);
            return this.#calling.run(account, () => Reflect.apply(member, target, given) as unknown);
          };
        },
      });
    const recorder = new LogRecorder({ logGroup: undefined, client: unread, clock: process.clock, spent, write });
    const append: Ports['recorder']['append'] = async (pass, snapshot) => {
      account.passMs += pass.durationMs;
      await recorder.append(pass, snapshot);
      await ports.recorder.append(pass, snapshot);
    };
    return {
      ...ports,
      queue: called(ports.queue),
      store: spent.payingStore(called(ports.store) as Ports['store'] & { meter: Account['meter'] }),
      recorder: { append, passes: async () => [], pass: async () => undefined },
    };
  }

  /** The one before has ended. */
  began(process: Process): void {
    this.#end(process);
    const account = this.#accounts.get(process);
    if (!account) return;
    account.isBegun = true;
    account.telemetry.begin(account.function, 'request');
    this.counted.invocations[account.function] += 1;
  }

  ended(): void {
    for (const process of this.#accounts.keys()) this.#end(process);
  }

  #end(process: Process): void {
    const account = this.#accounts.get(process);
    if (!account?.isBegun) return;
    const { telemetry, spent, write, requests, sent, writeUnits, readUnits, passMs } = account;
    telemetry.end({ AwsRequests: requests + sent, WriteUnits: writeUnits, ReadUnits: readUnits }, sent);
    spent.clear();
    const ms = account.function === 'reconcile' ? Math.round(passMs) : OTHER_INVOCATION_MS;
    write(`REPORT RequestId: request\tDuration: ${ms}.00 ms\tBilled Duration: ${ms} ms\tMemory Size: 512 MB\tMax Memory Used: 90 MB\t`);
    Object.assign(account, NOTHING, { isBegun: false });
  }

  #sent(account: Account, messages: number): void {
    const requests = Math.ceil(messages / BATCH);
    account.sent += requests;
    this.counted.sent += requests;
  }

  #listenTo(table: WriteMeter): void {
    if (this.#tables.has(table)) return;
    this.#tables.add(table);
    const { listener } = table;
    table.listener = (cost) => {
      listener?.(cost);
      const account = this.#calling.getStore();
      if (!account) return;
      account.requests += cost.requests ?? 1;
      account.writeUnits += (cost.writeUnits ?? 0) + (cost.indexUnits ?? 0);
      account.readUnits += cost.readUnits ?? 0;
      account.meter.listener?.(cost);
    };
  }
}

const unread = async (): Promise<never> => {
  throw new Error('nothing is read here');
};
