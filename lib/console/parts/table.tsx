// A short table; wide ones scroll on their own, also by keyboard.
import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  title: string;
  isNumber?: true;
  cell: (row: Row) => ComponentChildren;
}

interface TableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  idOf: (row: Row) => string;
  /** Shown instead when there are no rows. */
  empty: ComponentChildren;
}

export function Table<Row>({ label, columns, rows, idOf, empty }: TableProps<Row>) {
  if (rows.length === 0) return <p class="soft">{empty}</p>;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th scope="col" key={title} class={isNumber && 'number'}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={idOf(row)}>
              {columns.map(({ title, isNumber, cell }) => (
                <td key={title} class={isNumber && 'number'}>
                  {cell(row) ?? '–'}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Names and values; what is undefined is left out. */
export function Facts({ pairs }: { pairs: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {pairs
        .filter(([, value]) => value !== undefined && value !== false && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
