// In the place of the relay inside `farloop up`: the queues for one outside.
import type { Relay } from '../../lib/relay/relay.ts';
import type { RelaySetup } from '../../lib/relay/relay-setup.ts';
import { startQueueService } from './queue-service.ts';

/** Names the port of the queues: the same over kills, as queues have it. */
export const QUEUES_PORT_VARIABLE = 'FARLOOP_SOAK_QUEUES_PORT';

export function startRelay({ queue }: RelaySetup): Relay {
  const service = startQueueService(queue, Number(process.env[QUEUES_PORT_VARIABLE]));
  return {
    ready: service.then(() => {}),
    status: () => ({ session: '', era: 0, watches: [], pods: 0, waiting: 0 }),
    lead: () => {},
    rest: () => {},
    stop: async () => await (await service).stop(),
  };
}
