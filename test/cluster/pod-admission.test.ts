// A real kube-apiserver decides whether the table of admission cases is right, and whether ours answers in its words.
import { describe, expect, test } from '@jest/globals';
import { clientOf } from '../contracts/api-server/opened-client.ts';
import { comparable, fieldsOf, judgePod } from '../contracts/admission/judge.ts';
import { objectsJudge } from '../contracts/admission/objects-judge.ts';
import { serverJudge } from '../contracts/admission/server-judge.ts';
import { podAdmissionCases } from '../contracts/pod-admission-cases.ts';
import { openReferenceServer } from './reference-server.ts';

const api = clientOf(async () => await openReferenceServer({ apiServerFlags: ['--allow-privileged=true'] }));

describe.each(podAdmissionCases)('$group', ({ cases }) => {
  test.each(cases)('$name', async (admissionCase) => {
    const theirs = await judgePod(serverJudge(api()), admissionCase);
    expect({ code: theirs.code, fields: fieldsOf(theirs.causes) }).toEqual({
      code: admissionCase.code,
      fields: admissionCase.fields ?? [],
    });
    const ours = await judgePod(objectsJudge(), admissionCase);
    expect(comparable(ours.causes)).toEqual(comparable(theirs.causes));
  });
});
