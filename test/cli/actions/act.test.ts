// Commands by which people act: what is sent for a dry run, and for the action that follows its plan.
import { afterEach, expect, test } from '@jest/globals';
import { createServer } from 'node:http';
import { listening, type Listening } from '../../listening.ts';
import { runWithin } from '../farloop-process.ts';

let api: Listening;
afterEach(async () => await api.stop());

test('a dry run sends no token, which would make a name that no workload ever has; the action has the one of its plan (R5)', async () => {
  const asked: { dryRun?: boolean; token?: string; uid?: string }[] = [];
  const workload = { cluster: 'local', kind: 'Job', namespace: 'default', name: 'demo', uid: 'u' };
  api = await listening(
    createServer((request, response) => {
      if (request.method !== 'POST') return response.end(JSON.stringify({ items: [workload], counts: {}, total: 1 }));
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      return request.on('end', () => {
        const said = JSON.parse(body) as (typeof asked)[number];
        asked.push(said);
        const told = { action: 'retry', uid: 'u', result: said.dryRun ? 'planned' : 'done', text: ['It is told.'], button: 'Retry demo' };
        response.end(JSON.stringify(told));
      });
    }),
  );
  const environment = { FARLOOP_ENDPOINT: api.url, FARLOOP_TOKEN: 'a-token' };
  expect(await runWithin(['retry', 'job/demo', '--dry-run'], { environment })).toMatchObject({ exitCode: 0, stdout: 'It is told.\n' });
  expect(asked).toEqual([{ action: 'retry', dryRun: true }]);
  expect(await runWithin(['retry', 'job/demo', '--yes'], { environment })).toMatchObject({ exitCode: 0 });
  const [, plan, done] = asked;
  expect(plan?.token).toMatch(/^[-\w]{36}$/);
  expect(done).toEqual({ action: 'retry', uid: 'u', token: plan?.token });
});
