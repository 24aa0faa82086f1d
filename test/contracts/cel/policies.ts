// Admission policies, as any API server must take them and act by them.
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { ApiClient } from '../api-server/client.ts';
import { answerToRequest, bindCases } from './policy-answers.ts';
import { policyCases } from './policy-cases.ts';
import { refusalCases } from './policy-refusals.ts';

export function policiesContract(api: () => ApiClient): void {
  describe('a new object with', () => {
    test.each(refusalCases)('$name', async ({ path, object, causes }) => {
      const { body } = await api().post(path, object);
      const told = (body.details?.causes ?? []).map(({ field, message = '' }) => `${field}: ${message.split(':', 1)[0]}`);
      expect(told.toSorted()).toEqual(causes);
    });
  });

  describe('a policy with', () => {
    beforeAll(() => bindCases(api(), policyCases), 60_000);
    test.each(policyCases.map((policyCase, index) => ({ ...policyCase, index })))('$name', async ({ requests, index }) => {
      for (const request of requests) {
        const { operation: _, resource: __, object: ___, warnings = [], ...answer } = request;
        expect(await answerToRequest(api(), index, request)).toEqual({ ...answer, warnings });
      }
    });
  });
}
