// Jobs: defaults, generated selector and labels, generation, spec and status apart, what may change.
import { describe, expect, test } from '@jest/globals';
import { mergePatch } from './client.ts';
import { aJob, causeFields, freshNamespace, jobs, withStatus } from './objects.ts';
import type { Fields, Suite } from './objects.ts';

const container = { name: 'main', image: 'busybox' };

export function jobsContract({ api }: Suite): void {
  describe('jobs', () => {
    test('a plain Job gets its defaults, a selector and labels', async () => {
      const namespace = await freshNamespace(api());
      const body = await api().create(jobs(namespace), aJob('a'));
      const { uid } = body.metadata;
      const labels = {
        'batch.kubernetes.io/controller-uid': uid,
        'batch.kubernetes.io/job-name': 'a',
        'controller-uid': uid,
        'job-name': 'a',
      };
      expect(body.metadata).toMatchObject({ generation: 1, labels });
      expect(body.spec).toEqual({
        parallelism: 1,
        completions: 1,
        backoffLimit: 6,
        completionMode: 'NonIndexed',
        manualSelector: false,
        suspend: false,
        podReplacementPolicy: 'TerminatingOrFailed',
        selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
        template: {
          metadata: { labels },
          spec: {
            containers: [
              {
                ...container,
                resources: {},
                terminationMessagePath: '/dev/termination-log',
                terminationMessagePolicy: 'File',
                imagePullPolicy: 'Always',
              },
            ],
            restartPolicy: 'Never',
            terminationGracePeriodSeconds: 30,
            dnsPolicy: 'ClusterFirst',
            securityContext: {},
            schedulerName: 'default-scheduler',
          },
        },
      });
      expect(body.status).toEqual({});
    });

    test.each<{ given: Fields; got: Fields; absent?: string[] }>([
      { given: { completions: 5 }, got: { completions: 5, parallelism: 1 } },
      { given: { parallelism: 3 }, got: { parallelism: 3 }, absent: ['completions'] },
      { given: { parallelism: 0 }, got: { parallelism: 0 }, absent: ['completions'] },
      { given: { completionMode: 'Indexed', completions: 2 }, got: { completionMode: 'Indexed', parallelism: 1, backoffLimit: 6 } },
      {
        given: { completionMode: 'Indexed', completions: 2, backoffLimitPerIndex: 1 },
        got: { backoffLimit: 2147483647, backoffLimitPerIndex: 1 },
      },
      {
        given: { podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] } },
        got: {
          podReplacementPolicy: 'Failed',
          podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }] },
        },
      },
    ])('defaults around $given', async ({ given, got, absent = [] }) => {
      const namespace = await freshNamespace(api());
      const { spec } = await api().create(jobs(namespace), aJob('a', given));
      expect(spec).toMatchObject(got);
      for (const field of absent) expect(spec).not.toHaveProperty(field);
    });

    test('labels of the Job are its own when it brings some, the template keeps its own', async () => {
      const namespace = await freshNamespace(api());
      const job = aJob('a', {}, { metadata: { labels: { mine: 'yes' } } });
      const body = await api().create(jobs(namespace), { ...job, metadata: { name: 'a', labels: { app: 'x' } } });
      expect(body.metadata.labels).toEqual({ app: 'x' });
      expect(body.spec).toMatchObject({ template: { metadata: { labels: { mine: 'yes', 'batch.kubernetes.io/job-name': 'a' } } } });
    });

    test('a manual selector is taken as it is', async () => {
      const namespace = await freshNamespace(api());
      const selector = { matchLabels: { mine: 'yes' } };
      const body = await api().create(
        jobs(namespace),
        aJob(
          'a',
          { manualSelector: true, selector },
          { metadata: { labels: { mine: 'yes' } }, spec: { restartPolicy: 'Never', containers: [container] } },
        ),
      );
      expect(body.spec).toMatchObject({ selector, template: { metadata: { labels: { mine: 'yes' } } } });
      expect(body.spec).not.toHaveProperty('template.metadata.labels.job-name');
    });

    test('generation counts changes of the spec, and of nothing else', async () => {
      const namespace = await freshNamespace(api());
      await api().create(jobs(namespace), aJob('a', { parallelism: 1, completions: 5 }));
      const labelled = await api().patch(jobs(namespace, 'a'), mergePatch, { metadata: { labels: { k: 'v' } } });
      expect(labelled.body.metadata.generation).toBe(1);
      const status = await api().patch(jobs(namespace, 'a/status'), mergePatch, { status: { active: 1 } });
      expect(status.body.metadata.generation).toBe(1);
      const spec = await api().patch(jobs(namespace, 'a'), mergePatch, { spec: { parallelism: 2 } });
      expect(spec.body).toMatchObject({ metadata: { generation: 2 }, spec: { parallelism: 2 }, status: { active: 1 } });
    });

    test('spec and status are written apart', async () => {
      const namespace = await freshNamespace(api());
      const made = await api().create(jobs(namespace), { ...aJob('a'), status: { active: 7 } });
      expect(made.status).toEqual({});
      const status = await api().put(jobs(namespace, 'a/status'), {
        ...made,
        spec: { ...made.spec, parallelism: 9 },
        status: { active: 1, ready: 0, startTime: '2024-01-01T00:00:00Z' },
      });
      expect(status.body.spec).toMatchObject({ parallelism: 1 });
      expect(status.body.status).toMatchObject({ active: 1, ready: 0, startTime: '2024-01-01T00:00:00Z' });
      const spec = await api().put(jobs(namespace, 'a'), withStatus({ ...status.body, spec: { ...made.spec, parallelism: 2 } }, {}));
      expect(spec.body).toMatchObject({ spec: { parallelism: 2 }, status: { active: 1 } });
      const read = await api().get(jobs(namespace, 'a/status'));
      expect(read.body).toEqual(spec.body);
    });

    test('a status by an old resourceVersion is a conflict', async () => {
      const namespace = await freshNamespace(api());
      const made = await api().create(jobs(namespace), aJob('a'));
      await api().patch(jobs(namespace, 'a'), mergePatch, { spec: { suspend: true } });
      const { status, body } = await api().put(jobs(namespace, 'a/status'), withStatus(made, { active: 1 }));
      expect(status).toBe(409);
      expect(body.reason).toBe('Conflict');
    });

    test('field selectors know how a Job stands', async () => {
      const namespace = await freshNamespace(api());
      for (const name of ['a', 'b']) await api().create(jobs(namespace), aJob(name));
      await api().patch(jobs(namespace, 'b/status'), mergePatch, { status: { succeeded: 1 } });
      const { body } = await api().get(`${jobs(namespace)}?fieldSelector=status.successful%3D1`);
      expect(body.items?.map(({ metadata }) => metadata.name)).toEqual(['b']);
    });

    const start: Fields = { completions: 4, parallelism: 2 };
    const indexed: Fields = { ...start, completionMode: 'Indexed' };
    test.each<{ name: string; from?: Fields; change: Fields; fields: string[] }>([
      { name: 'parallelism', change: { parallelism: 3 }, fields: [] },
      { name: 'suspend', change: { suspend: true }, fields: [] },
      { name: 'activeDeadlineSeconds', change: { activeDeadlineSeconds: 9 }, fields: [] },
      { name: 'backoffLimit', change: { backoffLimit: 1 }, fields: [] },
      { name: 'ttlSecondsAfterFinished', change: { ttlSecondsAfterFinished: 1 }, fields: [] },
      { name: 'both of an elastic Job', from: indexed, change: { completions: 3, parallelism: 3 }, fields: [] },
      { name: 'completions', change: { completions: 5 }, fields: ['spec.completions'] },
      { name: 'completions of an Indexed Job alone', from: indexed, change: { completions: 5 }, fields: ['spec.completions'] },
      { name: 'completionMode', change: { completionMode: 'Indexed' }, fields: ['spec.completionMode'] },
      { name: 'managedBy', change: { managedBy: 'farloop.dev/job' }, fields: ['spec.managedBy'] },
      {
        name: 'backoffLimitPerIndex',
        from: { ...indexed, backoffLimitPerIndex: 1 },
        change: { backoffLimitPerIndex: 2 },
        fields: ['spec.backoffLimitPerIndex'],
      },
      {
        name: 'the template of a Job at work',
        change: { template: { metadata: { annotations: { k: 'v' } } } },
        fields: ['spec.template'],
      },
      {
        name: "a suspended Job's template annotations",
        from: { ...start, suspend: true },
        change: { template: { metadata: { annotations: { k: 'v' } } } },
        fields: [],
      },
      {
        name: "a suspended Job's image",
        from: { ...start, suspend: true },
        change: { template: { spec: { containers: [{ name: 'main', image: 'other' }] } } },
        fields: ['spec.template.spec'],
      },
      {
        name: 'the selector',
        change: { selector: { matchLabels: { k: 'v' } } },
        fields: ['spec.selector', 'spec.template.metadata.labels'],
      },
    ])('changing $name: $fields', async ({ from = start, change, fields }) => {
      const namespace = await freshNamespace(api());
      await api().create(jobs(namespace), aJob('a', from));
      const { status, body } = await api().patch(jobs(namespace, 'a'), mergePatch, { spec: change });
      expect(status).toBe(fields.length === 0 ? 200 : 422);
      expect([...new Set(causeFields(body))]).toEqual([...new Set(fields)]);
    });
  });
}
