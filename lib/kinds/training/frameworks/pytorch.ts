// PyTorchJob.
import { PYTORCH } from '../names/framework-names.ts';
import type { Framework, Rendezvous, Terms } from '../terms/framework.ts';
import { elasticDefaults } from '../terms/elastic-defaults.ts';
import { elasticVariables } from '../rendezvous/pytorch-elastic.ts';
import { initContainersFor } from '../rendezvous/pytorch-init.ts';
import { portNeeded, UNBUFFERED, variable } from '../rendezvous/variables.ts';
import { nameOfSlot, type Slot } from '../names/slots.ts';
import { usualTexts } from '../status/success.ts';
import { replicasOf, totalOf } from '../terms/terms.ts';
import type { TrainingSettings } from '../names/settings.ts';

const { kind } = PYTORCH;
const texts = usualTexts(kind);
const hasMaster = (terms: Terms): boolean => replicasOf(terms, 'Master') !== undefined;

export const pytorch: Framework = {
  ...PYTORCH,
  renamed: ['Master', 'Worker'],
  container: 'pytorch',
  port: { name: 'pytorchjob-port', number: 23456 },
  restartPolicy: 'OnFailure',
  defaults: (given) => {
    const job = elasticDefaults(given, 'pytorchReplicaSpecs');
    const { nprocPerNode, elasticPolicy } = job.spec;
    if (nprocPerNode !== undefined || elasticPolicy?.nProcPerNode !== undefined) return job;
    return { ...job, spec: { ...job.spec, nprocPerNode: 'auto' } };
  },
  validation: {
    controller: { spec: 'PyTorchJobSpec is not valid', type: 'PyTorchReplicaType', container: 'PyTorchJobSpec is not valid' },
    single: { type: 'Master', otherwise: 'PyTorchJobSpec is not valid: There must be only 1 master replica', isRequired: true },
    leastReplicas: 1,
    further: ({ spec: { nprocPerNode, elasticPolicy } }) =>
      nprocPerNode !== undefined && elasticPolicy?.nProcPerNode !== undefined
        ? '.spec.elasticPolicy.nProcPerNode is deprecated, use .spec.nprocPerNode instead'
        : undefined,
    atAdmission: ({ spec }, specs) =>
      spec.elasticPolicy && !specs['Worker']
        ? 'spec.pytorchReplicaSpecs[Worker]: Required value: must be configured if elastic policy is used'
        : undefined,
  },
  isMaster: (terms, { type, index }) => type === 'Master' || (!hasMaster(terms) && index === 0),
  rendezvous,
  status: {
    ...texts,
    decides: (terms, type) => (hasMaster(terms) ? type === 'Master' : type === 'Worker'),
    isComplete: (counts, type) =>
      type === 'Worker' && counts.terms.job.spec.elasticPolicy !== undefined && counts.of('Worker').succeeded > 0,
    running: (terms) => (hasMaster(terms) ? texts.running(terms) : `${kind} ${terms.namespace}/${terms.name} is running.`),
    succeeded: (terms) => (hasMaster(terms) ? texts.succeeded(terms) : `${kind} ${terms.namespace}/${terms.name} successfully completed.`),
  },
  deletedReason: 'SuccessfulDeletePod',
};

function rendezvous(terms: Terms, slot: Slot, settings: TrainingSettings): Rendezvous {
  const { nprocPerNode, elasticPolicy } = terms.job.spec;
  const total = totalOf(terms);
  const masterAddress = nameOfSlot(terms.name, { type: 'Master', index: 0 });
  return {
    variables: [
      UNBUFFERED,
      ...(hasMaster(terms) ? masterVariables(terms, slot, { total, masterAddress }) : []),
      ...(nprocPerNode === undefined ? [] : [variable('PET_NPROC_PER_NODE', nprocPerNode)]),
      ...(elasticPolicy ? elasticVariables(terms) : [variable('PET_NNODES', total)]),
    ],
    ...(hasMaster(terms) && slot.type === 'Worker' && { initContainers: initContainersFor(masterAddress, settings) }),
  };
}

function masterVariables(
  terms: Terms,
  { type, index }: Slot,
  { total, masterAddress }: { total: number; masterAddress: string },
): Rendezvous['variables'] {
  const port = portNeeded(terms, 'Master', 'port not found');
  const rank = type === 'Master' ? index : index + 1;
  const processes = /^[+-]?\d+$/.exec(terms.job.spec.nprocPerNode ?? '')?.[0] ?? '1';
  return [
    variable('MASTER_PORT', port),
    variable('PET_MASTER_PORT', port),
    variable('MASTER_ADDR', masterAddress),
    variable('PET_MASTER_ADDR', masterAddress),
    variable('WORLD_SIZE', total * Number(processes)),
    variable('RANK', rank),
    variable('PET_NODE_RANK', rank),
  ];
}
