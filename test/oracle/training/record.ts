// `npm run record:training [-- --only PART…]`: plays the stories to the operator itself and writes down their outcomes. Only for a new
// release of upstream, or new stories: takes some ten minutes and Go, and the Go module proxy the first time.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { script } from '../../script-options.ts';
import { builtOperator } from './built.ts';
import type { Outcome } from './outcome.ts';
import { playAll } from './playing.ts';
import { recordOf } from './records.ts';
import { theirs } from './sides.ts';
import { STORIES } from './stories/all.ts';

const { only } = script('npm run record:training --')
  .option('--only <part...>', 'stories whose names have one of these in them; the others keep their records')
  .parse()
  .opts<{ only?: string[] }>();
const isAsked = (name: string): boolean => only === undefined || only.some((part) => name.includes(part));
const built = builtOperator();
const asked = Object.values(STORIES)
  .flat()
  .filter(({ name }) => isAsked(name));
const outcomes = await playAll(asked, { start: async (gang) => await theirs(built, gang), quietMs: 2_500, atOnce: 12, together: false });
for (const [file, stories] of Object.entries(STORIES)) {
  const path = recordOf(file);
  await mkdir(new URL('.', path), { recursive: true });
  const before = JSON.parse(await readFile(path, 'utf8').catch(() => '{}')) as Record<string, Outcome>;
  const records = stories.flatMap(({ name }) => {
    const outcome = outcomes.get(name) ?? before[name];
    if (outcome instanceof Error) {
      console.error(`${name}: ${outcome.message}`);
      process.exitCode = 1;
      return [];
    }
    return outcome ? [[name, outcome] as const] : [];
  });
  // A line for each story: a change of one is a change of its line.
  const lines = records.map(([name, outcome]) => `${JSON.stringify(name)}:${JSON.stringify(outcome)}`);
  await writeFile(path, `{\n${lines.join(',\n')}\n}\n`);
  console.log(`${file}: ${records.length} of ${stories.length} stories are recorded`);
}
process.exit();
