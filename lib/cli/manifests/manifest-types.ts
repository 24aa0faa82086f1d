// Manifests read as the API server reads them, before anything is planned from them: what it could not read, no planner shall read.
import type { Fields } from '../../objects/values/untyped-fields.ts';
import type { ShapeProblem } from '../../kinds/rows/manifest-shapes.ts';
import { withoutNulls } from '../../kinds/planning/manifest-sorting.ts';
import { stepsOf } from './field-steps.ts';
import { suggestionText } from '../terminal/suggestions.ts';
import { decode, type Misfit } from '../../sandbox/schema/decode.ts';
import { schemaOf, type FieldType } from '../../sandbox/schema/notation.ts';

/** A document with the types of the API server, without the fields that it does not know: it drops them, which is seldom what was meant. */
export interface ReadManifest {
  object: Fields;
  unknown: UnknownField[];
}

/** A field that the API server does not know. */
export interface UnknownField {
  /** Such as `spec.paralelism`. */
  path: string;
  /** Names of the fields that may stand there. */
  siblings: readonly string[];
}

/** `spec.paralelism: there is no such field (Did you mean parallelism?)` */
export function unknownFieldText({ path, siblings }: UnknownField): string {
  const name = stepsOf(path).at(-1);
  return `${path}: there is no such field${typeof name === 'string' ? suggestionText(name, siblings) : ''}`;
}

/** A document as the API server reads it, by the schema of its type where there is one; of one that it cannot read, the first field whose value has another type than it has there. */
export function readManifest(schema: string | undefined, document: Fields): ReadManifest | { problem: ShapeProblem } {
  if (schema === undefined) return { ...withoutNulls(schema, document), unknown: [] };
  try {
    const type = schemaOf(schema);
    const { object, unknown } = decode(type, document, (_message, misfit) => new MistypedError(misfit), { addsEmpty: false });
    return { object, unknown: unknown.map((path) => ({ path, siblings: siblingsOf(path, type) })) };
  } catch (error) {
    if (error instanceof MistypedError) return { problem: error.problem };
    throw error;
  }
}

/** Names of the fields that may stand beside the one at the end of a path. */
function siblingsOf(path: string, type: FieldType): string[] {
  const parents = stepsOf(path).slice(0, -1);
  const parent = parents.reduce(
    (at: FieldType | undefined, step) => (typeof step === 'number' ? elementTypeOf(at) : typeBelow(at, step)),
    type,
  );
  return parent?.is === 'object' ? [...parent.fields.keys()] : [];
}

const elementTypeOf = (type: FieldType | undefined): FieldType | undefined => (type?.is === 'list' ? type.of : undefined);
const typeBelow = (type: FieldType | undefined, step: string): FieldType | undefined =>
  type?.is === 'object' ? type.fields.get(step)?.type : type?.is === 'map' ? type.of : undefined;

class MistypedError extends Error {
  override readonly name = 'MistypedError';
  readonly problem: ShapeProblem;

  constructor({ path, value, type }: Misfit) {
    const field = path.replaceAll(/\{([^}]*)(?:\}|$)/g, '.$1');
    const problem = { field, expected: expectedOf(type, value), found: (JSON.stringify(value) ?? 'nothing').slice(0, 80) };
    super(`${problem.field}: expected ${problem.expected}`);
    this.problem = problem;
  }
}

function expectedOf(type: FieldType | undefined, value: unknown): string {
  if (type === undefined) return 'nothing nested so deep';
  if (type.is !== 'int32' && type.is !== 'int64') return EXPECTED[type.is];
  return Number.isInteger(value) ? `a number of ${type.is === 'int32' ? 32 : 64} bits` : 'a whole number';
}

const EXPECTED: Readonly<Record<Exclude<FieldType['is'], 'int32' | 'int64'>, string>> = {
  object: 'an object',
  list: 'a list',
  map: 'a map',
  string: 'text',
  boolean: 'true or false',
  number: 'a number',
  time: 'an RFC 3339 time',
  microTime: 'an RFC 3339 time',
  bytes: 'text in base64',
  quantity: 'a quantity',
  intOrString: 'a whole number of 32 bits or text',
  any: 'anything',
  free: 'anything',
};
