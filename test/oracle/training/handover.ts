// `npm run handover:training [-- --from farloop]`: stories of every kind on a real API server with the operator's own definitions; once their
// pods run, one controller leaves all jobs to the other. What comes of them is what the operator alone has made of them. Needs what
// `npm run record:training` needs.
import { readFileSync } from 'node:fs';
import { Option } from 'commander';
import { script } from '../../script-options.ts';
import { builtOperator } from './built.ts';
import { CORRECTIONS } from './corrections.ts';
import { differencesBetween, type Outcome } from './outcome.ts';
import { Player } from './player.ts';
import { turnOf } from './playing.ts';
import { recordOf } from './records.ts';
import { changing } from './sides.ts';
import { STORIES } from './stories/all.ts';

const { from } = script('npm run handover:training --')
  .addOption(new Option('--from <which>', 'whose the jobs are first').choices(['operator', 'farloop']).default('operator'))
  .parse()
  .opts<{ from: 'operator' | 'farloop' }>();
const records = JSON.parse(readFileSync(recordOf('kinds'), 'utf8')) as Record<string, Outcome>;
/** Those in which a whole life is left when the pods run, and which both end alike. */
const stories = (STORIES['kinds'] ?? []).filter(({ name }) => /-(succeeds|retryable|all-removed|never|suspended)$/.test(name));

const SILENT_MS = 130_000;

const { client, change, end } = await changing(builtOperator(), from);
let arrived = 0;
let isChanged: Promise<void> | undefined;
let everybodyIsThere = (): void => undefined;
const allThere = new Promise<void>((resolve) => (everybodyIsThere = resolve));
/** Nobody takes the second step before all have taken the first one and the controllers have changed. */
const before = async (step: number): Promise<void> => {
  if (step !== 1) return;
  arrived += 1;
  if (arrived === stories.length) everybodyIsThere();
  await allThere;
  isChanged ??= change().then(async () => {
    // Farloop takes over once the other one has been silent for as long.
    if (from === 'operator') await new Promise((resolve) => setTimeout(resolve, SILENT_MS));
  });
  await isChanged;
};
const player = new Player({ client, quietMs: 6_500, before });
let failed = 0;
try {
  await player.open();
  const outcomes = await Promise.all(
    stories.map(async (story, at) => {
      await turnOf(at);
      return await player.play(story);
    }),
  );
  for (const [at, { name }] of stories.entries()) {
    const [record, outcome] = [records[name], outcomes[at]];
    if (!record || !outcome) throw new Error(`${name} is not recorded`);
    const differences = differencesBetween(record, outcome)
      .filter(({ at: fact }) => !fact.includes(' Warning OtherOperatorAtWork: '))
      .filter(({ at: fact }) => !CORRECTIONS.some((correction) => correction.at.test(fact) && (correction.stories?.test(name) ?? true)))
      .map(({ at: fact, theirs, ours }) => `  ${fact}: the operator alone ${theirs}, here ${ours}`);
    if (differences.length === 0) continue;
    failed += 1;
    console.log([`${name}:`, ...differences].join('\n'));
  }
} finally {
  player.close();
  await end();
}
console.log(`${stories.length} stories handed over from ${from}, ${failed} of them not as under the operator alone`);
process.exit(failed > 0 ? 1 : 0);
