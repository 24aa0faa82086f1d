// Problems of an object by the schema of its definition: values, embedded objects, and lists that are sets or maps.
import type { FieldError } from '../../objects/field-error.ts';
import type { Fields } from '../objects/api-object.ts';
import { propertyOf } from '../schema/json-schema.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { embeddedProblems } from './embedded-resources.ts';
import { problemsOf } from './findings.ts';
import { duplicateProblems } from './list-uniqueness.ts';
import { Previous } from './previous.ts';
import { findingsOf } from './value-problems.ts';

/**
 * The problems of a whole object, but for its own metadata.
 * @param object with its apiVersion and kind
 * @param old the object before an update: what did not change since is not refused again
 */
export function objectProblems(object: Fields, schema: JsonSchema, { old }: { old?: Fields | undefined } = {}): FieldError[] {
  return [
    ...problemsOf(findingsOf(object, schema, '', old && new Previous(schema, object, old)).found, ''),
    ...embeddedProblems(object, schema),
    ...newDuplicates(object, schema, old),
  ];
}

/** The problems of an object after a write of its status. @param object, old whole */
export function statusProblems(object: Fields, schema: JsonSchema, old: Fields): FieldError[] {
  const { status } = object;
  const ofStatus = propertyOf(schema, 'status');
  const previous = new Previous(schema, object, old).field('status');
  return [
    ...(status === undefined || !ofStatus ? [] : problemsOf(findingsOf(status, ofStatus, '', previous).found, 'status')),
    ...newDuplicates(object, schema, old),
  ];
}

/** Once an object has duplicates, more of them are not refused. */
function newDuplicates(object: Fields, schema: JsonSchema, old: Fields | undefined): FieldError[] {
  const problems = duplicateProblems(object, schema);
  return problems.length > 0 && old && duplicateProblems(old, schema).length > 0 ? [] : problems;
}
