// With relayed access a pass's call takes effect in the relay: which call of which pass a relay carries out, so that what then changes is
// that pass's doing.
import { CLOCK_BOUND_MS } from '../../lib/relay/commands/commands.ts';
import type { OutgoingMessage } from '../../lib/ports/queue.ts';
import { decodeCommands, isCommands } from '../../lib/wire/commands.ts';
import { deadlineAmong, type Call } from './calls.ts';

interface Made {
  call: Call;
  about: string;
}

export class RelayedCalls {
  /** Calls of passes, by their process, the newest last. */
  readonly #made = new WeakMap<object, Made[]>();
  readonly #sent = new Map<string, { made: Call; sentAs: number }>();

  /** A pass makes a call, which becomes a command. */
  made(call: Call): void {
    const { process } = call;
    this.#made.set(process, [...(this.#made.get(process) ?? []).slice(-600), { call, about: aboutOf(call.method, call.args) }]);
  }

  /** A process sends messages: commands among them stand for calls that it made. */
  sends({ process, args, cluster, number }: Call): void {
    const [queue, messages] = args as [string, OutgoingMessage[]];
    for (const { body } of queue.startsWith('relay-') ? messages : []) {
      if (!isCommands(body)) continue;
      const { commands } = decodeCommands(body);
      for (const { verb, plural, namespace = '', name = '', untilMs } of commands) {
        const about = [verb, plural, namespace, name].join('/');
        const made = this.#made.get(process)?.findLast((each) => each.about === about);
        if (made) {
          const call = { ...made.call, cluster: cluster ?? made.call.cluster };
          this.#sent.set([queue, about, untilMs].join(' '), { made: call, sentAs: number });
        }
      }
    }
  }

  /** The call that a relay's own stands for; undefined for one that it makes for itself. */
  behind(call: Call): Call | undefined {
    return this.#commandOf(call)?.made;
  }

  /** The number of the call that sent the command which a relay's own call carries out. */
  sentAs(call: Call): number | undefined {
    return this.#commandOf(call)?.sentAs;
  }

  #commandOf({ method, args, cluster }: Call): { made: Call; sentAs: number } | undefined {
    const deadline = deadlineAmong(args);
    if (!deadline) return undefined;
    return this.#sent.get([`relay-${cluster}`, aboutOf(method, args), deadline.wallMs - CLOCK_BOUND_MS].join(' '));
  }
}

function aboutOf(method: string, [resource, target]: readonly unknown[]): string {
  const { plural } = resource as { plural: string };
  const { namespace = '', name = '', metadata } = target as { namespace?: string; name?: string; metadata?: Record<string, string> };
  return [method, plural, metadata?.['namespace'] ?? namespace, metadata?.['name'] ?? name].join('/');
}
