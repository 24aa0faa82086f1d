// TFJob.
import { TENSORFLOW } from '../names/framework-names.ts';
import type { Framework, Counts, Terms } from '../terms/framework.ts';
import { exitCodeOf } from '../status/restarts.ts';
import { isDistributed, tensorflowConfig } from '../rendezvous/tensorflow-config.ts';
import { variable } from '../rendezvous/variables.ts';
import { replicasOf } from '../terms/terms.ts';

const { kind } = TENSORFLOW;
const hasChief = (terms: Terms): boolean => replicasOf(terms, 'Chief') !== undefined || replicasOf(terms, 'Master') !== undefined;
const isChief = (type: string): boolean => type === 'Chief' || type === 'Master';

export const tensorflow: Framework = {
  ...TENSORFLOW,
  renamed: ['PS', 'Worker', 'Chief', 'Master', 'Evaluator'],
  container: 'tensorflow',
  port: { name: 'tfjob-port', number: 2222 },
  restartPolicy: 'Never',
  defaults: (job) => ({ ...job, spec: { ...job.spec, successPolicy: job.spec.successPolicy ?? '' } }),
  validation: {
    controller: { spec: 'TFJobSpec is not valid', container: 'TFJobSpec is not valid' },
    takesAnyType: true,
    further: (_, specs) => {
      const types = new Set(Object.keys(specs).map((type) => type.toLowerCase()));
      return types.has('chief') && types.has('master') ? 'TFJobSpec is not valid: more than 1 chief/master found' : undefined;
    },
  },
  isMaster: (terms, { type, index }) => (hasChief(terms) ? isChief(type) : type === 'Worker' && index === 0),
  rendezvous: (terms, slot, { clusterDomain }) => ({
    variables: isDistributed(terms) ? [variable('TF_CONFIG', tensorflowConfig(terms, slot, clusterDomain))] : [],
    onlyIn: 'tensorflow',
  }),
  status: {
    order: ['Chief', 'Evaluator', 'Master', 'PS', 'Worker'],
    decides: (terms, type) => (hasChief(terms) ? isChief(type) : type === 'Worker'),
    isComplete: (counts, type) => type === 'Worker' && counts.terms.job.spec.successPolicy !== 'AllWorkers' && isWorker0Completed(counts),
    ignoresFailure: ({ job }, type) => job.spec.enableDynamicWorker === true && type === 'Worker',
    running: ({ namespace, name }) => `${kind} ${namespace}/${name} is running.`,
    succeeded: ({ namespace, name }) => `${kind} ${namespace}/${name} successfully completed.`,
    failed: ({ namespace, name }, failed, type) => `${kind} ${namespace}/${name} has failed because ${failed} ${type} replica(s) failed.`,
    restarting: ({ name }, _, type) => `job ${name} is restarting because ${type} replica(s) failed.`,
  },
  deletedReason: 'SuccessfulDeleteJob',
};

/** True without any worker. */
export function isWorker0Completed({ terms, podOf, isCompleted }: Counts): boolean {
  if (!replicasOf(terms, 'Worker')) return true;
  const pod = podOf('Worker', 0);
  if (!pod) return isCompleted('Worker', 0);
  return pod.phase === 'Succeeded' && exitCodeOf(pod.containers, 'tensorflow') === 0;
}
