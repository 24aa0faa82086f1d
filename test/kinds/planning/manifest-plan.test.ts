// Planning from manifests: what may be given, what is refused and in which words.
import { describe, expect, test } from '@jest/globals';
import { SeveralWorkloadsError, UnusableManifestError, type SourcedDocument } from '../../../lib/kinds/rows/manifest-documents.ts';
import { planManifests } from '../../../lib/kinds/planning/manifest-plan.ts';

const now = new Date('2026-05-01T10:00:00Z');
const aManifest = (spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'demo', ...metadata },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] } }, ...spec },
});
const aPodManifest = (metadata: object = {}, rest: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'demo-x',
    uid: 'pod-x',
    labels: { 'batch.kubernetes.io/controller-uid': 'u' },
    ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'demo', uid: 'u', controller: true }],
    finalizers: ['batch.kubernetes.io/job-tracking'],
    ...metadata,
  },
  spec: { containers: [{ name: 'main', image: 'busybox' }] },
  ...rest,
});
const from = (...documents: unknown[]): SourcedDocument[] => documents.map((document, at) => ({ document, source: `f.yaml:${at + 1}` }));
const planOf = (...documents: unknown[]) => planManifests(from(...documents), { now });

describe('planning from manifests', () => {
  test('a Job as a person writes it gets its defaults, selector and labels', () => {
    const plan = planOf(aManifest());
    expect(plan).toMatchObject({ outcome: 'acted', workload: { kind: 'Job', namespace: 'default', name: 'demo' } });
    expect(plan.actions[0]).toMatchObject({
      verb: 'create',
      object: { metadata: { labels: { 'job-name': 'demo' } }, spec: { dnsPolicy: 'ClusterFirst', restartPolicy: 'Never' } },
    });
    expect(plan.status).toMatchObject({ active: 1, startTime: '2026-05-01T10:00:00Z' });
  });

  test('what kubectl prints is understood: Lists, nulls, empty documents, objects that no planner reads', () => {
    const list = {
      apiVersion: 'v1',
      kind: 'List',
      items: [aManifest({}, { uid: 'u', creationTimestamp: null }), aPodManifest({}, { status: { phase: 'Succeeded' } })],
    };
    const unread = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } };
    const plan = planOf(null, unread, { apiVersion: 'v1', kind: 'List', items: null }, { ...unread, kind: 'AllowList' }, list);
    expect(plan.status).toMatchObject({ succeeded: 1, completionTime: '2026-05-01T10:00:00Z' });
  });

  test('the items of a typed list need not say what they are', () => {
    const { apiVersion: _, kind: __, ...item } = aManifest();
    expect(planOf({ apiVersion: 'batch/v1', kind: 'JobList', items: [item] }).workload.name).toBe('demo');
  });

  test('a Job that is stored keeps its selector and labels: one from before Kubernetes 1.27 keeps its pods', () => {
    const labels = { 'controller-uid': 'u', 'job-name': 'demo' };
    const old = aManifest({ selector: { matchLabels: { 'controller-uid': 'u' } } }, { uid: 'u', labels });
    Object.assign(old.spec.template, { metadata: { labels } });
    const plan = planOf(structuredClone(old), aPodManifest({ labels }, { status: { phase: 'Running' } }));
    expect(plan.actions.filter(({ verb }) => verb !== 'status')).toEqual([]);
    expect(plan.status).toMatchObject({ active: 1 });
    const [create] = planOf(structuredClone(old)).actions;
    expect(create).toHaveProperty('object.metadata.labels', labels);
    const other = { ...old, metadata: { ...old.metadata, name: 'other' } };
    expect(() => planOf(other)).toThrow('f.yaml:1: spec.template.metadata.labels[job-name]: Invalid value');
  });

  test('what a server of 1.36 has switched off is in no pod, unless a cluster has stored it', () => {
    const manifest = aManifest();
    const bundle = { clusterTrustBundle: { name: 'b', path: 'p' } };
    Object.assign(manifest.spec.template.spec, { volumes: [{ name: 'trust', projected: { sources: [bundle] } }] });
    const sourcesIn = (document: object): unknown => planOf(structuredClone(document)).actions[0];
    expect(sourcesIn(manifest)).toHaveProperty('object.spec.volumes[0].projected.sources', [{}]);
    const [labels, selector] = [{ 'controller-uid': 'u', 'job-name': 'demo' }, { matchLabels: { 'controller-uid': 'u' } }];
    const template = { ...manifest.spec.template, metadata: { labels } };
    const stored = aManifest({ selector, template }, { uid: 'u', labels });
    expect(sourcesIn(stored)).toHaveProperty('object.spec.volumes[0].projected.sources', [bundle]);
  });

  test('a Job that is stored may have what its API server let it keep', () => {
    const labels = { 'controller-uid': 'u', 'job-name': 'demo' };
    const given = aManifest();
    const resized = { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }], name: 'first', image: 'busybox' };
    Object.assign(given.spec.template.spec, { initContainers: [resized], seLinuxChangePolicy: 'MountOption' });
    expect(() => planOf(structuredClone(given))).toThrow(/resizePolicy|seLinuxChangePolicy/);
    const template = { ...given.spec.template, metadata: { labels } };
    const stored = aManifest({ selector: { matchLabels: { 'controller-uid': 'u' } }, template }, { uid: 'u', labels });
    expect(planOf(structuredClone(stored)).actions[0]).toMatchObject({ verb: 'create' });
    Object.assign(stored.spec.template.spec, { dnsPolicy: 'Nobody' });
    expect(() => planOf(stored)).toThrow('dnsPolicy');
  });

  test('a pod is counted once: given twice it is refused, and one of another namespace is not the Job’s', () => {
    const twice = (): unknown => planOf(aManifest({}, { uid: 'u' }), aPodManifest(), aPodManifest());
    expect(twice).toThrow(UnusableManifestError);
    expect(twice).toThrow('f.yaml:3: metadata.uid: expected each pod once, found demo-x (pod-x) as in f.yaml:2');
    expect(planOf(aManifest({}, { uid: 'u' }), aPodManifest({ namespace: 'other' })).actions[0]).toMatchObject({ verb: 'create' });
  });

  test('a workload is given once: nobody could say which of two is meant', () => {
    const twice = (workload?: string): unknown =>
      planManifests(from(aManifest(), aManifest({}, { name: 'other' }), aManifest({}, { namespace: 'default', uid: 'u' })), {
        now,
        ...(workload !== undefined && { workload }),
      });
    for (const workload of [undefined, 'Job/demo']) {
      expect(() => twice(workload)).toThrow(UnusableManifestError);
      expect(() => twice(workload)).toThrow('f.yaml:3: metadata.name: expected each workload once, found Job/default/demo as in f.yaml:1');
    }
    expect(() => planOf(aManifest(), aManifest({}, { namespace: 'elsewhere' }))).toThrow(SeveralWorkloadsError);
  });

  test.each(['Job/demo', 'job/demo', 'jobs/demo', 'job.batch/demo', 'jobs.batch/demo', 'jobs.v1.batch/default/demo'])(
    '--workload %s is understood, as by kubectl',
    (workload) => {
      const plan = planManifests(from(aManifest({}, { name: 'other' }), aManifest()), { now, workload });
      expect(plan.workload.name).toBe('demo');
    },
  );

  test('actions hold what the documentation says and nothing else', () => {
    const plan = planOf(aManifest({ parallelism: 0 }, { uid: 'u' }), aPodManifest());
    const [strip, remove] = plan.actions;
    expect(Object.keys(strip ?? {})).toEqual(['verb', 'apiVersion', 'kind', 'namespace', 'name', 'uid', 'type', 'patch', 'why']);
    expect(Object.keys(remove ?? {})).toEqual(['verb', 'apiVersion', 'kind', 'namespace', 'name', 'uid', 'why']);
  });

  test('a Head brings what a pass would find in it', () => {
    const head = { apiVersion: 'farloop.dev/v1', kind: 'Head', backoff: { failures: 1, lastFailureTime: '2026-05-01T09:59:56Z' } };
    expect(planOf(aManifest(), head)).toMatchObject({ requeueAfterSeconds: 6, status: { ready: 0 } });
    const waiting = { apiVersion: 'farloop.dev/v1', kind: 'Head', expectations: { create: ['demo-zzzzz'] } };
    expect(planOf(aManifest(), waiting).actions.map(({ verb }) => verb)).toEqual(['status']);
    const later = { apiVersion: 'farloop.dev/v1', kind: 'Head', ordinal: 7 };
    expect(planOf(aManifest(), later).actions[0]).toMatchObject({ object: { metadata: { annotations: { 'farloop.dev/number': '7' } } } });
  });

  test('another manager’s Job is not ours', () =>
    expect(planOf(aManifest({ managedBy: 'example.com/x' }))).toMatchObject({ outcome: 'notOurs', actions: [] }));

  test('one of several is picked by name', () => {
    const documents = from(aManifest(), aManifest({}, { name: 'other' }), aManifest({}, { namespace: 'n' }));
    expect(() => planManifests(documents, { now })).toThrow(SeveralWorkloadsError);
    expect(() => planManifests(documents, { now, workload: 'job/demo' })).toThrow(/Job\/default\/demo, Job\/default\/other, Job\/n\/demo/);
    expect(planManifests(documents, { now, workload: 'Job/other' }).workload.name).toBe('other');
    expect(planManifests(documents, { now, workload: 'job/n/demo' }).workload.namespace).toBe('n');
  });

  test.each<[string, unknown[], RegExp]>([
    ['no workload', [aPodManifest()], /no workload in the input; expected one of Job/],
    ['nothing at all', [], /no workload/],
    ['no object', ['text'], /f\.yaml:1: expected a Kubernetes object, found "text"/],
    ['no kind', [{ apiVersion: 'v1' }], /f\.yaml:1: expected apiVersion and kind/],
    [
      'a list of no list',
      [{ apiVersion: 'v1', kind: 'List', items: 3 }],
      /f\.yaml:1: items: expected a list of Kubernetes objects, found 3/,
    ],
    [
      'a typed list of no list',
      [{ apiVersion: 'batch/v1', kind: 'JobList', items: {} }],
      /f\.yaml:1: items: expected a list of Kubernetes objects, found \{\}/,
    ],
    [
      'no object in a list',
      [{ apiVersion: 'v1', kind: 'List', items: [aManifest(), 3] }],
      /f\.yaml:1 item 1: expected a Kubernetes object/,
    ],
    [
      'a time without a zone',
      [aPodManifest({ deletionTimestamp: '2026-05-01T10:00:00' }), aManifest()],
      /metadata\.deletionTimestamp: expected an RFC 3339 time/,
    ],
    ['no name', [aManifest({}, { name: undefined })], /metadata\.name: expected the name/],
    ['a text for a number', [aManifest({ parallelism: 'two' })], /f\.yaml:1: spec\.parallelism: expected a whole number, found "two"/],
    ['a fraction', [aManifest({ completions: 1.5 })], /spec\.completions: expected a whole number, found 1\.5/],
    ['no spec', [{ ...aManifest(), spec: undefined }], /f\.yaml:1: spec: expected an object, found nothing/],
    ['no template', [{ ...aManifest(), spec: {} }], /spec\.template: expected an object/],
    [
      'containers that are no list',
      [aManifest({ template: { spec: { containers: 'x' } } })],
      /spec\.template\.spec\.containers: expected a list, found "x"/,
    ],
    [
      'a label that is no text',
      [aPodManifest({ labels: { a: 1 } }), aManifest()],
      /f\.yaml:1: metadata\.labels\.a: expected text, found 1/,
    ],
    ['a status of other shape', [{ ...aManifest(), status: { conditions: {} } }], /status\.conditions: expected a list/],
    [
      'a time that is none',
      [aPodManifest({ deletionTimestamp: 'soon' }), aManifest()],
      /metadata\.deletionTimestamp: expected an RFC 3339 time, found "soon"/,
    ],
    [
      'what the API server refuses',
      [aManifest({ completionMode: 'Indexed', parallelism: 2 })],
      /f\.yaml:1: spec\.completions: Required value/,
    ],
    [
      'a Head of other shape',
      [aManifest(), { apiVersion: 'farloop.dev/v1', kind: 'Head', ordinal: -1 }],
      /f\.yaml:2: ordinal: expected a whole number from 0, found -1/,
    ],
    [
      'a Head of numbers that no Head holds',
      [aManifest(), { apiVersion: 'farloop.dev/v1', kind: 'Head', backoff: { failures: 1e30 } }],
      /f\.yaml:2: backoff\.failures: expected a number of 32 bits, found 1e\+30/,
    ],
    [
      'two Heads',
      [aManifest(), { apiVersion: 'farloop.dev/v1', kind: 'Head' }, { apiVersion: 'farloop.dev/v1', kind: 'Head' }],
      /a second Head/,
    ],
    ['a pod without uid', [aManifest(), aPodManifest({ uid: undefined })], /f\.yaml:2: metadata\.uid: expected text/],
  ])('refused: %s', (_, documents, message) => {
    expect(() => planManifests(from(...structuredClone(documents)), { now })).toThrow(UnusableManifestError);
    expect(() => planManifests(from(...structuredClone(documents)), { now })).toThrow(message);
  });

  test.each(['Job', 'Job/a/b/c', 'Deployment/demo', 'Job/x', 'job.apps/demo', 'batch/demo'])('--workload %s names nothing', (workload) => {
    expect(() => planManifests(from(aManifest()), { now, workload })).toThrow(UnusableManifestError);
  });
});

