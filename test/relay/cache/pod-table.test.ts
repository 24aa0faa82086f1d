// The table against a plain map of objects: whatever comes and goes, it holds what was put.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { PodFacts } from '../../../lib/objects/pods/pod-facts.ts';
import { expand, PodShapes } from '../../../lib/relay/cache/compact-pod.ts';
import { packUid, unpackUid } from '../../../lib/relay/cache/packed-uid.ts';
import type { Members, PodRow } from '../../../lib/relay/cache/pod-table.ts';
import { NO_ROW, PodTable } from '../../../lib/relay/cache/pod-table.ts';
import type { OwnerName } from '../../../lib/wire/words/observations.ts';
import { shareOf } from '../../storm-share.ts';

const OWNERS: OwnerName[] = ['a', 'b'].map((name) => ({ kind: 'Job', namespace: 'default', name, uid: `uid-${name}` }));

const seconds = fc.oneof(
  fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  fc.constantFrom(0, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, -1, 253_402_300_799),
);
const version = fc.oneof(
  fc.bigInt({ min: 0n, max: 10n ** 16n }).map(String),
  fc.constantFrom('0', '4294967295', '4294967296', '999999999999999', '9007199254740993', '18446744073709551616'),
);
const optional = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> => fc.option(value, { nil: undefined });

const podArbitrary = fc
  .record({
    resourceVersion: version,
    name: fc.constantFrom('x', 'y-1'),
    index: optional(fc.constantFrom('0', '7', '999999999', '1000000000', '007', 'odd')),
    number: optional(fc.integer({ min: 0, max: 999_999_999 })),
    createdAt: seconds,
    deletedAt: optional(seconds),
    readySince: optional(seconds),
    phase: fc.constantFrom('Running', 'Failed'),
    finishedAt: fc.array(seconds, { maxLength: 2 }),
    reasons: optional(fc.constantFrom([{ reason: 'Unschedulable', message: '0/3 nodes' }], [{ reason: 'Evicted' }])),
  })
  .map(({ index, number, deletedAt, readySince, finishedAt, reasons, ...rest }) => ({
    ...rest,
    ...(index !== undefined && { index }),
    ...(number !== undefined && { number }),
    ...(deletedAt !== undefined && { deletedAt }),
    ...(readySince !== undefined && { readySince }),
    ...(reasons !== undefined && { reasons }),
    namespace: 'default',
    labels: {},
    tracked: true,
    assigned: true,
    conditions: [],
    containers: finishedAt.map((at, which) => ({
      name: `c${which}`,
      role: 'container' as const,
      restarts: 0,
      exitCode: 0,
      finishedAt: at,
    })),
  }));

const UIDS = [
  ...Array.from({ length: 6 }, (_, at) => `6f9619ff-8b86-4011-b42d-00000000000${at}`),
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '6F9619FF-8B86-4011-B42D-000000000000',
  'uid-1',
  '',
];

const step = fc.record({
  uid: fc.constantFrom(...UIDS),
  owner: fc.constantFrom(0, 1),
  does: fc.constantFrom('put', 'put', 'put', 'remove'),
  pod: podArbitrary,
});

