// Questions about the containers of a run's pod, by the status that its provider shows.
import type { ContainerStatus, Pod, PodStatus } from '../../objects/kubernetes.ts';
import type { ContainerEnd, ShownStatus } from './run.ts';

/** Every container of the spec has a status of its name that says *running* (spec section 5). Init containers, probes and readiness do not matter. */
export const areRunning = ({ spec }: Pod, status: PodStatus | undefined): boolean =>
  spec.containers.every(({ name }) => stateOf(status, name)?.running !== undefined);

/** Or they have ended well. */
export const haveStarted = ({ spec }: Pod, status: PodStatus | undefined): boolean =>
  spec.containers.every(({ name }) => {
    const state = stateOf(status, name);
    return state?.running !== undefined || state?.terminated?.exitCode === 0;
  });

/** The first container of the spec that ended with another code than 0. */
export function failedContainerOf({ spec }: Pod, status: PodStatus | undefined): { name: string; exitCode: number } | undefined {
  for (const { name } of spec.containers) {
    const exitCode = stateOf(status, name)?.terminated?.exitCode ?? 0;
    if (exitCode !== 0) return { name, exitCode };
  }
  return undefined;
}

/** Of all that the provider knows, init containers too: not running, and the exit code is not 0. */
export const failedContainersOf = (status: PodStatus | undefined): string[] =>
  allOf(status)
    .filter(({ state }) => state?.running === undefined && (state?.terminated?.exitCode ?? 0) !== 0)
    .map(({ name }) => name);

export function shownStatusOf(status: PodStatus): ShownStatus {
  const { phase = 'Pending', reason, message } = status;
  return {
    phase,
    ...(reason !== undefined && reason !== '' && { reason }),
    ...(message !== undefined && message !== '' && { message }),
    containers: allOf(status).map(containerEndOf),
  };
}

function containerEndOf({ name, state, restartCount = 0 }: ContainerStatus): ContainerEnd {
  const restarts = restartCount > 0 ? { restarts: restartCount } : {};
  if (state?.running) return { name, state: 'running', ...restarts };
  const { terminated } = state ?? {};
  const reason = terminated?.reason ?? state?.waiting?.reason;
  return {
    name,
    state: terminated ? 'terminated' : 'waiting',
    ...(terminated && { exitCode: terminated.exitCode }),
    ...(reason !== undefined && { reason }),
    ...restarts,
  };
}

const allOf = ({ containerStatuses = [], initContainerStatuses = [] }: PodStatus = {}): ContainerStatus[] => [
  ...initContainerStatuses,
  ...containerStatuses,
];

const stateOf = (status: PodStatus | undefined, name: string): ContainerStatus['state'] =>
  status?.containerStatuses?.find((each) => each.name === name)?.state;
