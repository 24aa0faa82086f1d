// A real kube-apiserver decides what is answered to the scenarios, what is filled into Jobs and pods, and whether the table of admission cases is
// right: what was recorded of it still holds, and ours is the same (test/sandbox/answers.test.ts). RECORD=1 writes the recordings anew.
import { writeFile } from 'node:fs/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { clientOf } from '../contracts/api-server/opened-client.ts';
import { jobsToDefault, podsToDefault } from '../contracts/admission/defaulted-objects.ts';
import { lasting, recordedAnswers as recordedDefaults } from '../contracts/admission/defaulted.ts';
import { comparable, fieldsOf, judgeJob } from '../contracts/admission/judge.ts';
import { objectsJudge } from '../contracts/admission/objects-judge.ts';
import { serverJudge } from '../contracts/admission/server-judge.ts';
import { recordedAnswers, recordingPath, tell } from '../contracts/answers/scenario.ts';
import type { Told } from '../contracts/answers/scenario.ts';
import { suites } from '../contracts/answers/suites.ts';
import { jobAdmissionCases } from '../contracts/job-admission-cases.ts';
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

test('Jobs and pods come back as recorded', async () => {
  const judge = serverJudge(api());
  const answers: ReturnType<typeof recordedDefaults> = { jobs: {}, pods: {} };
  for (const job of jobsToDefault) answers.jobs[job.metadata.name ?? ''] = lasting((await judge.createJob(job)).object);
  for (const pod of podsToDefault) answers.pods[pod.metadata.name ?? ''] = lasting((await judge.createPod(pod)).object);
  if (process.env['RECORD'] === '1') {
    const path = new URL('../contracts/admission/defaulted-answers.json', import.meta.url);
    await writeFile(path, `${JSON.stringify(answers, null, 1)}\n`);
  }
  expect(answers).toEqual(recordedDefaults());
});

test('what ours fills in, the server takes and leaves as it is', async () => {
  const [server, ours] = [serverJudge(api()), objectsJudge()];
  for (const job of jobsToDefault) {
    const name = `again-${job.metadata.name ?? ''}`;
    const { object } = await ours.createJob({ ...job, metadata: { ...job.metadata, name } });
    // The selector and its labels are the server's to make.
    const { selector: _selector, ...spec } = object.spec;
    const template = { ...spec.template, metadata: job.spec.template?.metadata ?? {}, spec: spec.template?.spec ?? { containers: [] } };
    const sent =
      job.spec.manualSelector === true ? object : { ...object, metadata: { ...job.metadata, name }, spec: { ...spec, template } };
    expect(lasting((await server.createJob(sent)).object)).toEqual(lasting(object));
  }
});

describe.each(jobAdmissionCases)('$group', ({ cases }) => {
  test.each(cases)('$name', async (admissionCase) => {
    const theirs = await judgeJob(serverJudge(api()), admissionCase);
    expect({ code: theirs.code, fields: fieldsOf(theirs.causes) }).toEqual({
      code: admissionCase.code,
      fields: admissionCase.fields ?? [],
    });
    const ours = await judgeJob(objectsJudge(), admissionCase);
    expect(comparable(ours.causes)).toEqual(comparable(theirs.causes));
  });
});
