// Tables of cases as text: a row a line, cells between bars. Values are YAML on one line.
import { load } from 'js-yaml';

/** The rows of a table, each with the cells of the named columns; a cell that is left out is empty. */
export const rowsOf = <const Column extends string>(columns: readonly Column[], table: string): Record<Column, string>[] =>
  table
    .trim()
    .split('\n')
    .map((line) => {
      const cells = line.split(/ +\| ?/).map((cell) => cell.trim());
      if (cells.length > columns.length) throw new Error(`${line}: more cells than the columns ${columns.join(', ')}`);
      return Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? ''])) as Record<Column, string>;
    });

/** The value in a cell. */
export const valueIn = (cell: string): unknown => load(cell);
