// What a workload costs that has come to rest (R16): messages of it that are sent or received, and writes of its head and view.
import type { WorkloadKey } from '../../lib/objects/workload.ts';
import { parseKey } from '../../lib/objects/workload.ts';
import type { Head } from '../../lib/ports/store.ts';
import { isAnswer } from '../../lib/wire/command-answers.ts';
import { decodeCommands, isCommands } from '../../lib/wire/commands.ts';
import { decodeEvents } from '../../lib/wire/events.ts';
import { decodeAsk, decodeTimer, decodeWake } from '../../lib/wire/messages.ts';
import { isWrite, type Call } from './calls.ts';

/** What each sweep has a relay do: keep the leases of virtual nodes, and, where nothing dials the cluster, read it. About no workload. */
export function comesWithSweeps(body: string): boolean {
  try {
    return isCommands(body) ? decodeCommands(body).commands.every(({ name }) => name === 'farloop-look') : decodeAsk(body).ask === 'leases';
  } catch {
    return false;
  }
}

/** The workloads that a message is about, by name. A heartbeat, a look and an answer are about none; nor is what cannot be read. */
export function namesIn(queue: string, body: string): string[] {
  try {
    switch (queue) {
      case 'wakes': {
        const message = decodeWake(body);
        return 'look' in message ? [] : [nameOf(message.key)];
      }
      case 'timers': {
        const message = decodeTimer(body);
        return 'look' in message ? [] : [nameOf('doubt' in message ? message.doubt : message.key)];
      }
      case 'events': {
        if (isAnswer(body)) return [];
        const { reports, heartbeat } = decodeEvents(body);
        // A heartbeat goes anyway, whatever ends of owners it tells of a second time.
        return reports.filter(({ observed }) => !(heartbeat && observed?.deleted)).map(({ owner }) => owner.name);
      }
      default: {
        // Commands are a pass's, which counts itself.
        if (isCommands(body)) return [];
        const ask = decodeAsk(body);
        return ask.ask === 'workload' ? [ask.owner.name] : [];
      }
    }
  } catch {
    return [];
  }
}

const nameOf = (key: string): string => parseKey(key)?.name ?? '';

/** The workload whose head or view the call writes. */
function writtenIn({ port, method, args }: Call): string | undefined {
  if (port !== 'store' || !isWrite({ method })) return undefined;
  const [first] = args as [WorkloadKey | Head | string];
  if (typeof first === 'string') return undefined;
  return 'key' in first ? first.key.name : first.name;
}

export interface Spent {
  messages: number;
  headWrites: number;
}

export class Costs {
  readonly spent: Spent = { messages: 0, headWrites: 0 };
  readonly #isCounted: (name: string) => boolean;

  constructor(isCounted: (name: string) => boolean) {
    this.#isCounted = isCounted;
  }

  effected(call: Call): void {
    if (call.port === 'queue' && call.method === 'send') {
      const [queue, messages] = call.args as [string, { body: string }[]];
      for (const { body } of messages) this.#message(queue, body);
    } else if (this.#isCounted(writtenIn(call) ?? '')) this.spent.headWrites += 1;
  }

  received(queue: string, messages: readonly { body: string }[]): void {
    for (const { body } of messages) this.#message(queue, body);
  }

  #message(queue: string, body: string): void {
    if (namesIn(queue, body).some(this.#isCounted)) this.spent.messages += 1;
  }
}
