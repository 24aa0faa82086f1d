// How the rights of a template are read: by what IAM takes them for, and nothing passes unseen.
import { describe, expect, test } from '@jest/globals';
import type { Template } from '../deploy/packaged.ts';
import { rightsIn, rightsTo } from '../deploy/rights.ts';

const role = (statement: object, more: object = {}): Template => ({
  Resources: {
    ApiRole: {
      Type: 'AWS::IAM::Role',
      Properties: { Policies: [{ PolicyDocument: { Statement: [{ Effect: 'Allow', Resource: '*', ...statement }] } }], ...more },
    },
  },
  Outputs: {},
});

describe('a right to an action', () => {
  test.each(['logs:CreateLogGroup', 'logs:*', 'logs:Create*', '*', '*:*', 'LOGS:createloggroup', 'logs:Create???Group'])('%s', (Action) => {
    expect(rightsTo('logs:CreateLogGroup', role({ Action }))).toEqual([{ role: 'ApiRole', action: Action, resource: '*' }]);
  });

  test.each(['logs:CreateLogStream', 'logs:Create', 'logs:Create?Group', 'xlogs:CreateLogGroup', 'logs.CreateLogGroup', 's3:*'])(
    'is not %s',
    (Action) => {
      expect(rightsTo('logs:CreateLogGroup', role({ Action }))).toEqual([]);
    },
  );
});

describe('refused is what gives rights that are not read', () => {
  const basic = 'arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole';
  const all = { Action: '*', Resource: '*' };
  test.each<[string, Template, string]>([
    ['a managed policy of AWS', role({ Action: 's3:*' }, { ManagedPolicyArns: [basic] }), 'ManagedPolicyArns'],
    ['all but one action', role({ NotAction: 's3:*' }), 'is not understood'],
    [
      'a policy of another kind',
      { Resources: { Wide: { Type: 'AWS::IAM::ManagedPolicy', Properties: { PolicyDocument: { Statement: [all] } } } }, Outputs: {} },
      'the rights of a AWS::IAM::ManagedPolicy',
    ],
  ])('%s', (_name, template, says) => {
    expect(() => rightsIn(template)).toThrow(says);
  });
});
