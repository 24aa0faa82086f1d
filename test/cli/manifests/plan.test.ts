// `farloop plan` as a command, and its stream of cases.
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { AmbiguousError, UsageError } from '../../../lib/cli/terminal/exit.ts';
import { planCommand } from '../../../lib/cli/manifests/plan.ts';
import { planStream } from '../../../lib/cli/manifests/plan-stream.ts';
import { runFarloop, runWithin } from '../farloop-process.ts';

const JOB = `apiVersion: batch/v1
kind: Job
metadata: {name: demo}
spec:
  parallelism: 017
  template:
    spec: {restartPolicy: Never, containers: [{name: main, image: busybox}]}
`;

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farloop-plan-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
  jest.restoreAllMocks();
});

async function run(...args: string[]): Promise<string> {
  let printed = '';
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  await planCommand()
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .parseAsync(args, { from: 'user' });
  return printed;
}

async function file(text: string): Promise<string> {
  const path = join(folder, 'job.yaml');
  await writeFile(path, text);
  return path;
}

describe('farloop plan', () => {
  test('prints what a pass would do', async () => {
    const path = await file(JOB);
    const plan: unknown = JSON.parse(await run('-f', path, '--now', '2026-05-01T10:00:00Z', '-o', 'json'));
    expect(plan).toMatchObject({ workload: { name: 'demo' }, outcome: 'acted', status: { active: 15, startTime: '2026-05-01T10:00:00Z' } });
    expect(await run('-f', path, '-o', 'yaml')).toContain('outcome: acted');
    expect(await run('-f', path)).toMatch(/^Job\/default\/demo acts\n/);
  });

  test.each<[string, string[], typeof UsageError | typeof AmbiguousError, RegExp]>([
    [JOB.replace('017', 'two'), [], UsageError, /job\.yaml:5: spec\.parallelism: expected a whole number, found "two"/],
    [
      JOB.replace('containers:', 'volumes: none, containers:'),
      [],
      UsageError,
      /job\.yaml:7: spec\.template\.spec\.volumes: expected a list, found "none"/,
    ],
    [JOB, ['--now', 'soon'], UsageError, /--now soon: expected an RFC 3339 time/],
    [JOB, ['--now', '2026-05-01T10:00:00'], UsageError, /--now 2026-05-01T10:00:00: expected an RFC 3339 time/],
    ['a: [', [], UsageError, /job\.yaml:1: not YAML/],
    [`${JOB}---\n${JOB.replace('demo', 'other')}`, [], AmbiguousError, /2 workloads/],
    [`${JOB}---\n${JOB}`, [], UsageError, /job\.yaml:11: metadata\.name: expected each workload once, .* as in .*job\.yaml:1$/],
  ])('%#: unusable input says where and what', async (text, args, kind, message) => {
    const path = await file(text);
    await expect(run('-f', path, ...args)).rejects.toThrow(message);
    await expect(run('-f', path, ...args)).rejects.toBeInstanceOf(kind);
    await expect(run('-f', path, ...args)).rejects.toMatchObject({ exitCode: kind === UsageError ? 2 : 3 });
  });

  test('a field that there is not is told of, and the plan made without it, as kubectl --validate=warn has it', async () => {
    const path = await file(
      JOB.replace('parallelism: 017', 'paralelism: 3\n  scheduling: {}').replace('image: busybox', 'image: busybox, environment: []'),
    );
    const { exitCode, stdout, stderr } = await runWithin(['plan', '-f', path, '-o', 'json']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ status: { active: 1 } });
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/job\.yaml:5: spec\.paralelism: there is no such field \(Did you mean parallelism\?\); /),
      expect.stringMatching(/job\.yaml:8: spec\.template\.spec\.containers\[0\]\.environment: there is no such field; /),
      '',
    ]);
  });

  test('fields that there are not are told of in pods and inside spec.scheduling, too', async () => {
    const pod = `---\n{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: other, uid: p}, spec: {nodName: n, containers: [{name: main}]}}\n`;
    const path = await file(
      JOB.replace('parallelism: 017', 'parallelism: 1\n  scheduling: {schedulingPolicy: {basic: {}, gangs: {}}}') + pod,
    );
    const { exitCode, stdout, stderr } = await runFarloop(['plan', '-f', path, '--workload-with-job', '-o', 'json']);
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/job\.yaml:10: spec\.nodName: there is no such field \(Did you mean nodeName\?\); /),
      expect.stringMatching(/job\.yaml:6: spec\.scheduling\.schedulingPolicy\.gangs: there is no such field \(Did you mean gang\?\); /),
      '',
    ]);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      actions: expect.arrayContaining([expect.objectContaining({ object: expect.objectContaining({ kind: 'PodGroup' }) })]),
    });
  });

  test('wants something to plan from', async () => {
    await expect(run()).rejects.toThrow(/expected the name of a workload, -f FILE/);
  });
});

const aCase = (id: unknown, rest: object = {}) => ({
  id,
  now: '2026-05-01T10:00:00Z',
  objects: [
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'demo' },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'x' }] } } },
    },
  ],
  ...rest,
});

const parsed = (lines: string): unknown[] =>
  lines
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));

async function answers(...lines: string[]): Promise<unknown[]> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const printed = textOf(output);
  input.end(lines.map((line) => `${line}\n`).join(''));
  await planStream(input, output);
  output.end();
  return parsed(await printed);
}

