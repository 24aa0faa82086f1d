// A real kube-apiserver decides whether the tables of rules are right.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { clientOf } from '../contracts/api-server/opened-client.ts';
import { definitionCases } from '../contracts/cel/definition-cases.ts';
import { answerToCase, answerToSchema, defineCases } from '../contracts/cel/rule-answers.ts';
import { ruleCases } from '../contracts/cel/rule-cases.ts';
import { openReferenceServer } from './reference-server.ts';

const api = clientOf(openReferenceServer);

describe('a schema with', () => {
  test.each(definitionCases)('$name', async ({ schema, causes }) => {
    expect(await answerToSchema(api(), schema)).toEqual(causes);
  });
});

describe('an object and its rules:', () => {
  beforeAll(() => defineCases(api(), ruleCases), 60_000);
  test.each(ruleCases.map((ruleCase, index) => ({ ...ruleCase, ruleCase, index })))('$name', async ({ ruleCase, index, causes }) => {
    expect(await answerToCase(api(), ruleCase, index)).toEqual(causes);
  });
});
