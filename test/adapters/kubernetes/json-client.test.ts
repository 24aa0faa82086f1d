// Lines of a watch, however they are cut on the way, and answers that are no watch.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { JsonClient } from '../../../lib/adapters/kubernetes/json-client.ts';
import { openNodeClient } from '../../node-client.ts';
import type { ScriptedServer } from './scripted-server.ts';
import { refuses, startScriptedServer } from './scripted-server.ts';

let server: ScriptedServer;
let client: JsonClient;
beforeAll(async () => {
  server = await startScriptedServer();
  client = openNodeClient({ ...server, token: 'secret' });
});
afterAll(async () => {
  client.close();
  await server.stop();
});

async function watched(): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const event of client.watch({ path: '/watch', signal: new AbortController().signal })) events.push(event);
  return events;
}

test('events come whole, whatever a chunk holds of them: many, a part, half of a letter', async () => {
  const events = [{ a: 'ä€😀' }, { b: 'x'.repeat(100_000) }, { c: 1 }, { d: 2 }];
  const bytes = Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join('\n'));
  for (const size of [1, 7, 4_096, bytes.length]) {
    const text = size === 1 ? bytes.subarray(0, 40) : bytes;
    server.answer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      for (let from = 0; from < text.length; from += size) response.write(text.subarray(from, from + size));
      response.end();
    });
    expect(await watched()).toEqual(size === 1 ? events.slice(0, 1) : events);
  }
});

test('a watch that is refused says what was asked, what came back, and its status', async () => {
  server.answer(refuses(403, { message: 'pods is forbidden' }));
  await expect(watched()).rejects.toMatchObject({ status: 403, message: 'GET /watch answered 403 (pods is forbidden)' });
});

test('a watch that is cut is no end, one that is aborted is', async () => {
  server.answer((_request, response) => {
    response.writeHead(200).write('{"a":1}\n{"b"', () => response.destroy());
  });
  await expect(watched()).rejects.toThrow(/^watch at https:.*: the connection was cut before a whole answer had come/);
  const ending = new AbortController();
  server.answer((_request, response) => void response.writeHead(200).write('{"a":1}\n'));
  const events: unknown[] = [];
  for await (const event of client.watch({ path: '/watch', signal: ending.signal })) {
    events.push(event);
    ending.abort();
  }
  expect(events).toEqual([{ a: 1 }]);
});
