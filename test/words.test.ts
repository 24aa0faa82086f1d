// House words that may not stand in what people read: pages, help, comments. Each with the word to use instead (docs/architecture.md has the
// glossary). A name in backticks is exempt.
import { expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { buildProgram } from '../lib/cli/program.ts';

const root = join(import.meta.dirname, '..');

/** As regular expressions, by what to write instead. */
const WORDS: Readonly<Record<string, RegExp>> = {
  'unconfirmed, observed': /\bhearsay\b/i,
  'debounced, immediate': /\bwaits? for company\b/i,
  'release children, remove orphan finalizers': /\bbur(y|ies|ied)\b/i,
  'the actor': /\bwhoever\b/i,
  'an earlier version': /\b(version|build|sandbox|relay|word|field|one)s? of before\b/i,
  'absent, without': /\bthere (is|are) none\b|\bof which there is none\b/i,
};

/** In pages and help, where one word had five meanings. */
const SPOKEN: Readonly<Record<string, RegExp>> = {
  ...WORDS,
  'report, emit, wake, log, explain': /\b(tell|tells|told|telling)\b/i,
  'a change': /\bnews\b/i,
};

const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');
const withoutCode = (text: string): string => text.replaceAll(/^(?: {4}|```[\s\S]*?^```).*$/gm, '').replaceAll(/`[^`\n]*`/g, '');

function foundIn(where: string, text: string, words = WORDS): string[] {
  return text
    .split('\n')
    .flatMap((line, at) =>
      Object.entries(words).flatMap(([instead, word]) =>
        word.test(line) ? [`${where}:${at + 1}: ${word.exec(line)?.[0]}: write ${instead}`] : [],
      ),
    );
}

/** Pages that are rewritten; the others of docs/ follow. */
const PAGES = [
  'docs/adding-a-kind.md',
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'docs/clusters.md',
  'docs/costs.md',
  'docs/custom-resources.md',
  'docs/deploy.md',
  'docs/explain.md',
  'docs/getting-started.md',
  'docs/kubeconfig.md',
  'docs/metrics.md',
  'docs/on-call.md',
  'docs/pod-groups.md',
  'docs/preemption.md',
  'docs/sandbox.md',
  'docs/security.md',
  'docs/simulated-node.md',
  'docs/state-folder.md',
  'docs/training-jobs.md',
];

test('pages', () => {
  expect(PAGES.flatMap((page) => foundIn(page, withoutCode(textOf(page)), SPOKEN))).toEqual([]);
});

test('help', () => {
  const helpOf = (command: Command): string[] => [
    ...foundIn(`farloop ${command.name()} --help`, command.helpInformation(), SPOKEN),
    ...command.commands.flatMap(helpOf),
  ];
  expect(helpOf(buildProgram())).toEqual([]);
});

/** Their comments open with the actor or the thing, too. */
const CLEAN = ['adapters', 'admission', 'cli', 'kinds', 'objects', 'onboarding', 'ports', 'reconciler', 'relay', 'sandbox', 'wire'];
const OPENS_WITH_A_RELATIVE_CLAUSE = /(?:\/\/|\/\*\*) (What|Whose|Whoever|Whatever)\b/;

test('comments', () => {
  const opening: string[] = [];
  for (const folder of CLEAN) {
    const files = globSync(`lib/${folder}/**/*.ts`, { cwd: root });
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) {
      const comments = textOf(file)
        .split('\n')
        .map((line) => (/^\s*(?:\/\/|\/\*\*|\*)/.test(line) ? line : ''))
        .join('\n');
      expect(foundIn(file, comments)).toEqual([]);
      for (const line of comments.split('\n')) if (OPENS_WITH_A_RELATIVE_CLAUSE.test(line)) opening.push(`${file}: ${line.trim()}`);
    }
  }
  expect(opening).toEqual([]);
});
