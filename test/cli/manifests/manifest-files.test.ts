// Manifests mean what they mean to kubectl. kubectl itself is asked in test/cluster.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { UsageError } from '../../../lib/cli/terminal/exit.ts';
import { parseManifests, readManifests } from '../../../lib/cli/manifests/manifest-files.ts';
import { MANY_MERGES, withAnchors, YAML_KEYS, YAML_MERGES, YAML_REFUSED, YAML_VALUES } from '../../contracts/yaml-values.ts';

const documentsOf = (text: string) => parseManifests(text, 'f.yaml').map(({ document }) => document);
const sourcesOf = (text: string) => parseManifests(text, 'f.yaml').map(({ source }) => source);

describe('YAML', () => {
  test.each(YAML_VALUES)('%s is %j', (text, value) => expect(documentsOf(`a: ${text}`)).toEqual([{ a: value }]));

  test.each(YAML_KEYS)('%j: a repeated key wins, keys are texts, anchors are merged', (text, value) =>
    expect(documentsOf(`a:\n  ${text}`)).toEqual([{ a: value }]),
  );
  test.each(YAML_MERGES)('%s: a merge overwrites what stands before it, and the first of its list wins', (text, value) =>
    expect(documentsOf(`a:\n  ${withAnchors(text)}`)).toMatchObject([{ a: { of: value } }]),
  );
  test('a long document may merge as often as kubectl lets it', () => {
    const [document] = documentsOf(`a:\n  ${MANY_MERGES}`);
    const { of: merged } = (document as { a: { of: unknown[] } }).a;
    expect(merged).toHaveLength(1_500);
    expect(merged.at(-1)).toMatchObject({ k0: 0, k9: 9 });
  });
  test('a key __proto__ does no harm', () => {
    const [document] = documentsOf('__proto__: {polluted: 1}');
    expect(Object.getPrototypeOf(document)).toBe(Object.prototype);
    expect(JSON.stringify(document)).toBe('{"__proto__":{"polluted":1}}');
  });

  test('a stream has its documents between the lines of dashes, each with its own line', () => {
    const text = '# first\na: 1\n--- # second\n\nb: 2\n---\n# nothing\n---\nc: 3\n';
    expect(documentsOf(text)).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }]);
    expect(sourcesOf(text)).toEqual(['f.yaml:2', 'f.yaml:5', 'f.yaml:9']);
    expect(documentsOf('--- # first\r\na: 1\r\n--- # second\r\nb: 2\r\n---\r\nc: 3\r\n')).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }]);
  });

  test('dashes within a text are no line between documents', () => {
    expect(documentsOf('a: |\n  ---\n  x\n')).toEqual([{ a: '---\nx\n' }]);
    expect(documentsOf('a:\n  - |\n    --- y\n')).toEqual([{ a: ['--- y\n'] }]);
  });

  test.each<[string, RegExp]>([
    ['a: 1\n---\nb: [1\nc: 2\n', /^f\.yaml:\d+: not YAML/],
    ['a: b: c', /^f\.yaml:1: not YAML/],
    ['a: *nobody', /^f\.yaml:1: not YAML/],
    ['a: 1\n~: 2', /^f\.yaml:2: a key is null, a list or a map: expected a text/],
    ['a:\n  null: 2', /^f\.yaml:2: a key is null/],
    ['a: 1\n---\nb:\n  c: [1, .inf]', /^f\.yaml:3: b\.c\[1\]: expected a number that JSON can hold, found \.inf/],
    ['a: -.INF', /^f\.yaml:1: a: expected a number that JSON can hold, found -\.inf/],
    [`a: 1\n---\na: ${'['.repeat(101)}${']'.repeat(101)}`, /^f\.yaml:3: nested deeper than 100/],
    [
      ['x', '*a', '*b', '*c', '*d', '*e', '*f']
        .map((value, at) => `${'abcdefg'[at]}: &${'abcdefg'[at]} [${`${value},`.repeat(10)}]`)
        .join('\n'),
      /^f\.yaml:1: [b-g].*: its aliases unfold to more than a document of that length may hold/,
    ],
    ...['a: &x {b: *x}', 'a: &x [*x]', 'a: &x {<<: *x}'].map((text): [string, RegExp] => [text, /^f\.yaml:1: nested deeper than 100/]),
    [
      ['{k: 1}', ...Array.from({ length: 8 }, (_, at) => `{<<: [${`*a${at},`.repeat(10)}]}`)]
        .map((map, at) => `a${at}: &a${at} ${map}`)
        .join('\n'),
      /^f\.yaml:1: a\d\.k: its aliases unfold to more than a document of that length may hold/,
    ],
    ['a: 1\n<<: 3', /^f\.yaml:2: not YAML: a merge \(<<\) takes a map, or a list of maps/],
    ['a: &x ~\n<<: [*x]', /^f\.yaml:2: not YAML: a merge \(<<\) takes a map, or a list of maps/],
    ['a: .NaN', /^f\.yaml:1: a: .* found \.nan/],
    ...YAML_REFUSED,
  ])('%j is refused with file and line', (text, message) => {
    expect(() => parseManifests(text, 'f.yaml')).toThrow(UsageError);
    expect(() => parseManifests(text, 'f.yaml')).toThrow(message);
  });
});

describe('JSON', () => {
  test('one object, or several one after the other', () => {
    expect(documentsOf('{"a": "}"}')).toEqual([{ a: '}' }]);
    expect(documentsOf('\uFEFF{"a": 1}\n{"a": "\\"{"} {"b": yes}'.replace(' {"b": yes}', ''))).toEqual([{ a: 1 }, { a: '"{' }]);
    expect(sourcesOf('{"a": 1}\n\n{"a": 2}')).toEqual(['f.yaml:1', 'f.yaml:3']);
  });
  test('nested deeper than anything of Kubernetes is refused with file and line', () => {
    const nested = (depth: number): string => `{"a":${'[{"b":'.repeat(depth)}1${'}]'.repeat(depth)}}`;
    expect(documentsOf(nested(49))).toHaveLength(1);
    expect(() => documentsOf(`{}\n${nested(50)}`)).toThrow(/^f\.yaml:2: nested deeper than 100/);
    expect(() => documentsOf(nested(20_000))).toThrow(/^f\.yaml:1: nested deeper than 100/);
  });
  test('what only looks like it is YAML', () => expect(documentsOf('{a: yes}')).toEqual([{ a: true }]));
});

test.each(['utf-8', 'utf-16le', 'utf-16be'])('a file that says so is read as %s, and so is standard input', async (encoding) => {
  const text = Buffer.from('\uFEFFa: "é😀"\n---\nb: 2\n', encoding === 'utf-8' ? 'utf8' : 'utf16le');
  const bytes = encoding === 'utf-16be' ? text.swap16() : text;
  const folder = await mkdtemp(join(tmpdir(), 'farloop-manifests-'));
  try {
    await writeFile(join(folder, 'f.yaml'), bytes);
    const documents = await readManifests([join(folder, 'f.yaml'), '-'], Readable.from([bytes.subarray(0, 3), bytes.subarray(3)]));
    expect(documents.map(({ document }) => document)).toEqual([{ a: 'é😀' }, { b: 2 }, { a: 'é😀' }, { b: 2 }]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('a file that is not there is named', async () => {
  await expect(readManifests(['/nowhere/job.yaml'], process.stdin)).rejects.toThrow(
    '/nowhere/job.yaml: cannot be read: there is no such file',
  );
});
