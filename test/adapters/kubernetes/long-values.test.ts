// Values too long for a buffer are condensed as they stream: the result is that of JSON.parse and the field mask, wherever the chunks
// begin and end, and no more is held than the limits say.
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { WatchLine } from '../../../lib/adapters/kubernetes/json/event-reader.ts';
import { EventReader, NoEventError } from '../../../lib/adapters/kubernetes/json/event-reader.ts';
import type { BoundedJsonLimits } from '../../../lib/adapters/kubernetes/json/bounded-json.ts';
import { CONDENSER_LIMITS, JsonCondenser } from '../../../lib/adapters/kubernetes/json/json-condenser.ts';
import { JsonReader } from '../../../lib/adapters/kubernetes/json/json-reader.ts';
import type { Told } from '../../../lib/adapters/kubernetes/json/list-stream.ts';
import { ListStream, ListTools } from '../../../lib/adapters/kubernetes/json/list-stream.ts';
import { prepare } from '../../../lib/adapters/kubernetes/json/prepared-fields.ts';
import { JOB_FIELDS } from '../../../lib/kinds/job/terms/owner-facts.ts';
import type { KubernetesObject } from '../../../lib/objects/kubernetes.ts';
import { POD_FIELDS } from '../../../lib/objects/pods/pod-facts.ts';
import type { WantedFields } from '../../../lib/objects/field-mask.ts';
import { anyFields, anyValue, asWritten, expectSame, isScalar, wantedOf, writings } from './any-json.ts';
import { goJson, oddJobs, oddPods } from './go-json.ts';

function* chunksOf(bytes: Buffer, cuts: readonly number[]): Generator<Buffer> {
  const places = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  let from = 0;
  for (const to of places) {
    yield bytes.subarray(from, to);
    from = to;
  }
}

interface Condensed {
  value: unknown;
  leftOut: string[];
  behind: string;
}

function condensed(text: string, cuts: readonly number[], fields: WantedFields, limits?: BoundedJsonLimits): Condensed {
  const condenser = new JsonCondenser(2, limits);
  const wanted = prepare(fields);
  condenser.begin(wanted);
  let behind = '';
  for (const chunk of chunksOf(Buffer.from(`${text} ,`), cuts)) {
    const at = condenser.take(chunk, 0, chunk.length);
    behind += chunk.toString('utf8', at);
  }
  if (!condenser.isDone) throw new SyntaxError('it goes on');
  const { leftOut, json } = condenser;
  const { length } = json;
  if (length === 0) return { value: undefined, leftOut, behind };
  const reader = new JsonReader();
  reader.begin(json, 0, length);
  const value = reader.value(wanted);
  expect([reader.next(), reader.at]).toEqual([0, length]);
  return { value, leftOut, behind };
}

const cuts = fc.array(fc.nat(), { maxLength: 6 });
const write = fc.constantFrom(...writings, goJson);

