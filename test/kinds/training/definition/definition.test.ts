import { describe, expect, test } from '@jest/globals';
import { FRAMEWORKS } from '../../../../lib/kinds/training/frameworks/all.ts';
import { embed } from '../../../sandbox/embedded.ts';
import type { Embedded } from '../../../sandbox/embedded.ts';
import { elasticJob, frameworkOf, minimalJob, pathOf } from './minimal-jobs.ts';
import { trainingDefinitions } from './definitions.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

async function withDefinitions(): Promise<Embedded> {
  const server = embed();
  for (const definition of trainingDefinitions()) expect(await server.send('POST', definitions, definition)).toMatchObject({ status: 201 });
  return server;
}

const { send } = await withDefinitions();

test.each(FRAMEWORKS)('the least that a $kind says is taken as it is, but for what the schema puts in', async (framework) => {
  const job = minimalJob(framework.kind);
  const { status, body } = await send('POST', pathOf(framework), job);
  const { runPolicy } = job.spec;
  expect({ status, spec: body['spec'] }).toEqual({
    status: 201,
    spec: { ...job.spec, ...(runPolicy && { runPolicy: { suspend: false, ...runPolicy } }) },
  });
});

test('an elastic policy keeps its metrics', async () => {
  const job = elasticJob();
  expect(await send('POST', pathOf(frameworkOf('PyTorchJob')), job)).toMatchObject({ status: 201, body: { spec: job.spec } });
});

test.each(FRAMEWORKS)('tables show state and age of a $kind, and its names are those of upstream', async ({ kind, plural }) => {
  const { body } = await send('GET', `${definitions}/${plural}.kubeflow.org`);
  const spec = body['spec'] as { names: object; versions: { additionalPrinterColumns: { name: string }[] }[] };
  const columns = spec.versions[0]?.additionalPrinterColumns.map(({ name }) => name);
  expect(columns).toEqual(kind === 'MPIJob' ? ['Age', 'State'] : ['State', 'Age']);
  expect(spec.names).toEqual({ kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` });
});

describe('scale', () => {
  test.each(['PyTorchJob', 'PaddleJob', 'JAXJob'])('of a %s is that of its workers', async (kind) => {
    const framework = frameworkOf(kind);
    const job = { ...minimalJob(kind), metadata: { name: 'scaled' } };
    await send('POST', pathOf(framework), job);
    const scaled = await send('PATCH', `${pathOf(framework)}/scaled/scale`, { spec: { replicas: 5 } }, 'application/merge-patch+json');
    expect(scaled).toMatchObject({ status: 200, body: { spec: { replicas: 5 } } });
    const { body } = await send('GET', `${pathOf(framework)}/scaled`);
    expect(body).toMatchObject({ spec: { [framework.replicasField]: { Worker: { replicas: 5 } } } });
  });

  test.each(['TFJob', 'MPIJob', 'XGBoostJob', 'MXJob'])('is not served for a %s', async (kind) => {
    const { name } = minimalJob(kind).metadata;
    expect(await send('GET', `${pathOf(frameworkOf(kind))}/${name}/scale`)).toMatchObject({ status: 404 });
  });
});

test('case 68: a queue does not change, and all else may', async () => {
  const path = pathOf(frameworkOf('TFJob'));
  const job = minimalJob('TFJob');
  job.metadata.name = 'queued';
  job.spec.runPolicy = { schedulingPolicy: { queue: 'a', minAvailable: 1 } };
  await send('POST', path, job);
  const patch = (schedulingPolicy: object) =>
    send('PATCH', `${path}/queued`, { spec: { runPolicy: { schedulingPolicy } } }, 'application/merge-patch+json');
  expect(await patch({ minAvailable: 2 })).toMatchObject({ status: 200 });
  const refused = await patch({ queue: 'b' });
  expect(refused).toMatchObject({ status: 422 });
  expect(refused.body['message']).toContain('spec.runPolicy.schedulingPolicy.queue is immutable');
});

test.each(FRAMEWORKS)('the replica specs of a $kind must be there, and what is not described is dropped', async (framework) => {
  const job = minimalJob(framework.kind);
  const { [framework.replicasField]: replicaSpecs, ...others } = job.spec;
  const without = await send('POST', pathOf(framework), { ...job, metadata: { name: 'without' }, spec: others });
  expect(without).toMatchObject({ status: 422 });
  expect(without.body['message']).toContain(`spec.${framework.replicasField}: Required value`);
  const spec = { ...others, [framework.replicasField]: replicaSpecs, unheardOf: true };
  const dropped = await send('POST', pathOf(framework), { ...job, metadata: { name: 'more' }, spec });
  expect(dropped).toMatchObject({ status: 201 });
  expect(dropped.body['spec']).not.toHaveProperty('unheardOf');
});
