// What is filled into Jobs and pods, field by field as a real API server does it (recorded, see test/cluster/answers.test.ts).
import { describe, expect, test } from '@jest/globals';
import { withJobDefaults } from '../../lib/admission/job/job-defaults.ts';
import { withPodDefaults } from '../../lib/admission/pod/pod-defaults.ts';
import { jobsToDefault, podsToDefault } from '../contracts/admission/defaulted-objects.ts';
import { lasting, recordedAnswers } from '../contracts/admission/defaulted.ts';
import { objectsJudge } from '../contracts/admission/objects-judge.ts';

const recorded = recordedAnswers();

describe('Jobs', () => {
  test.each(jobsToDefault.map((job) => ({ name: job.metadata.name ?? '', job })))('$name', async ({ name, job }) => {
    const { object, causes } = await objectsJudge().createJob(job);
    expect(causes).toEqual([]);
    expect(lasting(object)).toEqual(recorded.jobs[name]);
  });

  test('the input stays as it was, and defaults change nothing the second time', () => {
    for (const job of jobsToDefault) {
      const before = structuredClone(job);
      const defaulted = withJobDefaults(job);
      expect(job).toEqual(before);
      expect(withJobDefaults(defaulted)).toEqual(defaulted);
    }
  });

  test('a null is a field that is not given', () => {
    const job = JSON.parse(
      '{"metadata":{"name":"a","uid":"u"},"spec":{"parallelism":null,"suspend":null,"template":{"spec":{"containers":[]}}}}',
    );
    expect(withJobDefaults(job).spec).toMatchObject({ parallelism: 1, completions: 1, suspend: false });
  });
});

describe('pods', () => {
  test.each(podsToDefault.map((pod) => ({ name: pod.metadata.name ?? '', pod })))('$name', async ({ name, pod }) => {
    const { object, causes } = await objectsJudge().createPod(pod);
    expect(causes).toEqual([]);
    expect(lasting(object)).toEqual(recorded.pods[name]);
  });

  test('the input stays as it was, and defaults change nothing the second time', () => {
    for (const pod of podsToDefault) {
      const before = structuredClone(pod);
      const defaulted = withPodDefaults(pod);
      expect(pod).toEqual(before);
      expect(withPodDefaults(defaulted)).toEqual(defaulted);
    }
  });

  test('a service account is named, and a priority class looked up, only where admission does so', () => {
    const pod = { metadata: { name: 'a' }, spec: { containers: [] } };
    expect(withPodDefaults(pod).spec['serviceAccountName']).toBeUndefined();
    expect(withPodDefaults(pod, { namesServiceAccount: true, priority: 7, preemptionPolicy: 'Never' }).spec).toMatchObject({
      serviceAccountName: 'default',
      serviceAccount: 'default',
      priority: 7,
      preemptionPolicy: 'Never',
    });
  });
});
