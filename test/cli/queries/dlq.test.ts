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

test('what would be lost is told first, and nothing is dropped where nobody can be asked; then the told ids alone go', async () => {
  const asked: unknown[] = [];
  const planned = { text: ['2 messages of events are lost for good: they are.'], button: 'Drop 2', messageIds: ['a', 'b'] };
  api = await listening(
    createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const said = JSON.parse(body) as { dryRun?: boolean };
        asked.push([request.url, said]);
        response.end(JSON.stringify(said.dryRun ? { dropped: 0, planned } : { dropped: 2 }));
      });
    }),
  );
  const environment = { FARLOOP_ENDPOINT: api.url, FARLOOP_TOKEN: 'a-token' };
  const told = '2 messages of events are lost for good: they are.\n';
  expect(await runWithin(['dlq', 'drop', '--queue', 'events'], { environment })).toMatchObject({ exitCode: 2, stdout: told });
  expect(await runWithin(['dlq', 'drop', '--queue', 'events', '--yes'], { environment })).toMatchObject({
    exitCode: 0,
    stdout: `${told}2 dropped\n`,
  });
  const path = '/v1/dead-letters/drop?queue=events';
  expect(asked).toEqual([
    [path, { dryRun: true }],
    [path, { dryRun: true }],
    [path, { messageIds: ['a', 'b'] }],
  ]);
});
