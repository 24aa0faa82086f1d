// What ingest, view and messages ask of a kind they ask its row: held with a kind that is not a Job.
import { describe, expect, test } from '@jest/globals';
import { factsFor } from '../../lib/kinds/facts.ts';
import type { PodFacts } from '../../lib/objects/pods/pod-facts.ts';
import { urgencyOf } from '../../lib/reconciler/ingest.ts';
import { viewDigestOf } from '../../lib/reconciler/cluster/digest-mismatch.ts';
import { digestOf } from '../../lib/wire/words/digest.ts';
import { decodeEvents, encodeEvents } from '../../lib/wire/events.ts';
import type { EventMessage, OwnerName, ViewPart, WorkloadReport } from '../../lib/wire/words/observations.ts';
import { UndecodableMessageError } from '../../lib/wire/words/undecodable.ts';
import { aPod } from '../kinds/job/builders.ts';
import { ENSEMBLE, TROUPE, type Ensemble } from '../kinds/made-up-kind.ts';
import { podsAt, toldPods } from '../wire/told-children.ts';

const OWNER: OwnerName = { kind: 'Ensemble', namespace: 'default', name: 'quartet', uid: 'uid-of-quartet' };
const quartet = (change: Partial<Ensemble> = {}): Ensemble => ({
  metadata: { name: 'quartet', namespace: 'default', uid: OWNER.uid, resourceVersion: '7' },
  spec: { players: 4 },
  ...change,
});
const pod = (change: Partial<PodFacts> = {}): PodFacts => {
  const { index: _, ...facts } = aPod({
    namespace: 'default',
    tracked: false,
    controller: { apiVersion: 'example.com/v1', kind: 'Ensemble', name: OWNER.name, uid: OWNER.uid },
    ...change,
  });
  return facts;
};
const observed = (object: Ensemble, deleted = false): WorkloadReport['observed'] => ({ heardAt: '7', deleted, object });
const observations = (...of: PodFacts[]): WorkloadReport['children'] => [podsAt(of, '8')];

const message = (reports: WorkloadReport[]): EventMessage => ({
  cluster: 'west',
  session: 'session',
  era: 0,
  kubeSystemUid: 'uid-of-kube-system',
  sequence: 1,
  sentAtMs: 0,
  reports,
});
const findKind = (kind: string): typeof ENSEMBLE | undefined => [ENSEMBLE, TROUPE].find((known) => known.kind === kind) ?? factsFor(kind);
const decoded = (...reports: WorkloadReport[]): ReturnType<typeof decodeEvents> =>
  decodeEvents(encodeEvents(message(reports)), { findKind });

describe('R9: how soon a change is looked at', () => {
  const [running, over] = [pod({ phase: 'Running' }), pod({ phase: 'Succeeded', uid: 'uid-of-another' })];
  const playing = observed(quartet({ status: { phase: 'Playing' } }));

  test("is the kind's to say: the end of a pod without a finalizer is the most urgent news of one, and the least of a Job", () => {
    expect(urgencyOf(ENSEMBLE, { owner: OWNER, children: observations(running, over) })).toBe('now');
    expect(urgencyOf(factsFor('Job'), { owner: OWNER, children: observations(over) })).toBe('debounced');
    expect(urgencyOf(ENSEMBLE, { owner: OWNER, children: observations(running) })).toBe('debounced');
  });

  test('of an owner alone is its own; a deletion and a whole list come at once; a status waits as its pods do', () => {
    expect(urgencyOf(ENSEMBLE, { owner: OWNER, ...(playing && { observed: playing }), children: [] })).toBe('debounced');
    const gone = observed(quartet({ status: { phase: 'Playing' } }), true);
    expect(urgencyOf(ENSEMBLE, { owner: OWNER, ...(gone && { observed: gone }), children: [] })).toBe('now');
    expect(urgencyOf(ENSEMBLE, { owner: OWNER, children: [toldPods([], { floor: '9', slots: 'all' })] })).toBe('now');
    expect(urgencyOf(ENSEMBLE, { owner: OWNER, ...(playing && { observed: playing }), children: observations(running) })).toBe('debounced');
    expect(urgencyOf(ENSEMBLE, { owner: OWNER, children: [toldPods([{ heardAt: '8', presence: 'deleted', child: running }])] })).toBe(
      'soon',
    );
  });
});

test("R2: which pods count in a digest is the kind's to say", () => {
  const [own, released] = [pod(), pod({ uid: 'uid-of-another', controller: { apiVersion: 'v1', kind: 'A', name: 'a', uid: 'another' } })];
  const part: ViewPart = {
    era: 0,
    resource: 'pods',
    floor: '0',
    owner: { heardAt: '7', byPass: false, deleted: false, object: quartet() },
    children: new Map([own, released].map((each) => [each.uid, { heardAt: '8', byPass: false, presence: 'there', child: each }])),
  };
  expect(viewDigestOf(ENSEMBLE, part)).toBe(digestOf([own, { uid: OWNER.uid, resourceVersion: '7' }]));
});

describe('a message about owners of another kind', () => {
  const players = observations(pod());
  const given: WorkloadReport = { owner: OWNER, observed: { heardAt: '7', deleted: false, object: quartet() }, children: players };

  test('comes out as it went in; what its kind does not believe is refused with the field', () => {
    expect(decoded(given).reports).toEqual([given]);
    const odd = decoded({ ...given, observed: { heardAt: '7', deleted: false, object: quartet({ spec: { players: 'many' as never } }) } });
    expect(odd.reports).toEqual([{ owner: OWNER, children: players }]);
    expect(odd.refused).toMatchObject({ count: 1, first: [{ owner: OWNER, field: 'spec.players' }] });
  });

  test('trap 9: has children of other namespaces only where the owner has none', () => {
    const { namespace: _, ...unscoped } = quartet().metadata;
    const troupe = { ...OWNER, kind: 'Troupe', namespace: '' };
    const elsewhere: WorkloadReport = {
      owner: troupe,
      observed: { heardAt: '7', deleted: false, object: { ...quartet(), metadata: unscoped } },
      children: observations(pod({ namespace: 'one' }), pod({ namespace: 'other', uid: 'uid-of-another' })),
    };
    expect(decoded(elsewhere).reports).toEqual([elsewhere]);
    expect(() => decoded({ ...given, children: elsewhere.children })).toThrow(UndecodableMessageError);
    // An owner of a kind that has namespaces says which, and one of a kind without has none.
    expect(decoded({ owner: { ...OWNER, namespace: '' }, children: [] }).refused?.first).toMatchObject([{ field: 'owner.namespace' }]);
    expect(decoded({ owner: { ...troupe, namespace: 'one' }, children: [] }).refused?.first).toMatchObject([{ field: 'owner.namespace' }]);
  });
});
