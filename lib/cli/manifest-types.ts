// Manifests read as the API server reads them, before anything is planned from them: what it could not read, no planner shall read.
import type { Fields } from '../objects/untyped-fields.ts';
import type { ShapeProblem } from '../kinds/manifest-shapes.ts';
import { withoutNulls } from '../kinds/manifest-sorting.ts';
import { decode, type Misfit } from '../sandbox/schema/decode.ts';
import { schemaOf, type FieldType } from '../sandbox/schema/notation.ts';

/** A document with the types of the API server, without the fields that it does not know: it drops them, which is seldom what was meant. */
export interface ReadManifest {
  object: Fields;
  /** Their paths, such as `spec.paralelism`. */
  unknown: string[];
}

/** What the API server makes of a document, by the schema of its type where there is one; of one that it cannot read, the first field whose value has another type than it has there. */
export function readManifest(schema: string | undefined, document: Fields): ReadManifest | { problem: ShapeProblem } {
  if (schema === undefined) return { ...withoutNulls(schema, document), unknown: [] };
  try {
    return decode(schemaOf(schema), document, (_message, misfit) => new MistypedError(misfit), { addsEmpty: false });
  } catch (error) {
    if (error instanceof MistypedError) return { problem: error.problem };
    throw error;
  }
}

class MistypedError extends Error {
  override readonly name = 'MistypedError';
  readonly problem: ShapeProblem;

  constructor({ path, value, type }: Misfit) {
    const field = path.replaceAll(/\{([^}]*)\}/g, '.$1');
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
