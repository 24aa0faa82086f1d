// Rules of custom resources, as any API server must take them and act by them.
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { ApiClient } from '../api-server/client.ts';
import { definitionCases } from './definition-cases.ts';
import { answerToCase, answerToSchema, defineCases } from './rule-answers.ts';
import { ruleCases } from './rule-cases.ts';

export function rulesContract(api: () => ApiClient): void {
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
}
