// `npm run replay:training [-- --cluster real] [--only PART…]`: plays the stories to Farloop and compares what came of them with what came
// of them under the operator. Exits 1 where something differs that no correction names, or a correction names nothing.
import { readFileSync } from 'node:fs';
import { Option } from 'commander';
import { script } from '../../script-options.ts';
import { CORRECTIONS } from './corrections.ts';
import { differencesBetween, type Outcome } from './outcome.ts';
import { playAll } from './playing.ts';
import { recordOf } from './records.ts';
import { ours } from './sides.ts';
import { STORIES } from './stories/all.ts';

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
const outcomes = await playAll(stories, {
  start: async (gang) => await ours(cluster, gang),
  quietMs: 6_500,
  atOnce: 48,
  together: cluster === 'sandbox',
});
let failed = 0;
const used = new Set<(typeof CORRECTIONS)[number]>();
for (const { name } of stories) {
  const [record, outcome] = [records[name], outcomes.get(name)];
  const complaints: string[] = [];
  if (!record) complaints.push('  there is no record of it: npm run record:training');
  else if (outcome === undefined || outcome instanceof Error) complaints.push(`  ${outcome?.message}`);
  else {
    const differences = differencesBetween(record, outcome);
    for (const { number, ends, stories: named } of CORRECTIONS)
      if (ends && named?.test(name)) {
        const last = (outcome.after.at(-1)?.conditions ?? []).flatMap((line) => /^(\w+) True /.exec(line)?.[1] ?? []);
        if (last.join() !== ends.join()) complaints.push(`  ${number}: it ends as ${last.join(', ')}, expected ${ends.join(', ')}`);
      }
    for (const { at, theirs, ours: own } of differences) {
      const line = `  ${at}: theirs ${theirs}, ours ${own}`;
      const corrections = CORRECTIONS.filter((correction) => correction.at.test(at) && (correction.stories?.test(name) ?? true));
      for (const correction of corrections) used.add(correction);
      if (corrections.length === 0) complaints.push(line);
      else if (show) console.log(`${name}${line} (${corrections.map(({ number }) => number).join(', ')})`);
    }
  }
  if (complaints.length === 0) continue;
  failed += 1;
  console.log([`${name}:`, ...complaints].join('\n'));
}
const idle = only ? [] : CORRECTIONS.filter((correction) => !used.has(correction));
for (const { number, why, at } of idle) console.log(`${number} (${why}) makes no difference: ${at}`);
console.log(`${stories.length} stories on ${cluster}, ${failed} of them not as under the operator`);
process.exit(failed + idle.length > 0 ? 1 : 0);
