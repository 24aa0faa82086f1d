// `npm run test:processes [-- --kills N --pods N --seed S]`: pods as processes of this machine, while Farloop is killed at seeded moments and started
// again. Each command runs once per attempt, its exit code is its own; and nothing runs once Farloop has ended, in good order or not.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { POD_MARK, processesWith } from '../../lib/adapters/providers/local-process/machine/process-tree.ts';
import { runnerOf } from '../../lib/adapters/providers/local-process/folder/records.ts';
import { seededRandom } from '../../lib/adapters/embedded/seeded-chance.ts';
import { wholeNumber } from '../../lib/cli/terminal/arguments.ts';
import type { Pod } from '../../lib/objects/kubernetes.ts';
import { check, until } from '../claims.ts';
import { LARGEST_NUMBER, script } from '../script-options.ts';
import { clock, Instance, NODE } from '../virtual-node/instance.ts';

const { kills, pods, seed } = script('npm run test:processes --')
  .option('--kills <number>', 'how often Farloop is killed', wholeNumber({ min: 1, max: LARGEST_NUMBER }), 20)
  .option('--pods <number>', 'on the node', wholeNumber({ min: 1, max: 500 }), 60)
  .option('--seed <number>', 'of everything that is left to chance', wholeNumber({ min: 0, max: LARGEST_NUMBER }), Date.now() % 1_000_000)
  .parse()
  .opts<{ kills: number; pods: number; seed: number }>();

/** After its start, so that kills fall into starts, runs and ends. */
const MOST_LIFE_MS = 1_200;
const END_WITHIN_MS = 240_000;

interface Wanted {
  name: string;
  exitCode: number;
  /** It fails at first, and is started again in its pod. */
  failsOnce: boolean;
}

const random = seededRandom(seed);
const folder = mkdtempSync(join(tmpdir(), 'farloop-processes-'));
const notes = join(folder, 'notes');
console.log(`processes: ${kills} kills, ${pods} pods, seed ${seed}`);

/** Each line is one attempt of a pod's command. */
const attempts = (): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const name of existsSync(notes) ? readFileSync(notes, 'utf8').split('\n') : []) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

const scriptOf = ({ name, exitCode, failsOnce }: Wanted): string =>
  [
    `echo ${name} >> ${notes}`,
    ...(failsOnce ? ['[ -e "$HOME/again" ] || { touch "$HOME/again"; exit 3; }'] : []),
    `sleep ${(random() * 3).toFixed(2)}`,
    `exit ${exitCode}`,
  ].join('\n');

/** Processes of any pod, and those that hold pods. */
function left(): string[] {
  const orders = join(folder, 'state', 'processes', NODE);
  const folders = existsSync(orders) ? readdirSync(orders).map((name) => join(orders, name)) : [];
  return folders.filter(
    (each) => runnerOf(each) === 'alive' || processesWith({ variables: [`${POD_MARK}=${each}`] }).some(({ pid }) => pid !== process.pid),
  );
}

const terminatedOf = ({ status }: Pod) => status?.containerStatuses?.[0]?.state?.terminated;

const instance = await Instance.start(folder, ['local-process', '--allow-namespace', 'default']);
try {
  const all = Array.from({ length: pods }, (_, at): Wanted => {
    const failsOnce = random() < 0.2;
    return { name: `p${at}`, failsOnce, exitCode: failsOnce || random() < 0.7 ? 0 : 1 + Math.floor(random() * 100) };
  });
  const waiting = [...all];
  for (let kill = 0; kill < kills; kill += 1) {
    await instance.up();
    for (const wanted of waiting.splice(0, Math.ceil(pods / kills)))
      await instance.runPod(wanted.name, scriptOf(wanted), wanted.failsOnce ? { restartPolicy: 'OnFailure' } : {});
    await clock.wait(random() * MOST_LIFE_MS);
    await instance.kill();
  }
  await instance.up();
  await until(
    'every pod ends',
    async () => {
      const found = await instance.pods();
      return found.length === pods && found.every(({ status }) => status?.phase === 'Succeeded' || status?.phase === 'Failed');
    },
    END_WITHIN_MS,
  );
  const found = new Map((await instance.pods()).map((pod) => [pod.metadata.name ?? '', pod]));
  const counts = attempts();
  for (const { name, exitCode, failsOnce } of all) {
    const pod = found.get(name);
    check(pod !== undefined, `${name} is gone`);
    const { status } = pod as Pod;
    check(
      terminatedOf(pod as Pod)?.exitCode === exitCode,
      `${name} ended with ${JSON.stringify(status?.containerStatuses?.[0]?.state)} (${status?.reason} ${status?.message}), not ${exitCode}`,
    );
    const wanted = failsOnce ? 2 : 1;
    check(counts.get(name) === wanted, `the command of ${name} ran ${counts.get(name) ?? 0} times, not ${wanted}`);
    check(
      (status?.containerStatuses?.[0]?.restartCount ?? 0) === wanted - 1,
      `${name} counts ${status?.containerStatuses?.[0]?.restartCount} restarts`,
    );
  }
  await until(
    'nothing runs',
    async () => left().length === 0,
    5_000,
    async () => left().join(', '),
  );
  console.log(`processes: ${pods} pods ended with their own exit codes, each command ran once per attempt, after ${kills} kills`);

  const isRunning = (name: string) => async (): Promise<boolean> => (attempts().get(name) ?? 0) === 1;
  await instance.runPod('stubborn', `trap "" TERM; echo stubborn >> ${notes}; while :; do sleep 0.2; done`);
  await instance.runPod('escapes', `setsid sleep 1000 & setsid sh -c "setsid sleep 1000 &"; echo escapes >> ${notes}; sleep 1000`);
  for (const name of ['stubborn', 'escapes']) await until(`${name} runs`, isRunning(name), END_WITHIN_MS);
  check((await instance.terminate()) === 0, 'it did not end in good order');
  await until(
    'nothing of it runs',
    async () => left().length === 0,
    5_000,
    async () => left().join(', '),
  );
  console.log('processes: none is left after SIGTERM of Farloop');

  await instance.up();
  await instance.runPod('deserted', `echo deserted >> ${notes}; setsid sleep 1000 & sleep 1000`);
  await until('deserted runs', isRunning('deserted'), END_WITHIN_MS);
  await instance.kill();
  const killedMs = performance.now();
  await until('the watchdog has ended it', async () => left().length === 0, END_WITHIN_MS);
  const seconds = (performance.now() - killedMs) / 1_000;
  check(seconds > 20, `it was ended after ${seconds.toFixed(1)} s, and Farloop may come back for 30 s`);
  console.log(`processes: none is left ${seconds.toFixed(0)} s after SIGKILL of Farloop`);
} finally {
  // Nothing remains of a run that failed: pods end when their instance does.
  await instance.up();
  await instance.terminate();
  await instance.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
