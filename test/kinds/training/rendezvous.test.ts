// Section 16 and worked cases 53 to 60, 64, 66, 67, 71 to 73: what each framework gives to its pods.
import { describe, expect, test } from '@jest/globals';
import type { Framework } from '../../../lib/kinds/training/terms/framework.ts';
import { jax } from '../../../lib/kinds/training/frameworks/jax.ts';
import { mxnet } from '../../../lib/kinds/training/frameworks/mxnet.ts';
import { paddle } from '../../../lib/kinds/training/frameworks/paddle.ts';
import { pytorch } from '../../../lib/kinds/training/frameworks/pytorch.ts';
import { tensorflow } from '../../../lib/kinds/training/frameworks/tensorflow.ts';
import { xgboost } from '../../../lib/kinds/training/frameworks/xgboost.ts';
import { isDistributed } from '../../../lib/kinds/training/rendezvous/tensorflow-config.ts';
import { podOf } from '../../../lib/kinds/training/objects/pods.ts';
import { trainingSettingsOf } from '../../../lib/kinds/training/names/settings.ts';
import { replicasOf, termsOf } from '../../../lib/kinds/training/terms/terms.ts';
import type { Pod } from '../../../lib/objects/kubernetes.ts';
import type { KindOptions } from '../../../lib/objects/kind-options.ts';
import { aTraining, type JobParts } from './builders.ts';

function aPodOf(framework: Framework, parts: JobParts, [type, index]: [string, number], options: KindOptions = {}): Pod {
  const terms = termsOf(framework, aTraining({ framework, ...parts }));
  const replicas = replicasOf(terms, type);
  if (!replicas) throw new Error(`the job has no ${type}`);
  const order = { replicas, index, number: 0, failures: { slot: 0, job: 0 } };
  return podOf(terms, order, { settings: trainingSettingsOf(options), gang: undefined });
}

const environmentOf = (pod: Pod): string[] =>
  (pod.spec.containers[0]?.env ?? []).map(({ name, value, valueFrom }) => `${name}=${value ?? JSON.stringify(valueFrom)}`);

const tf = (namespace: string): JobParts => ({ metadata: { name: 'test-tfjob', namespace, uid: 'u' } });
const domain = (name: string): KindOptions => ({ 'training-cluster-domain': name });

describe('TF_CONFIG', () => {
  test.each([
    [{ Worker: 1 }, false],
    [{ Worker: 1, PS: 1 }, true],
    [{ PS: 1 }, false],
    [{ Worker: 1, Chief: 1 }, true],
    [{ Worker: 2 }, true],
  ])('case 53: %j is distributed: %s', (replicas, isSo) => {
    expect(isDistributed(termsOf(tensorflow, aTraining({ replicas })))).toBe(isSo);
  });

  test.each([
    ['ns0', {}],
    ['ns1', domain('tf.training.com')],
  ])('case 54: one worker in %s has no variable', (namespace, options) => {
    expect(aPodOf(tensorflow, tf(namespace), ['Worker', 0], options).spec.containers[0]).not.toHaveProperty('env');
  });

  test('case 55: a worker and a parameter server', () => {
    const pod = aPodOf(tensorflow, { ...tf('ns2'), replicas: { Worker: 1, PS: 1 } }, ['Worker', 0], domain('tf.training.org'));
    expect(environmentOf(pod)).toEqual([
      'TF_CONFIG={"cluster":{"ps":["test-tfjob-ps-0.ns2.svc.tf.training.org:2222"],"worker":["test-tfjob-worker-0.ns2.svc.tf.training.org:2222"]},"task":{"type":"worker","index":0},"environment":"cloud"}',
    ]);
  });

  test.each([
    [domain('tf.training.io'), '.ns3.svc.tf.training.io:2222'],
    [{}, '.ns3.svc:2222'],
  ])('case 56: with an evaluator, %j', (options, end) => {
    const pod = aPodOf(tensorflow, { ...tf('ns3'), replicas: { Worker: 1, PS: 1, Evaluator: 1 } }, ['Worker', 0], options);
    const { cluster } = JSON.parse((environmentOf(pod)[0] ?? '').slice('TF_CONFIG='.length));
    expect(cluster).toEqual({
      evaluator: [`test-tfjob-evaluator-0${end}`],
      ps: [`test-tfjob-ps-0${end}`],
      worker: [`test-tfjob-worker-0${end}`],
    });
    expect(Object.keys(cluster)).toEqual(['evaluator', 'ps', 'worker']);
  });

  test.each([
    [
      ['Worker', 1],
      '{"cluster":{"worker":{"1":"j-worker-1.default.svc:2222"},"ps":["j-ps-0.default.svc:2222"]},"task":{"type":"worker","index":1}}',
    ],
    [['PS', 0], '{"cluster":{"worker":{},"ps":["j-ps-0.default.svc:2222"]},"task":{"type":"ps","index":0}}'],
    [['Evaluator', 0], '{"cluster":{"worker":{},"ps":[]},"task":{"type":"evaluator","index":0}}'],
  ] as [[string, number], string][])('case 57: sparse for %j', (slot, config) => {
    const parts = { replicas: { Worker: 3, PS: 1, Evaluator: 1 }, spec: { enableDynamicWorker: true } };
    expect(environmentOf(aPodOf(tensorflow, parts, slot))).toEqual([`TF_CONFIG=${config}`]);
  });

  test('only the first container of the name takes it', () => {
    const containers = ['side', 'tensorflow', 'tensorflow'].map((name) => ({ name, image: 'x' }));
    const pod = aPodOf(tensorflow, { replicas: { Worker: { replicas: 2, template: { spec: { containers } } } } }, ['Worker', 0]);
    expect(pod.spec.containers.map(({ env = [] }) => env.length)).toEqual([0, 1, 0]);
  });
});

