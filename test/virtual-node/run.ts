// `npm run test:node [-- --kills N --pods N --seed S]`: pods on a virtual node, while Farloop is killed at seeded moments and started again.
// Every task is started once, every pod ends as its script says, and none is left.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { seededRandom } from '../../lib/adapters/embedded/seeded-chance.ts';
import { wholeNumber } from '../../lib/cli/terminal/arguments.ts';
import { check, until } from '../claims.ts';
import { LARGEST_NUMBER, script } from '../script-options.ts';
import { clock, Instance } from './instance.ts';

const { kills, pods, seed } = script('npm run test:node --')
  .option('--kills <number>', 'how often Farloop is killed', wholeNumber({ min: 1, max: LARGEST_NUMBER }), 20)
  .option('--pods <number>', 'on the node', wholeNumber({ min: 1, max: 2_000 }), 50)
  .option('--seed <number>', 'of everything that is left to chance', wholeNumber({ min: 0, max: LARGEST_NUMBER }), Date.now() % 1_000_000)
  .parse()
  .opts<{ kills: number; pods: number; seed: number }>();

/** After its start, so that kills fall into starts, runs and ends. */
const MOST_LIFE_MS = 1_500;
const END_WITHIN_MS = 240_000;

const random = seededRandom(seed);
const folder = await mkdtemp(join(tmpdir(), 'farloop-node-'));
console.log(`node: ${kills} kills, ${pods} pods, seed ${seed}`);
const instance = await Instance.start(folder);
try {
  const exitCodes = new Map(Array.from({ length: pods }, (_, at) => [`p${at}`, random() < 0.2 ? 1 : 0]));
  const names = [...exitCodes.keys()];
  /** When each was first seen to run, as its status says: a second start would say another time. */
  const startedAt = new Map<string, string>();
  const look = async (): Promise<void> => {
    for (const { metadata, status } of await instance.pods()) {
      const [container] = status?.containerStatuses ?? [];
      const at = container?.state?.running?.startedAt ?? container?.state?.terminated?.startedAt;
      const name = metadata.name ?? '';
      if (at === undefined) continue;
      const before = startedAt.get(name) ?? at;
      check(before === at, `${name} was started at ${before}, and again at ${at}`);
      startedAt.set(name, before);
    }
  };
  for (let kill = 0; kill < kills; kill += 1) {
    await instance.up();
    // Some come while it runs, some while it does not.
    for (const name of names.splice(0, Math.ceil(pods / kills)))
      await instance.createPod(name, {
        'run-seconds': String(1 + Math.floor(random() * 8)),
        'exit-codes': String(exitCodes.get(name) ?? 0),
      });
    await clock.wait(random() * MOST_LIFE_MS);
    await instance.kill();
    await look();
  }
  await instance.up();
  let ended = 0;
  await until(
    'every pod ends',
    async () => {
      await look();
      const all = await instance.pods();
      ended = all.filter(({ status }) => status?.phase === 'Succeeded' || status?.phase === 'Failed').length;
      return all.length === pods && ended === pods;
    },
    END_WITHIN_MS,
  );
  for (const { metadata, status } of await instance.pods()) {
    const wanted = exitCodes.get(metadata.name ?? '') === 0 ? 'Succeeded' : 'Failed';
    check(status?.phase === wanted, `${metadata.name} is ${status?.phase}, not ${wanted}: ${status?.reason} ${status?.message}`);
    check((status?.containerStatuses?.[0]?.restartCount ?? 0) === 0, `${metadata.name} was restarted`);
  }
  await instance.kill();
  const tasks = new DatabaseSync(join(folder, 'state', 'simulated-tasks.db')).prepare('select task from tasks').all();
  check(tasks.length === pods, `${tasks.length} tasks of ${pods} pods`);
  const isOver = (task: { endedAtMs?: number }): boolean => task.endedAtMs !== undefined;
  check(
    tasks.every(({ task }) => isOver(JSON.parse(String(task)) as { endedAtMs?: number })),
    'a task runs, and its pod has ended',
  );
  console.log(`node: ${pods} pods ended as their scripts say, each task started once, after ${kills} kills`);
} finally {
  await instance.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
