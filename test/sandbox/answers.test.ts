// The sandbox answers what a real API server answered, word by word: test/cluster/answers.test.ts asks the real one.
import { describe, expect, test } from '@jest/globals';
import { clientOf } from '../contracts/api-server/opened-client.ts';
import { openSandboxServer } from '../contracts/api-server/sandbox-server.ts';
import { recordedAnswers, tell } from '../contracts/answers/scenario.ts';
import { suites } from '../contracts/answers/suites.ts';

const api = clientOf(openSandboxServer);

for (const [suite, scenarios] of Object.entries(suites)) {
  describe(`${suite}: the sandbox answers as kube-apiserver`, () => {
    const recorded = recordedAnswers(suite);
    test.each(scenarios)('$name', async (scenario) => {
      expect(await tell(api(), scenario)).toEqual(recorded[scenario.name]);
    });
    test('nothing is recorded that nobody asks for', () => {
      expect(Object.keys(recorded)).toEqual(scenarios.map(({ name }) => name));
    });
  });
}
