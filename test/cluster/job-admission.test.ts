// A real kube-apiserver decides whether the table of admission cases is right, and whether ours answers in its words.
import { describe, expect, test } from '@jest/globals';
import { clientOf } from '../contracts/api-server/opened-client.ts';
import { comparable, fieldsOf, judgeJob } from '../contracts/admission/judge.ts';
import { objectsJudge } from '../contracts/admission/objects-judge.ts';
import { serverJudge } from '../contracts/admission/server-judge.ts';
import { jobAdmissionCases } from '../contracts/job-admission-cases.ts';
import { openReferenceServer } from './reference-server.ts';

const api = clientOf(openReferenceServer);

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
