// Manifests from files or standard input, read so that they mean what they mean to kubectl: its YAML is that of Go's reader,
// where `yes` is true, `017` is 15, `1_000` is 1000, and a repeated key, or a merge (`<<`), wins over the keys before it.
import { readFile } from 'node:fs/promises';
import { buffer as bytesOfStream } from 'node:stream/consumers';
import { defineMappingTag, defineScalarTag, FAILSAFE_SCHEMA, loadAll, NOT_RESOLVED, YAMLException } from 'js-yaml';
import { fieldsOf, textOf } from '../../objects/values/untyped-fields.ts';
import type { SourcedDocument } from '../../kinds/rows/manifest-documents.ts';
import { UsageError } from '../terminal/exit.ts';
import { lineOfField } from './field-lines.ts';

/**
 * @param files paths, or `-` for standard input
 * @param mostBytes of one file
 * @throws UsageError naming file and line
 */
export async function readManifests(
  files: readonly string[],
  standardInput: NodeJS.ReadableStream,
  { mostBytes = Infinity }: { mostBytes?: number } = {},
): Promise<SourcedDocument[]> {
  const documents: SourcedDocument[] = [];
  for (const file of files) {
    const bytes = file === '-' ? await bytesOfStream(standardInput) : await bytesOfFile(file);
    if (bytes.length > mostBytes)
      throw new UsageError(
        `${file === '-' ? 'standard input' : file}: is too large: expected at most ${mostBytes} bytes, found ${bytes.length}: split it into several runs`,
      );
    const text = textIn(bytes);
    documents.push(...parseManifests(text, file === '-' ? 'standard input' : file));
  }
  return documents;
}

const WHY: Record<string, string> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder, expected a file',
  EACCES: 'this user is not allowed to',
};

async function bytesOfFile(file: string): Promise<Buffer> {
  if (file === '') throw new UsageError('the path of a manifest is empty: expected a file, or - for standard input');
  try {
    return await readFile(file);
  } catch (error) {
    const { code, message } = fieldsOf(error);
    throw new UsageError(`${file}: cannot be read: ${(WHY[textOf(code)] ?? textOf(message)) || String(error)}`, { cause: error });
  }
}

