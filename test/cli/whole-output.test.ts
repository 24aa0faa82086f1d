// Everything that a command prints arrives, however late its reader reads.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { embeddedPorts, giveUp, know, type EmbeddedPorts } from '../api/embedded-ports.ts';
import { serveApi } from '../api/served-api.ts';
import { aPass } from '../contracts/recorder.ts';
import type { Listening } from '../listening.ts';
import { root, temporaryFolder, withoutSlowness } from './farloop-process.ts';

/** A pipe holds 64 KiB. */
const PIPE_BYTES = 65_536;
const WORKLOADS = 2_000;
const READER_SLEEPS_SECONDS = 3;

const folder = temporaryFolder();
const manifest = join(folder.path, 'large.yaml');
const cases = join(folder.path, 'cases.jsonl');
let ports: EmbeddedPorts;
let api: Listening;

beforeAll(async () => {
  ports = await embeddedPorts('local');
  for (let at = 0; at < WORKLOADS; at += 100)
    await Promise.all(Array.from({ length: 100 }, async (_, of) => await know(ports, { name: `demo-${at + of}` })));
  const key = await know(ports, { name: 'explained' });
  for (let at = 0; at < 400; at += 1)
    await ports.recorder.append(aPass(Date.now() - 1_000 - at, { key, passId: `pass-${at}`, why: ['x'.repeat(300)] }));
  for (let at = 0; at < 100; at += 1) await ports.queue.send('events', [{ body: `not JSON ${at}: ${'x'.repeat(1_000)}` }]);
  await giveUp(ports, 'events');
  api = await serveApi(ports, 'a-token');
  const job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'large' },
    spec: {
      parallelism: 300,
      completions: 300,
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.com/job' }] } },
    },
  };
  writeFileSync(manifest, JSON.stringify(job));
  const line = JSON.stringify({ id: 'a', now: '2026-05-01T10:00:00Z', objects: [job] });
  writeFileSync(cases, `${line}\n${line}\n`);
}, 120_000);

afterAll(async () => {
  await api?.stop();
  ports?.close();
  folder.remove();
});

/** Through `sh`, as people type it. */
async function shell(line: string): Promise<{ exitCode: number | null; stdout: string; stderr: string }> {
  const child = spawn('sh', ['-c', line], {
    cwd: root,
    env: { ...process.env, FARLOOP_ENDPOINT: api.url, FARLOOP_TOKEN: 'a-token', FARLOOP: `${process.execPath} bin/farloop.js` },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return { exitCode, stdout, stderr };
}

const MOST_PRINTED = [
  'crds',
  'crds --admission',
  'get jobs',
  'get jobs -o json',
  'get jobs -o yaml',
  'explain job/explained --limit 1000',
  `plan -f ${manifest} -o json`,
  `plan --stream < ${cases}`,
];
const LITTLE_PRINTED = ['dlq list -o json', `plan -f ${manifest}`, 'completion bash', '--help', 'get clusters', 'dlq list'];

describe('what a command prints', () => {
  test.each(['into a pipe whose reader sleeps'])('arrives whole, %s', async () => {
    const lines = [...MOST_PRINTED, ...LITTLE_PRINTED];
    const file = (at: number): string => join(folder.path, `${at}.txt`);
    const results = await Promise.all(
      lines.map(async (line, at) => {
        const whole = await shell(`$FARLOOP ${line} > ${file(at)}; wc -c < ${file(at)}`);
        const piped = await shell(`$FARLOOP ${line} | { sleep ${READER_SLEEPS_SECONDS}; wc -c; }`);
        return { line, whole: Number(whole.stdout), piped: Number(piped.stdout), stderr: withoutSlowness(whole.stderr) };
      }),
    );
    for (const { line, whole, piped, stderr } of results)
      expect({ line, bytes: piped, stderr }).toEqual({ line, bytes: whole, stderr: '' });
    // Else the case proves nothing.
    for (const { line, whole } of results.slice(0, MOST_PRINTED.length))
      expect({ line, isLong: whole > PIPE_BYTES }).toEqual({ line, isLong: true });
    for (const { whole } of results) expect(whole).toBeGreaterThan(0);
  });

  test('a reader that has seen enough is no failure', async () => {
    const { stdout, stderr } = await shell('{ $FARLOOP crds; echo "exit code $?" >&2; } | head -1');
    expect([stdout.length > 0, stderr]).toEqual([true, 'exit code 0\n']);
  });

  test('a full disk is told in one sentence', async () => {
    const { exitCode, stderr } = await shell('$FARLOOP crds > /dev/full');
    expect([exitCode, stderr]).toEqual([1, 'farloop: standard output cannot be written: ENOSPC: no space left on device, write\n']);
  });
});
