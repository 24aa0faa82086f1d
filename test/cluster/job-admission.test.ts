// A real kube-apiserver decides whether the table of admission cases is right, and whether ours answers in its words.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ApiClient } from '../contracts/api-server/client.ts';
import { comparable, fieldsOf, judgeJob } from '../contracts/admission/judge.ts';
import { objectsJudge } from '../contracts/admission/objects-judge.ts';
import { serverJudge } from '../contracts/admission/server-judge.ts';
import { jobAdmissionCases } from '../contracts/job-admission-cases.ts';
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

describe.each(jobAdmissionCases)('$group', ({ cases }) => {
  test.each(cases)('$name', async (admissionCase) => {
    const theirs = await judgeJob(serverJudge(api), admissionCase);
    expect({ code: theirs.code, fields: fieldsOf(theirs.causes) }).toEqual({
      code: admissionCase.code,
      fields: admissionCase.fields ?? [],
    });
    const ours = await judgeJob(objectsJudge(), admissionCase);
    expect(comparable(ours.causes)).toEqual(comparable(theirs.causes));
  });
});
