// Every command that README and docs show, typed into a shell in the order in which they stand, with what it prints.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../cli/farloop-process.ts';
import { pageOf } from './pages.ts';
import { Stage } from './stage.ts';

/** README first, as people read, and the questions of a person on call last. */
const LAST = 'docs/on-call.md';
const FILES = ['README.md', ...globSync('docs/*.md', { cwd: root, exclude: [LAST] }).toSorted(), LAST];
const PAGES = FILES.map((file) => ({ file, ...pageOf(readFileSync(join(root, file), 'utf8')) }));
const WALKED = PAGES.filter(({ commands }) => commands.length > 0);

let stage: Stage;
let typed = 0;

beforeAll(async () => {
  stage = await Stage.open();
}, 600_000);

afterAll(async () => {
  await stage.close();
  const counts = PAGES.map(({ inCi, needAccount }) => [inCi.length, needAccount.length] as const);
  const [inCi, needAccount] = [0, 1].map((at) => counts.reduce((sum, count) => sum + (count[at] ?? 0), 0));
  console.log(`${typed} commands typed; ${inCi} more are steps of .ci/run, ${needAccount} need an AWS account`);
});

describe('the walk', () => {
  test.each(WALKED.map(({ file, commands, problems }) => ({ file, count: commands.length, commands, problems })))(
    '$file: $count commands',
    async ({ file, commands, problems }) => {
      expect(problems).toEqual([]);
      const shell = stage.shell(file.replaceAll(/\W/g, '-'));
      try {
        for (const command of commands) {
          await shell.type(command).catch((error: unknown) => {
            throw new Error(`${file}:${command.line}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
          });
          typed += 1;
        }
      } finally {
        await shell.end();
      }
    },
    900_000,
  );
});