describe('Workload and PodGroup', () => {
  const gang = aManifest({ parallelism: 2, completions: 2, scheduling: { schedulingPolicy: { gang: {} } } }, { uid: 'u' });
  const planGroups = (...documents: unknown[]) => planManifests(from(...documents), { now, options: { 'workload-with-job': 'on' } });

  test('are planned before the pods where the feature is on', () => {
    const plan = planGroups(structuredClone(gang));
    const kinds = plan.actions.flatMap((action) => (action.verb === 'create' ? [action.object.kind] : []));
    expect(kinds).toEqual(['Workload', 'PodGroup', 'Pod', 'Pod']);
    expect(plan.why.at(-1)).toMatch(/scheduled as the group demo-/);
  });

  test('that are given are used; a changed size is planned', () => {
    const given = planGroups(structuredClone(gang)).actions.flatMap((action) =>
      action.verb === 'create' && action.object.kind !== 'Pod' ? [action.object] : [],
    );
    const stored = given.map((object, at) => ({ ...object, metadata: { ...object.metadata, uid: `uid-${at}` } }));
    expect(planGroups(structuredClone(gang), ...structuredClone(stored)).actions.map(({ verb }) => verb)).not.toContain('patch');
    const larger = { ...structuredClone(gang), spec: { ...structuredClone(gang.spec), parallelism: 3, completions: 3 } };
    expect(planGroups(larger, ...stored).actions.slice(0, 2)).toMatchObject([
      { verb: 'patch', kind: 'Workload', uid: 'uid-0' },
      { verb: 'patch', kind: 'PodGroup', uid: 'uid-1' },
    ]);
  });

  test('that have the wrong shape are refused with their field', () => {
    const workload = { apiVersion: 'scheduling.k8s.io/v1beta1', kind: 'Workload', metadata: { name: 'w', uid: 'w' }, spec: {} };
    expect(() => planGroups(structuredClone(gang), workload)).toThrow('f.yaml:2: spec.podGroupTemplates: expected a list, found nothing');
  });

  test('off: the field means nothing, not even where it is wrong', () => {
    const wrong = aManifest({ scheduling: { schedulingPolicy: { gang: { minCount: 9 } } } });
    expect(planOf(wrong).actions.filter(({ verb }) => verb === 'create')).toHaveLength(1);
    expect(() => planGroups(aManifest({ scheduling: { schedulingPolicy: { gang: { minCount: 9 } } } }))).toThrow(
      /spec\.scheduling\.schedulingPolicy\.gang\.minCount: .*less than or equal to parallelism \(1\)/,
    );
  });
});
