// How a pod of a run stands, in a few words: for people and consoles.
import type { ContainerEnd, RunPod } from './run.ts';

/** How a pod stands now, in a few words. */
export function standingOf({ phase, rejected, error, status, isSeen }: RunPod): string {
  if (rejected) return `rejected: ${rejected.reason}`;
  if (error !== undefined) return 'failed';
  if (phase === 'final') return endText(status?.phase);
  if (phase === 'room') return 'waits until others have made room';
  if (phase === 'undecided' || phase === 'queued') return 'waits';
  if (!isSeen || status?.phase === 'Pending') return waitingText(status?.containers);
  if (status?.phase === 'Running') return 'running';
  // The kubelet's mode waited on as well, with nothing said.
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
    ? `${ENDED}, and the run waits for it to run: see --until`
    : 'starting';
}

const ENDED = 'has ended';

const endText = (phase = 'Running'): string => (phase === 'Succeeded' ? 'succeeded' : phase === 'Failed' ? 'ended' : 'running');

function waitingText(containers: readonly ContainerEnd[] = []): string {
  const reason = containers.find((container) => container.state === 'waiting' && container.reason !== undefined)?.reason;
  return reason === undefined || reason === 'ContainerCreating' ? 'starting' : `starting: ${reason}`;
}
