// One hostile message, or one report that cannot be, stops only itself.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { listWorkloads } from '../../lib/api/workloads.ts';
import { RecordingTelemetry } from '../world/recording-telemetry.ts';
import { jobFactsOf } from '../../lib/kinds/job/terms/owner-facts.ts';
import type { Job } from '../../lib/objects/kubernetes.ts';
import { podFactsOf, type PodFacts } from '../../lib/objects/pods/pod-facts.ts';
import { ingestBatch } from '../../lib/reconciler/ingest.ts';
import { decodeEvents, encodeEvents } from '../../lib/wire/events.ts';
import type { EventMessage, OutgoingReport } from '../../lib/wire/words/observations.ts';
import { embeddedPorts, type EmbeddedPorts } from '../api/embedded-ports.ts';
import { sound } from './ingest-inputs.ts';
import { LARGE_MESSAGES } from './large-messages.ts';
import { podListIn, podsAt, podsIn } from '../wire/told-children.ts';

interface Changes {
  object?: object;
  pod?: Partial<PodFacts>;
  whole?: boolean;
}

const jobNamed = (name: string): Job =>
  jobFactsOf({
    metadata: { name, namespace: 'default', uid: `uid-of-${name}`, resourceVersion: '10', creationTimestamp: '2026-05-01T10:00:00Z' },
    spec: { parallelism: 1, completions: 1, selector: { matchLabels: { 'job-name': name } }, template: { spec: { containers: [] } } },
    status: { startTime: '2026-05-01T10:00:01Z' },
  });

const podNamed = (name: string, change: Partial<PodFacts> = {}): PodFacts => ({
  uid: `uid-of-${name}`,
  name,
  namespace: 'default',
  resourceVersion: '11',
  labels: {},
  tracked: true,
  phase: 'Running',
  createdAt: 1_790_000_000,
  assigned: true,
  conditions: [{ type: 'Ready', status: 'True' }],
  containers: [{ name: 'main', role: 'container', restarts: 0 }],
  ...change,
});

function reportOf(name: string, { object = {}, pod, whole = false }: Changes = {}): OutgoingReport {
  return {
    owner: { kind: 'Job', namespace: 'default', name, uid: `uid-of-${name}` },
    observed: { heardAt: '10', deleted: false, object: { ...jobNamed(name), ...object } },
    children: [
      {
        ...podsAt([podNamed(`${name}-first`, pod), podNamed(`${name}-second`)], '12'),
        ...(whole && { whole: { floor: '12', slots: 'all' as const } }),
      },
    ],
  };
}

const bodyOf = (reports: OutgoingReport[], change: Partial<EventMessage> = {}): string => encodeEvents({ ...sound(), ...change, reports });

