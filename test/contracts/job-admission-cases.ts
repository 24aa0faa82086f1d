// What a kube-apiserver answers to Jobs, changes of them and of their status; the real one is the judge (test/cluster/answers.test.ts).
import { jobCreations } from './admission/job-creations.ts';
import type { JobCase } from './admission/judge.ts';
import { jobStatuses } from './admission/job-statuses.ts';
import { jobUpdates } from './admission/job-updates.ts';
import { templateAnnotations } from './admission/template-annotations.ts';

export const jobAdmissionCases: { group: string; cases: JobCase[] }[] = [
  { group: 'a new Job', cases: jobCreations },
  { group: 'a new Job with annotated pods', cases: templateAnnotations },
  { group: 'a change of a Job', cases: jobUpdates },
  { group: 'a change of a status', cases: jobStatuses },
];
