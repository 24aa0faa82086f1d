// Both sides of the environment: each variable that a deployment sets is read, and each that is read is set or documented.
import { expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { CONFIG_VARIABLES } from '../../lib/config.ts';

const root = join(import.meta.dirname, '../..');
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

interface Serverless {
  provider: { environment: Record<string, unknown> };
  functions: Record<string, { environment?: Record<string, unknown> }>;
}

/** The intrinsic functions of CloudFormation are of no interest here. */
const serverless = load(textOf('serverless.yml').replaceAll(/!(Ref|GetAtt|Join|Select|Split|Sub)\b/g, '')) as Serverless;
const deployed = new Set([
  ...Object.keys(serverless.provider.environment),
  ...Object.values(serverless.functions).flatMap(({ environment = {} }) => Object.keys(environment)),
]);

/** Read by Node itself, or by `accessFromServiceAccount` and the SDK. */
const OF_OTHERS = /^(NODE_|AWS_)/;
const sources = globSync('{lib,functions}/**/*.ts', { cwd: root }).map(textOf).join('\n');
const isRead = (name: string): boolean => OF_OTHERS.test(name) || new RegExp(`\\b${name}\\b`).test(sources);

test('each variable that serverless.yml sets is one of the configuration', () => {
  expect([...deployed].filter((name) => name !== 'STAGE' && !OF_OTHERS.test(name) && !CONFIG_VARIABLES.includes(name))).toEqual([]);
});

test('each variable of the configuration is set by serverless.yml, or its default is documented', () => {
  const documented = textOf('docs/clusters.md');
  expect(CONFIG_VARIABLES.filter((name) => !deployed.has(name) && !documented.includes(`\`${name}\``))).toEqual([]);
});

test('each variable that the manifests of the relay set is read, or named in its arguments', () => {
  const manifests = globSync('infra/relay/**/*.yaml', { cwd: root });
  expect(manifests.length).toBeGreaterThan(3);
  for (const file of manifests) {
    const text = textOf(file);
    const names = [...text.matchAll(/- name: '?([A-Z][A-Z0-9_]+)'?\n\s+value/g)].flatMap(([, name]) => name ?? []);
    expect({ file, unread: names.filter((name) => !isRead(name) && !text.includes(`$(${name})`)) }).toEqual({ file, unread: [] });
  }
});
