// Embedded adapters answer within the turn of the event loop in which they are asked. A pass over thousands of objects would then be one turn,
// and everything beside it would wait for all of it.
import { setImmediate } from 'node:timers/promises';

/** Milliseconds of a turn after which the next call waits for another one. */
const MOST_MS = 20;

/**
 * The same port. A call that comes late in a turn is made in a later one, so that timers, sockets and other passes have theirs.
 * @param nowMs for tests; milliseconds of any beginning
 */
export function yielding<Port extends object>(port: Port, nowMs: () => number = () => performance.now()): Port {
  let sinceMs = nowMs();
  let next: Promise<void> | undefined;
  const begin = async (): Promise<void> => {
    await setImmediate();
    sinceMs = nowMs();
    next = undefined;
  };
  return new Proxy(port, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...given: unknown[]): Promise<unknown> => {
        // Many may wait for one turn, and not all of them have their time in it.
        while (nowMs() - sinceMs >= MOST_MS) await (next ??= begin());
        return await Reflect.apply(member, target, given);
      };
    },
  });
}
