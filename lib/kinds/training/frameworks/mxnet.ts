// MXJob, which upstream no longer has: it behaves as the base release.
import { MXNET } from '../names/framework-names.ts';
import type { Framework, Terms } from '../terms/framework.ts';
import { namesOf, portNeeded, variable } from '../rendezvous/variables.ts';
import type { Slot } from '../names/slots.ts';
import { usualTexts } from '../status/success.ts';
import { replicasOf, wantedOf } from '../terms/terms.ts';

const NO_PORT = 'failed to found the port';

/** One worker alone, without scheduler and server. */
const isSingle = (terms: Terms): boolean =>
  wantedOf(terms, 'Worker') === 1 && wantedOf(terms, 'Scheduler') === 0 && wantedOf(terms, 'Server') === 0;

export const mxnet: Framework = {
  ...MXNET,
  renamed: ['Scheduler', 'Server', 'Worker'],
  container: 'mxnet',
  port: { name: 'mxjob-port', number: 9091 },
  restartPolicy: 'Never',
  validation: {
    controller: { spec: 'MXJobSpec is not valid', container: 'MXJobSpec is not valid', isTerse: true },
    hadNoWebhook: true,
    further: (_, specs) => {
      const schedulers = Object.keys(specs).filter((type) => type.toLowerCase() === 'scheduler');
      return schedulers.length > 1 ? 'more than 1 scheduler found' : undefined;
    },
  },
  isMaster: (_, { type }) => type === 'Server',
  rendezvous: (terms, slot) => {
    const cluster = clusterOf(terms);
    const [root] = cluster['scheduler'] ?? [];
    return {
      variables: [
        variable('MX_CONFIG', JSON.stringify({ cluster, labels: labelsOf(terms), task: taskOf(slot) })),
        variable('DMLC_PS_ROOT_PORT', root?.port ?? 0),
        variable('DMLC_PS_ROOT_URI', root?.url ?? ''),
        variable('DMLC_NUM_SERVER', wantedOf(terms, 'Server')),
        variable('DMLC_NUM_WORKER', wantedOf(terms, 'Worker')),
        variable('DMLC_ROLE', slot.type.toLowerCase()),
        variable('DMLC_USE_KUBERNETES', 1),
        ...(slot.type === 'Worker' ? [variable('DMLC_WORKER_ID', slot.index)] : []),
      ],
    };
  },
  status: { ...usualTexts('MXJob', 'mxjob'), decides: (terms, type) => type === 'Scheduler' || isSingle(terms), ...textsOfState() },
  deletedReason: 'SuccessfulDeletePod',
  warnsByOldNames: true,
};

function textsOfState(): Pick<ReturnType<typeof usualTexts>, 'running' | 'succeeded'> {
  const { running, succeeded } = usualTexts('MXJob');
  return { running, succeeded };
}

const taskOf = ({ type, index }: Slot): object => ({ type: type.toLowerCase(), index });

const byName = ({ replicas }: Terms): Terms['replicas'] =>
  replicas.toSorted((a, b) => (a.type.toLowerCase() < b.type.toLowerCase() ? -1 : 1));

function clusterOf(terms: Terms): Record<string, { url: string; port: number }[]> {
  return Object.fromEntries(
    byName(terms).map(({ type, wanted }) => {
      const port = portNeeded(terms, type, NO_PORT);
      return [type.toLowerCase(), namesOf(terms, type, wanted).map((url) => ({ url, port }))];
    }),
  );
}

const TUNER_SERVER_KEY = 'tuner-server-key';

const labelsOf = (terms: Terms): Record<string, string> =>
  Object.fromEntries(
    byName(terms).map(({ type }) => [
      type.toLowerCase(),
      replicasOf(terms, type)?.template?.metadata?.annotations?.[TUNER_SERVER_KEY] ?? '',
    ]),
  );
