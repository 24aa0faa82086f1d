// Commands in pages: which the walk finds, and which it refuses.
import { describe, expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../cli/farloop-process.ts';
import { differenceOf } from './comparison.ts';
import { pageOf } from './pages.ts';

const page = (...lines: string[]): string => lines.join('\n');

describe('commands of a page', () => {
  test('stand in fences of the kind console, with what they print', () => {
    const { commands, problems } = pageOf(page('Text', '', '```console', '$ echo a \\', '    b', 'a b', '', '$ true', '```'));
    expect(problems).toEqual([]);
    expect(commands).toEqual([
      { text: 'echo a \\\n    b', shown: ['a b'], line: 4, isRunning: false, exitCode: 0, isSoon: false },
      { text: 'true', line: 8, isRunning: false, exitCode: 0, isSoon: false },
    ]);
  });

  test('a mark holds for the last one', () => {
    const { commands } = pageOf(page('```console running', '$ true', '$ sleep 9', '```', '```console exits=3', '$ exit 3', '```'));
    expect(commands.map(({ text, isRunning, exitCode }) => [text, isRunning, exitCode])).toEqual([
      ['true', false, 0],
      ['sleep 9', true, 0],
      ['exit 3', false, 3],
    ]);
  });

  test.each([
    { name: 'in an indented block', text: page('', '    npx farloop get jobs'), problem: 'line 2: "npx farloop get jobs" stands outside' },
    {
      name: 'in another fence',
      text: page('```sh', 'A=b kubectl get jobs', '```'),
      problem: 'line 2: "A=b kubectl get jobs" stands outside',
    },
    {
      name: 'marked as needing an account',
      text: page('```console aws', '$ farloop get jobs', '```'),
      problem: 'line 2: nothing in the fence needs',
    },
    { name: 'under an unknown mark', text: page('```console later', '$ true', '```'), problem: 'line 1: a fence has no mark "later"' },
    { name: 'none at all', text: page('```console', 'farloop ready', '```'), problem: 'line 2: no line of the fence begins with "$ "' },
    { name: 'in a fence without an end', text: page('```console', '$ true'), problem: 'line 1: the fence is not closed' },
  ])('that the walk would not run are refused: $name', ({ text, problem }) => {
    expect(pageOf(text).problems).toEqual([expect.stringContaining(problem)]);
  });

  test('of README and docs: none is hidden from the walk', () => {
    const problems = globSync(['README.md', 'docs/*.md'], { cwd: root })
      .toSorted()
      .flatMap((file) => pageOf(readFileSync(join(root, file), 'utf8')).problems.map((problem) => `${file}: ${problem}`));
    expect(problems).toEqual([]);
  });

  test('that .ci/run is said to prove are steps of it', () => {
    const steps = readFileSync(join(root, '.ci', 'run'), 'utf8');
    const claimed = globSync(['README.md', 'docs/*.md'], { cwd: root }).flatMap(
      (file) => pageOf(readFileSync(join(root, file), 'utf8')).inCi,
    );
    expect(claimed.length).toBeGreaterThan(0);
    for (const { text } of claimed)
      for (const command of text.replace(/\s+#.*$/, '').split(' && ')) expect(steps).toContain(`|${command}'`);
  });
});

describe('what is printed and what a page shows', () => {
  const printed = page('job/demo on local', '  pod demo-0-x7k2q', '2026-11-24T07:05:22.342Z  acted, 36 ms', 'last');

  test.each([
    ['the same', ['job/demo on local', 'pod demo-0-bcdf4', '2020-01-01T00:00:00Z acted, 1 ms', 'last']],
    ['any text in a line', ['job/demo …', '…', 'last']],
    ['any lines', ['…', 'last']],
    ['no line', ['job/demo on local', '…', 'pod demo-0-bcdf4', '…', 'last', '…']],
  ])('fit: %s', (_name, shown) => {
    expect(differenceOf(shown, printed)).toBeUndefined();
  });

  test.each([
    ['another word', ['job/demo on remote'], 'the page shows "job/demo on remote", and printed was "job/demo on local"'],
    ['less', ['job/demo on local'], 'the page shows no more, and printed was "pod demo-0-x7k2q"'],
    ['more', ['…', 'last', 'and more'], 'the page shows "and more", and printed was nothing more'],
  ])('differ: %s', (_name, shown, difference) => {
    expect(differenceOf(shown, printed)).toBe(difference);
  });

  test('of a command that goes on more may follow', () => {
    expect(differenceOf(['job/demo on local'], printed, true)).toBeUndefined();
    expect(differenceOf(['job/other'], printed, true)).toBeDefined();
  });
});
