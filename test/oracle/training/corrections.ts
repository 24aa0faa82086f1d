// Where Farloop differs from the operator on purpose: by the corrections of docs/training-jobs.md. A difference that no row names fails the
// replay, and so does a row that names none.

export interface Correction {
  /** As in docs/training-jobs.md; or what else it rests upon. */
  number: string;
  why: string;
  /** Names of stories; absent: any. */
  stories?: RegExp;
  /** Which facts, see outcome.ts: `after/2 worker-0 failed with 1/conditions/1`. */
  at: RegExp;
  /** Where the whole story goes another way: what is true of the job in the end, if it is not gone. */
  ends?: readonly string[];
}

const ANYTHING = /./;

export const CORRECTIONS: readonly Correction[] = [
  { number: 'own words', why: 'the command of the init container is written anew', at: /^created\/Pod\/.*\/init-pytorch\/command\// },
  {
    number: 'B-15',
    why: 'that objects are there is no news',
    at: /^told\/MPIJob\|j Normal (ServiceAccount|LauncherRole|RoleBinding) is exist: /,
  },
  { number: 'B-23', why: 'a restart is told once', at: /^told\/.* Warning \w+Restarting: / },
  { number: 'B-35', why: 'the types have an order: no count of one is lost to the other', at: /\/replicaStatuses\/\w+\/selector$/ },
  {
    number: 'B-11',
    why: 'an object that is there already is no failure',
    at: /^told\/.* Warning (FailedCreatePod|FailedCreateService|MPIJobFailed): .*already exists/,
  },
  {
    number: 'B-33',
    why: 'a pass over an MPIJob makes its pods once',
    stories: /mpi/,
    at: /^told\/.* Warning FailedCreatePod: Created worker pod:/,
  },
  { number: '19.6', why: 'the reason has the kind once', stories: /^(mpi|ttl|volcano|scheduler)/, at: /\/conditions\/2$/ },
  {
    number: 'B-21',
    why: 'a job that fails for good has its time of completion and one event',
    stories: /-permanent$/,
    at: /\/times$|^told\/TFJob.* Normal TFJobFailed/,
  },
  {
    number: 'B-42',
    why: 'one pod deleted by somebody is one restart',
    stories: /^(tf|tf-chief|xgboost|mx|mpi)-pod-deleted$/,
    at: ANYTHING,
    ends: ['Created', 'Running'],
  },
  {
    number: 'B-36',
    why: 'a pod that is made anew does not fail its job',
    stories: /^(xgboost|mx)-on-failure$/,
    at: ANYTHING,
    ends: ['Created', 'Running'],
  },
  {
    number: 'B-21',
    why: 'ExitCode and a code that stands fail the job',
    stories: /^mx-permanent$/,
    at: ANYTHING,
    ends: ['Created', 'Failed'],
  },
  { number: 'B-37', why: 'ExitCode restarts a launcher', stories: /^mpi-retryable$/, at: ANYTHING, ends: ['Created', 'Running'] },
  {
    number: 'B-37',
    why: 'ExitCode and a code that stands fail the job',
    stories: /^mpi-permanent$/,
    at: ANYTHING,
    ends: ['Created', 'Failed'],
  },
  {
    number: 'B-27',
    why: 'an eviction is the reason of the failure',
    stories: /^mpi-(on-failure|worker-evicted|launcher-evicted)$/,
    at: /conditions|^told\/MPIJob/,
  },
  {
    number: 'B-19',
    why: 'a restart beyond the limit fails the job',
    stories: /^limit-replaced-pods$/,
    at: ANYTHING,
    ends: ['Created', 'Failed'],
  },
  { number: 'B-20', why: 'a deadline is kept to by a timer', stories: /^deadline$/, at: ANYTHING, ends: ['Created', 'Failed'] },
  { number: 'B-06', why: 'no replicas are none', stories: /^(made-with|scaled-to)-none$/, at: ANYTHING, ends: ['Created', 'Running'] },
  { number: 'B-14', why: 'a finished job has no autoscaler', stories: /^elastic$/, at: /HorizontalPodAutoscaler/ },
  {
    number: 'B-28',
    why: 'an object that somebody deletes comes back at once',
    stories: /^elastic-autoscaler-deleted$|^mpi-(configmap|serviceaccount|role|rolebinding)-deleted$|-group-deleted$/,
    at: /\/(contents|there)\/|^made\//,
  },
  {
    number: 'B-41',
    why: 'what has succeeded does not run again',
    stories: /^succeeded-pod-deleted$/,
    at: /Worker\/succeeded$|Pod\/j-worker-1$/,
  },
  {
    number: 'B-30',
    why: 'one name that is taken holds up nothing else',
    stories: /^pod-name-taken$/,
    at: ANYTHING,
    ends: ['Created', 'Running'],
  },
  { number: 'B-30', why: 'the same', stories: /^(service-name-taken|mpi-config-taken)$/, at: ANYTHING, ends: ['Created'] },
  { number: 'B-30', why: 'the same', stories: /^orphan-adopted$/, at: ANYTHING, ends: ['Created', 'Succeeded'] },
  {
    number: 'B-30',
    why: 'a pod that is released counts no longer, though its name is taken',
    stories: /^relabelled-pod$/,
    at: /Worker\/active$/,
  },
  { number: 'B-34', why: 'without workers there is no rule about commands', stories: /^mpi-alone$/, at: /\/Role\/j-launcher\/rules\/1\// },
  { number: '20', why: 'the reason has the kind of the job', stories: /^mx-(wrong-container|no-image)$/, at: /^told\/MXJob/ },
  { number: 'B-24', why: 'Created outlives an object that was invalid at first', stories: /^mpi-mended$/, at: /\/conditions\// },
  { number: '15.2', why: 'equal priorities are taken in the order of the types', stories: /-policy$/, at: /\/minResources\// },
  {
    number: 'B-32',
    why: 'the scheduler of the group is no other one',
    stories: /^(volcano|scheduler-plugins)-mpi$/,
    at: /SettedPodTemplateSchedulerName/,
  },
];
