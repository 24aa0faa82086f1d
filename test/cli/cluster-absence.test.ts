// What is said of a name without a record: whoever mistyped it is not told how to remove without being asked.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { absence } from '../../lib/cli/cluster/cluster-remove.ts';
import { runWithin } from './farloop-process.ts';

// Some start a process of their own.
jest.setTimeout(120_000);

const of = { name: 'shpo', stage: 'prod', names: ['shop', 'far'] };

test('a mistyped name is answered with those that there are, and with nothing that removes', () => {
  expect(absence({ ...of, left: { isUnreadable: false, others: [] } })).toBe(
    'no cluster shpo is registered with the stage prod: there are shop, far; nothing of that name is on AWS',
  );
});

test('what a registration that ended early has left is named with the way to remove it', () => {
  const said = absence({ ...of, names: [], left: { isUnreadable: false, others: ['queue farloop-prod-relay-shpo'] } });
  expect(said).toMatch(/^no cluster shpo .*: there is none; of that name there is on AWS: queue farloop-prod-relay-shpo: /);
  expect(said).toContain('--unreachable --force removes it if nobody is registering');
});

test('a record that cannot be read is not called missing', () => {
  const said = absence({ ...of, left: { isUnreadable: true, others: ['IAM user u'] } });
  expect(said).toMatch(/^the record of shpo with the stage prod cannot be read: mend it/);
  expect(said).toMatch(/a record that cannot be read, IAM user u$/);
  expect(said).not.toContain('no cluster');
});

/** An account with the stage `prod` and, of the cluster `far`, the queue that its registration made before it ended. */
const queues = new Set(['farloop-prod-relay-far']);
const OUTPUTS = ['EventsQueueUrl', 'EventsQueueArn', 'ViewsTable', 'ClustersTable', 'ClusterSecretPrefix'];
const member = (name: string): string => `<member><OutputKey>${name}</OutputKey><OutputValue>value</OutputValue></member>`;
const STACK = `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>farloop-prod</StackName><Outputs>${OUTPUTS.map(member).join('')}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`;
const NO_ENTITY = '<ErrorResponse><Error><Type>Sender</Type><Code>NoSuchEntity</Code><Message>none</Message></Error></ErrorResponse>';

function answerTo(host: string, target: string, body: string): [number, string] {
  if (target === '') return body.includes('Action=DescribeStacks') ? [200, STACK] : [404, NO_ENTITY];
  if (target.startsWith('secretsmanager.')) return [400, JSON.stringify({ __type: 'ResourceNotFoundException' })];
  if (!target.startsWith('AmazonSQS.')) return [200, JSON.stringify(/Scan|Query/.test(target) ? { Items: [], Count: 0 } : {})];
  const { QueueName: name = '', QueueUrl: url = '' } = JSON.parse(body) as { QueueName?: string; QueueUrl?: string };
  if (target.endsWith('.DeleteQueue')) queues.delete(url.split('/').at(-1) ?? '');
  else if (!queues.has(name)) return [400, JSON.stringify({ __type: 'com.amazonaws.sqs#QueueDoesNotExist' })];
  return [200, JSON.stringify({ QueueUrl: `http://${host}/1/${name}` })];
}

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    const target = String(request.headers['x-amz-target'] ?? '');
    const [status, answer] = answerTo(request.headers.host ?? '', target, body);
    response.writeHead(status, { 'content-type': target === '' ? 'text/xml' : 'application/x-amz-json-1.0' }).end(answer);
  });
});
let environment: Record<string, string>;
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  environment = {
    AWS_REGION: 'us-east-1',
    AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  };
});
afterAll(() => void server.close());

test('whoever gives all flags for a name of which there is nothing is not told to give them', async () => {
  const args = ['cluster', 'remove', 'shpo', '--stage', 'prod', '--unreachable', '--force'];
  const { exitCode, stdout, stderr } = await runWithin(args, { environment });
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toBe('farloop: no cluster shpo is registered with the stage prod: there is none; nothing of that name is on AWS\n');
});

test('what would be removed of a cluster without a record can be looked at first; then it is', async () => {
  const args = ['cluster', 'remove', 'far', '--stage', 'prod', '--unreachable', '--force'];
  const looked = await runWithin([...args, '--dry-run'], { environment });
  expect(looked).toMatchObject({ exitCode: 0, stderr: '' });
  expect(looked.stdout).toBe('of that name there is on AWS: queue farloop-prod-relay-far: --unreachable --force removes that\n');
  expect([...queues]).toEqual(['farloop-prod-relay-far']);
  expect(await runWithin(args, { environment })).toMatchObject({ exitCode: 0, stderr: '' });
  expect([...queues]).toEqual([]);
});
