// No mutant may be noticed by what a compiler says: sources run with their types stripped, so that a name which is none any more would fail
// in each pass, and count as killed.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { editsOf, MUTANTS } from './mutants.ts';
import { declarationsIn, edited, placeOf, type Edit, type Place } from './places.ts';

const root = resolve(import.meta.dirname, '../..');
const TIMEOUT_MS = 120_000;

type Placed = Edit & Place & { name: string };

function placed(): Placed[] {
  const declarations = declarationsIn(root);
  return MUTANTS.flatMap((mutant) => editsOf(mutant).map((edit) => ({ ...edit, ...placeOf(declarations, edit), name: mutant.name })));
}

/** As few as can be made at once: those of one place come one after the other. */
function rounds(edits: readonly Placed[]): Placed[][] {
  const made: Placed[][] = [];
  for (const edit of edits) {
    const meets = (other: Placed): boolean => other.file === edit.file && other.from < edit.to && edit.from < other.to;
    const free = made.find((round) => !round.some(meets));
    if (free) free.push(edit);
    else made.push([edit]);
  }
  return made;
}

const namesIn = (round: readonly Placed[], line: string): string =>
  round
    .filter(({ file }) => line.startsWith(file))
    .map(({ name }) => name)
    .join('; ');

/** @returns what the compiler says of the sources with these edits, line by line */
async function compiled(folder: string, edits: readonly Placed[]): Promise<string[]> {
  const files = [...Map.groupBy(edits, ({ file }) => file)];
  for (const [file, own] of files) {
    await writeFile(join(folder, file), edited(await readFile(join(root, file), 'utf8'), own));
  }
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: './options.json', include: [], files: files.map(([file]) => file) }),
  );
  const compiler = [join(root, 'node_modules/typescript/bin/tsc'), '--noEmit', '-p', 'tsconfig.json'];
  const said = await promisify(execFile)(process.execPath, compiler, { cwd: folder }).then(
    () => '',
    (error: { stdout: string; message: string }) => error.stdout || error.message,
  );
  for (const [file] of files) await cp(join(root, file), join(folder, file));
  return said.split('\n').filter((line) => line !== '');
}

test(
  'every mutant is of the right types',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'farloop-mutants-'));
    try {
      await cp(join(root, 'lib'), join(folder, 'lib'), { recursive: true });
      await cp(join(root, 'package.json'), join(folder, 'package.json'));
      await cp(join(root, 'tsconfig.json'), join(folder, 'options.json'));
      await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
      const wrong: string[] = [];
      for (const round of rounds(placed())) {
        const lines = await compiled(folder, round);
        for (const line of lines) wrong.push(`${line} (${namesIn(round, line)})`);
      }
      expect(wrong).toEqual([]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
  TIMEOUT_MS,
);
