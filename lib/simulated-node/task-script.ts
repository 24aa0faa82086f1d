// What happens to a pod's task at a simulated provider, beside what its containers do (program.ts). Annotations of the pod:
//
//   sim.farloop.dev/start-delay   seconds from the order until its containers start
//   sim.farloop.dev/fail-create   the provider refuses to start it: `3: no capacity` for the first three tries, `InvalidInput: no such image` for good
//   sim.farloop.dev/fail-delete   the same of stopping it
//   sim.farloop.dev/ignore-stop   seconds for which its processes pass over SIGTERM; they are killed when the grace is over
//   sim.farloop.dev/lose          seconds after which the provider knows nothing of it any more
//   sim.farloop.dev/reclaim       seconds after which the provider takes the machine away
//   sim.farloop.dev/oom           `true`: a run that ends was killed for want of memory
//   sim.farloop.dev/flap-ready    seconds after which it is ready, or not ready, again and again
import type { Pod } from '../objects/kubernetes.ts';

const textIn = ({ metadata: { annotations = {} } }: Pod, name: string): string | undefined => annotations[`sim.farloop.dev/${name}`];

const msIn = (pod: Pod, name: string): number | undefined => {
  const text = textIn(pod, name);
  const seconds = Number(text);
  return text === undefined || !(seconds >= 0) ? undefined : seconds * 1000;
};

export const startDelayMs = (pod: Pod): number => msIn(pod, 'start-delay') ?? 0;
export const ignoresStopMs = (pod: Pod): number => msIn(pod, 'ignore-stop') ?? 0;
export const lostAfterMs = (pod: Pod): number => msIn(pod, 'lose') ?? Infinity;
export const reclaimedAfterMs = (pod: Pod): number => msIn(pod, 'reclaim') ?? Infinity;
export const flapsEveryMs = (pod: Pod): number | undefined => msIn(pod, 'flap-ready') || undefined;
export const runsOutOfMemory = (pod: Pod): boolean => textIn(pod, 'oom') === 'true';

/** @param tries made before. @returns how this one fails, undefined if it does not */
export function failureOf(pod: Pod, call: 'create' | 'delete', tries: number): { isFinal: boolean; message: string } | undefined {
  const [, first, message = ''] = /^\s*(InvalidInput|\d{1,6})\s*(?::\s*(.*))?$/s.exec(textIn(pod, `fail-${call}`) ?? '') ?? [];
  if (first === undefined) return undefined;
  const isFinal = first === 'InvalidInput';
  return isFinal || tries < Number(first) ? { isFinal, message: message || 'the simulated provider was told to fail' } : undefined;
}

/** As a container's start would be put off by its own annotations. */
export function withStartDelay(pod: Pod): Pod {
  const delayMs = startDelayMs(pod);
  if (delayMs === 0 || textIn(pod, 'waiting') !== undefined) return pod;
  const annotations = {
    ...pod.metadata.annotations,
    'sim.farloop.dev/waiting': 'ContainerCreating',
    'sim.farloop.dev/waiting-seconds': String(delayMs / 1000),
  };
  return { ...pod, metadata: { ...pod.metadata, annotations } };
}
