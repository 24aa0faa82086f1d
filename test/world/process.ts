// One process of Farloop: its ports, of which every call is a point where a test may stand, fail it, hold it, or kill the process.
// A killed process goes no further: its calls never answer, so that none of its code runs again, its catch blocks neither.
import type { Ports } from '../../lib/ports/ports.ts';
import { Reconciler } from '../../lib/reconciler/reconcile.ts';

export type PortName = 'store' | 'queue' | 'cluster' | 'clusters' | 'recorder';

export interface Point {
  port: PortName;
  method: string;
  args: readonly unknown[];
  /** `after`: it took effect, and the caller has not heard so. */
  phase: 'before' | 'after';
  /** Which call of its process, from 1. */
  call: number;
}

/** May throw what the port would throw, wait, or kill the process. */
export type Interposer = (point: Point, process: Process) => void | Promise<void>;

export class ProcessDiedError extends Error {}

export class Process {
  readonly ports: Ports;
  readonly reconciler: Reconciler;
  calls = 0;
  #isDead = false;
  #thaw: (() => void) | undefined;
  #frozen: Promise<void> | undefined;
  readonly #died: Promise<never>;
  #announceDeath: (error: Error) => void = () => {};
  readonly #interposer: () => Interposer | undefined;

  constructor(ports: Ports, interposer: () => Interposer | undefined) {
    this.#interposer = interposer;
    this.#died = new Promise((_, reject) => (this.#announceDeath = reject));
    this.#died.catch(() => {});
    this.ports = {
      ...ports,
      store: this.#watched('store', ports.store),
      queue: this.#watched('queue', ports.queue),
      clusters: this.#watched('clusters', ports.clusters),
      recorder: this.#watched('recorder', ports.recorder),
      connect: (record) => this.#watched('cluster', ports.connect(record)),
    };
    this.reconciler = new Reconciler(this.ports);
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  get isFrozen(): boolean {
    return this.#thaw !== undefined;
  }

  /** Stands still from now on, until `thaw`; whoever waits for its work is told that it is lost. An interposer answers with this promise. */
  async freeze(): Promise<void> {
    const frozen = new Promise<void>((resolve) => (this.#thaw = resolve));
    this.#frozen = frozen;
    this.#announceDeath(new ProcessDiedError('frozen by the test'));
    await frozen;
  }

  thaw(): void {
    this.#thaw?.();
    this.#thaw = undefined;
    this.#frozen = undefined;
  }

  kill(): void {
    this.#isDead = true;
    this.#announceDeath(new ProcessDiedError('killed by the test'));
  }

  /** @throws ProcessDiedError as soon as this process is killed */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    return await Promise.race([work(), this.#died]);
  }

  #watched<Port extends object>(port: PortName, target: Port): Port {
    return new Proxy(target, {
      get: (_, property) => {
        const member: unknown = Reflect.get(target, property);
        if (typeof member !== 'function') return member;
        return async (...args: unknown[]): Promise<unknown> => {
          const call = ++this.calls;
          const method = String(property);
          await this.#pass({ port, method, args, phase: 'before', call });
          const result: unknown = await Reflect.apply(member, target, args);
          await this.#pass({ port, method, args, phase: 'after', call });
          return result;
        };
      },
    });
  }

  async #pass(point: Point): Promise<void> {
    if (this.#frozen) await this.#frozen;
    if (!this.#isDead) await this.#interposer()?.(point, this);
    if (this.#isDead) await new Promise(() => {});
  }
}
