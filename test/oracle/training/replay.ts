// `npm run replay:training [-- --cluster real] [--only PART…]`: plays the stories to Farloop and compares what came of them with what came
// of them under the operator. A story that differs is played once more. Exits 1 where something differs that no correction names, or a correction names nothing.
import { readFileSync } from 'node:fs';
import { Option } from 'commander';
import { script } from '../../script-options.ts';
import { CORRECTIONS } from './corrections.ts';
import { differencesBetween, type Outcome } from './outcome.ts';
import { playAll } from './playing.ts';
import { recordOf } from './records.ts';
import { ours, type Side } from './sides.ts';
import { STORIES } from './stories/all.ts';
import type { Gang, Story } from './story.ts';

const { only, cluster, show } = script('npm run replay:training --')
  .addOption(new Option('--cluster <which>', 'the API server').choices(['sandbox', 'real']).default('sandbox'))
  .option('--only <part...>', 'stories whose names have one of these in them')
  .option('--show', 'also what differs on purpose')
  .parse()
  .opts<{ only?: string[]; cluster: 'sandbox' | 'real'; show?: true }>();
const records = Object.assign(
  {},
  ...Object.keys(STORIES).map((file) => JSON.parse(readFileSync(recordOf(file), 'utf8')) as unknown),
) as Record<string, Outcome>;
const stories = Object.values(STORIES)
  .flat()
  .filter(({ name }) => only === undefined || only.some((part) => name.includes(part)));
const used = new Set<(typeof CORRECTIONS)[number]>();

/** Plays them, so many at a time. @returns what is wrong, by story */
async function complaintsAbout(some: readonly Story[], atOnce: number): Promise<Map<Story, string[]>> {
  const start = async (gang: Gang | undefined): Promise<Side> => await ours(cluster, gang);
  const outcomes = await playAll(some, { start, quietMs: 6_500, atOnce, together: cluster === 'sandbox' });
  const complaints = some.map((story): [Story, string[]] => [story, wrongIn(story.name, outcomes.get(story.name))]);
  return new Map(complaints.filter(([, wrong]) => wrong.length > 0));
}

function wrongIn(name: string, outcome: Outcome | Error | undefined): string[] {
  const record = records[name];
  if (!record) return ['  there is no record of it: npm run record:training'];
  if (outcome === undefined || outcome instanceof Error) return [`  ${outcome?.message}`];
  const wrong: string[] = [];
  for (const { number, ends, stories: named } of CORRECTIONS)
    if (ends && named?.test(name)) {
      const last = (outcome.after.at(-1)?.conditions ?? []).flatMap((line) => /^(\w+) True /.exec(line)?.[1] ?? []);
      if (last.join() !== ends.join()) wrong.push(`  ${number}: it ends as ${last.join(', ')}, expected ${ends.join(', ')}`);
    }
  for (const { at, theirs, ours: own } of differencesBetween(record, outcome)) {
    const line = `  ${at}: theirs ${theirs}, ours ${own}`;
    const corrections = CORRECTIONS.filter((correction) => correction.at.test(at) && (correction.stories?.test(name) ?? true));
    for (const correction of corrections) used.add(correction);
    if (corrections.length === 0) wrong.push(line);
    else if (show) console.log(`${name}${line} (${corrections.map(({ number }) => number).join(', ')})`);
  }
  return wrong;
}

const toldOf = (complaints: ReadonlyMap<Story, string[]>): void => {
  for (const [{ name }, wrong] of complaints) console.log([`${name}:`, ...wrong].join('\n'));
};

let complaints = await complaintsAbout(stories, 48);
if (complaints.size > 0) {
  // A busy machine loses an event, or takes longer for a step than a story waits. A fault does not go away where there is little to do.
  toldOf(complaints);
  console.log(`${complaints.size} are played again, fewer at a time`);
  complaints = await complaintsAbout([...complaints.keys()], 4);
  toldOf(complaints);
}
const idle = only ? [] : CORRECTIONS.filter((correction) => !used.has(correction));
for (const { number, why, at } of idle) console.log(`${number} (${why}) makes no difference: ${at}`);
console.log(`${stories.length} stories on ${cluster}, ${complaints.size} of them not as under the operator`);
process.exit(complaints.size + idle.length > 0 ? 1 : 0);
