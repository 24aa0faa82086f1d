// What DynamoDB counts: sizes of items, units of reads and writes, and what an empty head takes.
import { describe, expect, test } from '@jest/globals';
import {
  applyChange,
  headItem,
  headOf,
  noteItem,
  noteOf,
  shardOf,
  updateExpressionOf,
  viewItem,
  viewItemOf,
} from '../../../lib/adapters/dynamodb/table-items.ts';
import { indexUnitsOf, itemSizeBytes, readUnitsOf, WriteMeter, writeUnitsOf } from '../../../lib/adapters/dynamodb/write-units.ts';
import { aHead, aKey, named } from '../../contracts/store/workloads.ts';

const key = { cluster: 'c', kind: 'Job' as const, namespace: 'n', name: 'j', uid: 'u' };

describe('size of items, by DynamoDB’s rules', () => {
  test.each([
    ['a text: name and value in UTF-8', { ab: { S: 'äx' } }, 5],
    ['an empty text', { a: { S: '' } }, 1],
    ['a number: a byte for two digits and one more', { a: { N: '1234' } }, 4],
    ['an odd number of digits rounds up', { a: { N: '123' } }, 4],
    ['zeros at both ends cost nothing', { a: { N: '1700000' } }, 3],
    ['nothing but zero', { a: { N: '0' } }, 2],
    ['a sign costs a byte', { a: { N: '-12' } }, 4],
    ['bytes', { a: { B: new Uint8Array(10) } }, 11],
    ['yes or no', { a: { BOOL: true } }, 2],
    ['a map: 3 bytes, its content, and one for each entry', { a: { M: { b: { BOOL: true }, c: { S: 'dd' } } } }, 11],
    ['an empty map', { a: { M: {} } }, 4],
    ['a list', { a: { L: [{ S: 'xx' }, { N: '5' }] } }, 10],
  ])('%s', (_name, attributes, bytes) => {
    expect(itemSizeBytes(attributes)).toBe(bytes);
  });
});

const item = (bytes: number): { a: { S: string } } => ({ a: { S: 'x'.repeat(bytes - 1) } });

describe('units', () => {
  test('a write costs one for each KB begun, of the larger of old and new; nothing there costs one', () => {
    expect([writeUnitsOf(item(1)), writeUnitsOf(item(1_024)), writeUnitsOf(item(1_025)), writeUnitsOf(undefined)]).toEqual([1, 1, 2, 1]);
    expect(writeUnitsOf(item(5_000), item(10))).toBe(5);
  });

  test('a strong read costs one for each 4 KB begun', () => {
    expect([0, 1, 4_096, 4_097].map(readUnitsOf)).toEqual([1, 1, 1, 2]);
  });

  test('R16: indexes cost only where their keys change', () => {
    const head = aHead(key);
    const plain = headItem(head, 0);
    const pending = headItem({ ...head, pendingSinceMs: 5 }, 0);
    const later = headItem({ ...head, pendingSinceMs: 6, wake: { dueAtMs: 3_600_000, attempt: 1 } }, 0);
    expect(indexUnitsOf(undefined, plain)).toBe(1);
    expect(indexUnitsOf(plain, headItem({ ...head, state: 'other' }, 0))).toBe(0);
    expect(indexUnitsOf(plain, pending)).toBe(1);
    expect(indexUnitsOf(pending, later)).toBe(3);
    expect(indexUnitsOf(later, undefined)).toBe(3);
    expect(indexUnitsOf(undefined, viewItem(key, { name: 'a', version: 1, bytes: new Uint8Array() }, 0))).toBe(0);
    expect(indexUnitsOf(undefined, noteItem('c', 'marker', { version: 1, body: '' }))).toBe(0);
  });

  test('the meter adds up in all and by operation', () => {
    const meter = new WriteMeter();
    meter.add('putItem', { writeUnits: 2 });
    meter.add('putItem', { writeUnits: 1, indexUnits: 1 });
    meter.add('read', { readUnits: 3, requests: 2 });
    expect(meter).toMatchObject({ writeUnits: 3, indexUnits: 1, readUnits: 3, requests: 4 });
    expect(meter.byOperation).toEqual({
      putItem: { writeUnits: 3, indexUnits: 1, readUnits: 0, requests: 2 },
      read: { writeUnits: 0, indexUnits: 0, readUnits: 3, requests: 2 },
    });
    meter.reset();
    expect(meter).toMatchObject({ writeUnits: 0, requests: 0, byOperation: {} });
  });

  test('an empty head takes less than 300 bytes beside its state, under real names', () => {
    const real = aKey({ cluster: 'production-eu', name: 'nightly-report-29384756', uid: '0f4f2a9e-8d57-4d21-9a3e-0a8c0a3f7c11' });
    expect(
      itemSizeBytes(
        headItem(aHead(real, { fence: 'x'.repeat(22), queued: 'x'.repeat(22), pendingSinceMs: 1_700_000_000_123 }), 1_700_000_000_000),
      ),
    ).toBeLessThan(300);
  });
});

