// The tables of docs/decisions/0003: which tests, invariants and mutants defend each rule, and which mutants trip each invariant.
import { INVARIANTS, INVARIANT_NAMES, OF_THE_RUN } from '../simulation/invariants/table.ts';
import { MUTANTS } from './mutants.ts';

export const DECISION = 'docs/decisions/0003-rules-tests-mutants.md';

export const RULES = Array.from({ length: 19 }, (_, at) => `R${at + 1}`);

/** Invariants that no mutant trips, and why: they stand for bugs that would have to be larger, or that another invariant sees first. */
export const UNTRIPPED: Readonly<Record<string, string>> = {
  'every ensemble ends as its story tells':
    'its planner is the tests’ own: what the loop does wrong keeps it from ending, which "ends in time" sees',
  'an ensemble has a service for each seat, and the order of those that play':
    'a difference that the view shows is planned, so that "a further pass plans nothing" is tripped first',
  'a seat whose pod has succeeded is not taken again': 'its planner is the tests’ own',
  'a task is started once': 'a task is named by its pod, and the provider’s contract makes a second start of a name none',
  'a pod that is final or gone gets no task':
    'a start needs the pod as it was read live in that pass: a plan from anything else is not carried out, and "ends in time" is tripped',
  'a pod is told of its eviction once': 'a second telling writes a status that changes nothing, and that is tripped first',
  'every pod on a virtual node ends as its story tells':
    'what keeps a pod from its end keeps its story from ending, which "ends in time" sees',
  'the pods of others are left alone': 'pods that nobody of ours owns are in no view',
  'a Job does not both complete and fail':
    'what a Job has ended with stands in its status, is looked for first, and is written anew each time: two changes would have to meet',
};

export type Row = readonly string[];

/** Cells of the table whose first column has this title; titles and the line below them left out. */
export function rowsOf(text: string, title: string): Row[] {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.startsWith(`| ${title} |`));
  const rows: Row[] = [];
  for (const line of from < 0 ? [] : lines.slice(from + 2)) {
    if (!line.startsWith('|')) break;
    rows.push(
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  }
  return rows;
}

/** @returns the text with other rows in that table */
function withRows(text: string, title: string, rows: readonly Row[]): string {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.startsWith(`| ${title} |`)) + 2;
  const count = rowsOf(text, title).length;
  return [...lines.slice(0, from), ...rows.map((cells) => `| ${cells.join(' | ')} |`), ...lines.slice(from + count)].join('\n');
}

const ofRule = (rule: string, list: readonly { name: string; rule: string }[]): string =>
  list
    .filter((each) => each.rule === rule)
    .map(({ name }) => name)
    .join('; ');

/** Tests are named by people; invariants and mutants by their own tables. */
export function rulesIn(text: string): Row[] {
  return rowsOf(text, 'rule').map(([rule = '', tests = '']) => {
    const number = rule.split(':')[0] ?? '';
    return [rule, tests, ofRule(number, [...OF_THE_RUN, ...INVARIANTS]) || 'by the end of each story', ofRule(number, MUTANTS)];
  });
}

/** @param tripped names of mutants by invariant */
const invariantsOf = (tripped: ReadonlyMap<string, readonly string[]>): Row[] =>
  INVARIANT_NAMES.map((name) => [name, tripped.get(name)?.join('; ') ?? `none: ${UNTRIPPED[name] ?? 'NOT SAID'}`]);

export const decisionWith = (text: string, tripped: ReadonlyMap<string, readonly string[]>): string =>
  withRows(withRows(text, 'rule', rulesIn(text)), 'invariant', invariantsOf(tripped));
