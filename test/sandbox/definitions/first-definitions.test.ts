// Definitions that a cluster has from its first start on are like those that somebody makes, and theirs who change them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { frameworkOf, minimalJob, pathOf } from '../../kinds/training/definition/minimal-jobs.ts';
import { embed } from '../embedded.ts';
import type { Embedded } from '../embedded.ts';
import { kindDefinitions } from '../../../lib/kinds/definitions.ts';
import { definitionSchemaOf } from '../../../lib/sandbox/schema/definition-schema.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const one = `${definitions}/jaxjobs.kubeflow.org`;
const jobs = pathOf(frameworkOf('JAXJob'));

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farloop-test-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (): Embedded => embed({ folder, definitions: () => kindDefinitions(definitionSchemaOf) });

/** Runs while the cluster is open. */
async function during(run: (server: Embedded) => Promise<void>): Promise<void> {
  const server = open();
  await run(server).finally(() => server.cluster.close());
}

/** Without what no two objects share. */
function lasting({ metadata, ...others }: Record<string, unknown>): object {
  const { uid: _, resourceVersion: __, managedFields: ___, ...kept } = metadata as Record<string, unknown>;
  return { metadata: kept, ...others };
}

test('each is as if it had been created, and is served at once', async () => {
  const made = embed();
  for (const definition of kindDefinitions(definitionSchemaOf)) await made.send('POST', definitions, definition);
  const { send } = embed({ definitions: () => kindDefinitions(definitionSchemaOf) });
  for (const { metadata } of kindDefinitions(definitionSchemaOf)) {
    const [first, other] = await Promise.all([send, made.send].map((each) => each('GET', `${definitions}/${metadata.name}`)));
    expect(first?.status).toBe(200);
    expect(lasting(first?.body ?? {})).toEqual(lasting(other?.body ?? {}));
  }
  expect(await send('POST', jobs, minimalJob('JAXJob'))).toMatchObject({ status: 201 });
  expect(await send('GET', '/apis/kubeflow.org/v1')).toMatchObject({ status: 200 });
});

test('one that is deleted does not come back at the next start', async () => {
  await during(async ({ send, pass }) => {
    expect(await send('DELETE', one)).toMatchObject({ status: 200 });
    await pass(1_000);
    expect(await send('GET', one)).toMatchObject({ status: 404 });
  });
  await during(async ({ send }) => {
    expect(await send('GET', one)).toMatchObject({ status: 404 });
    expect(await send('GET', jobs)).toMatchObject({ status: 404 });
    expect(await send('GET', `${definitions}/mpijobs.kubeflow.org`)).toMatchObject({ status: 200 });
  });
});

test('another may be applied over one without force, and stays; jobs of before stay, too', async () => {
  const [given] = kindDefinitions(definitionSchemaOf).filter(({ metadata }) => metadata.name === 'jaxjobs.kubeflow.org');
  const other = structuredClone(given) as { spec: { versions: { additionalPrinterColumns: object[] }[] } };
  other.spec.versions[0]?.additionalPrinterColumns.pop();
  await during(async ({ send }) => {
    await send('POST', jobs, minimalJob('JAXJob'));
    const applied = await send('PATCH', `${one}?fieldManager=kubectl`, other, 'application/apply-patch+yaml');
    expect(applied).toMatchObject({ status: 200, body: { metadata: { generation: 2 } } });
  });
  await during(async ({ send }) => {
    const { body } = await send('GET', one);
    expect(body).toMatchObject({ spec: { versions: [{ additionalPrinterColumns: [{ name: 'State' }] }] } });
    expect(await send('GET', `${jobs}/jax-spmd`)).toMatchObject({ status: 200 });
  });
});

test('a cluster that was there before gets none', async () => {
  embed({ folder }).cluster.close();
  await during(async ({ send }) => {
    expect(await send('GET', one)).toMatchObject({ status: 404 });
  });
});
