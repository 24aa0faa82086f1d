// How a pod of a run stands, in a few words: for people and consoles.
import { hasOutcome, isOver, type ContainerEnd, type RunPod, type RunState } from './run.ts';
import { isToBeDeleted } from './stopping.ts';
import { CANCELLED } from './texts.ts';

/** How a pod stands now, in a few words. */
export function standingOf(pod: RunPod, run: RunState): string {
  const { phase, rejected, error, status, isSeen } = pod;
  if (rejected) return `rejected: ${rejected.reason}`;
  if (error === CANCELLED) return isEnding(pod, run) ? ENDING : 'cancelled';
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
const ENDING = 'ending';

/** A cancelled pod has its outcome at once, and its task may run on for its grace period. */
export const isEnding = (pod: RunPod, run: RunState): boolean => pod.error === CANCELLED && !isOver(run) && isToBeDeleted(pod, run);

const endText = (phase = 'Running'): string => (phase === 'Succeeded' ? 'succeeded' : phase === 'Failed' ? 'ended' : 'running');

function waitingText(containers: readonly ContainerEnd[] = []): string {
  const reason = containers.find((container) => container.state === 'waiting' && container.reason !== undefined)?.reason;
  return reason === undefined || reason === 'ContainerCreating' ? 'starting' : `starting: ${reason}`;
}

/** Of a pod without an outcome: the event that it needs next. */
export function waitsFor({ options }: RunState, { phase, tries = 0, victims = [], retry, goneSinceMs }: RunPod): string {
  switch (phase) {
    case 'undecided':
      return options.capacity === 'node' ? 'the list of all that runs on its node' : 'its admission to the node';
    case 'room':
      return `the end of ${victims.map(({ namespace, name }) => `${namespace}/${name}`).join(', ')}, evicted to make room for it`;
    case 'queued':
      return options.parallelism === 1
        ? 'its turn: one pod is started at a time'
        : `its turn: ${options.parallelism ?? 'so many'} pods are started at a time`;
    case 'sync':
      return tries > 0 ? `another call of the provider: its start has failed ${times(tries)}` : 'the answer of the provider to its start';
    case 'check':
      return tries > 0 ? `another call of the provider: a look has failed ${times(tries)}` : 'a look at its status';
    case 'wait':
    case 'failing':
    case 'final':
      break;
  }
  if (goneSinceMs !== undefined) return 'its provider to show its task again';
  if (options.until === 'completed') return 'its end';
  return `its containers to run${options.until === 'started' ? ' or to exit with 0' : ''}, ${retry} of ${options.maxRetries} retries used`;
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/** Why a run stands as it does, in a line. */
export function whyOf(run: RunState): string {
  const { stage, pods, error, cause } = run;
  const open = pods.filter((pod) => !hasOutcome(pod));
  const [first] = open;
  if (first) {
    const others = open.length > 1 ? `, and ${open.length - 1} more ${open.length === 2 ? 'pod is' : 'pods are'} open` : '';
    return `${first.namespace}/${first.name} waits for ${waitsFor(run, first)}${others}`;
  }
  if (!isOver(run)) {
    const ending = pods.filter(({ stop }) => stop !== undefined && !stop.isOver);
    const names = ending.map(({ namespace, name }) => `${namespace}/${name}`).join(', ');
    return names === '' ? 'all outcomes are known: the run is about to end' : `all outcomes are known: the provider deletes ${names}`;
  }
  if (error !== undefined) return cause === undefined ? error : `${error}: ${cause}`;
  if (stage === 'cancelled') return 'it was cancelled';
  const rejected = pods.filter((pod) => pod.rejected !== undefined).length;
  const fine = run.options.until === 'completed' ? 'ended well' : 'came up';
  if (pods.length === 0) return 'its manifest has no pod';
  if (rejected === pods.length) return `its node rejected every pod`;
  return rejected === 0 ? `every pod ${fine}` : `every pod ${fine} that its node did not reject; it rejected ${rejected}`;
}
