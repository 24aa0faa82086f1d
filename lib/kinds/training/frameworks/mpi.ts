// MPIJob. Its pods and objects are made by the steps of ../mpi.
import { MPI } from '../names/framework-names.ts';
import { replicaSpecsOf } from '../terms/replica-specs.ts';
import type { Findings, Terms } from '../terms/framework.ts';
import { accountIn, isGpuLauncher } from '../mpi/objects.ts';
import { mpiSteps } from '../mpi/steps.ts';
import type { PlannedFramework } from '../engine/situation.ts';
import type { ReplicaSpec, TrainingJob } from '../terms/job-types.ts';
import { usualTexts } from '../status/success.ts';

const { replicasField } = MPI;

export const mpi: PlannedFramework = {
  ...MPI,
  renamed: [],
  container: 'mpi',
  port: { name: 'mpi-port', number: 9999 },
  restartPolicy: 'Never',
  ownDefaults,
  // The policy of `runPolicy`, else the older field.
  cleanPodPolicyOf: ({ spec }) => spec.runPolicy?.cleanPodPolicy || spec.cleanPodPolicy || '',
  findingsIn,
  validation: {
    controller: { spec: 'MPIReplicaSpecs is not valid', type: 'MPIReplicaType', container: 'MPIReplicaSpec is not valid' },
    hadNoWebhook: true,
    takesAnyName: true,
    takesAnyContainer: true,
    single: { type: 'Launcher', otherwise: 'MPIReplicaSpec is not valid: There must be only 1 launcher replica' },
    needs: { type: 'Launcher', otherwise: 'MPIReplicaSpec is not valid: Master ReplicaSpec must be present' },
  },
  isMaster: (_, { type }) => type === 'Launcher',
  rendezvous: () => ({ variables: [] }),
  status: { ...usualTexts('MPIJob'), decides: (_, type) => type === 'Launcher', runsUntilEnded: true },
  deletedReason: 'SuccessfulDeleteJob',
  warnsByOldNames: true,
  reportsNoExitCodes: true,
  shrinksSilently: true,
  steps: mpiSteps,
};

function ownDefaults(job: TrainingJob): TrainingJob {
  const { cleanPodPolicy: legacy, runPolicy = {} } = job.spec;
  const specs = replicaSpecsOf({ replicasField }, job);
  const isOpen = !legacy && !runPolicy.cleanPodPolicy;
  return {
    ...job,
    spec: {
      ...job.spec,
      ...(isOpen && { cleanPodPolicy: 'None', runPolicy: { ...runPolicy, cleanPodPolicy: 'None' } }),
      ...(specs && { [replicasField]: Object.fromEntries(Object.entries(specs).map(([type, spec]) => [type, defaulted(type, spec)])) }),
    },
  };
}

const defaulted = (type: string, spec: ReplicaSpec): ReplicaSpec => ({
  ...spec,
  replicas: spec.replicas ?? (type === 'Launcher' ? 1 : 0),
  restartPolicy: spec.restartPolicy || 'Never',
});

function findingsIn(terms: Terms): Findings {
  const account = accountIn(terms);
  return { ...(isGpuLauncher(terms) && { isGpu: true as const }), ...(account !== '' && { account }) };
}
