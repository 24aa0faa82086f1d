// The api function sums up cost from the logs of the functions that are counted, and of no other.
import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { COUNTED_FUNCTIONS } from '../../lib/adapters/telemetry/cost-lines.ts';

const root = join(import.meta.dirname, '../..');
const loaded = (file: string): unknown =>
  load(readFileSync(join(root, file), 'utf8').replaceAll(/!(Ref|GetAtt|Join|Select|Split|Sub)\b/g, ''));

interface Statement {
  Action: string[];
  Resource: string | string[];
}
const { Resources: roles } = loaded('infra/resources/roles.yml') as {
  Resources: Record<string, { Properties: { Policies: { PolicyDocument: { Statement: Statement[] } }[] } }>;
};
const { functions } = loaded('serverless.yml') as { functions: { api: { environment: Record<string, string> } } };

const groupsOf = (name: string): string => `/aws/lambda/\${self:custom.name}-${name}`;

const rightsTo = (action: string): [role: string, resources: string[]][] =>
  Object.entries(roles).flatMap(([role, { Properties }]) =>
    Properties.Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
      .filter(({ Action }) => Action.includes(action))
      .map(({ Resource }): [string, string[]] => [role, [Resource].flat()]),
  );

test('the log groups that are asked are those of the counted functions', () => {
  expect(functions.api.environment['COST_LOG_GROUPS']?.split(',')).toEqual(COUNTED_FUNCTIONS.map(groupsOf));
});

test('a query may be started on these groups alone, and by the api function alone', () => {
  const arnOf = (group: string): string => `arn:\${AWS::Partition}:logs:\${AWS::Region}:\${AWS::AccountId}:log-group:${group}`;
  const groups = COUNTED_FUNCTIONS.map((name) => arnOf(groupsOf(name)));
  // Each in both of its spellings.
  expect(rightsTo('logs:StartQuery')).toEqual([['ApiRole', groups.flatMap((group) => [group, `${group}:*`])]]);
  for (const action of ['logs:GetQueryResults', 'logs:StopQuery']) expect(rightsTo(action)).toEqual([['ApiRole', ['*']]]);
});
