// The sandbox answers what a real API server answered, word by word: test/cluster/answers.test.ts asks the real one.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startSandbox } from '../../lib/sandbox/sandbox.ts';
import { ApiClient } from '../contracts/api-server/client.ts';
import { recordedAnswers, tell } from '../contracts/answers/scenario.ts';
import { suites } from '../contracts/answers/suites.ts';

let api: ApiClient;

beforeAll(async () => {
  const { url, caPem, token, forgetChanges, stop } = await startSandbox();
  api = new ApiClient({ url, caPem, token, forgetHistory: async () => forgetChanges(), close: stop });
});

afterAll(async () => {
  api.close();
  await api.server.close();
});

for (const [suite, scenarios] of Object.entries(suites)) {
  describe(`${suite}: the sandbox answers as kube-apiserver`, () => {
    const recorded = recordedAnswers(suite);
    test.each(scenarios)('$name', async (scenario) => {
      expect(await tell(api, scenario)).toEqual(recorded[scenario.name]);
    });
    test('nothing is recorded that nobody asks for', () => {
      expect(Object.keys(recorded)).toEqual(scenarios.map(({ name }) => name));
    });
  });
}
