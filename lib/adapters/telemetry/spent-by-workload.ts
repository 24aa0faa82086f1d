// Amounts that a function's requests to the table cost, by workload, until the record of its next pass takes them along.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Payer } from '../../ports/costs.ts';
import { formatName } from '../../objects/workload.ts';
import type { Units } from '../dynamodb/write-units.ts';
import { payersOf } from './payers.ts';

export interface SpentOnTable {
  requests: number;
  /** With those of indexes. */
  writeUnits: number;
  readUnits: number;
}

const nothing = (): SpentOnTable => ({ requests: 0, writeUnits: 0, readUnits: 0 });

export class SpentByWorkload {
  readonly #payers = new AsyncLocalStorage<readonly Payer[]>();
  readonly #spent = new Map<string, SpentOnTable>();

  /** The same store, whose calls are put down to the workloads that they name first, in equal shares. */
  payingStore<Store extends { meter: { listener?: (cost: Partial<Units>) => void } }>(store: Store): Store {
    store.meter.listener = ({ writeUnits = 0, indexUnits = 0, readUnits = 0, requests = 1 }) => {
      const payers = this.#payers.getStore() ?? [];
      for (const payer of payers) this.#add(payer, { requests, writeUnits: writeUnits + indexUnits, readUnits }, payers.length);
    };
    return new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        // Passes wait side by side: each call keeps its payers over its own waits.
        return (...given: unknown[]): unknown =>
          this.#payers.run(payersOf(given[0]), () => Reflect.apply(member, target, given) as unknown);
      },
    });
  }

  /** Amounts spent on the workload since the last time. */
  take(payer: Payer): SpentOnTable {
    const name = formatName(payer);
    const spent = this.#spent.get(name) ?? nothing();
    this.#spent.delete(name);
    return spent;
  }

  /** Forgets workloads without a pass: the sum of the function has what was spent on them. */
  clear(): void {
    this.#spent.clear();
  }

  #add(payer: Payer, spent: SpentOnTable, shares: number): void {
    if (payer.name === '') return;
    const name = formatName(payer);
    const sum = this.#spent.get(name) ?? nothing();
    this.#spent.set(name, sum);
    sum.requests += spent.requests / shares;
    sum.writeUnits += spent.writeUnits / shares;
    sum.readUnits += spent.readUnits / shares;
  }
}
