// Text that a cluster, a message or a login plugin planted, on its way to a terminal: through the store, the API over a socket and the
// commands. Whatever it says, nothing but text comes out, and no line that Farloop did not write.
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { LineTelemetry } from '../../lib/adapters/telemetry/line-telemetry.ts';
import { runProgram } from '../../lib/cli/program.ts';
import { embeddedPorts, giveUp, know, type EmbeddedPorts } from '../api/embedded-ports.ts';
import { serveApi } from '../api/served-api.ts';
import { aPass } from '../contracts/recorder.ts';
import type { Listening } from '../listening.ts';

/** A title, a cleared screen, C1, a right-to-left override, and a line that looks like ours. */
const PLANTED = '\u001B]0;pwned\u0007\u001B[2J\u009B31m\u202Egpj.exe\u2066\u2028\r\nfarloop ready';
const SHOWN = '\\u001b]0;pwned\\u0007\\u001b[2J\\u009b31m\\u202egpj.exe\\u2066\\u2028\\r\\nfarloop ready';
// oxlint-disable-next-line no-control-regex
const ACTING = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/;

let ports: EmbeddedPorts;
let api: Listening;
const before = { ...process.env };
const umask = process.umask();

beforeAll(async () => {
  ports = await embeddedPorts('local');
  const waiting = { reason: `Image${PLANTED}`, message: `pull: ${PLANTED}` };
  const key = await know(ports, {
    name: 'demo',
    status: {
      startTime: '2026-05-01T10:00:01Z',
      conditions: [{ type: 'Failed', status: 'True', reason: `Odd${PLANTED}`, message: `it said ${PLANTED}` }],
    },
    pods: [
      {
        name: 'demo-a',
        status: {
          phase: 'Pending',
          reason: PLANTED,
          message: PLANTED,
          conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: PLANTED }],
          containerStatuses: [{ name: 'main', state: { waiting } }],
        },
      },
    ],
  });
  await know(ports, {
    name: 'waits',
    pods: [{ name: 'waits-a', status: { phase: 'Pending', containerStatuses: [{ name: 'main', state: { waiting } }] } }],
  });
  await know(ports, {
    name: 'parked',
    state: { park: { failures: 1, untilMs: Date.now() + 60_000, reason: `parked: ${PLANTED}`, generation: 1 } },
  });
  await ports.recorder.append(
    aPass(Date.now() - 1_000, {
      key,
      why: [`because ${PLANTED}`],
      error: `refused: ${PLANTED}`,
      actions: [{ verb: 'create', target: PLANTED, why: PLANTED, result: 'refused', detail: PLANTED }],
    }),
  );
  await ports.queue.send('events', [{ body: 'not JSON: \u202Efed\ncba' }]);
  await giveUp(ports, 'events');
  api = await serveApi(ports, 'a-token');
  Object.assign(process.env, { FARLOOP_ENDPOINT: api.url, FARLOOP_TOKEN: 'a-token' });
});

afterEach(() => {
  process.exitCode = 0;
  process.umask(umask);
});