describe('facts that no API server tells', () => {
  const { metadata, spec } = jobNamed('odd');
  const odd: { name: string; field: string; change: Changes }[] = [
    {
      name: 'conditions that are no list',
      field: 'status.conditions',
      change: { object: { status: { conditions: { type: 'Complete' } } } },
    },
    {
      name: 'a condition that is a number',
      field: 'status.conditions[1]',
      change: { object: { status: { conditions: [{ type: 'a', status: 'b' }, 1] } } },
    },
    {
      name: 'a condition of no type',
      field: 'status.conditions[0].type',
      change: { object: { status: { conditions: [{ status: 'True' }] } } },
    },
    { name: 'a start in February 30th', field: 'status.startTime', change: { object: { status: { startTime: '2026-02-30T10:00:00Z' } } } },
    {
      name: 'an end in the year 12026',
      field: 'status.completionTime',
      change: { object: { status: { completionTime: '12026-01-01T00:00:00Z' } } },
    },
    { name: 'a status that is a text', field: 'status', change: { object: { status: 'Complete' } } },
    { name: 'more parallelism than 32 bits', field: 'spec.parallelism', change: { object: { spec: { ...spec, parallelism: 2 ** 31 } } } },
    { name: 'half a completion', field: 'spec.completions', change: { object: { spec: { ...spec, completions: 0.5 } } } },
    {
      name: 'a deadline beyond 64 bits',
      field: 'spec.activeDeadlineSeconds',
      change: { object: { spec: { ...spec, activeDeadlineSeconds: 1e30 } } },
    },
    { name: 'labels that are a list of lists', field: 'metadata.labels', change: { object: { metadata: { ...metadata, labels: [[]] } } } },
    { name: 'a label that is a number', field: 'metadata.labels.a', change: { object: { metadata: { ...metadata, labels: { a: 1 } } } } },
    { name: 'a name with a line end', field: 'metadata.name', change: { object: { metadata: { ...metadata, name: 'odd\n' } } } },
    {
      name: 'a selector of numbers',
      field: 'spec.selector.matchLabels.a',
      change: { object: { spec: { ...spec, selector: { matchLabels: { a: 1 } } } } },
    },
    {
      name: 'a failure policy of texts',
      field: 'spec.podFailurePolicy.rules[0]',
      change: { object: { spec: { ...spec, podFailurePolicy: { rules: ['all'] } } } },
    },
    {
      name: 'uncounted uids that are numbers',
      field: 'status.uncountedTerminatedPods.failed[0]',
      change: { object: { status: { uncountedTerminatedPods: { failed: [1] } } } },
    },
    { name: 'a pod created in the year 300000000', field: 'pods[0]', change: { pod: { createdAt: 9_007_199_254_740 } } },
    {
      name: 'a pod whose container ended before the year 1',
      field: 'pods[0]',
      change: { pod: { containers: [{ name: 'main', role: 'container', restarts: 0, exitCode: 0, finishedAt: -1e13 }] } },
    },
    { name: 'a pod whose uid ends a line', field: 'pods[0]', change: { pod: { uid: 'uid\nof-a-pod' } } },
    { name: 'a pod whose name turns the text around', field: 'pods[0]', change: { pod: { name: 'pod-\u202E' } } },
    {
      name: 'a pod of more restarts than 32 bits',
      field: 'pods[0]',
      change: { pod: { containers: [{ name: 'main', role: 'container', restarts: 2 ** 31 }] } },
    },
    { name: 'a pod of a phase of 2,000 letters', field: 'pods[0]', change: { pod: { phase: 'x'.repeat(2_000) } } },
    { name: 'a pod of a number of ten digits', field: 'pods[0]', change: { pod: { number: 10 ** 9 } } },
    {
      name: 'a pod that had longer to end than a duration holds',
      field: 'pods[0]',
      change: { pod: { deletedAt: 1_790_000_000, deletionGraceSeconds: 1e12 } },
    },
  ];

  for (const { name, field, change } of odd)
    test(`${name}: refused with its field, and all else is taken`, () => {
      const { reports, refused } = decodeEvents(bodyOf([reportOf('before'), reportOf('odd', change), reportOf('after')]));
      expect(refused).toMatchObject({ count: 1, first: [{ owner: { name: 'odd' }, field }] });
      const told = reports.map((report) => [
        report.owner.name,
        report.observed !== undefined,
        podsIn(report).map(({ child: pod }) => pod.name),
      ]);
      const pods = (of: string): string[] => [`${of}-first`, `${of}-second`];
      expect(told).toEqual([
        ['before', true, pods('before')],
        ['odd', !change.object, change.pod ? ['odd-second'] : pods('odd')],
        ['after', true, pods('after')],
      ]);
    });

  test('what an API server does tell is taken: null for what is empty, and the largest of numbers', () => {
    const object = {
      spec: {
        ...spec,
        parallelism: 2 ** 31 - 1,
        activeDeadlineSeconds: 2 ** 62,
        podFailurePolicy: { rules: [{ action: 'Count', onPodConditions: null }] },
      },
      status: {
        conditions: [
          { type: 'Failed', status: 'True', lastProbeTime: null, lastTransitionTime: '9999-12-31T23:59:59Z', message: 'two\nlines' },
        ],
      },
    };
    expect(decodeEvents(bodyOf([reportOf('odd', { object })]))).not.toHaveProperty('refused');
  });

  test('a pod that is as odd as an API server lets one be is taken', () => {
    const long = 'x'.repeat(5_000);
    const pod = podFactsOf({
      metadata: {
        name: 'odd',
        namespace: 'default',
        uid: 'uid-of-odd',
        resourceVersion: '11',
        creationTimestamp: '0000-01-01T00:00:00Z',
        ownerReferences: [{ apiVersion: long, kind: `\u0001${long}`, name: `\u202e${long}`, uid: long, controller: true }],
      },
      spec: { containers: [] },
      status: {
        phase: long,
        conditions: [{ type: 'example.com/Odd', status: long }],
        containerStatuses: [
          { name: `\u0001${long}`, restartCount: -5, state: { terminated: { exitCode: -99, finishedAt: '9999-12-31T23:59:59Z' } } },
        ],
      },
    });
    const body = bodyOf([{ ...reportOf('odd'), children: [podsAt([pod], '12')] }]);
    const told = decodeEvents(body);
    expect(told).not.toHaveProperty('refused');
    expect(told.reports.flatMap(podsIn)[0]?.child).toEqual(pod);
  });

  test('R19: a list that does not name them all any more proves no absence', () => {
    const [sane, short] = [{}, { createdAt: 1e15 }].map((pod) => decodeEvents(bodyOf([reportOf('odd', { pod, whole: true })])).reports[0]);
    expect([sane, short].map((report) => report && podListIn(report))).toEqual([{ floor: '12', slots: 'all' }, undefined]);
    expect(short && podsIn(short)).toHaveLength(1);
  });
});

