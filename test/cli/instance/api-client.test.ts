// The way of the commands to an API elsewhere: where to, who asks, and what is never sent.
import { afterEach, describe, expect, test } from '@jest/globals';
import { createServer, type IncomingMessage } from 'node:http';
import { connectToInstance } from '../../../lib/cli/instance/api-client.ts';
import { signatureHeaders } from '../../../lib/adapters/aws/request-signature.ts';
import { listening, type Listening } from '../../listening.ts';

const opened: Listening[] = [];
afterEach(async () => {
  for (const api of opened.splice(0)) await api.stop();
});

async function anApi(answer: {
  status: number;
  headers?: Record<string, string>;
  body: string;
}): Promise<{ url: string; seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const api = await listening(
    createServer((request, response) => {
      seen.push(request);
      response.writeHead(answer.status, answer.headers);
      response.end(answer.body);
    }),
  );
  opened.push(api);
  return { url: api.url, seen };
}

describe('an endpoint', () => {
  test('is asked with the token, below its own path', async () => {
    const { url, seen } = await anApi({ status: 200, body: '{"items":[]}' });
    expect(await connectToInstance({ endpoint: `${url}/stage` }, { FARLOOP_TOKEN: 'a-token' }).get('/v1/clusters?x=1')).toEqual({
      items: [],
    });
    expect(seen.map(({ url: path, headers }) => [path, headers.authorization])).toEqual([['/stage/v1/clusters?x=1', 'Bearer a-token']]);
  });

  test('comes from FARLOOP_ENDPOINT, unless a state folder is named', async () => {
    const { url, seen } = await anApi({ status: 200, body: '{}' });
    await connectToInstance({}, { FARLOOP_TOKEN: 't', FARLOOP_ENDPOINT: url }).get('/v1/queues');
    expect(seen).toHaveLength(1);
    expect(() => connectToInstance({ state: '/nowhere' }, { FARLOOP_ENDPOINT: url })).toThrow(
      /no Farloop is running with the state folder/,
    );
  });

  test('that sends elsewhere is not followed', async () => {
    const { url: elsewhere, seen } = await anApi({ status: 200, body: '{}' });
    const { url } = await anApi({ status: 307, headers: { location: elsewhere }, body: '' });
    await expect(connectToInstance({ endpoint: url }, { FARLOOP_TOKEN: 't' }).get('/v1/queues')).rejects.toThrow(/redirect/);
    expect(seen).toEqual([]);
  });

  test('that lets nobody in says so', async () => {
    const { url } = await anApi({ status: 403, body: '{"message":"Forbidden"}' });
    await expect(connectToInstance({ endpoint: url }, { FARLOOP_TOKEN: 't' }).get('/v1/queues')).rejects.toThrow(
      'the API does not let you in (403: Forbidden): check your credentials, and that they may call execute-api:Invoke',
    );
  });

  for (const { what, status, body, says } of [
    {
      what: 'answers HTML',
      status: 200,
      body: '<!doctype html><title>Log in</title>',
      says: "answers HTML where Farloop's API answers JSON: check that the address is not that of a proxy, a login page",
    },
    { what: 'answers a number', status: 200, body: '3', says: "answers something else where Farloop's API answers JSON" },
    {
      what: 'fails in HTML',
      status: 502,
      body: '<html>Bad Gateway',
      says: 'the API answered something unexpected (502): <html>Bad Gateway',
    },
    { what: 'lets nobody in by HTML', status: 401, body: '<html>', says: 'the API does not let you in (401): check your credentials' },
  ])
    test(`that ${what} is told in a sentence`, async () => {
      const { url } = await anApi({ status, body });
      await expect(connectToInstance({ endpoint: url }, { FARLOOP_TOKEN: 't' }).get('/v1/queues')).rejects.toThrow(says);
    });

  test('is asked with a signature where there is no token', async () => {
    const { url, seen } = await anApi({ status: 200, body: '{}' });
    const before = { ...process.env };
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'planted', AWS_SESSION_TOKEN: 'session' });
    try {
      await connectToInstance({ endpoint: url }, { AWS_REGION: 'eu-central-1' }).post('/v1/dead-letters/redrive', {});
    } finally {
      process.env = before;
    }
    const { headers } = seen[0] ?? {};
    expect(headers?.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-central-1\/execute-api\/aws4_request, SignedHeaders=host;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}$/,
    );
    expect(headers?.['x-amz-security-token']).toBe('session');
    expect(JSON.stringify(headers)).not.toContain('planted');
  });

  for (const [endpoint, says] of [
    ['http://farloop.example', /plain http, which would show to others who asks/],
    ['ftp://farloop.example', /is no endpoint/],
    ['https://user:password@farloop.example', /is no endpoint/],
    ['nonsense', /is no endpoint/],
    ['https://farloop.example', /set FARLOOP_TOKEN, or AWS_REGION/],
  ] as const)
    test(`${endpoint}: refused before anything is sent`, () => {
      expect(() => connectToInstance({ endpoint }, {})).toThrow(says);
    });
});

describe('signature version 4', () => {
  const key = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
  const request = { method: 'GET', body: '', region: 'us-east-1', service: 'service', nowMs: Date.parse('2015-08-30T12:36:00Z') };

  test("is AWS's own for its published examples", async () => {
    const { authorization } = await signatureHeaders(key, { ...request, url: new URL('https://example.amazonaws.com/') });
    expect(authorization).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, ' +
        'Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
    );
    const ordered = await signatureHeaders(key, { ...request, url: new URL('https://example.amazonaws.com/?Param2=value2&Param1=value1') });
    expect(ordered['authorization']).toMatch(/Signature=b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500$/);
  });
});