describe('a value that streams', () => {
  test('is condensed to what the known parser finds of the wanted fields', () => {
    fc.assert(
      fc.property(anyValue, anyFields, write, cuts, (value, fields, writing, places) => {
        const whole = asWritten(value);
        const expected = fields === false && isScalar(whole) ? whole : wantedOf(whole, fields);
        const { value: found, leftOut, behind } = condensed(writing(value), places, fields);
        expectSame(found, expected);
        expect([leftOut, behind.trim()]).toEqual([[], ',']);
      }),
      { numRuns: 300 },
    );
  });

  test('holds no long text that only people read, and leaves nothing else out for it', () => {
    const long = '\u0001'.repeat(2_000);
    const status = {
      phase: 'Pending',
      reason: 'Evicted',
      message: long,
      conditions: [
        { type: 'Ready', status: 'False', message: long },
        { type: 'DisruptionTarget', status: 'True', reason: 'Other', message: 'short' },
      ],
      containerStatuses: [{ name: 'main', restartCount: 2, state: { waiting: { reason: 'ErrImagePull', message: long } } }],
    };
    const metadata = { name: 'odd', uid: 'u', resourceVersion: '7', finalizers: ['x'] };
    const { value, leftOut, behind } = condensed(goJson({ status, metadata }), [5, 1_000, 20_000], POD_FIELDS, {
      fieldBytes: 8_192,
      bytes: 16_384,
    });
    expect([leftOut, behind.trim()]).toEqual([[], ',']);
    expect(value).toEqual({
      metadata,
      status: {
        ...status,
        message: '',
        conditions: [{ type: 'Ready', status: 'False', message: '' }, status.conditions[1]],
        containerStatuses: [{ name: 'main', restartCount: 2, state: { waiting: { reason: 'ErrImagePull', message: '' } } }],
      },
    });
  });

  test('is cut at every byte, and is the same', () => {
    const object = {
      metadata: { name: 'a"\\<é😀\n', x: [1.5e-3, null, { '\\': '"' }] },
      spec: { a: [[], {}, [{}]], b: 'c' },
      '\u0001<': true,
    };
    const text = goJson(object);
    const length = Buffer.byteLength(text);
    for (const fields of [true, { metadata: true, spec: { a: { c: true } }, '*': true }, { spec: { b: true } }])
      for (let cut = 0; cut < length; cut += 1) expectSame(condensed(text, [cut], fields).value, wantedOf(object, fields));
    expectSame(
      condensed(
        text,
        Array.from({ length }, (_, at) => at),
        true,
      ).value,
      object,
    );
  });

  test('leaves out a field beyond the limit, and nothing else', () => {
    const limits = { fieldBytes: 100, bytes: 250 };
    const small = fc.dictionary(fc.constantFrom('a', '<', 'ä'), fc.oneof(fc.string({ maxLength: 5 }), fc.nat()), { maxKeys: 2 });
    const large = fc.oneof(
      fc.string({ minLength: 110, maxLength: 150 }),
      fc.array(fc.record({ type: fc.string({ minLength: 10, maxLength: 20 }) }), { minLength: 12, maxLength: 20 }),
      fc.dictionary(fc.string({ minLength: 12, maxLength: 20 }), fc.constant({ deep: [[1, 2, 3]] }), { minKeys: 12, maxKeys: 14 }),
    );
    fc.assert(
      fc.property(small, large, small, fc.boolean(), cuts, (first, field, last, isLate, places) => {
        const status = { ...(isLate && { first }), conditions: field, ...(!isLate && { first }) };
        const fields = { metadata: true, status: { conditions: { '*': true }, first: true }, spec: true };
        const { value, leftOut } = condensed(JSON.stringify({ metadata: { last }, status, spec: last }), places, fields, limits);
        expect(leftOut).toEqual(['status.conditions']);
        expectSame(value, asWritten({ metadata: { last }, status: { first }, spec: last }));
      }),
    );
  });

  test('nested without end is left out, and so is a name without end', () => {
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    const fields = { a: { b: { c: true } }, d: true };
    expect(condensed(`{"a":{"b":${deep}},"d":1}`, [700], fields)).toMatchObject({ value: { a: {}, d: 1 }, leftOut: ['a.b'] });
    expect(condensed(`{"a":${deep},"d":1}`, [700], { d: true })).toMatchObject({ value: { d: 1 }, leftOut: [] });
    expect(condensed(`{"${'k'.repeat(2_000)}":{"x":[1]},"d":1}`, [900], { '*': true }).value).toEqual({ d: 1 });
  });

  test.each(['{"a" 1}', '{"a":1,}', '[1,]', '{"a":}', '{a:1}', '{"a":"\\u00zz"}', '{"a":1]', '[1 2]', '@'])(
    'is refused where it is no JSON: %s',
    (text) => {
      expect(() => condensed(text, [2], { a: { '*': true } })).toThrow(SyntaxError);
    },
  );
});

const CHUNK = 65_536;
/** What may be held at any time: the window, and a condenser that keeps little. */
const HELD_BYTES_MAX = 1024 * 1024;

function readLines(bytes: Buffer, fields: WantedFields, chunks: Iterable<Buffer>): { lines: WatchLine[]; heldBytes: number } {
  const reader = new EventReader(fields);
  const lines: WatchLine[] = [];
  let heldBytes = 0;
  for (const chunk of chunks) {
    reader.take(chunk);
    for (let line = reader.next(); line; line = reader.next()) lines.push(line);
    heldBytes = Math.max(heldBytes, reader.heldBytes);
  }
  return { lines, heldBytes };
}

function readPage(
  fields: WantedFields,
  chunks: Iterable<Buffer>,
): { page: Told | undefined; items: KubernetesObject[]; heldBytes: number } {
  const items: KubernetesObject[] = [];
  const tools = new ListTools();
  const stream = new ListStream<KubernetesObject>(fields, (item) => items.push(item), tools);
  let heldBytes = 0;
  for (const chunk of chunks) {
    stream.take(chunk);
    heldBytes = Math.max(heldBytes, tools.heldBytes);
  }
  return { page: stream.end(), items, heldBytes };
}

function* evenChunks(bytes: Buffer, size = CHUNK): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

const ordinary = { kind: 'Pod', metadata: { name: 'ordinary', namespace: 'default', uid: 'uid-1', resourceVersion: '206' }, spec: {} };

describe.each<[string, WantedFields, readonly [string, () => KubernetesObject][]]>([
  ['pod', POD_FIELDS, oddPods],
  ['Job', JOB_FIELDS, oddJobs],
])('a %s', (_kind, fields, odd) => {
  test.each(odd)('with %s is read in a watch and in a list, in little memory', (_name, make) => {
    const object = make();
    const text = goJson(object);
    const expected = [object, ordinary].map((each) => wantedOf(each, fields));
    const line = (json: string): string => `{"type":"MODIFIED","object":${json}}\n`;
    const lines = Buffer.from(line(text) + line(JSON.stringify(ordinary)));
    const watched = readLines(lines, fields, evenChunks(lines));
    expectEqual(
      watched.lines,
      expected.map((each) => ({ type: 'MODIFIED', object: each })),
    );
    expect(watched.heldBytes).toBeLessThanOrEqual(HELD_BYTES_MAX);
    const page = Buffer.from(`{"kind":"List","metadata":{"resourceVersion":"210"},"items":[${text},${JSON.stringify(ordinary)}]}\n`);
    const listed = readPage(fields, evenChunks(page));
    expectEqual(listed.items, expected);
    expect(listed.page).toEqual({ metadata: { resourceVersion: '210' }, items: [] });
    expect(listed.heldBytes).toBeLessThanOrEqual(HELD_BYTES_MAX);
  });
});

