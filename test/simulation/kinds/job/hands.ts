// What people and other controllers do to a Job in the middle of a pass.
import type { Job, WorkloadObject } from '../../../../lib/objects/kubernetes.ts';
import type { HandsOfKind } from '../table.ts';

const CONTROLLER_LABELS = ['batch.kubernetes.io/controller-uid', 'batch.kubernetes.io/job-name', 'controller-uid', 'job-name'];

const jobOf = (owner: WorkloadObject): Job => owner as Job;

export const isSuspended = (owner: WorkloadObject): boolean =>
  jobOf(owner).status?.conditions?.some(({ type, status }) => type === 'Suspended' && status === 'True') ?? false;

export const JOB_HANDS: HandsOfKind = {
  suspended: (owner) => (jobOf(owner).spec.suspend === true ? undefined : { to: { suspend: true }, back: { suspend: false } }),
  scaledDown: (owner) => {
    const { parallelism = 1 } = jobOf(owner).spec;
    return parallelism > 1 ? { to: { parallelism: 1 }, back: { parallelism } } : undefined;
  },
  /** Without what the API server puts in. */
  asWritten: (spec) => {
    const { selector: _, ...written } = spec as Job['spec'];
    for (const label of CONTROLLER_LABELS) delete written.template?.metadata?.labels?.[label];
    return written;
  },
  foreignStatus: (owner, times) => {
    const { ready = 0, active = 0 } = jobOf(owner).status ?? {};
    return times === 'once' && ready === 0 ? undefined : { ready: ready > 0 ? 0 : Math.min(1, active) };
  },
};
