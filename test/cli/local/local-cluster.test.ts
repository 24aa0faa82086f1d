// What local mode calls its cluster, by its context, and where it keeps its state.
import { describe, expect, test } from '@jest/globals';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { stateFolderPath } from '../../../lib/cli/instance/instance-file.ts';
import { clusterNameOf } from '../../../lib/cli/local/local-cluster.ts';

describe('a cluster is named by its context', () => {
  const cases = [
    { context: 'staging', name: 'staging' },
    { context: 'arn:aws:eks:eu-central-1:123456789012:cluster/Staging', name: 'arn-aws-eks-eu-central-1-123456789012-cl' },
    { context: 'kubernetes-admin@kubernetes', name: 'kubernetes-admin-kubernetes' },
    { context: `${'a'.repeat(39)}/b`, name: 'a'.repeat(39) },
  ];
  for (const { context, name } of cases)
    test(`${context} → ${name}`, () => {
      expect(clusterNameOf(context)).toBe(name);
    });

  test('one without a letter or digit cannot be', () => {
    expect(() => clusterNameOf('::')).toThrow('has no letter or digit to name the cluster by');
  });
});

describe('the state folder', () => {
  const cases = [
    { name: '--state wins', given: '/state', environment: { FARLOOP_STATE: '/other', XDG_STATE_HOME: '/xdg' }, path: '/state' },
    { name: 'then FARLOOP_STATE', given: undefined, environment: { FARLOOP_STATE: '/other', XDG_STATE_HOME: '/xdg' }, path: '/other' },
    { name: 'then XDG_STATE_HOME', given: undefined, environment: { FARLOOP_STATE: '', XDG_STATE_HOME: '/xdg' }, path: '/xdg/farloop' },
    {
      name: 'which is ignored where it is relative',
      given: undefined,
      environment: { XDG_STATE_HOME: 'state' },
      path: join(homedir(), '.local', 'state', 'farloop'),
    },
    { name: 'else the usual place', given: undefined, environment: {}, path: join(homedir(), '.local', 'state', 'farloop') },
  ];
  for (const { name, given, environment, path } of cases)
    test(`${name}: ${path}`, () => {
      expect(stateFolderPath(given, environment)).toBe(path);
    });
});
