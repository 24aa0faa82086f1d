// XGBoostJob.
import { XGBOOST } from '../names/framework-names.ts';
import type { Framework } from '../terms/framework.ts';
import { namesOf, portNeeded, UNBUFFERED, variable } from '../rendezvous/variables.ts';
import { nameOfSlot } from '../names/slots.ts';
import { usualTexts } from '../status/success.ts';
import { totalOf, wantedOf } from '../terms/terms.ts';

const NO_PORT = 'failed to found the port';

export const xgboost: Framework = {
  ...XGBOOST,
  renamed: ['Master', 'Worker'],
  container: 'xgboost',
  port: { name: 'xgboostjob-port', number: 9999 },
  restartPolicy: 'Never',
  validation: {
    controller: { spec: 'XGBoostJobSpec is not valid', type: 'XGBoostReplicaType', container: 'XGBoostReplicaType is not valid' },
    single: { type: 'Master', otherwise: 'XGBoostReplicaType is not valid: There must be only 1 master replica', isRequired: true },
    needs: { type: 'Master', otherwise: 'XGBoostReplicaType is not valid: Master ReplicaSpec must be present' },
  },
  isMaster: (_, { type }) => type === 'Master',
  rendezvous: (terms, { type, index }) => {
    const total = totalOf(terms);
    return {
      variables: [
        variable('MASTER_PORT', portNeeded(terms, 'Master', NO_PORT)),
        variable('MASTER_ADDR', nameOfSlot(terms.name, { type: 'Master', index: 0 })),
        variable('WORLD_SIZE', total),
        variable('RANK', type === 'Worker' ? index + wantedOf(terms, 'Master') : index),
        UNBUFFERED,
        ...(total > 1
          ? [
              variable('WORKER_PORT', portNeeded(terms, 'Worker', NO_PORT)),
              variable('WORKER_ADDRS', namesOf(terms, 'Worker', total - 1).join(',')),
            ]
          : []),
      ],
    };
  },
  status: { ...usualTexts('XGBoostJob'), decides: (_, type) => type === 'Master', runsFirst: true },
  deletedReason: 'SuccessfulDeleteJob',
};
