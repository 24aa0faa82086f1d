// Planning from documents of any kind: sorted by the rows' resources, named by KIND/[NAMESPACE/]NAME, with what a kind reads beside and adds.
import { describe, expect, test } from '@jest/globals';
import { defineManifests } from '../../lib/kinds/rows/kind-manifests.ts';
import { planManifests, type ManifestPlan } from '../../lib/kinds/planning/manifest-plan.ts';
import { plannedKinds, type PlannedKind } from '../../lib/kinds/manifests.ts';
import type { Action } from '../../lib/kinds/rows/plan.ts';
import { definePlanner } from '../../lib/kinds/rows/planner-row.ts';
import { podSetOf } from '../../lib/kinds/rows/pod-set.ts';
import type { Resource } from '../../lib/objects/resources.ts';
import { NODES } from '../../lib/objects/resources.ts';
import { aMadeUpKind, type Band } from './band.ts';

const HALLS: Resource = { apiVersion: 'music.example.com/v1alpha1', kind: 'Hall', plural: 'halls', namespaced: true };
const { facts, shown } = aMadeUpKind();

/** Plays wherever a hall is: an action of each verb, and the halls in the answer. */
const band: PlannedKind = {
  facts,
  shown,
  row: definePlanner<Band, object>({
    plan: ({ owner, pods }) => ({
      actions: actionsFor(
        owner,
        [...podSetOf(pods)].map(({ namespace, name }) => `${namespace}/${name}`),
      ),
      status: { playing: podSetOf(pods).size },
      why: [],
    }),
  }),
  manifests: defineManifests<Band>(facts, {
    besides: () => [
      {
        resource: HALLS,
        problemOf: ({ seats }) => (typeof seats === 'number' ? undefined : { field: 'seats', expected: 'a number', found: undefined }),
      },
    ],
    read: (document, { namespace }) => {
      const given = document as unknown as Band;
      if (typeof given.spec.players !== 'number') return { problem: { field: 'spec.players', expected: 'a number', found: undefined } };
      if (given.spec.players < 1) return { refusals: [{ field: 'spec.players', message: 'must be 1 or more' }] };
      return { owner: { ...given, metadata: { ...given.metadata, namespace } } };
    },
    extraOf: ({ read }) => ({ halls: (read.get(HALLS) ?? []).map(({ metadata }) => metadata.name) }),
  }),
};

function actionsFor({ metadata }: Band, why: string[]): Action[] {
  const target = { apiVersion: 'v1', kind: 'Service', namespace: metadata.namespace ?? '', name: 'stage', uid: 's' };
  const services: Resource = { apiVersion: 'v1', kind: 'Service', plural: 'services', namespaced: true };
  return [
    { verb: 'create', resource: services, object: { metadata: { name: 'stage' } }, why: why.join(' ') },
    { verb: 'patch', resource: services, purpose: 'tune', canBeTakenBack: true, ...target, type: 'merge', patch: { a: 1 }, why: 'b' },
    { verb: 'delete', resource: services, active: false, ...target, why: 'c' },
    { verb: 'status', status: { playing: 1 }, why: 'd' },
    { verb: 'event', type: 'Normal', reason: 'Played', message: 'it played', regarding: target, why: 'e' },
  ];
}

const aBand = (name: string, spec: object = { players: 4 }): object => ({
  apiVersion: 'music.example.com/v1alpha1',
  kind: 'Band',
  metadata: { name, namespace: 'default', uid: `uid-of-${name}` },
  spec,
});
const aPod = (name: string, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: `uid-of-${name}`, ...metadata },
  spec: { containers: [{ name: 'main' }] },
});
const tracked = { finalizers: ['batch.kubernetes.io/job-tracking'] };
const aHall = { ...HALLS, metadata: { name: 'large' }, seats: 100 };

/** A node of which its pods, wherever they are, make the plan: by name alone. */
const node: PlannedKind = {
  facts: { ...facts, kind: 'Stage', resource: NODES, shortNames: [] },
  ...(band.row && { row: band.row }),
  shown,
  manifests: defineManifests<Band>(facts, {
    isOnlyByName: true,
    read: (document) => ({ owner: document as unknown as Band }),
  }),
};

