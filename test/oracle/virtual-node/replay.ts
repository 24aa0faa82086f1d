// `npm run replay:virtual-node [-- --cluster real] [--only PART…]`: plays the stories to Farloop and compares what came of them with what came of them under
// upstream's controller. A story that differs is played once more. Exits 1 where something differs that no decision names, or a decision names nothing.
import { readFileSync } from 'node:fs';
import { Option } from 'commander';
import { script } from '../../script-options.ts';
import { DECISIONS, type Decision } from './decisions.ts';
import { differencesBetween, type Outcome } from './outcome.ts';
import { ours, playAll } from './sides.ts';
import { STORIES } from './stories.ts';
import type { Story } from './story.ts';

const { only, cluster, show } = script('npm run replay:virtual-node --')
  .addOption(new Option('--cluster <which>', 'the API server').choices(['sandbox', 'real']).default('sandbox'))
  .option('--only <part...>', 'stories whose names have one of these in them')
  .option('--show', 'also what differs on purpose')
  .parse()
  .opts<{ only?: string[]; cluster: 'sandbox' | 'real'; show?: true }>();
const records = JSON.parse(readFileSync(new URL('recorded.json', import.meta.url), 'utf8')) as Record<string, Outcome>;
const stories = STORIES.filter(({ name }) => only === undefined || only.some((part) => name.includes(part)));
const used = new Set<Decision>();

async function complaintsAbout(some: readonly Story[]): Promise<Map<Story, string[]>> {
  const outcomes = await playAll(some, ours(cluster));
  const complaints = some.map((story): [Story, string[]] => [story, wrongIn(story.name, outcomes.get(story.name))]);
  return new Map(complaints.filter(([, wrong]) => wrong.length > 0));
}

function wrongIn(name: string, outcome: Outcome | Error | undefined): string[] {
  const record = records[name];
  if (!record) return ['  there is no record of it: npm run record:virtual-node'];
  if (outcome === undefined || outcome instanceof Error) return [`  ${outcome?.message}`];
  return differencesBetween(record, outcome).flatMap(({ at, theirs, ours: own }) => {
    const line = `  ${at}: theirs ${theirs}, ours ${own}`;
    const decisions = DECISIONS.filter(
      (decision) =>
        decision.at.test(at) &&
        decision.stories.test(name) &&
        (decision.ours?.test(own) ?? true) &&
        (decision.theirs?.test(theirs) ?? true),
    );
    for (const decision of decisions) used.add(decision);
    if (show && decisions.length > 0) console.log(`${name}${line} (${decisions.map(({ section }) => section).join(', ')})`);
    return decisions.length === 0 ? [line] : [];
  });
}

const toldOf = (complaints: ReadonlyMap<Story, string[]>): void => {
  for (const [{ name }, wrong] of complaints) console.log([`${name}:`, ...wrong].join('\n'));
};

let complaints = await complaintsAbout(stories);
if (complaints.size > 0) {
  // A busy machine loses an event, or takes longer for a step than a story waits. A fault does not go away where there is little to do.
  toldOf(complaints);
  console.log(`${complaints.size} are played again`);
  complaints = await complaintsAbout([...complaints.keys()]);
  toldOf(complaints);
}
const idle = only ? [] : DECISIONS.filter((decision) => !used.has(decision));
for (const { section, why, at } of idle) console.log(`${section} (${why}) makes no difference: ${at}`);
console.log(`${stories.length} stories on ${cluster}, ${complaints.size} of them not as under upstream's controller`);
process.exit(complaints.size + idle.length > 0 ? 1 : 0);
