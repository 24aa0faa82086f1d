// `farloop get`: columns, what is chosen, order, and a list that is watched.
import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { watchesText } from '../../../lib/cli/queries/get.ts';
import { embeddedPorts, know, type EmbeddedPorts } from '../../api/embedded-ports.ts';
import { serveApi } from '../../api/served-api.ts';
import { until } from '../../claims.ts';
import { listening, type Listening } from '../../listening.ts';
import { FarloopProcess, runWithin, type Ended } from '../farloop-process.ts';

test.each([
  [[], '-'],
  [['jobs 5', 'pods 6'], 'jobs 5s, pods 6s'],
  [['jobs 5', 'pods 70', 'tfjobs.kubeflow.org 6', 'services 7'], '4, the oldest pods 70s'],
])('the watches %j are %s', (watches, text) => {
  const given = watches.map((watch) => watch.split(' ')).map(([resource = '', age]) => ({ resource, ageSeconds: Number(age) }));
  expect(watchesText(given)).toBe(text);
});

describe('workloads', () => {
  let ports: EmbeddedPorts;
  let api: Listening;
  let environment: Record<string, string>;
  let isAway: boolean;
  beforeEach(async () => {
    isAway = false;
    ports = await embeddedPorts('local');
    api = await serveApi(ports, 'a-token', { onRequest: ({ socket }) => void (isAway && socket.destroy()) });
    environment = { FARLOOP_ENDPOINT: api.url, FARLOOP_TOKEN: 'a-token' };
    const failed = { conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }] };
    await know(ports, { name: 'bad', labels: { team: 'a' }, status: failed });
    await know(ports, { name: 'new', namespace: 'other', uid: 'uid-of-new' });
  });
  afterEach(async () => {
    await api.stop();
    ports.close();
  });
  const get = async (...args: string[]): Promise<Ended> => await runWithin(['get', ...args], { environment });
  const namesIn = ({ stdout }: Ended): string[] => stdout.split('\n').flatMap((line) => /^\S+ +(\S+) +Job/.exec(line)?.[1] ?? []);

  test('are chosen and put in order, with why one failed', async () => {
    const all = await get('all', '--sort', 'state');
    expect(namesIn(all)).toEqual(['bad', 'new']);
    expect(all.stdout).toContain('Failed (BackoffLimitExceeded)');
    expect(namesIn(await get('all', '--sort', '-state'))).toEqual(['new', 'bad']);
    expect(namesIn(await get('jobs', '--state', 'pending,waiting'))).toEqual(['new']);
    expect(namesIn(await get('jobs', '-l', 'team=a'))).toEqual(['bad']);
    expect(namesIn(await get('jobs', '--text', 'backoff', '-A'))).toEqual(['bad']);
    expect((await get('jobs', '-o', 'name')).stdout).toBe('job/bad\njob/new\n');
    expect((await get('jobs', '-o', 'wide')).stdout).toMatch(/UID +LABELS\n.*uid-of-bad +team=a\n.*uid-of-new +-\n$/s);
    expect(await get('jobs', '--state', 'parked')).toEqual({ exitCode: 0, stdout: 'no Job like that\n', stderr: '' });
  });

  test.each([
    [['jobs', '--state', 'faild'], 'there is no state "faild" (Did you mean Failed?): expected some of Pending, '],
    [['jobs', '--sort', 'size'], 'Expected name, namespace, kind, cluster, state, age'],
    [['jobs', '-w', '-o', 'json'], '--watch prints rows of a table: leave out -o json'],
    [['clusters', '-l', 'a=b'], '--selector says nothing of clusters: leave it out'],
    [['jobs', '-A', '-n', 'default'], 'cannot be used with'],
    [['jobs', '-l', 'a=('], 'Expected a label selector, as in team=a,!test: found'],
  ])('%j is refused with 2', async (args, says) => {
    const { exitCode, stdout, stderr } = await get(...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(says);
  });

  test('of a server that is silent are waited for, and that is said', async () => {
    const hangs = await listening(createServer(() => {}));
    const waits = new FarloopProcess(['get', 'jobs'], { environment: { ...environment, FARLOOP_ENDPOINT: hangs.url } });
    await until('it says so', () => waits.stderr !== '');
    expect(waits.stderr).toBe(`farloop: ${hangs.url} has been silent for 3 s; waiting for it up to 30 s\n`);
    await waits.end('SIGINT');
    await hangs.stop();
  });

  test('are watched: a row for each that changes, comes and goes, also after the server was away', async () => {
    const watch = new FarloopProcess(['get', 'jobs', '-w'], { environment });
    await watch.says(/new +Job +Pending/);
    isAway = true;
    await until('it says so', () => /what was shown is as of \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ, and it is asked again/.test(watch.stderr));
    await know(ports, { name: 'late' });
    isAway = false;
    await watch.says(/late +Job +Pending/);
    expect(watch.stderr).toContain('farloop: it answers again\n');
    expect(watch.stdout.match(/NAMESPACE/g)).toHaveLength(1);
    expect(watch.stdout.match(/bad +Job/g)).toHaveLength(1);
    await watch.end('SIGINT');
  });
});
