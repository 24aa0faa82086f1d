// Children other than pods in messages and view items: held with a kind that no build has.
import { describe, expect, test } from '@jest/globals';
import { childStateOf, OversizedPartError } from '../../lib/kinds/rows/child.ts';
import { isSameChild, resourceKeyOf, type ChildState } from '../../lib/objects/child-state.ts';
import type { KubernetesObject } from '../../lib/objects/kubernetes.ts';
import { decodeEvents, encodeEvents } from '../../lib/wire/events.ts';
import type { ChildObservation, ChildrenPart, EventMessage, OwnerName, WorkloadReport } from '../../lib/wire/words/observations.ts';
import { UndecodableMessageError } from '../../lib/wire/words/undecodable.ts';
import { ENSEMBLE } from '../kinds/made-up-kind.ts';
import { packPart, unpackPart } from '../../lib/wire/view-item.ts';
import { toldOthers, type WholeOf } from './told-children.ts';

const OWNER: OwnerName = { kind: 'Ensemble', namespace: 'default', name: 'quartet', uid: 'uid-of-quartet' };
const [SERVICES, STAGES] = ENSEMBLE.children;
if (!SERVICES || !STAGES) throw new Error('the made-up kind has two resources of children');

const uuid = (at: number): string => `0b4b2c2e-0000-4000-8000-${String(at).padStart(12, '0')}`;
const service = (at: number, metadata: KubernetesObject['metadata'] = {}): KubernetesObject => ({
  metadata: {
    name: `quartet-${at}`,
    namespace: 'default',
    uid: uuid(at),
    resourceVersion: String(100 + at),
    labels: { 'example.com/ensemble': 'quartet' },
    annotations: { tempo: 'largo', 'farloop.dev/number': String(at % 3) },
    ...metadata,
  },
});
const seen = (child: ChildState, change: Partial<ChildObservation> = {}): ChildObservation => ({
  heardAt: child.resourceVersion,
  presence: 'there',
  child,
  ...change,
});
const services = (count: number): ChildObservation[] => Array.from({ length: count }, (_, at) => seen(childStateOf(SERVICES, service(at))));

const message = (reports: WorkloadReport[], change: Partial<EventMessage> = {}): EventMessage => ({
  cluster: 'west',
  session: 'session',
  era: 0,
  kubeSystemUid: 'uid-of-kube-system',
  sequence: 1,
  sentAtMs: 0,
  reports,
  ...change,
});
const findKind = (kind: string): typeof ENSEMBLE | undefined => (kind === ENSEMBLE.kind ? ENSEMBLE : undefined);
const decoded = (...reports: WorkloadReport[]): ReturnType<typeof decodeEvents> =>
  decodeEvents(encodeEvents(message(reports)), { findKind });

test('trap 7: two groups may have the same plural: a resource is named by both', () => {
  expect([SERVICES, STAGES].map(({ resource }) => resourceKeyOf(resource))).toEqual(['services', 'services.stage.example.com']);
});

describe('what is kept of a child', () => {
  test('is its metadata and its part; one that is too large is refused with its name', () => {
    expect(childStateOf(SERVICES, service(2, { deletionTimestamp: '2026-05-01T10:00:00Z' }))).toEqual({
      resource: 'services',
      uid: uuid(2),
      namespace: 'default',
      name: 'quartet-2',
      resourceVersion: '102',
      labels: { 'example.com/ensemble': 'quartet' },
      number: 2,
      terminating: true,
      part: { revision: 1, facts: { tempo: 'largo' } },
    });
    expect(childStateOf({ ...SERVICES, mayAdopt: () => true }, service(1))).toEqual({
      ...childStateOf(SERVICES, service(1)),
      orphaned: true,
    });
    const large = service(1, { annotations: { tempo: 'x'.repeat(501) } });
    expect(() => childStateOf(SERVICES, large)).toThrow(OversizedPartError);
    expect(() => childStateOf(SERVICES, large)).toThrow(/^Service default\/quartet-1: .* takes 513 bytes of JSON; at most 512 are kept$/);
    expect(childStateOf(SERVICES, service(1, { annotations: { tempo: 'x'.repeat(500) } })).part.facts).toEqual({ tempo: 'x'.repeat(500) });
  });

  test('is the same at another version, and with a part of another revision (trap 10); not with another part, number, label or end', () => {
    const one = childStateOf(SERVICES, service(1));
    for (const same of [{ resourceVersion: '999' }, { part: { revision: 2, facts: 'made otherwise' } }])
      expect(isSameChild(one, { ...one, ...same })).toBe(true);
    for (const other of [
      { part: { revision: 1, facts: 'other' } },
      { number: 7 },
      { labels: {} },
      { terminating: true as const },
      { orphaned: true as const },
    ])
      expect(isSameChild(one, { ...one, ...other })).toBe(false);
  });
});