describe('farloop plan --stream', () => {
  test('a bad line gets an error of its own and never ends the stream', async () => {
    const lines = [
      JSON.stringify(aCase(1)),
      '{broken',
      '[]',
      JSON.stringify(aCase('no time', { now: 'x' })),
      JSON.stringify(aCase('no zone', { now: '2026-05-01T10:00:00' })),
      JSON.stringify(aCase('no objects', { objects: 3 })),
      JSON.stringify(aCase('no Job', { objects: [] })),
      JSON.stringify(aCase('named', { workload: 'Job/other' })),
      JSON.stringify(
        aCase('mistyped', { objects: [{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'demo', managedFields: 'x' } }] }),
      ),
      JSON.stringify(aCase({ any: 'id' })),
    ];
    expect(await answers(...lines)).toMatchObject([
      { id: 1, outcome: 'acted' },
      { id: null, error: expect.stringContaining('not JSON') },
      { id: null, error: expect.stringContaining('expected an object') },
      { id: 'no time', error: 'now: expected an RFC 3339 time' },
      { id: 'no zone', error: 'now: expected an RFC 3339 time' },
      { id: 'no objects', error: 'objects: expected a list of Kubernetes objects' },
      { id: 'no Job', error: expect.stringContaining('no workload') },
      { id: 'named', error: expect.stringContaining('Job/other') },
      { id: 'mistyped', error: 'objects[0]: metadata.managedFields: expected a list, found "x"' },
      { id: { any: 'id' }, outcome: 'acted' },
    ]);
  });

  test('each line is told of the fields that its objects have too many, with a plan or with an error', async () => {
    const [job] = aCase(0).objects;
    const misspelt = { ...job, spec: { ...job?.spec, paralelism: 3 } };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', uid: 'x', lables: {} }, spec: { containers: [] } };
    const [plain, both, refused] = await answers(
      JSON.stringify(aCase(1)),
      JSON.stringify(aCase(2, { objects: [{ apiVersion: 'v1', kind: 'List', items: [misspelt] }, pod] })),
      JSON.stringify(aCase(3, { objects: [{ ...misspelt, spec: { ...misspelt.spec, completions: -1 } }] })),
    );
    expect(plain).not.toHaveProperty('unknownFields');
    expect(both).toMatchObject({
      id: 2,
      outcome: 'acted',
      unknownFields: ['objects[1]: metadata.lables', 'objects[0] item 0: spec.paralelism'],
    });
    expect(refused).toMatchObject({
      id: 3,
      error: expect.stringContaining('spec.completions'),
      unknownFields: ['objects[0]: spec.paralelism'],
    });
  });

  test('an answer that cannot be written is an error of its line alone', async () => {
    const deep = `{"id":${'['.repeat(20_000)}${']'.repeat(20_000)},${JSON.stringify(aCase(0)).slice('{"id":0,'.length)}`;
    expect(await answers(JSON.stringify(aCase(1)), deep, JSON.stringify(aCase(2)))).toMatchObject([
      { id: 1, outcome: 'acted' },
      { id: null, error: expect.stringMatching(/^the answer cannot be written, as when its id is nested too deep: /) },
      { id: 2, outcome: 'acted' },
    ]);
    const { exitCode, stderr } = await runFarloop(['plan', '--stream'], { input: `${deep}\n` });
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('1 of 1 lines could not be planned') });
  });

  test('a line ends at its line feed alone: other separators may stand in texts, and pieces come as they will', async () => {
    const ids = ['a\u2028b\u2029c', 'ä\u0085', '😀'];
    const lines = ids
      .map((id) => `${JSON.stringify(aCase(id))}\r\n`)
      .join('\n')
      .replace(/\r\n$/, '');
    expect(lines).toContain('\u2028');
    const output = new PassThrough();
    const bytes = [...Buffer.from(lines)].map((byte) => Buffer.from([byte]));
    expect(await planStream(Readable.from(bytes, { objectMode: false }), output)).toEqual({ lines: 3, unplanned: 0 });
    output.end();
    expect(parsed(await textOf(output))).toMatchObject(ids.map((id) => ({ id, outcome: 'acted' })));
  });

  test('a byte order mark before the first line is none of its characters; before any other it is', async () => {
    const line = JSON.stringify(aCase(1));
    expect(await answers(`\uFEFF${line}`, line, `\uFEFF${line}`)).toMatchObject([
      { id: 1 },
      { id: 1 },
      { id: null, error: expect.stringContaining('not JSON') },
    ]);
  });

  test('the command answers every line, and then says by one more on standard error and by 2 that some had no plan', async () => {
    const good = JSON.stringify(aCase('good'));
    const mixed = await runFarloop(['plan', '--stream'], { input: `${good}\n{broken\n\n${good}\n` });
    expect(mixed).toMatchObject({
      exitCode: 2,
      stderr: 'farloop: 1 of 3 lines could not be planned: the error in the answer to each says why\n',
    });
    expect(parsed(mixed.stdout)).toMatchObject([{ id: 'good', outcome: 'acted' }, { id: null }, { id: 'good', outcome: 'acted' }]);
    expect(await runFarloop(['plan', '--stream'], { input: `${good}\n` })).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('thousands of cases keep their order', async () => {
    const ids = Array.from({ length: 2000 }, (_, id) => id);
    const answered = await answers(...ids.map((id) => JSON.stringify(aCase(id))));
    expect(answered).toMatchObject(ids.map((id) => ({ id, outcome: 'acted' })));
  });
});
