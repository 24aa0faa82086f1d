// `farloop run-once` as people start it: exit codes, texts, one run for one id, whatever is killed.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { comesAbout } from '../../claims.ts';
import { FarloopProcess, runFarloop, runWithin, temporaryFolder, type Ended } from '../farloop-process.ts';

let folder: ReturnType<typeof temporaryFolder>;
const processes: FarloopProcess[] = [];
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  for (const each of processes.splice(0)) await each.destroy();
  folder.remove();
});

const pod = (name: string, script: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', script] }] },
  });
const manifest = (...pods: string[]): string => {
  const path = join(folder.path, 'pods.json');
  writeFileSync(path, pods.join('\n'));
  return path;
};
const state = (): string => join(folder.path, 'state');
const words = (file: string, more: readonly string[] = []): string[] => [
  'run-once',
  '-f',
  file,
  '--provider',
  'simulated',
  '--state',
  state(),
  ...more,
];
const begun = (file: string, more: readonly string[]): FarloopProcess => {
  const process = new FarloopProcess(words(file, more));
  processes.push(process);
  return process;
};
const run = async (file: string, ...more: string[]): Promise<Ended> => await runWithin(words(file, more));
const asked = async (...args: string[]): Promise<Ended> => await runWithin(['run-once', ...args, '--state', state()]);

/** Tasks that the simulated provider was given in a run, by name. */
function tasksOf(id: string): string[] {
  const database = new DatabaseSync(join(state(), 'runs', id, 'simulated-tasks.db'), { readOnly: true });
  try {
    return database
      .prepare('select name from tasks order by name')
      .all()
      .map(({ name }) => String(name));
  } finally {
    database.close();
  }
}

describe('a run', () => {
  test('ends with 0 where every pod ended well: a line for each change, and the results', async () => {
    const { exitCode, stdout, stderr } = await run(manifest(pod('a', 'echo hi')), '--until', 'completed', '--logs', '5', '--run-id', 'one');
    expect([exitCode, stderr.trim().split('\n').at(-1)]).toEqual([0, 'default/a: succeeded']);
    expect(stdout).toMatch(/^run one on run-once: done; 1 ok, 0 failed, 0 rejected\nPOD +RESULT +CONTAINERS/);
    expect(stdout).toContain('main: exit 0');
    expect(stdout).toContain('--- default/a main\n');
    const logs = await asked('logs', 'one');
    expect([logs.exitCode, logs.stdout]).toEqual([0, expect.stringContaining('main ended with exit code 0')]);
  });

  test('ends with 1 where one did not, and says `runonce failed:` as the kubelet did', async () => {
    const { exitCode, stdout, stderr } = await run(manifest(pod('a', 'exit 3')), '--until', 'completed', '-o', 'json');
    const { results, error } = JSON.parse(stdout);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`\nrunonce failed: error running pods: [a_default(${results[0].pod.uid})]\n`);
    expect(error).toBe(`error running pods: [a_default(${results[0].pod.uid})]`);
    expect(results[0].containers).toEqual([{ name: 'main', state: 'terminated', exitCode: 3, reason: 'Error' }]);
  });

  test('by default a pod is done once its containers run, and stays', async () => {
    const { exitCode, stdout } = await run(manifest(pod('a', 'sleep 60')), '-o', 'junit', '--run-id', 'one');
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('<testcase classname="default" name="a"></testcase>')]);
  });

  test('--dry-run says which pods the node would take, and starts nothing', async () => {
    const large = JSON.parse(pod('b', 'true'));
    large.spec.containers[0].resources = { requests: { cpu: '2' } };
    const { exitCode, stdout } = await run(manifest(pod('a', 'true'), JSON.stringify(large)), '--dry-run', '--node-cpu', '1');
    expect([exitCode, existsSync(state())]).toEqual([0, false]);
    expect(stdout).toMatch(
      /default\/a +yes\ndefault\/b +no +OutOfcpu: Node didn't have enough resource: cpu, requested: 2000, used: 0, capacity: 1000/,
    );
  });

  test('a value of the environment is in no file once the run has ended', async () => {
    const given = JSON.parse(pod('a', 'true'));
    given.spec.containers[0].env = [{ name: 'TOKEN', value: 'hunter2-hunter2' }];
    await run(manifest(JSON.stringify(given)), '--until', 'completed', '--run-id', 'one');
    const files = readdirSync(state(), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const holding = files.filter(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes('hunter2'));
    expect([files.map(({ name }) => name), holding]).toEqual([expect.arrayContaining(['runs.db']), []]);
  });
});

