// PaddleJob.
import { PADDLE } from '../names/framework-names.ts';
import type { Framework, Terms } from '../terms/framework.ts';
import { elasticDefaults } from '../terms/elastic-defaults.ts';
import { UNBUFFERED, variable } from '../rendezvous/variables.ts';
import { nameOfSlot, type Slot } from '../names/slots.ts';
import { usualTexts } from '../status/success.ts';
import { portOf, replicasOf, totalOf } from '../terms/terms.ts';
import type { EnvVar } from '../../../objects/kubernetes.ts';

const { kind } = PADDLE;
const texts = usualTexts(kind);
const PORT = { name: 'master', number: 36543 };
const hasMaster = (terms: Terms): boolean => replicasOf(terms, 'Master') !== undefined;

export const paddle: Framework = {
  ...PADDLE,
  renamed: ['Master', 'Worker'],
  container: 'paddle',
  port: PORT,
  restartPolicy: 'OnFailure',
  defaults: (job) => elasticDefaults(job, 'paddleReplicaSpecs'),
  validation: {
    controller: { spec: 'PaddleJobSpec is not valid', type: 'PaddleReplicaType', container: 'PaddleJobSpec is not valid' },
    atAdmission: ({ spec }, specs) =>
      spec.elasticPolicy && !specs['Worker']
        ? 'spec.paddleReplicaSpecs[Worker]: Required value: must be configured if elastic policy is used'
        : undefined,
  },
  isMaster: (_, { type }) => type === 'Master',
  rendezvous: (terms, slot) => ({
    variables: [
      UNBUFFERED,
      variable('PADDLE_JOB_ID', terms.name),
      variable('PADDLE_NNODES', totalOf(terms)),
      ...addressOfMaster(terms, slot),
      ...(hasMaster(terms) ? [variable(slot.type === 'Master' ? 'PADDLE_SERVER_NUM' : 'PADDLE_TRAINER_NUM', 1)] : []),
    ],
  }),
  status: {
    ...texts,
    decides: (terms, type) => (hasMaster(terms) ? type === 'Master' : type === 'Worker'),
    running: (terms) => (hasMaster(terms) ? texts.running(terms) : `${kind} ${terms.namespace}/${terms.name} is running.`),
    succeeded: (terms) => (hasMaster(terms) ? texts.succeeded(terms) : `${kind} ${terms.namespace}/${terms.name} successfully completed.`),
  },
  deletedReason: 'SuccessfulDeletePod',
};

/** The first of the leading type takes its own address, which is known once it has one. */
function addressOfMaster(terms: Terms, { type, index }: Slot): EnvVar[] {
  const leading = hasMaster(terms) ? 'Master' : 'Worker';
  const port = portOf(terms, replicasOf(terms, leading)) ?? PORT.number;
  if (type !== leading || index !== 0) return [variable('PADDLE_MASTER', `${nameOfSlot(terms.name, { type: leading, index: 0 })}:${port}`)];
  return [
    { name: 'POD_IP_DUMMY', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    variable('PADDLE_MASTER', `$(POD_IP_DUMMY):${port}`),
  ];
}