describe('long lines and items', () => {
  /** Just above what is waited for. */
  const long = { ...ordinary, metadata: { ...ordinary.metadata, resourceVersion: '209' }, spec: { args: ['"<\\'.repeat(100_000)] } };

  test('between short ones are read wherever the chunks begin and end', () => {
    const objects = [ordinary, long, ordinary, long];
    const text = objects.map((object) => `${goJson({ type: 'ADDED', object })}\n`).join('');
    const [lines, page] = [
      Buffer.from(text),
      Buffer.from(`{"metadata":{"resourceVersion":"1"},"items":[${objects.map(goJson).join(',')}]}`),
    ];
    const expected = objects.map((object) => wantedOf(object, POD_FIELDS));
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 30 }), (places) => {
        expectEqual(
          readLines(lines, POD_FIELDS, chunksOf(lines, places)).lines.map(({ object }) => object),
          expected,
        );
        const { items, page: told } = readPage(POD_FIELDS, chunksOf(page, places));
        expectEqual(items, expected);
        expect(told).toEqual({ metadata: { resourceVersion: '1' }, items: [] });
      }),
      { numRuns: 10 },
    );
  });

  test('of 10 MB take no more memory than those of 300 KB', () => {
    const large = Buffer.from(
      `{"type":"ADDED","object":{"metadata":${JSON.stringify(ordinary.metadata)},"spec":{"args":["${'\\u003c'.repeat(1_750_000)}"]}}}\n`,
    );
    expect(large.length).toBeGreaterThan(10e6);
    const { lines, heldBytes } = readLines(large, POD_FIELDS, evenChunks(large));
    expect(lines).toHaveLength(1);
    const small = Buffer.from(`${goJson({ type: 'ADDED', object: long })}\n`);
    expect(heldBytes).toBeLessThanOrEqual(readLines(small, POD_FIELDS, evenChunks(small)).heldBytes);
  });

  test('whose wanted field is too large tell of all other fields, and which one it was', () => {
    const conditions = [{ type: 'x'.repeat(CONDENSER_LIMITS.fieldBytes + 1), status: 'True' }];
    const object = { ...ordinary, status: { phase: 'Running', conditions } };
    const expected = {
      metadata: ordinary.metadata,
      spec: {},
      status: { phase: 'Running' },
      unreadable: 'its status.conditions is longer than 2 MiB, or nested too deep',
    };
    const lines = Buffer.from(`${JSON.stringify({ type: 'MODIFIED', object })}\n${JSON.stringify({ type: 'ADDED', object: ordinary })}\n`);
    const watched = readLines(lines, POD_FIELDS, evenChunks(lines));
    expect(watched.lines.map((line) => line.object)).toEqual([expected, { metadata: ordinary.metadata, spec: {} }]);
    expect(watched.heldBytes).toBeLessThan(3 * CONDENSER_LIMITS.bytes);
    const page = Buffer.from(JSON.stringify({ metadata: { resourceVersion: '1' }, items: [object, ordinary] }));
    expect(readPage(POD_FIELDS, evenChunks(page)).items).toEqual([expected, { metadata: ordinary.metadata, spec: {} }]);
  });

  test('that are no JSON from somewhere on, or nested too deep, tell of their metadata; the watch and the list go on behind them', () => {
    const { metadata } = ordinary;
    const deep = `{"metadata":${JSON.stringify(metadata)},"status":{"conditions":${'['.repeat(200)}${']'.repeat(200)}}}`;
    const expected = [
      { metadata, spec: {}, unreadable: 'its JSON cannot be read' },
      { metadata, spec: {} },
    ];
    const lines = Buffer.from(`{"type":"ADDED","object":${deep}}\n${JSON.stringify({ type: 'ADDED', object: ordinary })}\n`);
    expect(readLines(lines, POD_FIELDS, [lines]).lines.map(({ object }) => object)).toEqual(expected);
    expect(readPage(POD_FIELDS, [Buffer.from(`{"metadata":{},"items":[${deep},${JSON.stringify(ordinary)}]}`)]).items).toEqual(expected);
  });

  test('that are no events are told of by how they begin', () => {
    const reader = new EventReader(POD_FIELDS);
    reader.take(Buffer.from(`<html>${'x'.repeat(400_000)}`));
    expect(() => reader.next()).toThrow(new NoEventError(`<html>${'x'.repeat(74)}`));
  });
});

/** Jest's own takes seconds for objects of this size where they differ. */
function expectEqual(found: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(found, expected)) expect(JSON.stringify(found).slice(0, 2_000)).toBe(JSON.stringify(expected).slice(0, 2_000));
  expect(JSON.stringify(found).length).toBe(JSON.stringify(expected).length);
}