const MASTER_2 = { replicas: { Master: 1, Worker: 2 }, port: 8080 };

describe('PyTorchJob', () => {
  test('case 58: the master', () => {
    expect(environmentOf(aPodOf(pytorch, MASTER_2, ['Master', 0]))).toEqual([
      'PYTHONUNBUFFERED=1',
      'MASTER_PORT=8080',
      'PET_MASTER_PORT=8080',
      'MASTER_ADDR=j-master-0',
      'PET_MASTER_ADDR=j-master-0',
      'WORLD_SIZE=3',
      'RANK=0',
      'PET_NODE_RANK=0',
      'PET_NPROC_PER_NODE=auto',
      'PET_NNODES=3',
    ]);
  });

  test('case 59: worker 1, which waits for its master', () => {
    const pod = aPodOf(pytorch, MASTER_2, ['Worker', 1]);
    expect(environmentOf(pod)).toEqual(expect.arrayContaining(['WORLD_SIZE=3', 'RANK=2', 'PET_NODE_RANK=2', 'PET_NNODES=3']));
    const [init] = pod.spec.initContainers ?? [];
    expect([init?.name, init?.image, init?.command?.at(-1)]).toEqual([
      'init-pytorch',
      'alpine:3.10',
      expect.stringContaining('nslookup j-master-0'),
    ]);
  });

  test.each([
    ['4', 'WORLD_SIZE=8'],
    ['auto', 'WORLD_SIZE=2'],
  ])('case 60: %s processes', (nprocPerNode, size) => {
    const pod = aPodOf(pytorch, { replicas: { Master: 1, Worker: 1 }, spec: { nprocPerNode } }, ['Master', 0]);
    expect(environmentOf(pod)).toContain(size);
  });

  test('B-12: elastic with a master and the older field', () => {
    const spec = { elasticPolicy: { nProcPerNode: 2 } };
    const variables = environmentOf(aPodOf(pytorch, { ...MASTER_2, spec }, ['Master', 0]));
    expect(variables.filter((each) => each.startsWith('PET_NPROC'))).toEqual(['PET_NPROC_PER_NODE=2']);
    expect(variables).toContain('WORLD_SIZE=3');
  });

  test('case 64: elastic', () => {
    const elasticPolicy = { minReplicas: 1, maxReplicas: 3, maxRestarts: 3, rdzvBackend: 'c10d' };
    expect(environmentOf(aPodOf(pytorch, { replicas: { Worker: 1 }, port: 8080, spec: { elasticPolicy } }, ['Worker', 0]))).toEqual([
      'PYTHONUNBUFFERED=1',
      'PET_NPROC_PER_NODE=auto',
      'PET_RDZV_ENDPOINT=j-worker-0:8080',
      'PET_RDZV_BACKEND=c10d',
      'PET_NNODES=1:3',
      'PET_MAX_RESTARTS=3',
    ]);
  });

  test.each([
    [
      [
        { key: 'rdzv-conf-name', value: 'rdzv-conf-value' },
        { key: 'rdzv-conf-name-1', value: 'rdzv-conf-value-1' },
      ],
      ['PET_RDZV_CONF=rdzv-conf-name=rdzv-conf-value,rdzv-conf-name-1=rdzv-conf-value-1'],
    ],
    [[], []],
  ])('case 66, B-13: the rendezvous %j', (rdzvConf, conf) => {
    const elasticPolicy = {
      minReplicas: 1,
      maxReplicas: 3,
      maxRestarts: 3,
      rdzvHost: 'localhost',
      rdzvPort: 1234,
      rdzvId: 'rdzv-id',
      rdzvConf,
    };
    expect(environmentOf(aPodOf(pytorch, { spec: { elasticPolicy } }, ['Worker', 0])).slice(2)).toEqual([
      'PET_RDZV_ENDPOINT=localhost:1234',
      'PET_RDZV_BACKEND=c10d',
      'PET_NNODES=1:3',
      'PET_MAX_RESTARTS=3',
      'PET_RDZV_ID=rdzv-id',
      ...conf,
    ]);
  });

  test.each([
    [{ Worker: 1 }, ['Worker', 0], 0],
    [{ Master: 1, Worker: 1 }, ['Master', 0], 0],
    [{ Master: 1, Worker: 1 }, ['Worker', 0], 1],
  ] as [Record<string, number>, [string, number], number][])('case 67: init containers of %j %j', (replicas, slot, count) => {
    const options = { 'pytorch-init-container-image': 'example.com/wait:1', 'pytorch-init-container-max-tries': '7' };
    const { initContainers = [] } = aPodOf(pytorch, { replicas }, slot, options).spec;
    expect(initContainers.map(({ image }) => image)).toEqual(Array.from({ length: count }, () => 'example.com/wait:1'));
    for (const { command } of initContainers) expect(command?.at(-1)).toContain('-lt 7 ]');
  });

  test('16.2: an installation has a template of its own, and the user’s containers stay first', () => {
    const template = '[{"name":"a","image":"{{.InitContainerImage}}","args":["{{.MasterAddr}}","{{.MaxTries}}"]},{"name":"b"}]';
    const own = { spec: { initContainers: [{ name: 'own' }], containers: [{ name: 'pytorch', image: 'x' }] } };
    const pod = aPodOf(pytorch, { replicas: { Master: 1, Worker: { template: own } } }, ['Worker', 0], {
      'pytorch-init-container-template': template,
    });
    expect(pod.spec.initContainers).toEqual([
      { name: 'own' },
      { name: 'a', image: 'alpine:3.10', args: ['j-master-0', '100'] },
      { name: 'b' },
    ]);
  });
});

