// The ports of a process that drives runs, with faults: each call of a port is numbered, and a fault strikes at one number or by chance.
import type { Cluster } from '../../../lib/ports/cluster.ts';
import type { Provider } from '../../../lib/ports/provider.ts';
import type { Queue } from '../../../lib/ports/queue.ts';
import type { CalledCluster } from './pods-of-node.ts';
import { NotDoneError, ThrottledError, UnknownOutcomeError } from '../../../lib/ports/errors.ts';
import type { Runs } from '../../../lib/ports/runs.ts';

/** The process is killed at that moment: nothing that it does afterwards has an effect. */
export class KilledError extends Error {
  override readonly name = 'KilledError';
}

/** A message that is `not done` is lost, one that is `throttled` is sent twice. `overtaken`: another process drives the run just before the call. `slow`: the answer comes after a pause. */
export const FAULTS = [
  'not done',
  'unknown, not done',
  'unknown, done',
  'throttled',
  'killed before',
  'killed after',
  'overtaken',
  'slow',
] as const;
export type Fault = (typeof FAULTS)[number];

/** Those that can strike the call: records are there or they are not, and no store of theirs throttles one call alone. */
export const faultsOf = (call: string): readonly Fault[] =>
  call.startsWith('runs.') ? FAULTS.filter((fault) => fault !== 'not done' && fault !== 'throttled') : FAULTS;

export interface CallLine {
  /** `runs.put`, `provider.start` */
  call: string;
  fault?: Fault;
}

export interface Faulty {
  /** @returns the fault of the next call. @param at its number, from 0 */
  faultAt(at: number, call: string): Fault | undefined;
  overtake(): Promise<void>;
  pause(): Promise<void>;
  calls: CallLine[];
}

/** All calls of one process; once it is killed, every call fails. */
export class ProcessCalls {
  readonly #world: Faulty;
  #isKilled = false;

  constructor(world: Faulty) {
    this.#world = world;
  }

  runs(runs: Runs): Runs {
    return wrapped(runs, 'runs', async (call, run) => await this.#call(call, run));
  }

  get isKilled(): boolean {
    return this.#isKilled;
  }

  /** Messages are received and acknowledged by the event source, so their sending alone is a call. */
  sends(queue: Queue): Pick<Queue, 'send'> {
    return { send: async (name, messages) => await this.#call(`queue.${name}`, async () => await queue.send(name, messages)) };
  }

  provider(provider: Provider): Provider {
    const calls = wrapped(provider, 'provider', async (call, run) => await this.#call(call, run));
    return { ...calls, limits: () => provider.limits(), ...(provider.logs && { logs: provider.logs.bind(provider) }) };
  }

  cluster(cluster: CalledCluster): Cluster {
    return wrapped(cluster, 'cluster', async (call, run) => await this.#call(call, run)) as Cluster;
  }

  async #call<Answer>(call: string, run: () => Promise<Answer>): Promise<Answer> {
    if (this.#isKilled) throw new KilledError('the process is gone');
    const world = this.#world;
    const fault = world.faultAt(world.calls.length, call);
    world.calls.push({ call, ...(fault && { fault }) });
    if (fault === 'killed before') this.#kill();
    if (fault === 'overtaken') await world.overtake();
    if (fault === 'slow') await world.pause();
    if (fault === 'not done' && isMessage(call)) return undefined as Answer;
    if (fault === 'throttled' && isMessage(call)) await run();
    if (fault === 'not done' && isRemote(call)) throw new NotDoneError('no connection');
    if (fault === 'throttled' && isRemote(call)) throw new ThrottledError('too many requests', { retryAfterSeconds: 1 });
    if (fault === 'unknown, not done') throw this.#lost(call);
    const answer = await run();
    if (fault === 'killed after') this.#kill();
    if (fault === 'unknown, done') throw this.#lost(call);
    return answer;
  }

  #kill(): never {
    this.#isKilled = true;
    throw new KilledError('the process is killed');
  }

  /** A process that cannot reach its records ends; the next one goes on. */
  #lost(call: string): Error {
    if (isRemote(call)) return new UnknownOutcomeError('the connection was reset');
    this.#isKilled = true;
    return new KilledError('the records cannot be reached');
  }
}

const isMessage = (call: string): boolean => call.startsWith('queue.');
/** Of a server that may refuse or be lost while this process goes on. */
const isRemote = (call: string): boolean => call.startsWith('provider.') || call.startsWith('cluster.');

type Call = <Answer>(call: string, run: () => Promise<Answer>) => Promise<Answer>;

/** Each method of the port goes through `call`. */
function wrapped<Port extends object>(port: Port, name: string, call: Call): Port {
  return new Proxy(port, {
    get: (target, property) => {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== 'function') return member;
      return async (...given: unknown[]) => await call(`${name}.${String(property)}`, async () => await member.apply(target, given));
    },
    ownKeys: (target) => Reflect.ownKeys(target),
  });
}