/** UTF-8, or UTF-16 where its mark stands before it: so some shells of Windows write files. */
function textIn(bytes: Buffer): string {
  const mark = bytes.toString('hex', 0, 2);
  return new TextDecoder(mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8').decode(bytes);
}

/** The documents of one text: a stream of YAML, or of JSON objects one after the other. @throws UsageError naming file and line */
export function parseManifests(text: string, file: string): SourcedDocument[] {
  const start = text.replace(/^\uFEFF/, '');
  if (start.trimStart().startsWith('{')) {
    const parsed = jsonDocuments(start, file);
    if (parsed) return parsed;
  }
  return yamlDocuments(start, file);
}

/** @returns undefined when it is not JSON after all: YAML's flow style begins in the same way */
function jsonDocuments(text: string, file: string): SourcedDocument[] | undefined {
  const documents: SourcedDocument[] = [];
  try {
    for (const { start, end } of topLevelObjects(text, file)) {
      documents.push({ document: JSON.parse(text.slice(start, end)), source: `${file}:${lineAt(text, start)}` });
    }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  return documents;
}

/** No object of Kubernetes is deeper, and code that walks a deeper one would overflow the stack. */
const DEEPEST = 100;
const TOO_DEEP = `nested deeper than ${DEEPEST}`;
/** Aliases may say a thing twice, not unfold a few lines into gigabytes. */
const MOST_VALUES = { perCharacter: 10, atLeast: 10_000 };

/**
 * Where each object begins and ends, counted by braces and brackets outside of strings.
 * @throws SyntaxError when anything else stands between; UsageError for one that is nested too deep
 */
function topLevelObjects(text: string, file: string): { start: number; end: number }[] {
  const objects: { start: number; end: number }[] = [];
  let [depth, start, inString] = [0, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || (character === '[' && depth > 0)) {
      if (depth === 0) start = at;
      depth += 1;
      if (depth > DEEPEST) throw new UsageError(`${file}:${lineAt(text, start)}: ${TOO_DEEP}`);
    } else if (character === '}' || (character === ']' && depth > 0)) {
      depth -= 1;
      if (depth === 0) objects.push({ start, end: at + 1 });
    } else if (depth === 0 && character?.trim() !== '') throw new SyntaxError('not a JSON object');
  }
  if (depth !== 0) throw new SyntaxError('an object is not closed');
  return objects;
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

function yamlDocuments(text: string, file: string): SourcedDocument[] {
  const documents: SourcedDocument[] = [];
  for (const { content, line } of yamlParts(text, file)) {
    try {
      // Of what is still more than one document after the separators, the first one counts.
      const [document] = loadAll(content, { schema: KUBECTL_SCHEMA, json: true, maxDepth: DEEPEST });
      const source = `${file}:${line + leadingLines(content)}`;
      const room = { values: Math.max(content.length * MOST_VALUES.perCharacter, MOST_VALUES.atLeast) };
      const plain = plainOf(document, { source, path: '', depth: 0, room });
      if (plain === null || plain === undefined) continue;
      const first = line + leadingLines(content);
      documents.push({ document: plain, source, placeOf: (path) => `${file}:${lineOfField(text, first, path)}` });
    } catch (error) {
      if (!(error instanceof YAMLException)) throw error;
      throw new UsageError(`${file}:${line + (error.mark?.line ?? 0)}: ${problemOf(error)}`, { cause: error });
    }
  }
  return documents;
}

function problemOf({ reason }: YAMLException): string {
  if (/complex keys/.test(reason)) return 'a key is null, a list or a map: expected a text';
  return /maxDepth/.test(reason) ? TOO_DEEP : `not YAML: ${reason}`;
}

interface Place {
  source: string;
  path: string;
  /** How many maps and lists are around it. */
  depth: number;
  /** How many values may still come; one for all of a document. */
  room: { values: number };
}

/** As JSON could hold it. @throws UsageError for a number that it could not, and for aliases that unfold beyond all bounds */
function plainOf(value: unknown, { source, path, depth, room }: Place): unknown {
  if (value === NOTHING) return null;
  if (value === MERGE) return '<<';
  room.values -= 1;
  if (room.values < 0) throw new UsageError(`${source}: ${path}: its aliases unfold to more than a document of that length may hold`);
  // The text itself is not, but what an alias within its own anchor unfolds to.
  if (depth > DEEPEST) throw new UsageError(`${source}: ${TOO_DEEP}`);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    const found = Number.isNaN(value) ? '.nan' : value < 0 ? '-.inf' : '.inf';
    throw new UsageError(`${source}: ${path || 'the document'}: expected a number that JSON can hold, found ${found}`);
  }
  const inside = (field: unknown, within: string): unknown => plainOf(field, { source, path: within, depth: depth + 1, room });
  if (Array.isArray(value)) return value.map((item: unknown, at) => inside(item, `${path}[${at}]`));
  if (typeof value === 'string' && !value.isWellFormed())
    throw new UsageError(`${source}: ${path || 'the document'}: expected whole characters, found half of one: ${JSON.stringify(value)}`);
  if (!(value instanceof YamlMap)) return value;
  const entries = value.pairs.flatMap(([key, field]): (readonly [string, unknown])[] =>
    key === MERGE
      ? // Of several, the first wins.
        mergedMaps(field)
          .toReversed()
          .flatMap((map) => Object.entries(inside(map, path) as object))
      : [[key, inside(field, path === '' ? key : `${path}.${key}`)]],
  );
  return Object.fromEntries(entries);
}

/** The maps of a merge: one map, or several in a list. */
const mergedMaps = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

/**
 * The parts between lines of `---`, which may carry a comment; each with the number of its first line.
 * @throws UsageError for a line that begins with dashes and says more, or is indented where a document should begin
 */
function yamlParts(text: string, file: string): { content: string; line: number }[] {
  const parts: { content: string; line: number }[] = [];
  let lines: string[] = [];
  let first = 1;
  for (const [at, line] of text.split('\n').entries()) {
    const isIndented = /^\s+---\s*$/.test(line) && lines.every(isBlank);
    if (!line.startsWith('---') && !isIndented) {
      lines.push(line);
      continue;
    }
    if (isIndented || !/^---\s*(#.*)?$/.test(line.trimEnd())) {
      const found = JSON.stringify(line.slice(0, 80));
      throw new UsageError(`${file}:${at + 1}: expected --- alone on the line between two documents, not indented, found ${found}`);
    }
    parts.push({ content: lines.join('\n'), line: first });
    lines = [];
    first = at + 2;
  }
  return [...parts, { content: lines.join('\n'), line: first }];
}

/** Blank lines and comments before the document itself. */
const leadingLines = (content: string): number =>
  Math.max(
    0,
    content.split('\n').findIndex((line) => !isBlank(line)),
  );

const isBlank = (line: string): boolean => line.trim() === '' || line.trim().startsWith('#');

const TRUE = new Set(['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON']);
const FALSE = new Set(['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF']);
const NULL = new Set(['', '~', 'null', 'Null', 'NULL']);
/** Stands for null until the document is read: as a key, where kubectl refuses null, the reader refuses it too. */
const NOTHING = Object.freeze({});
/** Stands for a plain `<<` until the document is read: as a key it is a merge, anywhere else a text. */
const MERGE = Symbol('<<');
const isNever = (): boolean => false;

/** A map in the order in which it is written, for a merge overwrites what stands before it. */
class YamlMap {
  readonly pairs: (readonly [string | typeof MERGE, unknown])[] = [];
}

const mapTag = defineMappingTag('tag:yaml.org,2002:map', {
  create: () => new YamlMap(),
  addPair: ({ pairs }, key, value) => {
    if (key === MERGE) {
      if (!mergedMaps(value).every((map) => map instanceof YamlMap)) return 'a merge (<<) takes a map, or a list of maps';
    } else if (typeof key !== 'string' && typeof key !== 'number' && typeof key !== 'boolean') return 'complex keys are not supported';
    pairs.push([key === MERGE ? key : String(key), value]);
    return '';
  },
  // Asked only by merges of the reader itself, and where no key may come twice.
  has: isNever,
  keys: () => [],
  get: () => null,
  identify: isNever,
});

const merge = { resolve: (source: string) => (source === '<<' ? MERGE : NOT_RESOLVED), identify: isNever };
// Under the name that YAML has for it the reader would merge by itself, and let keys stand against what is merged.
const plainMergeTag = defineScalarTag('tag:farloop.dev:merge', { ...merge, implicit: true });
const writtenMergeTag = defineScalarTag('tag:yaml.org,2002:merg', { ...merge, matchByTagPrefix: true });

const boolTag = defineScalarTag('tag:yaml.org,2002:bool', {
  implicit: true,
  resolve: (source) => (TRUE.has(source) ? true : FALSE.has(source) ? false : NOT_RESOLVED),
  identify: isNever,
});

const nullTag = defineScalarTag('tag:yaml.org,2002:null', {
  implicit: true,
  resolve: (source) => (NULL.has(source) ? NOTHING : NOT_RESOLVED),
  identify: isNever,
});

const intTag = defineScalarTag('tag:yaml.org,2002:int', {
  implicit: true,
  resolve: (source) => integerOf(source) ?? NOT_RESOLVED,
  identify: isNever,
});

const floatTag = defineScalarTag('tag:yaml.org,2002:float', {
  implicit: true,
  resolve: (source) => floatOf(source) ?? NOT_RESOLVED,
  identify: isNever,
});

/** Dates stay texts, whether or not the tag is given. */
const timestampTag = defineScalarTag('tag:yaml.org,2002:timestamp', { resolve: (source) => source, identify: isNever });
const binaryTag = defineScalarTag('tag:yaml.org,2002:binary', {
  resolve: (source) => Buffer.from(source, 'base64').toString('utf8'),
  identify: isNever,
});

const KUBECTL_SCHEMA = FAILSAFE_SCHEMA.withTags(
  mapTag,
  nullTag,
  boolTag,
  intTag,
  floatTag,
  timestampTag,
  binaryTag,
  plainMergeTag,
  writtenMergeTag,
);

/** Whole numbers in any base: `0x1f`, `0b11`, `0o17`, and `017` is octal. A sign may stand before, underscores within. */
function integerOf(source: string): number | undefined {
  const [, sign = '', written = ''] = /^([-+]?)([0-9_][0-9a-zA-Z_]*)$/.exec(source) ?? [];
  if (sign === '' && written.startsWith('_')) return undefined;
  const digits = written.replaceAll('_', '');
  const octal = /^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits;
  if (!/^(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0|[1-9][0-9]*)$/.test(octal)) return undefined;
  const value = Number(octal);
  if (value >= 2 ** 64 || (sign === '-' && value > 2 ** 63)) return undefined;
  return sign === '-' ? -value : value;
}

/** `.inf` and `.nan` are numbers too, which JSON cannot hold: refused once it is known where they stand, as kubectl refuses them. */
function floatOf(source: string): number | undefined {
  if (/^[-+]?\.(inf|Inf|INF)$/.test(source)) return source.startsWith('-') ? -Infinity : Infinity;
  if (/^\.(nan|NaN|NAN)$/.test(source)) return Number.NaN;
  if (source.startsWith('_')) return undefined;
  // Underscores are for numbers that begin with a digit or a sign.
  const plain = source.startsWith('.') ? source : source.replaceAll('_', '');
  const value = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/.test(plain) ? Number(plain) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}
