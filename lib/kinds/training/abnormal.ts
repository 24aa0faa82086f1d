// Events about pods that do not run as they should: one for each container's end or wait, else for the pod's state.
import type { NewEvent } from './actions.ts';
import type { TrainingPodFacts } from './needed-facts.ts';

/** How a container ended, why it waits, or why its pod does not start. */
export function abnormalEvents({ name: pod, containers, reasons = [], terminations = [] }: TrainingPodFacts): NewEvent[] {
  const own = containers.filter(({ role }) => role === 'container');
  const looked = own.length > 0 ? own : containers;
  const events: NewEvent[] = [];
  for (const { name, exitCode } of looked) {
    if (exitCode !== undefined && exitCode !== 0) {
      const { reason = 'Error', message = '' } = terminations.find(({ container }) => container === name) ?? {};
      events.push(warning(pod, reason, `Error pod ${pod} container ${name} exitCode: ${exitCode} terminated message: ${message}`));
    }
    const waiting = exitCode === undefined ? reasons.find(({ container }) => container === name) : undefined;
    if (waiting?.message)
      events.push(warning(pod, waiting.reason, `Error pod ${pod} container ${name} waiting message: ${waiting.message}`));
  }
  if (looked.length > 0) return events;
  const whole = reasons.find(({ container }) => container === undefined);
  return whole ? [warning(pod, whole.reason, `Error pod ${pod} condition message: ${whole.message ?? ''}`)] : [];
}

const warning = (about: string, reason: string, message: string): NewEvent => ({ type: 'Warning', reason, message, about });

/** Seconds beyond its grace period after which a terminating pod is told of. */
const STUCK_SECONDS = 300;

/** When a terminating pod counts as stuck: Unix seconds. `deletedAt` includes the grace period. Undefined if it is not terminating. */
export const stuckAt = ({ deletedAt }: Pick<TrainingPodFacts, 'deletedAt'>): number | undefined =>
  deletedAt === undefined ? undefined : deletedAt + STUCK_SECONDS;

export const stuckEvent = ({ name, node }: TrainingPodFacts): NewEvent => ({
  type: 'Warning',
  reason: 'PodStuckTerminating',
  message: `Pod ${name} on node ${node ?? 'unknown'} does not end, though its grace period is over. Its slot waits until it is gone.`,
  about: name,
});
