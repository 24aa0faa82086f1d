// The same answers as the API server's to every case; that these are its answers is seen in test/cluster/answers.test.ts.
import { describe, expect, test } from '@jest/globals';
import { fieldsOf, judgeJob } from '../contracts/admission/judge.ts';
import { objectsJudge } from '../contracts/admission/objects-judge.ts';
import { jobAdmissionCases } from '../contracts/job-admission-cases.ts';

describe.each(jobAdmissionCases)('$group', ({ cases }) => {
  test.each(cases)('$name', async (admissionCase) => {
    const { code, causes } = await judgeJob(objectsJudge(), admissionCase);
    expect({ code, fields: fieldsOf(causes) }).toEqual({ code: admissionCase.code, fields: admissionCase.fields ?? [] });
  });
});
