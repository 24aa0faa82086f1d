// Events about pods that do not run as they should: one for each container's end or wait, else for the pod's state.
import type { NewEvent } from './actions.ts';
import type { PodFacts } from '../../../objects/pods/pod-facts.ts';

/** How a container ended, why it waits, or why its pod does not start. */
export function abnormalEvents({ name: pod, containers, containerWords = [], unmetCondition }: PodFacts): NewEvent[] {
  const events = containerWords.map(({ container, state, reason, message = '' }): NewEvent => {
    const begin = `Error pod ${pod} container ${container}`;
    if (state === 'waiting') return warning(reason, `${begin} waiting message: ${message}`);
    const code = containers.find(({ name }) => name === container)?.exitCode;
    return warning(reason, `${begin} exitCode: ${code} terminated message: ${message}`);
  });
  if (!unmetCondition) return events;
  const { reason, message = '' } = unmetCondition;
  return [...events, warning(reason, `Error pod ${pod} condition message: ${message}`)];
}

const warning = (reason: string, message: string): NewEvent => ({ type: 'Warning', reason, message });

/** Seconds beyond its grace period after which a terminating pod gets an event. */
const STUCK_SECONDS = 300;

/** When a terminating pod counts as stuck: Unix seconds. `deletedAt` includes the grace period. Undefined if it is not terminating. */
export const stuckAt = ({ deletedAt }: Pick<PodFacts, 'deletedAt'>): number | undefined =>
  deletedAt === undefined ? undefined : deletedAt + STUCK_SECONDS;

export const stuckEvent = ({ name, node }: PodFacts): NewEvent => ({
  type: 'Warning',
  reason: 'PodStuckTerminating',
  message: `Pod ${name} on node ${node ?? 'unknown'} does not end, though its grace period is over. Its slot waits until it is gone.`,
});
