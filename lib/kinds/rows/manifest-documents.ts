// Documents one by one, for `farloop plan` and `up --apply`, and the refusal of unreadable ones.
import { isFields, type Fields } from '../../objects/values/untyped-fields.ts';
import type { ShapeProblem } from './manifest-shapes.ts';

/** A parsed document and its place, such as `job.yaml:12`. */
export interface SourcedDocument {
  document: unknown;
  source: string;
  /** The place of a field of it, such as `job.yaml:15`; absent where lines are not known. */
  placeOf?: (path: string) => string;
}

/** Unusable input. The message says where, what is wrong and what was expected. */
export class UnusableManifestError extends Error {
  override readonly name = 'UnusableManifestError';
}

/** More than one workload, and the request names none. */
export class SeveralWorkloadsError extends Error {
  override readonly name = 'SeveralWorkloadsError';
}

/** A document with the two fields that every Kubernetes object has. */
export type ManifestObject = Fields & { apiVersion: string; kind: string };

/**
 * The objects of the documents one by one, lists opened. Empty documents are skipped.
 * @throws UnusableManifestError for a document or a list item that is not an object
 */
export function* objectsIn(
  documents: readonly SourcedDocument[],
): Generator<{ object: ManifestObject; source: string } & Pick<SourcedDocument, 'placeOf'>> {
  const waiting = documents.toReversed();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { document, source, placeOf } = next;
    if (document === null || document === undefined) continue;
    if (!isFields(document)) throw new UnusableManifestError(`${source}: expected a Kubernetes object, found ${shortened(document)}`);
    if (!isManifestObject(document))
      throw new UnusableManifestError(`${source}: expected apiVersion and kind, as every Kubernetes object has them`);
    const { apiVersion, kind, items = null } = document;
    if (!kind.endsWith('List') || (items === null && kind !== 'List')) {
      yield { object: document, source, ...(placeOf && { placeOf }) };
      continue;
    }
    const listed: unknown = items ?? [];
    if (!Array.isArray(listed))
      throw new UnusableManifestError(`${source}: items: expected a list of Kubernetes objects, found ${shortened(items)}`);
    // Items of a typed list, such as JobList, may omit apiVersion and kind.
    const given = kind === 'List' ? {} : { apiVersion, kind: kind.slice(0, -'List'.length) };
    const opened = listed.map((item: unknown, at) => ({
      document: isFields(item) ? { ...given, ...item } : item,
      source: `${source} item ${at}`,
      ...(placeOf && { placeOf: (path: string) => placeOf(`items[${at}].${path}`) }),
    }));
    waiting.push(...opened.toReversed());
  }
}

const isManifestObject = (document: Fields): document is ManifestObject =>
  typeof document['apiVersion'] === 'string' && typeof document['kind'] === 'string';

const shortened = (value: unknown): string => JSON.stringify(value).slice(0, 80);

/** In JSON, null means that a field is absent. Changes the document itself. */
export function dropNulls(value: Fields): void {
  for (const key of Object.keys(value)) {
    const field = value[key];
    if (field === null) delete value[key];
    else if (Array.isArray(field)) for (const item of field) if (isFields(item)) dropNulls(item);
    if (isFields(field)) dropNulls(field);
  }
}

export function misshapen({ field, expected, found }: ShapeProblem, source: string): UnusableManifestError {
  return new UnusableManifestError(
    `${source}: ${field === '' ? 'the document' : field}: expected ${expected}, found ${found ?? 'nothing'}`,
  );
}
