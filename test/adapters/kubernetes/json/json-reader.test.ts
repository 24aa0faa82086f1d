// The fields that are wanted of JSON in bytes are those that the known parser would have found, whatever texts look like; and nothing
// that is no JSON reads as an object.
import { shareOf } from '../../../storm-share.ts';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CutOffError, JsonReader } from '../../../../lib/adapters/kubernetes/json/json-reader.ts';
import { prepare } from '../../../../lib/adapters/kubernetes/json/prepared-fields.ts';
import { ListStream } from '../../../../lib/adapters/kubernetes/json/list-stream.ts';
import { Window } from '../../../../lib/adapters/kubernetes/json/window.ts';
import { jobFactsOf, JOB_FIELDS } from '../../../../lib/kinds/job/terms/owner-facts.ts';
import type { Job, Pod } from '../../../../lib/objects/kubernetes.ts';
import { podFactsOf, POD_FIELDS } from '../../../../lib/objects/pods/pod-facts.ts';
import type { WantedFields } from '../../../../lib/objects/field-mask.ts';
import { anyFields, anyValue, asWritten, expectSame, isScalar, keys, trickyText, wantedOf, writings } from '../any-json.ts';

/** One reader for all cases, as in a stream: nothing of one may show in the next. */
const reader = new JsonReader();

function read(text: string | Buffer, fields: WantedFields = true): unknown {
  const window = new Window();
  const [before, behind] = [Buffer.from('"}]'), Buffer.from('\0"}]}"')];
  window.take(Buffer.concat([before, Buffer.from(text), behind]));
  const end = window.end - behind.length;
  reader.begin(window, before.length, end);
  const value = reader.value(prepare(fields));
  if (reader.next() !== 0 || reader.at !== end) throw reader.fault();
  return value;
}

// What was meant is not parsed from any writing: V8 gives an object a wrong key where one is written with an escape, and another object had
// a key of the escape's first letters in that place. What is parsed all the same has other keys meanwhile.
function parsed(json: string): unknown {
  const keysMeant: string[] = [];
  const withoutEscapes = json.replaceAll(/("(?:[^"\\]|\\.)*")(\s*:)?/g, (text: string, key: string, colon: string | undefined) => {
    if (colon === undefined) return text;
    const meant: string = JSON.parse(key);
    const known = keysMeant.indexOf(meant);
    return `"k${known < 0 ? keysMeant.push(meant) - 1 : known}"${colon}`;
  });
  const withKeys = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(withKeys);
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [keysMeant[Number(key.slice(1))], withKeys(field)]));
  };
  return withKeys(JSON.parse(withoutEscapes));
}
const written = fc
  .tuple(anyValue, fc.constantFrom(...writings))
  .map(([value, write]): { text: string; whole: unknown } => ({ text: write(value), whole: asWritten(value) }));

describe('wanted fields', () => {
  test('are what the known parser finds of them', () => {
    fc.assert(
      fc.property(written, anyFields, ({ text, whole }, fields) => {
        expectSame(read(text), whole);
        // Twice, for a text that comes again is taken from what is kept.
        for (let round = 0; round < 3; round += 1)
          expectSame(read(text, fields), fields === false && isScalar(whole) ? whole : wantedOf(whole, fields));
      }),
      { numRuns: shareOf(1_000, 4) },
    );
  });

  test.each([
    ['a field told twice counts as told last', '{"a":{"b":1},"c":2,"a":[{"c":3}]}', { a: { c: true }, c: true }, { a: [{ c: 3 }], c: 2 }],
    [
      'numbers keep their exact value',
      '[0,-0,1.5,1e3,-2E-2,123456789012345678,0.1]',
      true,
      [0, -0, 1.5, 1e3, -0.02, 123456789012345680, 0.1],
    ],
    ['a key of a prototype is a key', '{"a":{"__proto__":{"x":1}}}', true, JSON.parse('{"a":{"__proto__":{"x":1}}}')],
    ['a null in the place of an object stays', '{"a":null}', { a: { b: true } }, { a: null }],
  ])('%s', (_, text, fields: WantedFields, expected) => {
    expectSame(read(text, fields), expected);
  });

  test('are found in bytes that are no UTF-8 as the known parser finds them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), (garbage) => {
        const bytes = Buffer.concat([Buffer.from('{"a":"x'), Buffer.from(garbage), Buffer.from('"}')]);
        let expected: unknown;
        try {
          expected = JSON.parse(bytes.toString());
        } catch {
          expected = undefined;
        }
        let found: unknown;
        try {
          found = read(bytes);
        } catch {
          found = undefined;
        }
        expectSame(found, expected);
      }),
    );
  });

  test('of values nested without end do not end the process', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(read(`{"a":${deep},"b":1}`, { b: true })).toEqual({ b: 1 });
    expect(JSON.stringify(read(`{"a":${deep.slice(99_000, -99_000)}}`, { a: true }))).toBe(`{"a":${deep.slice(99_000, -99_000)}}`);
    expect(() => read(deep, { a: true })).toThrow(SyntaxError);
  });
});