describe('a run on this machine', () => {
  const here = (file: string, more: readonly string[]): string[] => [
    'run-once',
    '-f',
    file,
    '--provider',
    'local-process',
    '--until',
    'completed',
    '--state',
    state(),
    ...more,
  ];
  /** Its command writes a line to a file of the test. */
  const writing = (name: string, script: string): string => pod(name, `echo ${name} >> ${folder.path}/written; ${script}`);
  const written = (): string[] => readFileSync(join(folder.path, 'written'), 'utf8').trim().split('\n').toSorted();

  test('says first what it is, and gives output and exit codes of the commands', async () => {
    const { exitCode, stdout, stderr } = await runFarloop(
      here(manifest(writing('a', 'echo hello'), writing('b', 'exit 3')), ['--logs', '5']),
    );
    expect([exitCode, written()]).toEqual([1, ['a', 'b']]);
    expect(stderr).toMatch(/^farloop: it runs the commands of pods as processes of this machine, as /);
    expect(stderr).toContain('there is no wall between pods and your files');
    // In the order in which they ended.
    expect(stdout).toMatch(/^default\/a +ok +main: exit 0/m);
    expect(stdout).toMatch(/^default\/b +failed +main: exit 3/m);
    expect(stdout).toContain('--- default/a main\nhello\n');
  });

  test('gives whole logs also where none were kept', async () => {
    const file = manifest(pod('a', 'i=0; while [ $i -lt 5000 ]; do i=$((i + 1)); echo line $i; done'));
    expect((await runFarloop(here(file, ['--run-id', 'one']))).exitCode).toBe(0);
    const { exitCode, stdout } = await asked('logs', 'one');
    expect([exitCode, stdout.split('\n').length]).toEqual([0, 5_002]);
    expect(stdout).toMatch(/^--- default\/a main\nline 1\nline 2\n/);
  });

  test('R5: killed and given again with its id, each command ran once', async () => {
    const file = manifest(writing('a', 'sleep 3; exit 4'));
    const first = new FarloopProcess(here(file, ['--run-id', 'one']));
    processes.push(first);
    await comesAbout(() => existsSync(join(folder.path, 'written')), 60_000);
    await first.destroy();
    const again = await runFarloop(here(file, ['--run-id', 'one', '-o', 'json']));
    expect([again.exitCode, written()]).toEqual([1, ['a']]);
    expect(JSON.parse(again.stdout).results[0].containers).toMatchObject([{ name: 'main', exitCode: 4 }]);
  });

  test('--dry-run makes nothing', async () => {
    const { exitCode, stdout } = await runWithin(here(manifest(pod('a', 'true')), ['--dry-run']));
    expect([exitCode, stdout, existsSync(state())]).toEqual([0, expect.stringMatching(/default\/a +yes/), false]);
  });
});

