// Every command line that people are shown parses as it stands: in README and docs, in examples, in each command's own help. Every link
// between pages leads somewhere.
import { describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildProgram } from '../../lib/cli/program.ts';
import { root } from './farloop-process.ts';

const PAGES = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.yaml', 'infra/relay/**/*.{yaml,ts}'], { cwd: root }).toSorted();

/** Of `farloop ready`, which is no command but what one says. */
const PRINTED = 'ready';

interface Shown {
  where: string;
  /** Without `farloop` itself. */
  words: string[];
  /** Named in a sentence: what it needs beside may be left out. */
  isMention: boolean;
}

/** In capitals, a reader puts in their own. */
const own = (word: string): string =>
  word
    .replaceAll(/\b[A-Z][A-Z-]*\b/g, (name) => ({ N: '1', URL: 'https://queue.example.com/1' })[name] ?? name.toLowerCase())
    .replaceAll(/^['"]|['"]$/g, '');

/** Of alternatives the first; without comment, and without where the output goes. */
const wordsOf = (line: string): string[] =>
  line
    .replace(/\s+[#|>].*$/, '')
    .replaceAll(/\|[\w|]+/g, '')
    .split(/\s+/)
    .filter((word) => word !== '' && word !== '…')
    .map(own);

function shownIn(where: string, text: string): Shown[] {
  const shown: Shown[] = [];
  const whole = text.replaceAll(/\\\n\s*/g, ' ');
  // Lines of their own: indented or fenced, after a pipe too.
  for (const [, line = ''] of whole.matchAll(/^ *(?:#|\$)? *(?:[\w=]+ )?(?:[^`\n]*\| )?(?:npx )?farloop ([a-z][^`\n]*)$/gm))
    if (!/[.,;:]$/.test(line) && line !== PRINTED) shown.push({ where, words: wordsOf(line), isMention: line.includes('…') });
  for (const [, line = ''] of whole.matchAll(/`(?:npx )?farloop ([^`\n]+)`/g))
    if (line !== PRINTED) shown.push({ where, words: wordsOf(line), isMention: true });
  return shown;
}

/** As they are asked on the command line, but doing nothing. */
function withoutActions(command: Command): Command {
  // Also of a command with others below it: run-once runs, and has a list of runs.
  if (Reflect.get(command, '_actionHandler') !== null) command.action(() => {});
  for (const child of command.commands) withoutActions(child);
  return command;
}

/** @returns what is wrong with it, as its reader would be told */
async function refusalOf({ words, isMention }: Shown): Promise<string | undefined> {
  const program = withoutActions(buildProgram());
  let command = program;
  for (const word of words) command = command.commands.find((child) => child.name() === word) ?? command;
  if (isMention) {
    // What is left out is not missed; what is there must be known.
    for (const option of command.options) option.makeOptionMandatory(false);
    for (const argument of command.registeredArguments) argument.required = false;
    if (command.commands.length > 0) return command === program && words.length > 0 ? `there is no command ${words.join(' ')}` : undefined;
  }
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  if (command.name() === 'explain' && command.args.length > 0 && !/^[a-z]+[ /][a-z][\w-]*$/.test(command.args.join(' ')))
    return 'expected KIND/NAME or KIND NAME';
  return undefined;
}

describe('command lines that people are shown', () => {
  test('in README, docs and examples', async () => {
    const shown = PAGES.flatMap((where) => shownIn(where, readFileSync(join(root, where), 'utf8')));
    expect(shown.filter(({ isMention }) => !isMention).length).toBeGreaterThan(25);
    expect(shown.filter(({ isMention }) => isMention).length).toBeGreaterThan(40);
    const refused: string[] = [];
    for (const each of shown) {
      const refusal = await refusalOf(each);
      if (refusal !== undefined) refused.push(`${each.where}: farloop ${each.words.join(' ')}: ${refusal}`);
    }
    expect(refused).toEqual([]);
  });

  test("in each command's help", async () => {
    const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
    const refused: string[] = [];
    for (const command of all(buildProgram())) {
      let help = '';
      command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
      const examples = shownIn(command.name(), help.slice(help.search(/^Examples?:/m)));
      if (examples.length === 0) refused.push(`${command.name()}: no example`);
      for (const each of examples) {
        const refusal = await refusalOf(each);
        if (refusal !== undefined) refused.push(`${each.where}: farloop ${each.words.join(' ')}: ${refusal}`);
      }
    }
    expect(refused).toEqual([]);
  });

  test('of npm: every script is there', () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const asked = PAGES.flatMap((where) =>
      [...readFileSync(join(root, where), 'utf8').matchAll(/npm run (?:--silent |-s )?([a-z:]+)/g)].map(([, name = '']) => ({
        where,
        name,
      })),
    );
    expect(asked.length).toBeGreaterThan(15);
    expect(asked.filter(({ name }) => scripts[name] === undefined)).toEqual([]);
  });
});

test('links between pages lead to a page, and to a heading that is there', () => {
  const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');
  const anchorsIn = (page: string): string[] =>
    [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    );
  const pages = PAGES.filter((page) => page.endsWith('.md'));
  const links = pages.flatMap((page) =>
    [...textOf(page).matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g)].map(([, file = '', anchor = '']) => ({ page, file, anchor })),
  );
  expect(links.length).toBeGreaterThan(50);
  const broken = links.filter(({ page, file, anchor }) => {
    const target = file === '' ? page : join(dirname(page), file);
    return !existsSync(join(root, target)) || (anchor !== '' && !anchorsIn(target).includes(anchor));
  });
  expect(broken).toEqual([]);
});