describe('a message', () => {
  const left = seen(childStateOf(STAGES, service(9, { name: 'stage', uid: 'no-uuid' })), { heardAt: '500', presence: 'left' });
  const WHOLES: WholeOf[] = [
    { resource: 'services', floor: '400', isSelected: true },
    { resource: 'services.stage.example.com', floor: '10' },
  ];
  const given: WorkloadReport = {
    owner: OWNER,
    children: toldOthers([...services(3), seen({ ...childStateOf(SERVICES, service(4)), orphaned: true }), left], WHOLES),
  };

  test('with children other than pods comes out as it went in, under version 2', () => {
    const another: WorkloadReport = { owner: { ...OWNER, uid: 'uid-of-another' }, children: toldOthers(services(1)) };
    expect(decoded(given, another)).toEqual(message([given, another]));
    const versionOf = (body: string): number | undefined => Buffer.from(body, 'base64')[0];
    expect(versionOf(encodeEvents(message([given])))).toBe(2);
    expect(versionOf(encodeEvents(message([{ owner: OWNER, children: [] }])))).toBe(1);
  });

  test('with digests of parts comes out as it went in', () => {
    const digest = {
      owner: OWNER,
      digest: '0'.repeat(16),
      heardAt: '5',
      parts: [{ resource: 'services', revision: 1, digest: 'f'.repeat(16) }],
    };
    const heartbeat = { watches: [], clockOffsetMs: 0, digests: [digest] };
    expect(decodeEvents(encodeEvents(message([], { heartbeat })))).toEqual(message([], { heartbeat }));
  });

  test('trap 11: holds reports of one version', () => {
    const job: WorkloadReport = { owner: { ...OWNER, kind: 'Job' }, children: [] };
    expect(() => encodeEvents(message([given, job]))).toThrow('a message holds reports and digests of one version');
  });

  test('of an unknown kind is left with its children, and the others are taken', () => {
    const later: WorkloadReport = { ...given, owner: { ...OWNER, kind: 'Later' } };
    const { reports, unknownKind } = decoded(later, given);
    expect([reports, unknownKind]).toEqual([[given], 'Later']);
  });

  test('of a child that cannot be one is taken without it, and without the claim to name all of its resource', () => {
    const [first, second] = services(2);
    if (!first || !second) throw new Error('no services');
    const large = { ...second, child: { ...second.child, part: { revision: 1, facts: 'x'.repeat(600) } } };
    const { reports, refused } = decoded({ ...given, children: toldOthers([first, large, left], WHOLES) });
    expect(reports).toEqual([{ ...given, children: toldOthers([first, left], WHOLES.slice(1)) }]);
    expect(refused).toEqual({
      count: 1,
      first: [
        {
          owner: OWNER,
          field: 'children[1]',
          expected: 'of services quartet-1, at most 512 bytes of JSON of what is compared; it has 602',
        },
      ],
    });
    const foreign = { ...second, child: { ...second.child, resource: 'secrets' } };
    expect(decoded({ ...given, children: toldOthers([first, foreign], WHOLES) }).refused?.first).toMatchObject([{ field: 'children[0]' }]);
    const elsewhere = { ...second, child: { ...second.child, namespace: 'elsewhere' } };
    expect(() => decoded({ ...given, children: toldOthers([elsewhere], WHOLES) })).toThrow(UndecodableMessageError);
  });

  test('takes some 20 bytes a service: what they share is written once', () => {
    const bytes = encodeEvents(message([{ owner: OWNER, children: toldOthers(services(500)) }])).length;
    expect(bytes / 500).toBeLessThanOrEqual(28);
  });
});

describe('a view item', () => {
  const part: ChildrenPart = {
    era: 3,
    resource: 'services',
    floor: '77',
    children: new Map(
      services(4).map((each, at) => [each.child.uid, { ...each, byPass: at === 1, presence: at === 2 ? 'left' : 'there' }]),
    ),
  };

  test('of children comes out as it went in, under version 2, and damage of it is told', () => {
    const bytes = packPart(part);
    expect(bytes[0]).toBe(2);
    expect(unpackPart(bytes)).toEqual(part);
    for (let at = 1; at < bytes.length; at++) {
      const damaged = bytes.slice(0, at);
      expect(() => unpackPart(damaged)).toThrow(UndecodableMessageError);
    }
  });
});
