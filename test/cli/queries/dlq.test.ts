// `farloop dlq` where a queue did not answer: what the others told stands on standard output, and the command fails.
import { afterEach, expect, test } from '@jest/globals';
import { createServer } from 'node:http';
import { listening, type Listening } from '../../listening.ts';
import { runWithin } from '../farloop-process.ts';

let api: Listening;
afterEach(async () => await api.stop());

test('of one queue alone, nothing is said of others', async () => {
  const failed = [{ queue: 'wakes', reason: '50 of its dead letters went back, and there may be more: give the command again' }];
  api = await listening(createServer((_request, response) => response.end(JSON.stringify({ redriven: 50, failed }))));
  const environment = { FARLOOP_ENDPOINT: api.url, FARLOOP_TOKEN: 'a-token' };
  expect(await runWithin(['dlq', 'redrive', '--queue', 'wakes'], { environment })).toMatchObject({
    exitCode: 1,
    stdout: '50 sent back\n',
    stderr: 'farloop: not all redriven: wakes (50 of its dead letters went back, and there may be more: give the command again)\n',
  });
});

test('a queue that did not answer is named after what the others told', async () => {
  const failed = [{ queue: 'relay-west', reason: 'there is no such queue' }];
  api = await listening(
    createServer((request, response) =>
      response.end(JSON.stringify({ ...(request.method === 'POST' ? { redriven: 3 } : { items: [] }), failed })),
    ),
  );
  const environment = { FARLOOP_ENDPOINT: api.url, FARLOOP_TOKEN: 'a-token' };
  const but = 'relay-west (there is no such queue); the other queues were\n';
  expect(await runWithin(['dlq', 'redrive'], { environment })).toMatchObject({
    exitCode: 1,
    stdout: '3 sent back\n',
    stderr: `farloop: not all redriven: ${but}`,
  });
  expect(await runWithin(['dlq', 'list', '-o', 'json'], { environment })).toMatchObject({
    exitCode: 1,
    stdout: `${JSON.stringify({ items: [], failed }, null, 2)}\n`,
    stderr: `farloop: not all looked at: ${but}`,
  });
});