describe('a batch', () => {
  let ports: EmbeddedPorts;
  let telemetry: RecordingTelemetry;

  beforeEach(async () => {
    telemetry = new RecordingTelemetry();
    ports = { ...(await embeddedPorts('local')), telemetry };
  });
  afterEach(() => ports.close());

  const take = async (bodies: { body: string; senderId?: string }[]): Promise<string[]> =>
    await ingestBatch(
      bodies.map(({ body, senderId = 'local' }, at) => ({
        messageId: `${at}`,
        receiptHandle: 'r',
        receiveCount: 1,
        sentAtMs: Date.now(),
        body,
        senderId,
      })),
      ports,
    );
  const known = async (): Promise<string[]> => (await listWorkloads(ports, {}, { limit: 10 })).items.map(({ name }) => name);

  test('R15: what an unknown sender sent is refused unread, broken or not', async () => {
    expect(
      await take([
        { body: 'broken', senderId: 'foreign' },
        { body: bodyOf([reportOf('demo')]), senderId: 'foreign' },
      ]),
    ).toEqual([]);
    expect(telemetry.sum('RefusedMessages')).toBe(2);
    expect(telemetry.sum('UnreadableMessages')).toBe(0);
    expect(await known()).toEqual([]);
  });

  test('R15: a sender that was registered a moment ago is believed', async () => {
    await take([{ body: 'broken', senderId: 'new' }]);
    const record = await ports.clusters.get('local');
    if (!record) throw new Error('not registered');
    await ports.clusters.put({ ...record, senders: ['local', 'new'] }, record.version);
    expect(await take([{ body: bodyOf([reportOf('demo')]), senderId: 'new' }])).toEqual([]);
    expect(await known()).toEqual(['demo']);
  });

  test('R13: a report that cannot be is counted, and its message is done', async () => {
    expect(await take([{ body: bodyOf([reportOf('odd', { object: { status: 1 } }), reportOf('demo')]) }])).toEqual([]);
    expect(telemetry.sum('RefusedMessages')).toBe(1);
    expect(await known()).toContain('demo');
  });

  test('R13: what could not be read is not unpacked again when it comes back, and what was given back by chance is', async () => {
    const costly = LARGE_MESSAGES['empty objects in a list']?.() ?? '';
    const again = async (): Promise<string[]> =>
      await ingestBatch(
        [{ messageId: 'it', receiptHandle: 'r', receiveCount: 2, sentAtMs: Date.now(), body: costly, senderId: 'local' }],
        ports,
      );
    await take([{ body: costly }]);
    const beganMs = performance.now();
    for (let time = 0; time < 100; time++) expect(await again()).toEqual(['it']);
    // Each would take 20 ms or more.
    expect(performance.now() - beganMs).toBeLessThan(1_000);
    const good = {
      messageId: 'good',
      receiptHandle: 'r',
      receiveCount: 2,
      sentAtMs: Date.now(),
      body: bodyOf([reportOf('demo')]),
      senderId: 'local',
    };
    expect(await ingestBatch([good], ports)).toEqual([]);
    expect(await known()).toEqual(['demo']);
  });

  test('reports that tell nothing are not looked up', async () => {
    const owner = { kind: 'Job' as const, namespace: 'default', name: 'empty', uid: 'uid-of-empty' };
    expect(await take([{ body: bodyOf([{ owner, children: [] }]) }])).toEqual([]);
    expect(await known()).toEqual([]);
  });

  test('R13: nine hostile messages beside a good one, in the heap that a function has: the good one is done', () => {
    const answer = execFileSync(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--max-old-space-size=460', join(import.meta.dirname, 'large-batch.ts')],
      { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } },
    );
    expect(JSON.parse(answer)).toEqual({ undone: 9, known: ['good'] });
  });
});
