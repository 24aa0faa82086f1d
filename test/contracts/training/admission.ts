// Definitions and policies of the training kinds, as any API server must take them and act by them.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { FRAMEWORKS } from '../../../lib/kinds/training/frameworks/all.ts';
import { frameworkOf, minimalJob, pathOf } from '../../kinds/training/definition/minimal-jobs.ts';
import type { Answer, ApiClient } from '../api-server/client.ts';
import { eventually, mergePatch } from '../api-server/client.ts';
import { admissionCases } from './admission-cases.ts';
import { trainingDefinitions, trainingPolicies } from '../../kinds/training/definition/definitions.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const PATHS = {
  ValidatingAdmissionPolicy: `${ADMISSION}/validatingadmissionpolicies`,
  ValidatingAdmissionPolicyBinding: `${ADMISSION}/validatingadmissionpolicybindings`,
};

/** Makes all of them, and waits until the server acts by them. */
async function install(api: ApiClient): Promise<void> {
  for (const definition of trainingDefinitions()) await api.create(DEFINITIONS, definition);
  for (const framework of FRAMEWORKS)
    await eventually(
      () => api.get(pathOf(framework)),
      ({ status }) => status === 200,
    );
  for (const policy of trainingPolicies()) await api.create(PATHS[policy.kind], policy);
  for (const framework of FRAMEWORKS)
    await eventually(
      () => api.post(`${pathOf(framework)}?dryRun=All`, { ...minimalJob(framework.kind), spec: undefined }),
      ({ body }) => body.message?.includes('denied request') === true,
    );
  const deprecated = { ...minimalJob('PyTorchJob').spec, elasticPolicy: { nProcPerNode: 1 }, nprocPerNode: undefined };
  await eventually(
    () => api.post(`${pathOf(frameworkOf('PyTorchJob'))}?dryRun=All`, { ...minimalJob('PyTorchJob'), spec: deprecated }),
    ({ headers }) => headers['warning'] !== undefined,
  );
}

const told = ({ status, body, headers }: Answer): object => {
  const warning = /: (spec\..*)"$/.exec(headers['warning'] ?? '')?.[1];
  return {
    ...(status >= 400 && { status, refusal: body.message?.replace(/^.* denied request: /, '') }),
    ...(warning !== undefined && { warning }),
  };
};

export function trainingAdmissionContract(api: () => ApiClient): void {
  beforeAll(() => install(api()), 120_000);

  describe('a job:', () => {
    test.each(admissionCases)('$name', async ({ name, job, update, refusal, warning }) => {
      const path = pathOf(frameworkOf(job.kind ?? ''));
      const expected = { ...(refusal !== undefined && { status: 403, refusal }), ...(warning !== undefined && { warning }) };
      const made = await api().post(path, job);
      try {
        if (!update) return expect({ name, ...told(made) }).toEqual({ name, ...expected });
        expect(made).toMatchObject({ status: 201 });
        const metadata = { ...update.metadata, resourceVersion: made.body.metadata.resourceVersion };
        const answer = await api().put(`${path}/${update.metadata.name}`, { ...update, metadata });
        expect({ name, ...told(answer) }).toEqual({ name, ...expected });
      } finally {
        if (made.status === 201) await api().delete(`${path}/${job.metadata.name}`);
      }
    });
  });

  test('a job that is invalid already can lose its finalizers once it is deleted', async () => {
    const path = pathOf(frameworkOf('JAXJob'));
    const binding = `${PATHS.ValidatingAdmissionPolicyBinding}/jaxjobs.farloop.dev`;
    const { body: bound } = await api().get(binding);
    await api().delete(binding);
    const invalid = { ...minimalJob('JAXJob'), metadata: { name: 'stuck', finalizers: ['example.com/keep'] } };
    const withoutImage = { Worker: { template: { spec: { containers: [{ name: 'jax' }] } } } };
    await eventually(
      () => api().post(path, { ...invalid, spec: { jaxReplicaSpecs: withoutImage } }),
      ({ status }) => status === 201,
    );
    const { apiVersion, kind, spec } = bound;
    await api().create(PATHS.ValidatingAdmissionPolicyBinding, { apiVersion, kind, spec, metadata: { name: 'jaxjobs.farloop.dev' } });
    await eventually(
      () => api().patch(`${path}/stuck`, mergePatch, { metadata: { labels: { a: 'b' } } }),
      ({ status }) => status === 403,
    );
    await api().delete(`${path}/stuck`);
    expect(await api().patch(`${path}/stuck`, mergePatch, { metadata: { finalizers: null } })).toMatchObject({ status: 200 });
    expect(await api().get(`${path}/stuck`)).toMatchObject({ status: 404 });
  });
}
