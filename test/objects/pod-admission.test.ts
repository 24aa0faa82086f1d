// The same answers as the API server's to every case; that these are its answers is seen in test/cluster/pod-admission.test.ts.
import { describe, expect, test } from '@jest/globals';
import { fieldsOf, judgePod } from '../contracts/admission/judge.ts';
import { objectsJudge } from '../contracts/admission/objects-judge.ts';
import { podAdmissionCases } from '../contracts/pod-admission-cases.ts';

describe.each(podAdmissionCases)('$group', ({ cases }) => {
  test.each(cases)('$name', async (admissionCase) => {
    const { code, causes } = await judgePod(objectsJudge(), admissionCase);
    expect({ code, fields: fieldsOf(causes) }).toEqual({ code: admissionCase.code, fields: admissionCase.fields ?? [] });
  });
});
