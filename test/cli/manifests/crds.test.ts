// `farloop crds` as a command: what it prints can be applied as it is.
import { expect, test } from '@jest/globals';
import { parseManifests } from '../../../lib/cli/manifests/manifest-files.ts';
import { trainingDefinitions } from '../../../infra/crds/training-definitions.ts';
import { trainingPolicies } from '../../../infra/crds/training-policies.ts';
import { runFarloop } from '../farloop-process.ts';

const printed = async (...options: string[]): Promise<unknown[]> => {
  const { stdout, exitCode } = await runFarloop(['crds', ...options]);
  expect(exitCode).toBe(0);
  return parseManifests(stdout, 'standard output').map(({ document }) => document);
};

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test('prints the definitions, which mean to kubectl what they are', async () => {
  expect(await printed()).toEqual(asJson(trainingDefinitions()));
});

test('prints policies after them where they are asked for', async () => {
  expect(await printed('--admission')).toEqual(asJson([...trainingDefinitions(), ...trainingPolicies()]));
});
