// The columns that `kubectl get` shows of a custom resource: those of its definition, by their paths.
import { ageOf } from '../rows/human-duration.ts';
import type { Column } from '../rows/resource-row.ts';
import { ageColumn, nameColumn } from '../rows/row.ts';
import { numberAt, textAt } from '../objects/api-object.ts';
import type { Fields } from '../objects/api-object.ts';
import { goText } from '../objects/go-text.ts';
import { jsonPath, JsonPathError } from './json-path.ts';

const types = ['string', 'integer', 'number', 'boolean', 'date'] as const;

/** Name, then the columns of a version; name and age where it has none, or where one of them has no path that can be read. */
export function columnsOf(columns: readonly Fields[]): Column[] {
  if (columns.length === 0) return [nameColumn, { ...ageColumn, type: 'date' }];
  const made: Column[] = [nameColumn];
  try {
    for (const column of columns) made.push(columnOf(column));
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
  }
  return made;
}

function columnOf(given: Fields): Column {
  const [name, named, format, text] = ['name', 'type', 'format', 'jsonPath'].map((field) => textAt(given, field)) as [
    string,
    string,
    string,
    string,
  ];
  const path = jsonPath(text);
  const type = types.find((each) => each === named) ?? 'string';
  return {
    name,
    type,
    ...(format && { format }),
    description: textAt(given, 'description') || `Custom resource definition column (in JSONPath format): ${text}`,
    priority: numberAt(given, 'priority'),
    cell: (object, nowMs) => cellOf(type, path(object)[0], nowMs),
  };
}

function cellOf(type: (typeof types)[number], value: unknown, nowMs: number): unknown {
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'string':
      return typeof value === 'object' ? JSON.stringify(value) : goText(value);
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      if (typeof value !== 'string') return null;
      return Number.isNaN(Date.parse(value)) ? '<invalid>' : ageOf(value, nowMs);
    default:
      return type satisfies never;
  }
}
