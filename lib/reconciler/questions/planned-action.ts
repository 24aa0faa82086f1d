// An action of a person as it is planned: its effect in words, and the writes that it takes.
import type { Pod, WorkloadObject } from '../../objects/kubernetes.ts';
import type { ActionAnswer } from '../../wire/words/action-words.ts';

/** Which writes it takes. */
export type Writes =
  | { by: 'patch'; patch: object }
  | { by: 'delete' }
  /** `cordon`: a patch, where it takes new pods yet. */
  | { by: 'drain'; cordon?: object; pods: readonly Pod[] }
  /** `status`: a patch of the new owner's, before it goes on. */
  | { by: 'create'; object: WorkloadObject; remaining?: { status: object; goOn: object } };

export interface PlannedAction extends Pick<ActionAnswer, 'text' | 'button' | 'endingPods' | 'needsName' | 'created'> {
  /** Absent: it stands so already. */
  writes?: Writes;
  /** A sentence for when it is done. */
  doneText: string;
}