afterAll(async () => {
  for (const name of ['FARLOOP_ENDPOINT', 'FARLOOP_TOKEN']) {
    const value = before[name];
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  await api.stop();
  ports.close();
});

async function run(...args: string[]): Promise<{ stdout: string; stderr: string; exitCode: number }> {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const spies = [
    jest.spyOn(process.stdout, 'write').mockImplementation((text: unknown) => stdout.push(String(text)) > 0),
    jest.spyOn(process.stderr, 'write').mockImplementation((text: unknown) => stderr.push(String(text)) > 0),
  ];
  try {
    return { exitCode: await runProgram(args), stdout: stdout.join(''), stderr: stderr.join('') };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

describe('commands', () => {
  for (const args of [
    ['get', 'jobs'],
    ['get', 'job', 'demo', '-o', 'json'],
    ['get', 'jobs', '-o', 'yaml'],
    ['get', 'clusters'],
    ['explain', 'job/demo'],
    ['explain', 'job/demo', '-o', 'json'],
    ['explain', 'job/demo', '-o', 'yaml'],
    ['explain', 'job/waits'],
    ['explain', 'job/parked'],
    ['dlq', 'list'],
    ['dlq', 'list', '-o', 'json'],
  ])
    test(`${args.join(' ')} shows it as what it is`, async () => {
      const { stdout, stderr } = await run(...args);
      expect(stdout + stderr).not.toMatch(ACTING);
      expect(stdout.split('\n')).not.toContain('farloop ready');
      expect(stderr).toBe('');
    });

  test('what was planted can be read, and JSON and YAML hold it exactly', async () => {
    const { stdout: text } = await run('explain', 'job/demo');
    expect(text).toContain(`because ${SHOWN}`);
    expect(text).toContain(`it said ${SHOWN}`);
    for (const [format, read] of [
      ['json', JSON.parse],
      ['yaml', load],
    ] as const) {
      const { stdout } = await run('explain', 'job/demo', '-o', format);
      expect(read(stdout)).toMatchObject({
        workload: { conditions: [{ reason: `Odd${PLANTED}`, message: `it said ${PLANTED}` }] },
        passes: [{ why: [`because ${PLANTED}`], error: `refused: ${PLANTED}` }],
      });
    }
  });

  test('a dead letter is told with its body on the line of its row', async () => {
    const { stdout } = await run('dlq', 'list');
    expect(stdout).toContain('not JSON: \\u202efed\\ncba');
  });

  test('the API, too, is safe to read at a terminal', async () => {
    const answer = await fetch(`${api.url}/v1/workloads/local/Job/default/demo`, { headers: { authorization: 'Bearer a-token' } });
    const text = await answer.text();
    expect(text).not.toMatch(ACTING);
    expect(JSON.parse(text)).toMatchObject({ items: [{ conditions: [{ message: `it said ${PLANTED}` }] }] });
  });

  test('a name that was asked for stands in the refusal as what it is', async () => {
    const { stderr, exitCode } = await run('explain', `job/${PLANTED.replaceAll('/', '')}`);
    expect(exitCode).toBe(1);
    expect(stderr).not.toMatch(ACTING);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  test('a plan of manifests that hold it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'farloop-planted-'));
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'a', namespace: 'default', annotations: { note: PLANTED } },
      spec: {
        template: {
          metadata: { annotations: { note: PLANTED } },
          spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'a', args: [PLANTED] }] },
        },
      },
      status: { conditions: [{ type: 'Failed', status: 'True', reason: 'Odd', message: PLANTED }] },
    };
    writeFileSync(join(folder, 'job.json'), JSON.stringify(job));
    for (const format of ['text', 'json', 'yaml']) {
      const { stdout, stderr } = await run('plan', '-f', join(folder, 'job.json'), '-o', format);
      expect(stdout + stderr).not.toMatch(ACTING);
      expect(stdout).not.toBe('');
    }
    rmSync(folder, { recursive: true });
  });
});

test('what a login plugin says before it fails', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'farloop-plugin-'));
  const plugin = join(folder, 'login');
  writeFileSync(plugin, `#!/bin/sh\nprintf '\\033]0;pwned\\007\\033[2J\\302\\2332J\\342\\200\\256denied\\nfarloop ready\\n' >&2\nexit 1\n`);
  chmodSync(plugin, 0o755);
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
    users: [{ name: 'u', user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: plugin, interactiveMode: 'Never' } } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  writeFileSync(join(folder, 'kubeconfig'), JSON.stringify(kubeconfig));
  const { stderr, stdout, exitCode } = await run('node', '--simulated', '--kubeconfig', join(folder, 'kubeconfig'));
  rmSync(folder, { recursive: true });
  expect(exitCode).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).not.toMatch(ACTING);
  expect(stderr).toContain('\\u001b]0;pwned\\u0007\\u001b[2J\\u009b2J\\u202edenied');
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});

test('log lines', () => {
  const lines: string[] = [];
  for (const format of ['text', 'json'] as const) {
    const telemetry = new LineTelemetry({ format, write: (line) => lines.push(line) });
    telemetry.error('pass failed', {
      workload: `local/Job/default/${PLANTED}`,
      error: new Error(PLANTED, { cause: new Error(PLANTED) }),
      why: [PLANTED],
    });
  }
  expect(lines).toHaveLength(2);
  for (const line of lines) expect(line).not.toMatch(/\n/);
  expect(lines.join('')).not.toMatch(ACTING);
});
