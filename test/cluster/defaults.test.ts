// A real kube-apiserver decides what is filled into Jobs and pods: what was recorded of it still holds, and ours is the same.
// RECORD=1 writes the recording anew.
import { writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { clientOf } from '../contracts/api-server/opened-client.ts';
import { jobsToDefault, podsToDefault } from '../contracts/admission/defaulted-objects.ts';
import { lasting, recordedAnswers } from '../contracts/admission/defaulted.ts';
import { objectsJudge } from '../contracts/admission/objects-judge.ts';
import { serverJudge } from '../contracts/admission/server-judge.ts';
import { openReferenceServer } from './reference-server.ts';

const api = clientOf(openReferenceServer);

test('Jobs and pods come back as recorded', async () => {
  const judge = serverJudge(api());
  const answers: ReturnType<typeof recordedAnswers> = { jobs: {}, pods: {} };
  for (const job of jobsToDefault) answers.jobs[job.metadata.name ?? ''] = lasting((await judge.createJob(job)).object);
  for (const pod of podsToDefault) answers.pods[pod.metadata.name ?? ''] = lasting((await judge.createPod(pod)).object);
  if (process.env['RECORD'] === '1') {
    const path = new URL('../contracts/admission/defaulted-answers.json', import.meta.url);
    await writeFile(path, `${JSON.stringify(answers, null, 1)}\n`);
  }
  expect(answers).toEqual(recordedAnswers());
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
