// A workload's manifest for people: as the API server has it, without the book-keeping of fields, and without values of environments unless they are
// asked for by those who may act.
import { fieldsOf, isFields, textOf, type Fields } from '../../objects/values/untyped-fields.ts';

const MASK = '***';
/** It repeats the manifest as it was applied, with all its values. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** Other tools keep what they applied as well: kapp as JSON, Fleet packed. */
const APPLIED_PACKED = 'objectset.rio.cattle.io/applied';
const HAS_ENVIRONMENT = /\benv\\*"?\s*:/;
/** Deeper than any manifest that an API server takes. */
const DEEPEST = 64;

export interface ShownManifest {
  manifest: object;
  /** Values that stand as `***`. */
  maskedValues: number;
}

export function shownManifest(object: object, values: 'shown' | 'masked'): ShownManifest {
  const { managedFields: _managedFields, ...metadata } = fieldsOf(fieldsOf(object)['metadata']);
  const bare = { ...object, metadata };
  if (values === 'shown') return { manifest: bare, maskedValues: 0 };
  const { annotations, ...others } = metadata;
  const kept = isFields(annotations) ? Object.entries(annotations).filter(([key]) => key !== LAST_APPLIED) : [];
  const count = { masked: 0 };
  const manifest = masked({ ...object, metadata: { ...others, ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }) } }, count);
  return { manifest: fieldsOf(manifest), maskedValues: count.masked };
}

/** Wherever a list `env` stands: kinds place templates where they like. */
function masked(value: unknown, count: { masked: number }, deepest = DEEPEST): unknown {
  if (deepest === 0) return MASK;
  if (Array.isArray(value)) return value.map((each) => masked(each, count, deepest - 1));
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, below]) => [
      field,
      field === 'env' && Array.isArray(below)
        ? below.map((each: unknown) => maskedVariable(each, count))
        : field === 'annotations' && isFields(below)
          ? maskedAnnotations(below, count)
          : masked(below, count, deepest - 1),
    ]),
  );
}

function maskedAnnotations(annotations: Fields, count: { masked: number }): Fields {
  return Object.fromEntries(
    Object.entries(annotations).map(([name, value]) => {
      if (name !== APPLIED_PACKED && !HAS_ENVIRONMENT.test(textOf(value))) return [name, value];
      count.masked += 1;
      return [name, MASK];
    }),
  );
}

/** References to secrets and fields hold no value. */
function maskedVariable(variable: unknown, count: { masked: number }): unknown {
  if (!isFields(variable) || textOf(variable['value']) === '') return variable;
  count.masked += 1;
  return { ...variable, value: MASK };
}