describe('what is no JSON', () => {
  test('cut off anywhere, is told to be cut off', () => {
    fc.assert(
      fc.property(fc.dictionary(keys, anyValue), anyFields, fc.nat(), (object, fields, cut) => {
        const bytes = Buffer.from(JSON.stringify(object));
        expect(() => read(bytes.subarray(0, cut % bytes.length), fields)).toThrow(CutOffError);
      }),
      { numRuns: shareOf(500, 4) },
    );
  });

  test('is refused where it is read as the known parser refuses it', () => {
    fc.assert(
      fc.property(
        anyValue.map((value) => JSON.stringify(value)),
        fc.nat(),
        fc.constantFrom('', ',', ':', '"', '}', ']', '\\', '0', '-', '.', 'e', 'x', '\0', '\u0001'),
        (text, at, put) => {
          const place = at % (text.length + 1);
          const broken = Buffer.from(`${text.slice(0, place)}${put}${text.slice(place + 1)}`).toString();
          let isJson = true;
          try {
            JSON.parse(broken);
          } catch {
            isJson = false;
          }
          if (isJson) expectSame(read(broken), parsed(broken));
          else expect(() => read(broken)).toThrow(SyntaxError);
        },
      ),
      { numRuns: shareOf(2_000, 4) },
    );
  });
});

describe('objects of Kubernetes', () => {
  const texts = fc.option(trickyText, { nil: undefined });
  const container = fc.record(
    {
      name: trickyText,
      restartCount: fc.nat(),
      restartPolicy: fc.constantFrom('Always', 'Never'),
      state: fc.constantFrom({}, { running: {} }, { terminated: { exitCode: 3, finishedAt: '2026-01-01T00:00:07Z' } }),
      env: fc.array(anyValue, { maxLength: 2 }),
    },
    { requiredKeys: ['name'] },
  );
  const metadata = fc.record(
    {
      managedFields: fc.array(anyValue, { maxLength: 2 }),
      uid: texts,
      name: texts,
      namespace: texts,
      resourceVersion: fc.nat().map(String),
      creationTimestamp: fc.constantFrom('2026-01-01T00:00:00Z', 'never'),
      deletionTimestamp: fc.constantFrom('2026-01-01T00:00:01Z'),
      deletionGracePeriodSeconds: fc.nat(),
      labels: fc.dictionary(fc.oneof(trickyText, fc.constant('batch.kubernetes.io/job-completion-index')), trickyText),
      annotations: fc.dictionary(
        fc.oneof(trickyText, fc.constantFrom('batch.kubernetes.io/job-completion-index', 'farloop.dev/number')),
        fc.oneof(trickyText, fc.nat({ max: 99 }).map(String)),
      ),
      finalizers: fc.array(fc.constantFrom('batch.kubernetes.io/job-tracking', 'foregroundDeletion')),
      ownerReferences: fc.array(
        fc.record({ apiVersion: trickyText, kind: trickyText, name: trickyText, uid: trickyText, controller: fc.boolean() }),
        { maxLength: 2 },
      ),
    },
    { requiredKeys: [] },
  );

  test('give the facts of a pod that the whole pod gives', () => {
    const pods = fc.record({
      metadata,
      spec: fc.record({
        volumes: anyValue,
        nodeName: texts,
        initContainers: fc.array(container, { maxLength: 2 }),
        containers: fc.array(container),
      }),
      status: fc.option(
        fc.record(
          {
            phase: texts,
            conditions: fc.array(fc.record({ type: fc.constantFrom('Ready', 'x'), status: trickyText, lastTransitionTime: texts })),
            containerStatuses: fc.array(container, { maxLength: 2 }),
            initContainerStatuses: fc.array(container, { maxLength: 2 }),
            more: anyValue,
          },
          { requiredKeys: [] },
        ),
        { nil: undefined },
      ),
    });
    fc.assert(
      fc.property(pods, (pod) => {
        const text = JSON.stringify(pod);
        const [whole, slim] = [asWritten(pod), read(text, POD_FIELDS)] as [Pod, Pod];
        expectSame(podFactsOf(slim), podFactsOf(whole));
        expectSame(read(text, POD_FIELDS), wantedOf(whole, POD_FIELDS));
        expect(JSON.stringify(slim)).not.toMatch(/"(env|volumes|managedFields)":/);
      }),
    );
  });

  test('give the facts of a Job that the whole Job gives', () => {
    const jobs = fc.record({
      metadata,
      spec: fc.record({
        parallelism: fc.nat(),
        more: anyValue,
        template: fc.record({ spec: fc.record({ restartPolicy: texts, containers: fc.array(container) }), metadata: anyValue }),
      }),
      status: fc.option(fc.dictionary(trickyText, anyValue), { nil: undefined }),
    });
    fc.assert(
      fc.property(jobs, (job) => {
        const text = JSON.stringify(job);
        const [whole, slim] = [asWritten(job), read(text, JOB_FIELDS)] as [Job, Job];
        expectSame(jobFactsOf(slim), jobFactsOf(whole));
      }),
    );
  });
});

