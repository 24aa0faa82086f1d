// Workloads that were removed from their cluster, and actions whose server goes away: what commands say is so.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createServer } from 'node:http';
import { listening, type Listening } from '../../listening.ts';
import { runWithin, type Ended } from '../farloop-process.ts';

const KEY = { cluster: 'local', kind: 'Job', namespace: 'default', uid: 'uid-of-it', figures: [], sinceTime: '2026-05-01T10:00:00.000Z' };
const REMOVED = { ...KEY, name: 'removed', state: 'Running', removedTime: '2026-05-01T10:00:00.000Z' };
const THERE = { ...KEY, name: 'there', state: 'Running' };

let api: Listening;
/** As a server that is killed while an action is under way. */
beforeEach(async () => {
  api = await listening(
    createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
      const answer = (json: object): void => void response.setHeader('content-type', 'application/json').end(JSON.stringify(json));
      if (pathname !== '/v1/workloads' && request.method === 'GET') return answer({ items: [] });
      if (request.method === 'GET') {
        const items = [THERE, ...(searchParams.has('ended') ? [REMOVED] : [])];
        return answer({ items: items.filter(({ name }) => name === (searchParams.get('name') ?? name)) });
      }
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        if (!body.includes('"dryRun":true')) request.socket.destroy();
        else answer({ action: 'suspend', uid: 'uid-of-it', result: 'planned', text: ['2 pods are ended.'], button: 'Suspend it' });
      });
    }),
  );
});
afterEach(async () => await api.stop());

const run = async (...args: string[]): Promise<Ended> =>
  await runWithin(args, { environment: { FARLOOP_ENDPOINT: api.url, FARLOOP_TOKEN: 'a-token' } });

test('one that was removed is gone for who waits for that, and no success for who waits for its end', async () => {
  expect(await run('wait', 'removed', '--for', 'gone')).toEqual({ exitCode: 0, stdout: 'removed is gone\n', stderr: '' });
  const { exitCode, stderr } = await run('wait', 'removed');
  expect(exitCode).toBe(1);
  expect(stderr).toContain('One of that name in default on local is gone since 2026-05-01T10:00:00.000Z: "farloop explain job/removed"');
  expect(await run('wait', 'never', '--for', 'gone')).toMatchObject({ exitCode: 1 });
});

test('R8: an action whose server does not come back says that nobody knows whether it was done', async () => {
  const { exitCode, stderr } = await run('suspend', 'job/there', '--yes');
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    /asking again, which does it once\n.*asking again.*\n.*; it is not known whether it was done: look at it before you ask again\n$/,
  );
});
