// Pods of a job that are scheduled together.
import { job } from '../jobs.ts';
import { admitted, changed, fails, removed, resumed, runs, succeeds, suspended } from '../steps.ts';
import type { Gang, Story } from '../story.ts';

const PYTORCH = { Master: 1, Worker: 2 };
const all = ['master-0', 'worker-0', 'worker-1'];
const asking = (cpu: string): object => ({ resources: { requests: { cpu, memory: '1Gi' } } });

const storiesUnder = (gang: Gang): Story[] => {
  const story = (name: string, rest: Omit<Story, 'name' | 'gang'>): Story => ({
    name: `${gang}-${name}`,
    gang,
    ...rest,
    steps: gang === 'volcano' ? [admitted, ...rest.steps] : rest.steps,
  });
  return [
    story('succeeds', {
      job: job('PyTorchJob', { Master: { replicas: 1, container: asking('1') }, Worker: { replicas: 2, container: asking('500m') } }),
      steps: [runs(...all), succeeds('master-0')],
    }),
    story('policy', {
      job: job(
        'TFJob',
        { PS: { replicas: 1, container: asking('1') }, Worker: { replicas: 2, container: { resources: { limits: { cpu: '2' } } } } },
        {
          runPolicy: {
            schedulingPolicy: {
              minAvailable: 2,
              queue: 'mine',
              priorityClass: 'high',
              scheduleTimeoutSeconds: 60,
            },
          },
        },
      ),
      steps: [],
    }),
    story('least', {
      job: job(
        'XGBoostJob',
        { Master: { replicas: 1, container: asking('1') }, Worker: { replicas: 3, container: asking('250m') } },
        {
          runPolicy: { schedulingPolicy: { minAvailable: 2, minResources: { cpu: '3' } } },
        },
      ),
      steps: [],
    }),
    story('suspended', {
      job: job('PyTorchJob', PYTORCH),
      steps: [runs(...all), suspended, resumed, ...(gang === 'volcano' ? [admitted] : []), runs(...all)],
    }),
    story('group-deleted', { job: job('PyTorchJob', PYTORCH), steps: [runs('master-0'), removed('PodGroup', 'j'), runs('worker-0')] }),
    story('scaled', {
      job: job('PyTorchJob', PYTORCH),
      steps: [runs(...all), changed('3 workers', { spec: { pytorchReplicaSpecs: { Worker: { replicas: 3 } } } })],
    }),
    story('other-scheduler', {
      job: job('PyTorchJob', { Master: { replicas: 1, pod: { schedulerName: 'other' } }, Worker: 1 }),
      steps: [runs('master-0')],
    }),
    story('mpi', {
      job: job('MPIJob', { Launcher: 1, Worker: 2 }),
      steps: [runs('worker-0', 'worker-1', 'launcher'), fails(1, 'launcher')],
    }),
    story('never', { job: job('JAXJob', { Worker: 2 }), steps: [runs('worker-0', 'worker-1'), fails(1, 'worker-0')] }),
    story('paddle', { job: job('PaddleJob', { Worker: 1 }), steps: [runs('worker-0'), succeeds('worker-0')] }),
  ];
};

export const gangs: readonly Story[] = [...storiesUnder('volcano'), ...storiesUnder('scheduler-plugins')];