describe('a page of a list that comes in pieces', () => {
  const streamed = (text: string | Buffer, cuts: readonly number[], fields: WantedFields): unknown => {
    const bytes = Buffer.from(text);
    const stream = new ListStream(fields);
    const places = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
    let from = 0;
    for (const to of places) {
      stream.take(bytes.subarray(from, to));
      from = to;
    }
    return stream.end();
  };
  const list = fc.record(
    { kind: fc.string(), metadata: anyValue, items: fc.oneof(fc.array(anyValue, { maxLength: 5 }), fc.constant(null)), rest: anyValue },
    { requiredKeys: [] },
  );

  test('has the items of the whole page', () => {
    fc.assert(
      fc.property(list, anyFields, fc.array(fc.nat(), { maxLength: 6 }), fc.constantFrom(...writings), (page, fields, cuts, write) => {
        const { metadata, items } = asWritten(page) as { metadata?: unknown; items?: unknown[] | null };
        expectSame(streamed(write(page), cuts, fields), {
          ...(metadata !== undefined && { metadata }),
          ...(items !== undefined && { items: items && items.map((item) => (isScalar(item) ? item : wantedOf(item, fields))) }),
        });
      }),
      { numRuns: shareOf(500, 4) },
    );
  });

  test('is none where it ends too early, goes on behind its end, or is no JSON object', () => {
    const text = JSON.stringify({ metadata: { resourceVersion: '12' }, items: [{ a: 1 }, { a: 2 }] });
    for (let end = 0; end < text.length; end += 1) expect(streamed(text.slice(0, end), [7, 30], true)).toBeUndefined();
    for (const no of [`${text}{`, `${text}0`, '[]', '12', '<html>', '{"items":[1 2]}', '{"items":[1,]}', '{"a":1,}', '{"metadata":nul}'])
      expect(streamed(no, [3], true)).toBeUndefined();
  });

  test('hands over its items as they come, as far as they are objects', () => {
    const found: unknown[] = [];
    const stream = new ListStream<unknown>({ metadata: true }, (item) => found.push(item));
    stream.take(Buffer.from('{"items":[{"metadata":{"name":"a"},"spec":1},{"metadata":{"name":"b"}'));
    expect(found).toEqual([{ metadata: { name: 'a' } }]);
    stream.take(Buffer.from('}],"metadata":{}}'));
    expect([stream.end(), found.length]).toEqual([{ items: [], metadata: {} }, 2]);
    const broken = new ListStream<unknown>(true, (item) => found.push(item));
    broken.take(Buffer.from('{"items":[7],"metadata":{}}'));
    expect([broken.end(), found.length]).toEqual([undefined, 2]);
  });

  test('is none from an item on whose name, namespace, uid or version is no text', () => {
    for (const field of ['name', 'namespace', 'uid', 'resourceVersion'])
      for (const value of ['7', 'true', 'null', '{}', '["u"]']) {
        const found: unknown[] = [];
        const stream = new ListStream<unknown>({ metadata: true }, (item) => found.push(item));
        stream.take(Buffer.from(`{"items":[{"metadata":{"uid":"u"}},{"metadata":{"${field}":${value}}},{"metadata":{"uid":"v"}}]}`));
        expect([field, value, stream.end(), found]).toEqual([field, value, undefined, [{ metadata: { uid: 'u' } }]]);
      }
  });

  test('of one item larger than any piece is not read anew with each piece', () => {
    const text = JSON.stringify({ items: [{ a: 'x'.repeat(300_000) }] });
    const cuts = Array.from({ length: 3_000 }, (_, at) => at * 100);
    expect(streamed(text, cuts, true)).toEqual({ items: [{ a: 'x'.repeat(300_000) }] });
  });
});
