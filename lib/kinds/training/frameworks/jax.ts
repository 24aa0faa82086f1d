// JAXJob.
import { JAX } from '../names/framework-names.ts';
import type { Framework } from '../terms/framework.ts';
import { ClusterSpecError } from '../terms/framework.ts';
import { portNeeded, UNBUFFERED, variable } from '../rendezvous/variables.ts';
import { nameOfSlot } from '../names/slots.ts';
import { usualTexts } from '../status/success.ts';
import { totalOf } from '../terms/terms.ts';

const { kind } = JAX;

export const jax: Framework = {
  ...JAX,
  renamed: ['Worker'],
  container: 'jax',
  port: { name: 'jaxjob-port', number: 6666 },
  restartPolicy: 'Never',
  validation: {},
  isMaster: (_, { index }) => index === 0,
  rendezvous: (terms, { index }) => {
    if (!Number.isSafeInteger(index)) throw new ClusterSpecError('failed to recognize the JAXJob Rank');
    return {
      variables: [
        UNBUFFERED,
        variable('COORDINATOR_PORT', portNeeded(terms, 'Worker', 'default container port is not exposed')),
        variable('COORDINATOR_ADDRESS', nameOfSlot(terms.name, { type: 'Worker', index: 0 })),
        variable('NUM_PROCESSES', totalOf(terms)),
        variable('PROCESS_ID', index),
      ],
    };
  },
  status: {
    ...usualTexts(kind),
    decides: () => true,
    running: ({ namespace, name }) => `${kind} ${namespace}/${name} is running.`,
    succeeded: ({ namespace, name }) => `${kind} ${namespace}/${name} successfully completed.`,
  },
  deletedReason: 'SuccessfulDeletePod',
};
