// Items of the table of which something is missing, or another value than was written: each reads as one of its kind or as none.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { headItem, headOf, noteItem, noteOf, viewItem, viewItemOf, type Item } from '../../lib/adapters/dynamodb/table-items.ts';
import { aHead, named } from '../contracts/store/workloads.ts';
import { misshapen } from './damages.ts';

const NOW_MS = 1_700_000_000_000;
const KEY = { cluster: 'c', kind: 'Job' as const, namespace: 'n', name: 'j', uid: 'u' };
const HEAD = aHead(KEY, {
  items: named('a', 'b'),
  queued: 'q',
  pendingSinceMs: NOW_MS,
  wake: { dueAtMs: NOW_MS + 9_000_000, attempt: 3 },
  view: new Uint8Array([1, 2]),
  viewVersion: 4,
});
const PART = { name: 'pods/40/0', version: 3, bytes: new Uint8Array([1, 2]) };

/** What is written of what was read is what is read again. */
function expectReadableOrNone<Part>(sound: Item, read: (item: Item) => Part | undefined, write: (part: Part) => Item): void {
  let none = 0;
  fc.assert(
    fc.property(misshapen(sound), (damaged) => {
      const item = typeof damaged === 'object' && damaged !== null ? (damaged as Item) : {};
      const part = read(item);
      if (part === undefined) none += 1;
      else expect(read(write(part))).toEqual(part);
    }),
    { numRuns: 500 },
  );
  expect(none).toBeGreaterThan(100);
}

describe('R1: a damaged item of the table', () => {
  test('R1: is a head or none', () => expectReadableOrNone(headItem(HEAD, NOW_MS), headOf, (head) => headItem(head, NOW_MS)));
  test('R1: is a view item or none', () =>
    expectReadableOrNone(viewItem(KEY, PART, NOW_MS), viewItemOf, (part) => viewItem(KEY, part, NOW_MS)));
  test('R1: is a note or none', () =>
    expectReadableOrNone(noteItem('c', 'relay', { version: 2, body: 'b' }), noteOf, (note) => noteItem('c', 'relay', note)));

  test.each(['c', 'h', 'e', 'b', 'n', 'f', 'k', 'o', 's', 'u', 'a'])('R1: is no head without %s', (attribute) => {
    const { [attribute]: gone, ...item } = headItem(HEAD, NOW_MS);
    expect(gone).toBeDefined();
    expect(headOf(item)).toBeUndefined();
  });
});
