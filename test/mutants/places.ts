// Places in the sources that survive a refactor: a text within a named declaration, in whatever file that stands.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is replaced, and where: the shortest text that tells the place from all others in the declaration. */
export interface Edit {
  /** Name of a function or const at the top of a file in lib, or `Class.member`. One name may stand in several files: the text decides. */
  within: string;
  /** Its white space is as good as any other. */
  search: string;
  replacement: string;
  /** What the declaration says elsewhere, where another one of its name says the same. */
  beside?: string;
}

export interface Place {
  file: string;
  from: number;
  to: number;
}

type Declaration = Place & { text: string };
export type Declarations = ReadonlyMap<string, readonly Declaration[]>;

// The formatter indents what belongs to a declaration, so that its end needs no parser.
const TOP = /^(?:export )?(?:default )?(?:abstract )?(?:async )?(?:function\*?|const|let|class) (\w+)/;
const MEMBER = /^ {2}(?:(?:static|override|private|protected|public|readonly|async|get|set) )*\*?(#?\w+)[(<=:?! ]/;
/** What means something else in a pattern. */
const SPECIAL = /[.*+?^${}()|[\]\\]/g;
const isCloser = (line: string, indent: number): boolean => /^[\])}`]/.test(line.slice(indent));

/** @param files texts by path */
export function declarationsOf(files: Iterable<readonly [string, string]>): Declarations {
  const found = new Map<string, Declaration[]>();
  for (const [file, text] of files) {
    const lines = linesOf(text);
    for (const [at, { line, from }] of lines.entries()) {
      const name = TOP.exec(line)?.[1];
      if (name === undefined) continue;
      const end = endOf(lines, at, 0);
      const add = (as: string, range: { from: number; to: number }): void => {
        const own = { file, ...range, text: text.slice(range.from, range.to) };
        found.set(as, [...(found.get(as) ?? []), own]);
      };
      add(name, { from, to: end.to });
      if (!/\bclass\b/.test(line)) continue;
      for (let inner = at + 1; inner < end.line; inner++) {
        const member = MEMBER.exec(lines[inner]?.line ?? '')?.[1];
        if (member !== undefined) add(`${name}.${member}`, { from: lines[inner]?.from ?? 0, to: endOf(lines, inner, 2).to });
      }
    }
  }
  return found;
}

type Line = Readonly<{ line: string; from: number; to: number }>;

function linesOf(text: string): Line[] {
  let from = 0;
  return text.split('\n').map((line) => {
    const own = { line, from, to: from + line.length };
    from = own.to + 1;
    return own;
  });
}

/** The line before the next one that stands as far left, or further, and closes nothing. */
function endOf(lines: readonly Line[], begin: number, indent: number): { line: number; to: number } {
  let end = begin;
  for (let at = begin + 1; at < lines.length; at++) {
    const { line } = lines[at] ?? { line: '' };
    const own = line.length - line.trimStart().length;
    if (line !== '' && (own < indent || (own === indent && !isCloser(line, indent)))) break;
    if (line !== '') end = at;
  }
  return { line: end, to: lines[end]?.to ?? 0 };
}

/** @param root folder that has `lib` in it */
export const declarationsIn = (root: string): Declarations =>
  declarationsOf(globSync('lib/**/*.ts', { cwd: root }).map((file) => [file, readFileSync(join(root, file), 'utf8')] as const));

/** @throws Error a sentence that says what is to be done */
export function placeOf(declarations: Declarations, { within, search, beside }: Edit): Place {
  const all = declarations.get(within);
  if (!all) throw new Error(`nothing in lib is called ${within}: name the function, const or Class.member that does its work now`);
  const named = all.filter(({ text }) => beside === undefined || patternOf(beside).test(text));
  if (named.length === 0) throw new Error(`${within} (${filesOf(all)}) no longer says ${beside}: take another text that it alone says`);
  const pattern = patternOf(search);
  const places = named.flatMap(({ file, from, text }) =>
    [...text.matchAll(pattern)].map(({ index, 0: { length } }) => ({ file, from: from + index, to: from + index + length })),
  );
  const [place] = places;
  if (!place)
    throw new Error(`${within} (${filesOf(named)}) no longer says ${search}: find what does its work now, and write the bug for that`);
  if (places.length > 1)
    throw new Error(`${within} (${filesOf(places)}) says ${search} ${places.length} times: take more of the text, or one \`beside\` it`);
  return place;
}

const patternOf = (text: string): RegExp => new RegExp(text.trim().replaceAll(SPECIAL, '\\$&').replaceAll(/\s+/g, '\\s+'), 'g');
const filesOf = (places: readonly Place[]): string => [...new Set(places.map(({ file }) => file))].join(' and ');

/** @param edits none of them may meet another */
export function edited(text: string, edits: readonly (Place & Pick<Edit, 'replacement'>)[]): string {
  return edits
    .toSorted((a, b) => b.from - a.from)
    .reduce((now, { from, to, replacement }) => now.slice(0, from) + replacement + now.slice(to), text);
}
