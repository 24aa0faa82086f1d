// An MPIJob ends when its launcher or one of its workers is evicted.
import type { Terms } from '../terms/framework.ts';
import type { NewEvent } from '../objects/actions.ts';
import type { Judgement } from '../engine/situation.ts';
import { wantedOf } from '../terms/terms.ts';

export interface Eviction {
  reason: 'MPIJobEvicted';
  message: string;
}

export function evictionIn(terms: Terms, { slots }: Pick<Judgement, 'slots'>): Eviction | undefined {
  const evicted = [...slots.values()].filter(({ pod }) => pod.phase === 'Failed' && pod.podReason === 'Evicted');
  const workers = evicted.filter(({ replicas }) => replicas.type === 'Worker');
  if (evicted.length === 0) return undefined;
  const message =
    workers.length > 0
      ? `${workers.length}/${wantedOf(terms, 'Worker')} workers are evicted`
      : `MPIJob ${terms.namespace}/${terms.name} has failed`;
  return { reason: 'MPIJobEvicted', message };
}

/** The event of the launcher's end beside the event of the condition. */
export function launcherEvents({ namespace, name }: Terms, phase: string | undefined): NewEvent[] {
  if (phase === 'Succeeded')
    return [{ type: 'Normal', reason: 'mpijobsSucceeded', message: `MPIJob ${namespace}/${name} successfully completed.` }];
  return phase === 'Failed' ? [{ type: 'Warning', reason: 'MPIJobFailed', message: `MPIJob ${namespace}/${name} has failed` }] : [];
}

export const allRunningEvent = ({ namespace, name }: Terms): NewEvent => ({
  type: 'Normal',
  reason: 'MPIJobRunning',
  message: `MPIJob ${namespace}/${name} is running`,
});