describe('table of pods', () => {
  test('holds what was put, in the order of its workload', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const shapes = new PodShapes();
        const table = new PodTable(shapes);
        const members = OWNERS.map((_, id): Members => ({ id, first: NO_ROW, last: NO_ROW, count: 0 }));
        const model = new Map<string, { owner: number; pod: PodFacts; list: number }>();
        for (const [list, { uid, owner, does, pod }] of steps.entries()) {
          let row = table.find(uid);
          const known = model.get(uid);
          expect(row === NO_ROW).toBe(known === undefined);
          const of = members[known?.owner ?? owner];
          const ownerName = OWNERS[known?.owner ?? owner];
          if (!of || !ownerName) continue;
          if (does === 'remove') {
            if (known) table.remove(row, of);
            model.delete(uid);
            continue;
          }
          const facts: PodFacts = { ...pod, uid };
          const compact = shapes.compact(facts, ownerName, known && table.knownOf(row));
          if (!compact) throw new Error('this pod could not be sent');
          if (!known) row = table.add(uid, of, list);
          table.put(row, compact);
          // A pod's name never changes.
          const name = known ? known.pod.name : facts.name;
          model.set(uid, { owner: known?.owner ?? owner, pod: { ...facts, name }, list: known?.list ?? list });
        }
        expect(table.size).toBe(model.size);
        expect([...table.rows()].map((row) => table.uidOf(row)).toSorted()).toEqual([...model.keys()].toSorted());
        for (const [at, of] of members.entries()) {
          const owner = OWNERS[at];
          if (!owner) continue;
          const mine = [...model].filter(([, each]) => each.owner === at);
          const rows = [...table.rowsOf(of)];
          expect(rows.map((row) => table.uidOf(row))).toEqual(mine.map(([uid]) => uid));
          expect(of.count).toBe(mine.length);
          for (const [which, [uid, { pod, list }]] of mine.entries()) {
            const row = rows[which] ?? NO_ROW;
            expect(table.find(uid)).toBe(row);
            expect(table.membersOf(row)).toBe(at);
            expect(table.listOf(row)).toBe(list);
            expect(table.versionOf(row)).toBe(pod.resourceVersion);
            const { name, ...rest } = expand(table.podOf(row), owner);
            const { name: _, ...expected } = pod;
            expect(rest).toEqual(expected);
            expect(typeof name).toBe('string');
          }
        }
        for (const [row, of] of [...table.rows()].map((each) => [each, members[table.membersOf(each)]] as const))
          if (of) table.remove(row, of);
        expect([table.size, shapes.size]).toEqual([0, 0]);
      }),
      { numRuns: shareOf(300, 5) },
    );
  });

  test('thousands come, half of them go, others take their rows', () => {
    const shapes = new PodShapes();
    const table = new PodTable(shapes);
    const [owner] = OWNERS;
    if (!owner) throw new Error('no owner');
    const members: Members = { id: 0, first: NO_ROW, last: NO_ROW, count: 0 };
    const uidAt = (at: number): string => `6f9619ff-8b86-4011-b42d-${String(at).padStart(12, '0')}`;
    const factsAt = (at: number): PodFacts => ({
      uid: uidAt(at),
      name: `pod-${at}`,
      namespace: 'default',
      resourceVersion: String(at),
      labels: {},
      tracked: true,
      phase: 'Running',
      createdAt: at,
      assigned: true,
      conditions: [],
      containers: [],
    });
    const add = (at: number): PodRow => {
      const pod = shapes.compact(factsAt(at), owner);
      if (!pod) throw new Error('this pod could not be sent');
      const row = table.add(pod.uid, members, 0);
      table.put(row, pod);
      return row;
    };
    for (let at = 0; at < 10_000; at += 1) add(at);
    for (let at = 0; at < 10_000; at += 2) table.remove(table.find(uidAt(at)), members);
    const taken = Array.from({ length: 5_000 }, (_, at) => add(10_000 + at));
    expect(Math.max(...taken)).toBeLessThan(10_000);
    expect(table.size).toBe(10_000);
    const isGone = (at: number): boolean => at < 10_000 && at % 2 === 0;
    const rows = Array.from({ length: 15_000 }, (_, at) => table.find(uidAt(at)));
    expect(rows.every((row, at) => (row === NO_ROW) === isGone(at))).toBe(true);
    for (let at = 1; at < 15_000; at += 7) if (!isGone(at)) expect(expand(table.podOf(rows[at] ?? NO_ROW), owner)).toEqual(factsAt(at));
  });

  test('uids are packed without loss, or not at all', () => {
    const words = new Int32Array(4);
    fc.assert(
      fc.property(fc.uuid(), (uid) => {
        expect(packUid(uid, words)).toBe(true);
        expect(unpackUid(words)).toBe(uid);
      }),
    );
    for (const text of ['', 'uid-1', '6F9619FF-8B86-4011-B42D-000000000000', '6f9619ff-8b86-4011-b42d000000000000-', '0'.repeat(36)])
      expect(packUid(text, words)).toBe(false);
  });
});
