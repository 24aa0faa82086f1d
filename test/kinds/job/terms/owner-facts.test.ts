// What the view keeps of a Job, and what it keeps of one that is too large for an item of the table.
import { describe, expect, test } from '@jest/globals';
import { jobFactsOf } from '../../../../lib/kinds/job/terms/owner-facts.ts';
import { isReadLive } from '../../../../lib/kinds/rows/owner-facts.ts';
import type { Job } from '../../../../lib/objects/kubernetes.ts';

const aJob = (metadata: Partial<Job['metadata']>, more: Partial<Job> = {}): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'demo', namespace: 'default', uid: 'uid-1', resourceVersion: '7', generation: 3, ...metadata },
  spec: {
    completions: 4,
    parallelism: 2,
    suspend: false,
    selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'uid-1' } },
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.com/none' }] } },
  },
  ...more,
});

const labels = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`example.com/label-${at}`, 'x'.repeat(63)]));
const indexes = Array.from({ length: 20_000 }, (_, at) => at * 2).join();

describe('facts of a Job', () => {
  test('leave containers and foreign annotations out, however large those are', () => {
    const facts = jobFactsOf(aJob({ annotations: { 'example.com/notes': 'x'.repeat(200_000), 'farloop.dev/notes': 'kept' } }));
    expect(isReadLive(facts)).toBe(false);
    expect(facts.metadata.annotations).toEqual({ 'farloop.dev/notes': 'kept' });
    expect(facts.spec.template).toEqual({ spec: { containers: [], restartPolicy: 'Never' } });
  });

  test.each<{ what: string; job: Job }>([
    { what: 'labels', job: aJob({ labels: labels(1_000) }) },
    { what: 'annotations of our own', job: aJob({ annotations: { 'farloop.dev/notes': 'x'.repeat(70_000) } }) },
    { what: 'finalizers', job: aJob({ finalizers: Object.keys(labels(4_000)) }) },
    { what: 'a selector', job: { ...aJob({}), spec: { ...aJob({}).spec, selector: { matchLabels: labels(1_000) } } } },
    { what: 'a status of many intervals', job: aJob({}, { status: { completedIndexes: indexes, succeeded: 20_000 } }) },
    {
      what: 'conditions',
      job: aJob({}, { status: { conditions: [{ type: 'Complete', status: 'True', message: 'x'.repeat(70_000) }] } }),
    },
  ])('R1: are a mark where too large for an item of the table: $what', ({ job }) => {
    const facts = jobFactsOf(job);
    expect(isReadLive(facts)).toBe(true);
    expect(JSON.stringify(facts).length).toBeLessThan(20_000);
    expect(facts.metadata).toMatchObject({ name: 'demo', namespace: 'default', uid: 'uid-1', resourceVersion: '7', generation: 3 });
    expect(facts.spec).toMatchObject({ completions: 4, parallelism: 2, template: { spec: { restartPolicy: 'Never' } } });
    // A mark of a mark is the same mark.
    expect(jobFactsOf(facts)).toEqual(facts);
  });
});
