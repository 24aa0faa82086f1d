// The annotation of a job with the slots that are done and whose pods are gone.
import type { Action } from '../../rows/plan.ts';
import { targetOfJob } from './actions.ts';
import type { Terms } from '../terms/framework.ts';
import { COMPLETED_SLOTS } from '../names/slots.ts';

export const completedPatch = (terms: Terms, slots: string | null, why: string): Action => ({
  verb: 'patch',
  resource: { apiVersion: 'kubeflow.org/v1', kind: terms.framework.kind, plural: terms.framework.plural, namespaced: true },
  ...targetOfJob(terms),
  purpose: 'completed',
  canBeTakenBack: true,
  type: 'merge',
  patch: { metadata: { annotations: { [COMPLETED_SLOTS]: slots } } },
  why,
});
