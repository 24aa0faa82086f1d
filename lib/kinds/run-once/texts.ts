// Texts of a run, byte for byte as the kubelet's run-once mode wrote them (spec sections 4 to 6), and our own beside them.
import type { Refusal } from '../preemption/checks/admission-failures.ts';

export interface PodNamed {
  name: string;
  namespace: string;
  uid: string;
}

/** `<name>_<namespace>(<uid>)` */
export const podText = ({ name, namespace, uid }: PodNamed): string => `${name}_${namespace}(${uid})`;

export const NO_MANIFEST = 'no pod manifest update after 1s';
export const NO_PODS = 'manifest contains no pods';
export const CANCELLED = 'run cancelled';

export const unreadable = (pod: PodNamed, error: string): string => `unable to get status for pod "${podText(pod)}": ${error}`;
export const syncFailed = (pod: PodNamed, error: string): string => `error syncing pod "${podText(pod)}": ${error}`;
export const neverRan = (pod: PodNamed, retries: number): string =>
  `timeout error: pod "${podText(pod)}" containers not running after ${retries} retries`;
export const neverEnded = (pod: PodNamed, seconds: number): string =>
  `timeout error: pod "${podText(pod)}" not completed after ${seconds} seconds`;
export const wasRejected = (pod: PodNamed, { reason, message }: Refusal): string =>
  `pod "${podText(pod)}" was rejected: ${reason}: ${message}`;
export const hasFailed = (pod: PodNamed, { reason, message }: Refusal): string => `pod "${podText(pod)}" failed: ${reason}: ${message}`;
export const exited = (pod: PodNamed, container: string, exitCode: number): string =>
  `container "${container}" of pod "${podText(pod)}" exited with code ${exitCode}`;
export const podsFailed = (pods: readonly PodNamed[]): string => `error running pods: [${pods.map(podText).join(' ')}]`;
export const otherManifest = (id: string): string => `run ${id} already exists with a different manifest`;
export const runFailed = (error: string): string => `runonce failed: ${error}`;
export const wasEvicted = (victim: PodNamed, pod: PodNamed): string =>
  `pod "${podText(victim)}" was evicted to make room for pod "${podText(pod)}"`;
export const notDeleted = (pod: PodNamed, error: string): string => `pod "${podText(pod)}" could not be deleted: ${error}`;
export const stillEnding = (pod: PodNamed, seconds: number): string =>
  `pod "${podText(pod)}" had not ended ${seconds} seconds after it was deleted`;
