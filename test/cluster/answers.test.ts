// A real kube-apiserver decides what is answered to the scenarios: what was recorded of it still holds. RECORD=1 writes the
// recording anew; that the sandbox answers the same is test/sandbox/answers.test.ts.
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ApiClient } from '../contracts/api-server/client.ts';
import { recordedAnswers, recordingPath, tell } from '../contracts/answers/scenario.ts';
import type { Told } from '../contracts/answers/scenario.ts';
import { suites } from '../contracts/answers/suites.ts';
import { startControlPlane } from './control-plane.ts';
import type { ControlPlane } from './control-plane.ts';

let controlPlane: ControlPlane;
let api: ApiClient;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  const { url, caPem, token, forgetHistory, stop } = controlPlane;
  api = new ApiClient({ url, caPem, token, forgetHistory, close: stop });
}, 20 * 60_000);

afterAll(async () => {
  api?.close();
  await controlPlane?.stop();
});

for (const [suite, scenarios] of Object.entries(suites)) {
  describe(`${suite}: kube-apiserver answers as recorded`, () => {
    const told: Record<string, Told[]> = {};
    test.each(scenarios)('$name', async (scenario) => {
      const answers = await tell(api, scenario);
      told[scenario.name] = answers;
      expect(answers).toEqual(process.env['RECORD'] === '1' ? answers : recordedAnswers(suite)[scenario.name]);
    });
    afterAll(async () => {
      if (process.env['RECORD'] === '1') await writeFile(recordingPath(suite), `${JSON.stringify(told, null, 1)}\n`);
    });
  });
}
