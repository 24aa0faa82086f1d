// Of a story told through a relay: which calls are of the way that a pass's call takes there and back. The others are as in direct access.
import { isAnswer } from '../../lib/wire/command-answers.ts';
import type { OutgoingMessage } from '../../lib/ports/queue.ts';
import type { Call } from './calls.ts';
import type { FaultName, Planned } from './faults.ts';
import type { Invocation } from './process.ts';
import type { Result } from './simulation.ts';

/** A relay that is away carries out nothing, whatever it was about. */
const OF_RELAYS: readonly FaultName[] = ['relayDies', 'relayFreezes', 'clusterGoesDark'];

const isRelays = ({ process }: Call): boolean => process.relayOf !== undefined;
const isOfRelaysQueue = ({ port, args }: Call): boolean => port === 'queue' && String(args[0]).startsWith('relay-');
const isCarriedOut = ({ port, method }: Call): boolean =>
  port === 'source' && ['get', 'list', 'create', 'delete', 'patch'].includes(method);
const tellsAnswer = ({ port, method, args }: Call): boolean =>
  port === 'queue' && method === 'send' && args[0] === 'events' && (args[1] as OutgoingMessage[]).some(({ body }) => isAnswer(body));
const isKept = ({ method }: Call): boolean => method === 'putAnswer';

/** Commands on their way, carried out, answered, and the answer kept, acknowledged and found; and whatever takes a relay away. */
export function relayedSinglesOf({ log }: Pick<Result, 'log'>): Planned[] {
  const keeps = new Set<Invocation | undefined>(log.filter(({ call }) => isKept(call)).map(({ call }) => call.invocation));
  // Of the looks for an answer the last one, which finds it: those before see as little as the command that is still on its way.
  const finds = new Map<string, Call>();
  for (const { call } of log) if (call.method === 'readAnswer') finds.set(call.args.slice(0, 2).join(' '), call);
  const found = new Set(finds.values());
  const isOfTheWay = (call: Call): boolean =>
    isOfRelaysQueue(call) ||
    isCarriedOut(call) ||
    tellsAnswer(call) ||
    isKept(call) ||
    found.has(call) ||
    (call.port === 'mapping' && keeps.has(call.invocation));
  return log.flatMap(({ call, faults }) =>
    faults
      .filter((fault) => isOfTheWay(call) || (isRelays(call) && OF_RELAYS.includes(fault)))
      .map((fault) => ({ call: call.number, fault })),
  );
}
