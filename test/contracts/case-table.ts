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

/** Tables below one another: a line that is not indented heads the rows behind it. */
export const groupsOf = <const Head extends string, const Column extends string>(
  head: readonly Head[],
  columns: readonly Column[],
  text: string,
): { head: Record<Head, string>; rows: Record<Column, string>[] }[] =>
  text
    .trim()
    .split(/\n(?! )/)
    .map((group) => {
      const [first = '', ...lines] = group.split('\n');
      return { head: rowsOf(head, first)[0]!, rows: rowsOf(columns, lines.join('\n')) };
    });

/** Rows whose first cell is empty say more of the row above: the lines of each first cell, and what all of them say. */
export function saidOf<Line extends { said: string }>(
  rows: readonly Line[],
  first: (row: Line) => string,
): { first: string; said: string[] }[] {
  const found: { first: string; said: string[] }[] = [];
  for (const row of rows) {
    const above = found.at(-1);
    if (first(row) === '' && above) above.said.push(row.said);
    else found.push({ first: first(row), said: row.said === '' ? [] : [row.said] });
  }
  return found;
}