describe('the other kinds', () => {
  test.each([
    [
      ['Master', 0],
      ['POD_IP_DUMMY={"fieldRef":{"fieldPath":"status.podIP"}}', 'PADDLE_MASTER=$(POD_IP_DUMMY):8080', 'PADDLE_SERVER_NUM=1'],
    ],
    [
      ['Worker', 1],
      ['PADDLE_MASTER=j-master-0:8080', 'PADDLE_TRAINER_NUM=1'],
    ],
  ] as [[string, number], string[]][])('case 71: PaddleJob %j', (slot, variables) => {
    expect(environmentOf(aPodOf(paddle, MASTER_2, slot))).toEqual([
      'PYTHONUNBUFFERED=1',
      'PADDLE_JOB_ID=j',
      'PADDLE_NNODES=3',
      ...variables,
    ]);
  });

  test.each([
    [
      ['Worker', 0],
      ['POD_IP_DUMMY={"fieldRef":{"fieldPath":"status.podIP"}}', 'PADDLE_MASTER=$(POD_IP_DUMMY):36543'],
    ],
    [['Worker', 1], ['PADDLE_MASTER=j-worker-0:36543']],
  ] as [[string, number], string[]][])('16.6: collective %j', (slot, variables) => {
    expect(environmentOf(aPodOf(paddle, { replicas: { Worker: 2 } }, slot)).slice(3)).toEqual(variables);
  });

  test('case 72: XGBoostJob worker 1', () => {
    expect(environmentOf(aPodOf(xgboost, { replicas: { Master: 1, Worker: 2 } }, ['Worker', 1]))).toEqual([
      'MASTER_PORT=9999',
      'MASTER_ADDR=j-master-0',
      'WORLD_SIZE=3',
      'RANK=2',
      'PYTHONUNBUFFERED=1',
      'WORKER_PORT=9999',
      'WORKER_ADDRS=j-worker-0,j-worker-1',
    ]);
  });

  test('case 73: JAXJob', () => {
    const parts = { metadata: { name: 'test-jaxjob', namespace: 'default', uid: 'u' }, port: 6666 };
    expect(environmentOf(aPodOf(jax, parts, ['Worker', 0]))).toEqual([
      'PYTHONUNBUFFERED=1',
      'COORDINATOR_PORT=6666',
      'COORDINATOR_ADDRESS=test-jaxjob-worker-0',
      'NUM_PROCESSES=1',
      'PROCESS_ID=0',
    ]);
    expect(() => aPodOf(jax, parts, ['Worker', Number.NaN])).toThrow('failed to recognize the JAXJob Rank');
    const terms = termsOf(jax, aTraining({ framework: jax }));
    const bare = { ...terms, replicas: terms.replicas.map((replicas) => ({ ...replicas, template: { spec: { containers: [] } } })) };
    expect(() => jax.rendezvous(bare, { type: 'Worker', index: 0 }, trainingSettingsOf())).toThrow('default container port is not exposed');
  });

  test('16.4: MXJob worker 1', () => {
    const replicas = { Scheduler: 1, Server: 1, Worker: 2 };
    const urls = (type: string, count: number) => Array.from({ length: count }, (_, at) => ({ url: `j-${type}-${at}`, port: 9091 }));
    const config = {
      cluster: { scheduler: urls('scheduler', 1), server: urls('server', 1), worker: urls('worker', 2) },
      labels: { scheduler: '', server: '', worker: '' },
      task: { type: 'worker', index: 1 },
    };
    expect(environmentOf(aPodOf(mxnet, { replicas }, ['Worker', 1]))).toEqual([
      `MX_CONFIG=${JSON.stringify(config)}`,
      'DMLC_PS_ROOT_PORT=9091',
      'DMLC_PS_ROOT_URI=j-scheduler-0',
      'DMLC_NUM_SERVER=1',
      'DMLC_NUM_WORKER=2',
      'DMLC_ROLE=worker',
      'DMLC_USE_KUBERNETES=1',
      'DMLC_WORKER_ID=1',
    ]);
    expect(environmentOf(aPodOf(mxnet, { replicas: { Worker: 1 } }, ['Worker', 0])).slice(1, 3)).toEqual([
      'DMLC_PS_ROOT_PORT=0',
      'DMLC_PS_ROOT_URI=',
    ]);
  });

  test('user variables stay first, and init containers get none', () => {
    const containers = [
      { name: 'jax', image: 'x', env: [{ name: 'PROCESS_ID', value: 'own' }] },
      { name: 'side', image: 'x' },
    ];
    const template = { spec: { initContainers: [{ name: 'init' }], containers } };
    const { spec } = aPodOf(jax, { replicas: { Worker: { template } } }, ['Worker', 0]);
    expect(spec.containers.map(({ env }) => [env?.length, env?.[0]?.value])).toEqual([
      [6, 'own'],
      [5, '1'],
    ]);
    expect(spec.initContainers).toEqual([{ name: 'init' }]);
  });
});