const expression = (dueAtMs: number): string => updateExpressionOf({}, { wake: { dueAtMs, attempt: 1 } }, 0).UpdateExpression;

describe('items and back', () => {
  test('heads, view items, notes', () => {
    const head = aHead(key, {
      items: named('a', 'b'),
      queued: 'q',
      pendingSinceMs: 7,
      wake: { dueAtMs: 9_000_000, attempt: 3 },
      view: new Uint8Array([1]),
      viewVersion: 4,
    });
    expect(headOf(headItem(head, 0))).toEqual(head);
    expect(headOf(headItem(head, 8_999_999))).toEqual(head);
    const part = { name: 'pods-0', version: 3, bytes: new Uint8Array([1, 2]) };
    expect(viewItemOf(viewItem(key, part, 0))).toEqual(part);
    expect(noteOf(noteItem('c', 'marker', { version: 2, body: 'b' }))).toEqual({ version: 2, body: 'b' });
  });

  test('R1: what no version of the table wrote is none', () => {
    expect(headOf({ pk: { S: 'what' }, sk: { S: 'head' } })).toBeUndefined();
    expect(headOf({ pk: { S: 'c/Job/n/j/u' }, sk: { S: 'head' } })).toBeUndefined();
    expect(viewItemOf({ pk: { S: 'c/Job/n/j/u' }, sk: { S: 'item#a' }, u: { N: '0' }, v: { B: new Uint8Array() } })).toBeUndefined();
    expect(noteOf({ pk: { S: 'c' }, sk: { S: 'note#relay' }, u: { N: '1' } })).toBeUndefined();
  });

  test('a wake within 15 minutes stays out of the index, one beyond is in it', () => {
    expect(expression(900_000)).toMatch(/^set .*w = :w, a = :a remove d$/);
    expect(expression(900_001)).toMatch(/^set .*d = :d, a = :a remove w$/);
  });

  test('a change never touches the head that it is given', () => {
    const head = Object.freeze(aHead(key, { items: Object.freeze(named('a')), queued: 'q' }));
    expect(applyChange(head, { addItems: named('b'), removeItems: named('a'), queued: null, view: new Uint8Array([1]) })).toEqual(
      (({ queued: _queued, ...rest }) => ({ ...rest, items: named('b'), view: new Uint8Array([1]), viewVersion: 1 }))(head),
    );
    expect(head).toEqual(aHead(key, { items: named('a'), queued: 'q' }));
  });

  test('the index’s shards share the workloads', () => {
    const shards = Array.from({ length: 800 }, (_, index) => shardOf(`c/Job/n/j/${index}`));
    const counts = [...new Set(shards)].map((shard) => shards.filter((other) => other === shard).length);
    expect(counts).toHaveLength(8);
    expect(Math.min(...counts)).toBeGreaterThan(50);
  });
});
