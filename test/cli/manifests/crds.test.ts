// `farloop crds` as a command: what it prints can be applied as it is.
import { expect, test } from '@jest/globals';
import { parseManifests } from '../../../lib/cli/manifests/manifest-files.ts';
import { runWithin } from '../farloop-process.ts';
import { kindDefinitions, kindPolicies } from '../../../lib/kinds/definitions.ts';
import { definitionSchemaOf } from '../../../lib/sandbox/schema/definition-schema.ts';

const printed = async (...options: string[]): Promise<unknown[]> => {
  const { stdout, exitCode } = await runWithin(['crds', ...options]);
  expect(exitCode).toBe(0);
  return parseManifests(stdout, 'standard output').map(({ document }) => document);
};

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test('prints the definitions, which mean to kubectl what they are', async () => {
  expect(await printed()).toEqual(asJson(kindDefinitions(definitionSchemaOf)));
});

test('prints policies after them where they are asked for', async () => {
  expect(await printed('--admission')).toEqual(asJson([...kindDefinitions(definitionSchemaOf), ...kindPolicies()]));
});
