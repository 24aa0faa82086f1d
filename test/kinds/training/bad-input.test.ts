// Jobs that are invalid: each is told of once, with the field, and left until its spec changes, while others go on.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { resourceOf } from '../../../lib/kinds/training/facts.ts';
import type { Framework } from '../../../lib/kinds/training/terms/framework.ts';
import { FRAMEWORKS } from '../../../lib/kinds/training/frameworks/all.ts';
import { mpi } from '../../../lib/kinds/training/frameworks/mpi.ts';
import { jax } from '../../../lib/kinds/training/frameworks/jax.ts';
import { pytorch } from '../../../lib/kinds/training/frameworks/pytorch.ts';
import { tensorflow } from '../../../lib/kinds/training/frameworks/tensorflow.ts';
import type { ReplicaSpec } from '../../../lib/kinds/training/terms/job-types.ts';
import { definitionIn, namesIn } from '../../../lib/sandbox/definitions/definition.ts';
import { rowsOf } from '../../../lib/sandbox/definitions/rows.ts';
import { expectQuiet } from '../../world/right.ts';
import { World } from '../../world/world.ts';
import { aTraining, planFor, told, type JobParts } from './builders.ts';
import * as training from './world.ts';
import { trainingDefinitions } from './definition/definitions.ts';

const containers = (...names: string[]): ReplicaSpec => ({
  replicas: 1,
  template: { spec: { containers: names.map((name) => ({ name, image: 'example.com/train:1' })) } },
});

const odd: [string, unknown][] = [
  ['null', null],
  ['a text', 'Worker'],
  ['a list', [{}]],
  ['a template of null', { template: null }],
  ['a template without a spec', { template: {} }],
  ['containers of null', { template: { spec: { containers: null } } }],
  ['a container of null', { template: { spec: { containers: [null] } } }],
  ['no containers', { template: { spec: { containers: [] } } }],
  ['a container of another name, without an image', { template: { spec: { containers: [{ name: 'other' }] } } }],
];

test.each(FRAMEWORKS.flatMap((framework) => odd.map(([name, spec]) => [framework.kind, name, framework, spec] as const)))(
  '%s: a replica spec that is %s is told of with its type, and crashes nothing',
  (kind, _, framework, spec) => {
    const [type = ''] = framework.types;
    const job = { ...aTraining({ framework }), spec: { [framework.replicasField]: { [type]: spec } } } as ReturnType<typeof aTraining>;
    const plan = planFor({ framework, job, services: [] });
    expect([told(plan).length, plan.status, plan.outcome, plan.untilChanged]).toEqual([1, {}, 'parked', true]);
    expect(told(plan)[0]).toMatch(new RegExp(`^Warning ${kind}FailedValidation: ${kind} failed validation because `));
    if (kind !== 'MXJob') expect(told(plan)[0]).toContain(type);
  },
);

let world: World;
beforeEach(async () => {
  world = await training.openTrainingWorld();
});
afterEach(() => world.close());

const WORKERS = { Worker: 1 };
const invalid: [string, Framework, JobParts & { name?: string }, string][] = [
  ['an unknown replica type', jax, { replicas: { ...WORKERS, Chief: 1 } }, 'spec.jaxReplicaSpecs[Chief]: Unsupported value'],
  ['two masters', pytorch, { replicas: { Master: 2 } }, 'There must be only 1 master replica'],
  ['a negative count', tensorflow, { replicas: { Worker: -1 } }, 'spec.tfReplicaSpecs[Worker].replicas: Invalid value: -1'],
  ['a name that is no label', tensorflow, { name: 'has.dot' }, 'TFJob name is invalid'],
  ['a name that is too long with its replicas', tensorflow, { name: 'a'.repeat(60) }, 'metadata.name: Invalid value'],
  ['another container', tensorflow, { replicas: { Worker: containers('other') } }, 'There is no container named tensorflow in Worker'],
];

test.each(invalid)('%s: one event, no status, no further try, and no delay for others', async (_, framework, parts, said) => {
  const { name = 'j' } = parts;
  await training.submitted(world, { framework, ...parts });
  await training.submitted(world, { name: 'good' });
  await training.running(world);
  expect(training.statesOf(await training.statusOf(world, tensorflow, 'good'))).toBe('Created=True Running=True');
  const warnings = async () => (await training.eventsOf(world)).filter(({ type }) => type === 'Warning');
  const once = [
    { type: 'Warning', reason: `${framework.kind}FailedValidation`, count: 1, message: expect.stringContaining(said) as unknown },
  ];
  expect(await warnings()).toEqual(once);
  expect(await training.statusOf(world, framework, name)).toEqual({});
  // No longer than the API server keeps Events.
  const passes = world.passes.length;
  await world.elapse(3_000, { play: false });
  expect(world.passes.length).toBe(passes);
  // Somebody touches it, and changes nothing of its spec.
  await world.as('PATCH', resourceOf(framework), {
    namespace: 'default',
    name,
    type: 'application/merge-patch+json',
    body: { metadata: { labels: { touched: 'true' } } },
  });
  await world.elapse(5, { play: false });
  expect(await warnings()).toEqual(once);
  expect((await training.namesOf(world)).filter((pod) => !pod.startsWith('good'))).toEqual([]);
  await expectQuiet(world, 2);
});

test('an invalid job that is changed is judged anew: told of its other fault, and run once it has none', async () => {
  await training.submitted(world, { framework: pytorch, replicas: { Master: 2 } });
  await world.elapse(3, { play: false });
  await training.change(world, pytorch, { pytorchReplicaSpecs: { Master: { replicas: 1, template: containers('other').template } } });
  await world.elapse(3, { play: false });
  expect(await training.timesTold(world, 'PyTorchJobFailedValidation')).toBe(2);
  await training.change(world, pytorch, { pytorchReplicaSpecs: { Master: containers('pytorch') } });
  await training.running(world);
  expect(training.statesOf(await training.statusOf(world, pytorch))).toBe('Created=True Running=True');
  expect(await training.timesTold(world, 'PyTorchJobFailedValidation')).toBe(2);
});

test('a definition that serves another version: its jobs are none of ours, and all others go on', async () => {
  const rows = trainingDefinitions().flatMap((definition) => {
    const { spec } = definition as unknown as { spec: { names: Record<string, unknown>; versions: object[] } };
    const names = namesIn(spec.names);
    const versions = names.kind === 'MPIJob' ? spec.versions.map((version) => ({ ...version, name: 'v2beta1' })) : spec.versions;
    return rowsOf(definitionIn({ ...definition, spec: { ...spec, versions } }, names, () => false));
  });
  world.close();
  world = new World({ manages: ['training-jobs'], rows });
  await world.startRelay();
  await training.submitted(world);
  const MPI_V2 = { ...resourceOf(mpi), apiVersion: 'kubeflow.org/v2beta1' };
  const replicas = { Launcher: 1, Worker: 1 };
  await world.as('POST', MPI_V2, {
    namespace: 'default',
    body: { ...aTraining({ framework: mpi, replicas }), apiVersion: 'kubeflow.org/v2beta1', metadata: { name: 'm', namespace: 'default' } },
  });
  await training.running(world, 5);
  expect(training.statesOf(await training.statusOf(world, tensorflow))).toBe('Created=True Running=True');
  expect([await training.namesOf(world), world.log.filter(({ level }) => level === 'warn' || level === 'error')]).toEqual([
    ['j-worker-0'],
    [],
  ]);
});
