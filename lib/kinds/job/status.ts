// How the loop writes a Job's status: all of its fields, and which differences may wait.
import { hasIndex, parseIndexes } from '../../objects/values/index-text.ts';
import type { Job, JobStatus } from '../../objects/kubernetes.ts';
import { completionIndexOf } from '../../objects/pods/pod-facts.ts';
import type { KindStatus } from '../rows/planner-row.ts';

const FIELDS = [
  'conditions',
  'startTime',
  'completionTime',
  'active',
  'succeeded',
  'failed',
  'terminating',
  'ready',
  'completedIndexes',
  'failedIndexes',
];

export const jobStatus: KindStatus<Job, JobStatus> = {
  // A merge patch keeps fields that it does not name. So write null for each missing field, also in the one nested object.
  patchOf(wanted) {
    const { succeeded = null, failed = null } = wanted.uncountedTerminatedPods ?? {};
    const nothing = Object.fromEntries(FIELDS.map((field) => [field, null]));
    return { ...nothing, ...definedOf(wanted), uncountedTerminatedPods: { succeeded, failed } };
  },
  childrenIn: ({ status }) => uncountedIn(status),
  debouncedFields: ['ready'],
  amidCreates: {
    fields: ['active', 'ready', 'terminating', 'succeeded', 'completedIndexes'],
    // Failures are always counted at once. A finalizer stays until its pod is counted.
    timing({ status = {}, spec }) {
      const counted = parseIndexes(status.completedIndexes ?? '', spec.completions ?? 0);
      return (action, pod) => {
        if (action.verb !== 'patch' || action.purpose !== 'strip' || pod?.phase !== 'Succeeded') return 'withStatus';
        const index = completionIndexOf(pod);
        return index !== undefined && hasIndex(counted, index) ? 'now' : 'later';
      };
    },
  },
};

const definedOf = (fields: object): object => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Uids of pods that the status lists and the counters do not count yet. */
export const uncountedIn = (status: JobStatus | undefined): readonly string[] => {
  const { succeeded = [], failed = [] } = status?.uncountedTerminatedPods ?? {};
  return [...succeeded, ...failed];
};
