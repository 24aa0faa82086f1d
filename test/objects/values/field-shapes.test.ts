// A shape that is said once: its check and its schema.
import { describe, expect, test } from '@jest/globals';
import {
  about,
  checkOf,
  count,
  flag,
  int32,
  int64,
  listOf,
  mapOf,
  objectOf,
  schemaOf,
  text,
  time,
  unchecked,
  upstream,
  wordOf,
  type TypeOf,
} from '../../../lib/objects/values/field-shapes.ts';

const shape = objectOf(
  {
    conditions: listOf(objectOf({ type: text, at: unchecked(time) }, ['type'])),
    counts: mapOf(objectOf({ active: about(int32, 'Those that run.') })),
    generation: int64,
    metric: upstream<object, 'metric'>('metric'),
    startTime: time,
    suspend: about(flag, 'No pods.', { default: false }),
  },
  ['startTime'],
);
const startTime = '2026-01-01T00:00:00Z';

describe('the check', () => {
  test.each([
    ['a value with no more than is needed', { startTime }, undefined],
    ['a value without it', {}, { field: 'startTime', expected: 'an RFC 3339 time' }],
    ['null where a field is absent', { startTime, generation: null, conditions: null, counts: null }, undefined],
    ['null in a map', { startTime, counts: { Worker: null } }, undefined],
    ['a list in place of a map', { startTime, counts: [] }, { field: 'counts', expected: 'a map' }],
    ['text in a map', { startTime, counts: { Worker: 'two' } }, { field: 'counts.Worker', expected: 'an object' }],
    [
      'a count that is text',
      { startTime, counts: { Worker: { active: '2' } } },
      { field: 'counts.Worker.active', expected: 'a whole number from -2147483648 to 2147483647' },
    ],
    ['an item without its type', { startTime, conditions: [{ type: 'A' }, {}] }, { field: 'conditions[1].type', expected: 'a text' }],
    ['anything in fields that are not checked', { startTime, metric: 1, conditions: [{ type: 'A', at: 7 }] }, undefined],
    ['a field that the shape does not name', { startTime, other: 1 }, undefined],
  ])('%s', (_, value, fault) => {
    expect(checkOf(shape)(value)).toEqual(fault);
  });
});

test('the schema', () => {
  const types = (name: string) => (name === 'metric' ? { type: 'object', title: 'of upstream' } : undefined);
  expect(schemaOf(shape, types)).toEqual({
    type: 'object',
    required: ['startTime'],
    properties: {
      conditions: {
        type: 'array',
        items: {
          type: 'object',
          required: ['type'],
          properties: { type: { type: 'string' }, at: { type: 'string', format: 'date-time' } },
        },
      },
      counts: {
        type: 'object',
        additionalProperties: {
          type: 'object',
          properties: { active: { description: 'Those that run.', type: 'integer', format: 'int32' } },
        },
      },
      generation: { type: 'integer', format: 'int64' },
      metric: { type: 'object', title: 'of upstream' },
      startTime: { type: 'string', format: 'date-time' },
      suspend: { description: 'No pods.', type: 'boolean', default: false },
    },
  });
});

test('the type: a field that is needed is there, others may be absent', () => {
  const least: TypeOf<typeof shape> = { startTime };
  const most: TypeOf<typeof shape> = { ...least, counts: { Worker: { active: 1 } }, suspend: true, conditions: [{ type: 'A' }] };
  expect(checkOf(shape)(most)).toBeUndefined();
});

test('counts and words are checked as their schemas say', () => {
  const told = objectOf({ tries: count, phase: wordOf('Pending', 'Over') });
  expect(schemaOf(told, () => undefined)).toEqual({
    type: 'object',
    properties: { tries: { type: 'integer', format: 'int32', minimum: 0 }, phase: { type: 'string', enum: ['Pending', 'Over'] } },
  });
  const check = checkOf(told);
  expect(check({ tries: 0, phase: 'Over' })).toBeUndefined();
  expect(check({ tries: -1 })).toEqual({ field: 'tries', expected: 'a whole number from 0 to 2147483647' });
  expect(check({ phase: 'Done' })).toEqual({ field: 'phase', expected: 'one of Pending, Over' });
});
