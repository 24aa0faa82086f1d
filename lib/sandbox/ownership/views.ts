// Which versions show an object, and which of its fields a write through one of them cannot change.
import type { ResourceRow } from '../rows/resource-row.ts';
import { apiVersionOf } from '../rows/resources.ts';
import type { Resources } from '../rows/resources.ts';
import { fieldsNamed } from './managed-fields.ts';
import type { View } from './managed-fields.ts';
import type { FieldSet } from '../objects/field-set.ts';

const viewOfRow = new WeakMap<ResourceRow, View>();

/** A row as a view on the stored object. */
export function viewOf(row: ResourceRow): View {
  let view = viewOfRow.get(row);
  if (!view) {
    const { read, write } = row.stored ?? {};
    view = { apiVersion: apiVersionOf(row), type: row.schema, read: read ?? ((object) => object), write: write ?? ((object) => object) };
    viewOfRow.set(row, view);
  }
  return view;
}

/** All views on the objects of a row. */
export const viewsOf = (resources: Resources, row: ResourceRow): View[] => resources.sharing(row).map(viewOf);

/** The fields that a write leaves as they are: the status, or with the status subresource all others. */
export function untouchedBy(row: ResourceRow, subresource: 'status' | 'scale' | 'token' | undefined): FieldSet {
  if (!row.subresources.some(({ name }) => name === 'status')) return {};
  return fieldsNamed(subresource === 'status' ? ['spec', ...row.keptByStatus] : ['status']);
}
