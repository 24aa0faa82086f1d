// A real kube-apiserver decides what is answered to the scenarios: what was recorded of it still holds. RECORD=1 writes the
// recording anew; that the sandbox answers the same is test/sandbox/answers.test.ts.
import { writeFile } from 'node:fs/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { clientOf } from '../contracts/api-server/opened-client.ts';
import { recordedAnswers, recordingPath, tell } from '../contracts/answers/scenario.ts';
import type { Told } from '../contracts/answers/scenario.ts';
import { suites } from '../contracts/answers/suites.ts';
import { openReferenceServer } from './reference-server.ts';

const api = clientOf(openReferenceServer);

for (const [suite, scenarios] of Object.entries(suites)) {
  describe(`${suite}: kube-apiserver answers as recorded`, () => {
    const told: Record<string, Told[]> = {};
    test.each(scenarios)('$name', async (scenario) => {
      const answers = await tell(api(), scenario);
      told[scenario.name] = answers;
      expect(answers).toEqual(process.env['RECORD'] === '1' ? answers : recordedAnswers(suite)[scenario.name]);
    });
    afterAll(async () => {
      if (process.env['RECORD'] === '1') await writeFile(recordingPath(suite), `${JSON.stringify(told, null, 1)}\n`);
    });
  });
}
