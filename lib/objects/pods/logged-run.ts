// Which run of a container a log is of; where no run can be shown, why, in a kubelet's words.
import type { ContainerStatus, Pod } from '../kubernetes.ts';
import { fieldsOf, ownEntry, textOf } from '../values/untyped-fields.ts';

/** Of a container that waits to be started again the log is that of the run before. */
export function loggedRun(pod: Pod, container: string, isPrevious: boolean): { run: 'current' | 'previous' } | { refusal: string } {
  const named = `container "${container}" in pod "${pod.metadata.name}"`;
  const status = containerStatusOf(pod, container);
  if (!status) return { refusal: `${named} is not available` };
  const { state = {}, lastState = {} } = status;
  if (isPrevious) return lastState.terminated ? { run: 'previous' } : { refusal: `previous terminated ${named} not found` };
  if (state.running ?? state.terminated) return { run: 'current' };
  if (lastState.terminated) return { run: 'previous' };
  return { refusal: `${named} is waiting to start: ${whyItWaits(state.waiting)}` };
}

export function hasContainer({ spec }: Pod, container: string): boolean {
  const added = (spec['ephemeralContainers'] ?? []) as { name: string }[];
  return [...spec.containers, ...(spec.initContainers ?? []), ...added].some(({ name }) => name === container);
}

export function containerStatusOf({ status = {} }: Pod, container: string): ContainerStatus | undefined {
  const added = (status['ephemeralContainerStatuses'] ?? []) as ContainerStatus[];
  return [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? []), ...added].find(({ name }) => name === container);
}

const PULLS: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: 'trying and failing to pull image',
};

function whyItWaits(waiting: unknown): string {
  const reason = textOf(fieldsOf(waiting)['reason']);
  return ownEntry(PULLS, reason) ?? (reason || 'ContainerCreating');
}
