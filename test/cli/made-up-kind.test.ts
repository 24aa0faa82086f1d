// `get` and `explain` of a kind that no build knows: they name no kind, field or figure themselves.
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createServer } from 'node:http';
import type { WorkloadDetail } from '../../lib/api/told-workload.ts';
import { explainCommand } from '../../lib/cli/queries/explain.ts';
import { getCommand } from '../../lib/cli/queries/get.ts';
import { ALL_FACTS } from '../../lib/kinds/facts.ts';
import { pluralOf } from '../../lib/kinds/kind-names.ts';
import { aMadeUpKind } from '../kinds/band.ts';
import { listening, type Listening } from '../listening.ts';

const { facts } = aMadeUpKind();
const KINDS = [...ALL_FACTS, facts];
const key = { cluster: 'local', namespace: 'default', name: 'quartet' };
const common = { conditions: [], status: {}, hasPods: true, pods: [], podsLeftOut: 0, queued: false };
const head = { era: 0, fence: '1', floor: '1', bornTime: '', openedTime: '', viewItems: 1 };

const band: WorkloadDetail = {
  ...key,
  kind: 'Band',
  objectKind: 'Band',
  uid: 'b',
  state: 'Waiting',
  reason: 'OutOfTune',
  ...common,
  head,
  figures: [
    { name: 'playing', value: 3, of: 4 },
    { name: 'encores', value: 2, isMinor: true },
  ],
  reasons: [{ code: 'OutOfTune', text: 'a player is out of tune' }],
};
const job: WorkloadDetail = {
  ...key,
  name: 'demo',
  kind: 'Job',
  objectKind: 'Job',
  uid: 'j',
  state: 'Running',
  ...common,
  head,
  figures: [
    { name: 'succeeded', value: 1, of: 5 },
    { name: 'active', value: 2 },
    { name: 'ready', value: 2, isMinor: true },
    { name: 'failed', value: 0 },
  ],
  reasons: [{ code: 'PodsRunning', text: '2 pods run' }],
};

let api: Listening;
let workloads: WorkloadDetail[];
let written = '';

beforeEach(async () => {
  workloads = [band, job];
  api = await listening(
    createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
      if (pathname.startsWith('/v1/runs/')) {
        response.writeHead(404, { 'content-type': 'application/problem+json' });
        return response.end(JSON.stringify({ status: 404, title: 'Not Found', detail: 'there is no such run' }));
      }
      const path = pathname.split('/').slice(3);
      const wanted = path.length > 0 ? { kind: path[1], name: path[3] } : Object.fromEntries(searchParams);
      const found = workloads.filter(
        ({ kind, name }) => (wanted['kind'] ?? kind) === kind && (wanted['name'] ?? name) === name && pathname.startsWith('/v1/workloads'),
      );
      return response.end(JSON.stringify({ items: pathname.endsWith('/passes') ? [] : found }));
    }),
  );
  written = '';
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => ((written += String(text)), true));
});
afterEach(async () => {
  jest.restoreAllMocks();
  delete process.env['FARLOOP_TOKEN'];
  await api.stop();
});

/** The lines that a command prints, words apart by one blank. */
async function linesOf(command: 'get' | 'explain', ...args: string[]): Promise<string[]> {
  process.env['FARLOOP_TOKEN'] = 'a-token';
  const made = command === 'get' ? getCommand(KINDS) : explainCommand(KINDS);
  await made
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .parseAsync([...args, '--endpoint', api.url], { from: 'user' });
  return written.split('\n').map((line) => line.trim().replaceAll(/\s+/g, ' '));
}

describe('get', () => {
  test('all kinds together, with a column for each figure that one of them has', async () => {
    const [header, ...rows] = await linesOf('get', 'workloads');
    expect(header).toBe('NAMESPACE NAME KIND STATE PLAYING SUCCEEDED ACTIVE FAILED AGE NEXT LOOK CLUSTER');
    expect(rows.slice(0, 2)).toEqual([
      'default quartet Band Waiting (OutOfTune) 3/4 - - - - - local',
      'default demo Job Running - 1/5 2 0 - - local',
    ]);
  });

  test('Jobs alone have the columns that they always had', async () => {
    const [header, row] = await linesOf('get', 'jobs');
    expect([header, row]).toEqual([
      'NAMESPACE NAME KIND STATE SUCCEEDED ACTIVE FAILED AGE NEXT LOOK CLUSTER',
      'default demo Job Running 1/5 2 0 - - local',
    ]);
  });

  test.each(['bands', 'Band', 'bd', 'bands.music.example.com', 'band/quartet'])('%s are of the made-up kind', async (word) => {
    const lines = await linesOf('get', word);
    expect(lines[0]).toBe('NAMESPACE NAME KIND STATE PLAYING AGE NEXT LOOK CLUSTER');
    expect(lines).toContain('default quartet Band Waiting (OutOfTune) 3/4 - - local');
  });

  test('a word that names no kind is answered with those there are', async () => {
    await expect(linesOf('get', 'band s')).rejects.toThrow(
      `Expected ${KINDS.map(pluralOf).join(', ')}, workloads, clusters, or KIND/NAME as in job/demo. (Did you mean bands?)`,
    );
  });
});

describe('explain', () => {
  test.each(['band/quartet', 'bd/quartet', 'quartet'])('%s', async (name) => {
    expect((await linesOf('explain', name)).slice(0, 3)).toEqual([
      'band/quartet in default on local: Waiting (OutOfTune)',
      'playing 3 of 4, pods known 0',
      'OutOfTune: a player is out of tune',
    ]);
  });

  test('a name that several kinds have is answered with the candidates', async () => {
    workloads.push({ ...job, name: 'quartet' });
    await expect(linesOf('explain', 'quartet')).rejects.toThrow(
      'quartet is the name of several workloads: band/quartet in default on local, job/quartet in default on local; say which with KIND/NAME',
    );
  });

  test('an unknown kind is answered with those there are', async () => {
    await expect(linesOf('explain', 'song/quartet')).rejects.toThrow(
      `"song/quartet" names no workload: the kinds are ${KINDS.map(({ kind }) => kind.toLowerCase()).join(', ')}, as in job/demo`,
    );
  });
});