const plan = (
  objects: readonly object[],
  workload?: string,
  kinds: readonly PlannedKind[] = [...plannedKinds(), band, node],
): ManifestPlan =>
  planManifests(
    objects.map((document, at) => ({ document: structuredClone(document), source: `f.yaml:${at}` })),
    { now: new Date('2026-05-01T10:00:00Z'), kinds, ...(workload !== undefined && { workload }) },
  );

describe('documents of a made-up kind', () => {
  test('are planned by its row, with actions of every verb, and what it adds', () => {
    expect(plan([aBand('quartet'), aPod('viola'), aHall])).toEqual({
      workload: { apiVersion: 'music.example.com/v1alpha1', kind: 'Band', namespace: 'default', name: 'quartet', uid: 'uid-of-quartet' },
      actions: [
        { verb: 'create', object: { metadata: { name: 'stage' } }, why: 'default/viola' },
        expect.objectContaining({ verb: 'patch', kind: 'Service', name: 'stage', type: 'merge', patch: { a: 1 } }),
        expect.objectContaining({ verb: 'delete', kind: 'Service', name: 'stage', uid: 's' }),
        { verb: 'status', status: { playing: 1 }, why: 'd' },
        expect.objectContaining({ verb: 'event', reason: 'Played' }),
      ],
      status: { playing: 1 },
      outcome: 'acted',
      why: [],
      extra: { halls: ['large'] },
    });
  });

  test.each(['Band/trio', 'bands/default/trio', 'bd/trio'])('are told apart by %s', (workload) => {
    expect(plan([aBand('quartet'), aBand('trio')], workload).workload.name).toBe('trio');
  });

  test.each([
    { name: 'several', objects: [aBand('quartet'), aBand('trio')], says: 'Band/default/quartet, Band/default/trio' },
    { name: 'none', objects: [aHall], says: 'Band (music.example.com/v1alpha1)' },
    { name: 'a refused one', objects: [aBand('q', { players: 0 })], says: 'f.yaml:0: spec.players: must be 1 or more' },
    { name: 'a misshapen one', objects: [aBand('q', {})], says: 'f.yaml:0: spec.players: expected a number, found nothing' },
    { name: 'a misshapen one beside it', objects: [aBand('q'), { ...aHall, seats: 'many' }], says: 'f.yaml:1: seats: expected a number' },
  ])('$name: one sentence says so', ({ objects, says }) => {
    expect(() => plan(objects)).toThrow(says);
  });
});

describe('of several faults', () => {
  test('those of documents are told before a name that is none, and that where there are workloads', () => {
    expect(() => plan([aPod('a'), aPod('a')], 'job', plannedKinds())).toThrow('metadata.uid: expected each pod once');
    expect(() => plan([aPod('a')], 'job', plannedKinds())).toThrow('no workload is named job; there is none at all');
    expect(() => plan([aBand('quartet')], 'job')).toThrow('--workload job: expected KIND/NAME or KIND/NAMESPACE/NAME');
  });
});

describe('pods and nodes', () => {
  const aNode = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'one', uid: 'n' } };

  test('a pod is an owner only where it is named: then the finalizer comes off it', () => {
    const objects = [aPod('left', tracked), aPod('other', tracked)];
    expect(() => plan(objects, undefined, plannedKinds())).toThrow('no workload in the input; expected one of Job (batch/v1)');
    const { workload, actions } = plan(objects, 'OrphanPod/left', plannedKinds());
    expect(workload).toEqual({ apiVersion: 'v1', kind: 'OrphanPod', namespace: 'default', name: 'left', uid: 'uid-of-left' });
    expect(actions).toMatchObject([{ verb: 'patch', kind: 'Pod', name: 'left' }]);
  });

  test('a pod beside a workload stays its child, and makes it no second one', () => {
    expect(plan([aBand('quartet'), aPod('viola', tracked), aNode]).workload.kind).toBe('Band');
  });

  test('a node has no namespace, and pods of all of them', () => {
    const objects = [aBand('quartet'), aNode, aPod('a'), aPod('b', { namespace: 'other' })];
    const { workload, actions } = plan(objects, 'stage/one');
    expect(workload).toMatchObject({ kind: 'Stage', namespace: '', name: 'one' });
    expect(actions[0]).toMatchObject({ why: 'default/a other/b' });
  });
});
