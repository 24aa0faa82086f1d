// Whether a pod has a container, and a run of it to be shown: else the status and sentence that a kubelet gives.
import type { Pod } from '../objects/kubernetes.ts';
import { containerStatusOf, hasContainer, loggedRun } from '../objects/pods/logged-run.ts';
import { badRequest, NodeRefusalError } from './refusal.ts';

/** Of a container that waits to be started again the log is that of the run before. @throws NodeRefusalError 400, 404 */
export function runWanted(pod: Pod, container: string, isPrevious: boolean): 'current' | 'previous' {
  checkContainer(pod, container);
  const found = loggedRun(pod, container, isPrevious);
  if ('refusal' in found) throw badRequest(found.refusal);
  return found.run;
}

/** @throws NodeRefusalError 404 */
export function checkContainer(pod: Pod, container: string): void {
  if (!hasContainer(pod, container)) throw new NodeRefusalError(404, `container "${container}" not found in pod "${pod.metadata.name}"`);
}

export const isRunning = (pod: Pod, container: string): boolean => containerStatusOf(pod, container)?.state?.running !== undefined;