describe('one id', () => {
  const ENV = ['--until', 'completed', '--run-id', 'nightly'];

  test('again it shows the same run; with another manifest it is refused', async () => {
    const file = manifest(pod('a', 'true'));
    const [first, again] = [await run(file, ...ENV, '-o', 'json'), await run(file, ...ENV, '-o', 'json')];
    expect([first.exitCode, again.exitCode, again.stdout]).toEqual([0, 0, first.stdout]);
    expect(again.stderr).toMatch(/^farloop: run nightly is over already: done; nothing runs again, /);
    expect(first.stderr).not.toContain('already');
    const other = await run(manifest(pod('b', 'true')), ...ENV);
    expect([other.exitCode, other.stderr]).toEqual([2, 'farloop: --run-id: run nightly already exists with a different manifest\n']);
  });

  test('R8: ten at once, with kills in between: each command ran once, and all that live say the same', async () => {
    const file = manifest(pod('a', 'sleep 2'), pod('b', 'sleep 1; exit 4'));
    const ten = Array.from({ length: 10 }, () => begun(file, [...ENV, '-o', 'json']));
    const lockFile = join(state(), 'runs', 'nightly', 'lock.db');
    await comesAbout(() => existsSync(lockFile), 30_000);
    // Among them the one that holds the folder, sooner or later.
    for (const [at, process] of ten.entries()) {
      if (at >= 7) break;
      await comesAbout(() => ten.some(({ stderr }) => stderr !== ''), 30_000);
      process.child.kill('SIGKILL');
      await process.exited;
    }
    const left = await Promise.all(
      ten.slice(7).map(async (process) => ({ exitCode: await process.exited, stdout: process.stdout || process.stderr })),
    );
    const { stdout } = await asked('get', 'nightly', '-o', 'json');
    expect(left).toEqual(left.map(() => ({ exitCode: 1, stdout })));
    const { results } = JSON.parse(stdout);
    expect(tasksOf('nightly')).toEqual(results.map(({ pod: { uid } }: { pod: { uid: string } }) => `${uid}-1`).toSorted());
    expect(readFileSync(lockFile)).toBeDefined();
  }, 60_000);

  test('list, get and cancel: a run that goes on is cancelled by another command, and both say so', async () => {
    const process = begun(manifest(pod('a', 'sleep 60')), ENV);
    await comesAbout(() => process.stderr.includes('default/a: running'), 30_000);
    const listed = await asked('list', '-o', 'json');
    expect(JSON.parse(listed.stdout)).toMatchObject([{ id: 'nightly', state: 'waiting', pods: 1 }]);
    const cancelled = await asked('cancel', 'nightly');
    expect([cancelled.exitCode, cancelled.stdout]).toEqual([0, 'run nightly: cancelled\n']);
    expect(await process.exited).toBe(1);
    expect(process.stdout).toContain('run cancelled');
    expect((await asked('get', 'nightly')).stdout).toContain('run nightly on run-once: cancelled');
  }, 60_000);

  test('Ctrl-C cancels and waits for the pods to end', async () => {
    const process = begun(manifest(pod('a', 'sleep 60')), ENV);
    await comesAbout(() => process.stderr.includes('default/a: running'), 30_000);
    process.child.kill('SIGINT');
    expect(await process.exited).toBe(130);
    expect(process.stderr).toMatch(/default\/a: ending\ndefault\/a: cancelled\nrunonce failed: /);
    expect(process.stdout).toContain('run nightly on run-once: cancelled; 0 ok, 1 failed');
    expect(process.stdout).toContain('main: exit');
  }, 60_000);
});

describe('refused with 2, and nothing is started', () => {
  const noDocument = '# nothing\n';
  const cases: [string, string, string][] = [
    ['no document', noDocument, 'manifest contains no pods'],
    ['no pod in it', '{"apiVersion":"v1","kind":"List","items":[]}', 'manifest contains no pods'],
    [
      'a kind that is none of ours',
      '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"}}',
      'expected Pod, PodList or List, found Deployment',
    ],
    ['two pods of one name', `${pod('a', 'true')}\n${pod('a', 'true')}`, 'metadata.name: expected each pod once, found default/a'],
    ['an unknown field', pod('a', 'true').replace('restartPolicy', 'restartPolcy'), 'spec.restartPolcy: there is no such field'],
    ['a manifest that the API server would refuse', pod('a', 'true').replace('Never', 'Nevr'), 'spec.restartPolicy: Unsupported value'],
    ['a manifest of 10 MB', `#${' '.repeat(10_000_000)}`, 'is too large: expected at most 4194304 bytes'],
  ];

  test.each(cases)('%s', async (_, text, says) => {
    const { exitCode, stdout, stderr } = await run(manifest(text));
    expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringContaining(says)]);
    expect(stderr).toContain(folder.path);
    expect(existsSync(state())).toBe(false);
  });

  test('neither --provider nor --node; a provider and a node that are not there; an id that no run can have', async () => {
    const file = manifest(pod('a', 'true'));
    const wrong: [string[], string][] = [
      [[], 'expected --provider'],
      [['--provider', 'nope'], 'There is no provider "nope"'],
      [['--node', 'nope'], 'there is no such virtual node'],
      [['--provider', 'simulated', '--run-id', '../up'], 'is no id of a run'],
    ];
    for (const [args, says] of wrong) {
      const { exitCode, stderr } = await runWithin(['run-once', '-f', file, '--state', state(), ...args]);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(says)]);
    }
    const tokens: [string, string][] = [
      ['simulated', '--provider-token-file is for a provider that is reached by HTTP'],
      ['http:http://127.0.0.1:1', 'there is no such file'],
    ];
    for (const [provider, says] of tokens) {
      const { exitCode, stderr } = await run(file, '--provider', provider, '--provider-token-file', join(folder.path, 'absent'));
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(says)]);
    }
    expect(existsSync(join(state(), 'runs'))).toBe(false);
    const absent = await asked('get', 'nope');
    expect([absent.exitCode, absent.stderr]).toEqual([1, expect.stringContaining('there is no run nope')]);
  });
});
