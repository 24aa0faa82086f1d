// A kind whose owner is a pod that the request names: it decides from whole documents, and asks other workloads for their pods' end.
import { describe, expect, test } from '@jest/globals';
import { explainPlan } from '../../lib/kinds/planning/plan-text.ts';
import type { PlannedFacts } from '../../lib/kinds/rows/kind.ts';
import { defineManifests } from '../../lib/kinds/rows/kind-manifests.ts';
import { decideFromManifests, planManifests, printedPlan } from '../../lib/kinds/planning/manifest-plan.ts';
import { ALL_FACTS } from '../../lib/kinds/facts.ts';
import { plannedKinds, type PlannedKind } from '../../lib/kinds/manifests.ts';
import { EMPTY_HEAD } from '../../lib/kinds/rows/plan.ts';
import type { Pod } from '../../lib/objects/kubernetes.ts';
import { NODES, PODS } from '../../lib/objects/resources.ts';

const GUESTS: PlannedFacts = { kind: 'Guest', resource: PODS, settings: [] };

/** A guest asks each other pod to leave the room, and says where the documents were. */
const guest: PlannedKind = {
  facts: GUESTS,
  shown: { purposes: {}, eventsPerPod: new Set(), hiddenStatus: new Set() },
  manifests: defineManifests<Pod>(GUESTS, {
    schema: 'Pod',
    isOnlyByName: true,
    besides: () => [
      {
        resource: NODES,
        schema: 'Node',
        problemOf: ({ spec }) => (spec === undefined ? { field: 'spec', expected: 'a node with a spec', found: undefined } : undefined),
      },
    ],
    read: (document) => ({ owner: document as unknown as Pod }),
    plan: ({ snapshot: { owner }, pods, read, head, sourceOf }) => ({
      actions: pods
        .filter(({ metadata }) => metadata.uid !== owner.metadata.uid)
        .map(({ metadata: { namespace = '', name = '', uid = '' } }) => ({
          verb: 'evict',
          apiVersion: 'v1',
          kind: 'Pod',
          namespace,
          name,
          uid,
          status: { phase: 'Failed' },
          why: 'a guest came',
        })),
      status: {},
      admission: { state: 'preempting' },
      outcome: 'acted',
      why: [...(read.get(NODES) ?? []), ...(head ? [head] : [])].map(sourceOf),
      head: { backoff: EMPTY_HEAD.backoff, ordinal: 0 },
    }),
  }),
};

const pod = (name: string, namespace = 'default') => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, uid: `uid-of-${name}` },
  spec: { containers: [{ name: 'main' }] },
});
const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'one' }, spec: {} };
const head = { apiVersion: 'farloop.dev/v1', kind: 'Head' };
const job = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'demo' },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'x' }] } } },
};

const documents = (...objects: object[]) =>
  objects.map((document, at) => ({ document: structuredClone(document), source: `f.yaml:${at}` }));
const request = (workload?: string) => ({
  now: new Date('2026-05-01T10:00:00Z'),
  // Without other kinds whose owners are pods.
  kinds: [...plannedKinds().filter(({ facts }) => facts.resource.apiVersion !== 'v1' || facts.isOwnerless), guest],
  ...(workload !== undefined && { workload }),
});
const owned = [
  ...Map.groupBy(
    ALL_FACTS.filter(({ isOwnerless, resource }) => !isOwnerless && resource.apiVersion !== 'v1'),
    ({ resource }) => resource.apiVersion,
  ),
].map(([version, kinds]) => `${kinds.map(({ kind }) => kind).join(', ')} (${version})`);
const planned = (workload: string | undefined, ...objects: object[]) => planManifests(documents(...objects), request(workload));

describe('a pod that the request names', () => {
  test('is planned with the pods of every namespace, the documents that its kind reads, and its head', () => {
    const { workload, actions, admission, why } = planned('Pod/new', pod('new'), pod('a'), pod('b', 'other'), node, head);
    expect(workload).toEqual({ apiVersion: 'v1', kind: 'Guest', namespace: 'default', name: 'new', uid: 'uid-of-new' });
    expect(actions).toEqual([
      {
        verb: 'evict',
        apiVersion: 'v1',
        kind: 'Pod',
        namespace: 'default',
        name: 'a',
        uid: 'uid-of-a',
        status: { phase: 'Failed' },
        why: 'a guest came',
      },
      {
        verb: 'evict',
        apiVersion: 'v1',
        kind: 'Pod',
        namespace: 'other',
        name: 'b',
        uid: 'uid-of-b',
        status: { phase: 'Failed' },
        why: 'a guest came',
      },
    ]);
    expect(admission).toEqual({ state: 'preempting' });
    expect(why).toEqual(['f.yaml:3', 'f.yaml:4']);
  });

  test('is told as text with the namespaces of the pods that go', () => {
    const { kind, plan } = decideFromManifests(documents(pod('new'), pod('a'), pod('b', 'other')), request('guest/new'));
    expect(explainPlan('Guest/default/new', plan, { shown: kind.shown })).toBe(
      'Guest/default/new acts\n  evict Pod: default/a, other/b\n      a guest came',
    );
  });

  test('beside a Job is the workload; unnamed it is none, and no document of its kind is checked', () => {
    expect(planned('pod/new', job, pod('new')).workload.kind).toBe('Guest');
    const withoutSpec = { ...node, spec: undefined };
    expect(planned(undefined, job, pod('new'), withoutSpec).workload.kind).toBe('Job');
    expect(planned('job/demo', job, pod('new'), withoutSpec).workload.kind).toBe('Job');
    expect(() => planned('pod/new', pod('new'), withoutSpec)).toThrow('f.yaml:1: spec: expected a node with a spec, found nothing');
  });

  test('is read with the types of the API server, and so is what its kind reads', () => {
    const schemas: string[] = [];
    const decided = decideFromManifests(documents(pod('new'), node), {
      ...request('Pod/new'),
      read: (schema, object) => {
        schemas.push(schema ?? '');
        return { object };
      },
    });
    expect(schemas).toEqual(['Pod', 'Node', 'Pod']);
    expect(printedPlan(decided).outcome).toBe('acted');
  });

  test.each([
    ['Pod/nobody', 'no workload is named Pod/nobody; there are Pod/default/a, Pod/other/b'],
    ['Pod/default/b', 'no workload is named Pod/default/b; there are Pod/default/a, Pod/other/b'],
    [undefined, `no workload in the input; expected one of ${owned.join(', ')}, or a Pod that --workload names`],
  ])('%s that is not among the documents: the message names those that are', (workload, message) => {
    expect(() => planned(workload, pod('a'), pod('b', 'other'))).toThrow(message);
  });

  test('of many others five are named', () => {
    const many = Array.from({ length: 7 }, (_, at) => pod(`p${at}`));
    expect(() => planned('Pod/nobody', ...many)).toThrow(/there are Pod\/default\/p0, .*, Pod\/default\/p4 and 2 more$/);
  });
});
