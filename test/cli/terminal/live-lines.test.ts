// Lines that go on: on a terminal each is written over where it stands, elsewhere each change is a line.
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { LiveLines } from '../../../lib/cli/terminal/live-lines.ts';
import { printInstead, printLine, printProblem } from '../../../lib/cli/terminal/output.ts';

/** A terminal that knows what the commands send it: lines, up, clear to the end, clear a line, home, clear all. */
class Screen {
  readonly lines: string[] = [''];
  #row = 0;

  write(text: string): void {
    // oxlint-disable-next-line no-control-regex
    for (const [part] of text.matchAll(/\u001B\[[\d;]*[A-Za-z]|\n|[^\u001B\n]+/g)) {
      if (part === '\n') {
        this.#row += 1;
        this.lines[this.#row] ??= '';
      } else if (!part.startsWith('\u001B')) this.lines[this.#row] += part;
      else if (part.endsWith('A')) this.#row -= Number(part.slice(2, -1));
      else if (part.endsWith('J')) this.#clear(part === '\u001B[2J' ? 0 : this.#row);
      else if (part.endsWith('K')) this.lines[this.#row] = '';
      else if (part.endsWith('H')) this.#row = 0;
    }
  }

  #clear(from: number): void {
    this.lines.splice(from);
    this.#row = from;
    this.lines[from] = '';
  }

  get shown(): string[] {
    return this.lines.at(-1) === '' ? this.lines.slice(0, -1) : this.lines;
  }
}

let screen: Screen;
const { stdout } = process;
const before = {
  isTTY: stdout.isTTY,
  columns: stdout.columns,
  rows: stdout.rows,
  term: process.env['TERM'],
  noColor: process.env['NO_COLOR'],
};

beforeEach(() => {
  screen = new Screen();
  const take = (text: unknown): boolean => {
    screen.write(String(text));
    return true;
  };
  for (const stream of [process.stdout, process.stderr]) jest.spyOn(stream, 'write').mockImplementation(take);
  process.env['TERM'] = 'xterm';
  process.env['NO_COLOR'] = '1';
  Object.assign(stdout, { isTTY: true, columns: 40, rows: 10 });
});

afterEach(() => {
  jest.restoreAllMocks();
  const { isTTY, columns, rows, term, noColor } = before;
  Object.assign(stdout, { isTTY, columns, rows });
  for (const [name, value] of Object.entries({ TERM: term, NO_COLOR: noColor }))
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
});

describe('on a terminal', () => {
  test('a line stays in its place, an ended one goes up, and problems stand above', () => {
    const lines = new LiveLines();
    lines.set('a', { text: 'job/a Pending', isLast: false });
    lines.set('b', { text: 'job/b Pending', isLast: false });
    lines.set('a', { text: 'job/a Waiting (Unschedulable)', isLast: false });
    expect(screen.shown).toEqual(['job/a Waiting (Unschedulable)', 'job/b Pending']);
    printProblem('farloop: a cluster does not answer');
    expect(screen.shown).toEqual(['farloop: a cluster does not answer', 'job/a Waiting (Unschedulable)', 'job/b Pending']);
    lines.set('b', { text: 'job/b Succeeded', isLast: true });
    lines.set('a', { text: 'job/a Running', isLast: false });
    expect(screen.shown).toEqual(['farloop: a cluster does not answer', 'job/b Succeeded', 'job/a Running']);
    lines.end();
    printLine('farloop ended');
    expect(screen.shown.at(-1)).toBe('farloop ended');
  });

  test('no line is wrapped, and no more stand there than the terminal has room for', () => {
    const lines = new LiveLines();
    for (let at = 0; at < 12; at++) lines.set(String(at), { text: `job/with-a-name-that-is-too-long-for-it-${at} Running`, isLast: false });
    expect(Math.max(...screen.shown.map((line) => line.length))).toBeLessThan(40);
    expect(screen.shown).toHaveLength(7);
    expect(screen.shown.at(-1)).toBe('… and 6 more');
    lines.end();
  });

  test('text that takes the place of another leaves nothing of it behind', () => {
    printInstead('one\ntwo\nthree', true);
    printInstead('uno\ndos', false);
    expect(screen.shown).toEqual(['uno', 'dos']);
    printInstead(Array.from({ length: 20 }, (_, at) => `line ${at}`).join('\n'), false);
    expect(screen.shown).toHaveLength(9);
    expect(screen.shown.at(-1)).toBe('… 12 more lines');
  });
});

test('where no terminal reads, each change is a line, and what stays the same is none', () => {
  stdout.isTTY = false;
  const lines = new LiveLines();
  for (const text of ['job/a Pending', 'job/a Pending', 'job/a Running']) lines.set('a', { text, isLast: false });
  lines.set('a', { text: 'job/a Succeeded', isLast: true });
  lines.end();
  expect(screen.shown).toEqual(['job/a Pending', 'job/a Running', 'job/a Succeeded']);
});
