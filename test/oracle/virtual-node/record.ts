// `npm run record:virtual-node [-- --only PART…]`: plays the stories to upstream's controller on a real API server and writes down their outcomes. Only for a new
// release of upstream, or new stories: takes some minutes and Go, and the Go module proxy the first time.
import { readFile, writeFile } from 'node:fs/promises';
import { script } from '../../script-options.ts';
import type { Outcome } from './outcome.ts';
import { builtJudge, playAll, theirs } from './sides.ts';
import { STORIES } from './stories.ts';

export const RECORD = new URL('recorded.json', import.meta.url);

const { only } = script('npm run record:virtual-node --')
  .option('--only <part...>', 'stories whose names have one of these in them; the others keep their records')
  .parse()
  .opts<{ only?: string[] }>();
const asked = STORIES.filter(({ name }) => only === undefined || only.some((part) => name.includes(part)));
const outcomes = await playAll(asked, theirs(builtJudge()));
const before = JSON.parse(await readFile(RECORD, 'utf8').catch(() => '{}')) as Record<string, Outcome>;
const records = STORIES.flatMap(({ name }) => {
  const outcome = outcomes.get(name) ?? before[name];
  if (outcome instanceof Error) {
    console.error(`${name}: ${outcome.message}`);
    process.exitCode = 1;
    return [];
  }
  return outcome ? [[name, outcome] as const] : [];
});
// A line for each story: a change of one is a change of its line.
await writeFile(RECORD, `{\n${records.map(([name, outcome]) => `${JSON.stringify(name)}:${JSON.stringify(outcome)}`).join(',\n')}\n}\n`);
console.log(`${records.length} of ${STORIES.length} stories are recorded`);
process.exit();
