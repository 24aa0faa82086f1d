// From an empty account to Jobs on two clusters and back: a real `osls deploy`, functions that run from the zips it uploaded, called by
// the emulator's event sources under the roles of the stack.
import { DescribeTableCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand, ListQueuesCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Job } from '../../lib/objects/kubernetes.ts';
import { METRICS } from '../../lib/ports/metrics.ts';
import { Deployment, STAGE, until } from './deployment.ts';
import { FUNCTIONS, ROOT } from './packaged.ts';
import type { Template } from './packaged.ts';
import type { RemoteCluster } from './remote-cluster.ts';
import { realCluster, sandboxCluster } from './remote-cluster.ts';
import { rightsIn } from './rights.ts';
import type { Right } from './rights.ts';

const PARAMETERS = { protection: 'off', allowLoopback: 'yes', eventsTimeoutSeconds: '5', eventsVisibilitySeconds: '5' };

const folder = mkdtempSync(join(tmpdir(), 'farloop-deploy-'));
let deployment: Deployment;
let clusters: RemoteCluster[] = [];

beforeAll(async () => {
  deployment = await Deployment.start();
  clusters = [await sandboxCluster(folder), await realCluster(folder)];
}, 300_000);

afterAll(async () => {
  for (const cluster of clusters) await cluster.stop();
  await deployment?.stop();
  rmSync(folder, { recursive: true, force: true });
  rmSync(join(ROOT, '.serverless'), { recursive: true, force: true });
}, 60_000);

/** Each step needs those before it: once one has failed, the rest is not waited for. */
let unfinished: string | undefined;
async function inTurn(work: () => Promise<void>): Promise<void> {
  if (unfinished !== undefined) throw new Error(`not tried, for this failed before: ${unfinished}`);
  unfinished = expect.getState().currentTestName ?? '';
  try {
    await work();
  } catch (error) {
    for (const name of FUNCTIONS)
      console.log(`${name}, the last it said:\n${(await deployment.saidBy(name).catch(() => [])).slice(-30).join('\n')}`);
    throw error;
  }
  unfinished = undefined;
}

const templateOf = (): Template =>
  JSON.parse(readFileSync(join(ROOT, '.serverless', 'cloudformation-template-update-stack.json'), 'utf8')) as Template;

interface Directive {
  Namespace: string;
  Dimensions: string[][];
  Metrics: { Name: string; Unit: string }[];
}

const isComplete = ({ status }: Job): boolean =>
  (status?.conditions ?? []).some(({ type, status: holds }) => type === 'Complete' && holds === 'True');

const completed = async (name: string, withinMs = 120_000): Promise<Job[]> =>
  await Promise.all(
    clusters.map(async (cluster) => await until(`${name} on ${cluster.name}`, async () => await cluster.job(name), isComplete, withinMs)),
  );

test('deploys into an empty account', async () => {
  await inTurn(async () => {
    await deployment.osls('deploy', PARAMETERS);
    await deployment.readOutputs();
    const types = [...(await deployment.resources()).values()].map(({ type }) => type);
    expect(types.filter((type) => type === 'AWS::Lambda::Function')).toHaveLength(5);
    const granted = await deployment.grantBatches(rightsIn(templateOf()));
    console.log(
      `stand-in: the emulator asks for rights to SendMessageBatch and DeleteMessageBatch, which AWS does not know; ${granted} granted`,
    );
  });
}, 240_000);

test('two clusters are registered, and their relays report', async () => {
  await inTurn(async () => {
    for (const cluster of clusters) {
      const { asksQueueUrl } = await deployment.register(cluster);
      await cluster.startRelay({ eventsQueueUrl: deployment.output('EventsQueueUrl'), asksQueueUrl }, deployment.environment);
    }
    expect(clusters.map(({ name }) => name)).toEqual(['sandbox', 'real']);
  });
});

test('Jobs run through the deployed functions to Complete, each index once', async () => {
  await inTurn(async () => {
    for (const cluster of clusters) await cluster.createJob('first', { completions: 4, parallelism: 2, runSeconds: 1 });
    for (const [at, job] of (await completed('first')).entries()) {
      expect(job.status).toMatchObject({ succeeded: 4, completedIndexes: '0-3' });
      expect(job.status?.failed ?? 0).toBe(0);
      const pods = (await clusters[at]?.podsOf('first')) ?? [];
      expect(pods).toHaveLength(4);
      expect(pods.filter(({ metadata }) => (metadata.finalizers ?? []).length > 0)).toEqual([]);
    }
  });
}, 180_000);

describe('the API', () => {
  test('answers nobody who does not sign', async () => {
    await inTurn(async () => {
      for (const path of ['/v1/clusters', '/v1/dead-letters', '/', '/healthz'])
        expect((await deployment.api('GET', path, { signed: false })).status).toBe(403);
    });
  });

  test('tells of both clusters and of their work, and never of a secret', async () => {
    await inTurn(async () => {
      const { status, json } = await until(
        'both relays heard',
        async () => await deployment.api('GET', '/v1/clusters'),
        (answer) => JSON.stringify(answer.json).split('"Watching"').length === 3,
      );
      expect(status).toBe(200);
      expect(json).toMatchObject({ items: [{ name: 'real' }, { name: 'sandbox' }] });
      const workloads = await deployment.api('GET', '/v1/workloads');
      expect(workloads.status).toBe(200);
      const asked = [
        '/v1/workloads/sandbox/Job/default/first',
        '/v1/queues',
        '/v1/dead-letters',
        '/v1/workloads/sandbox/Job/default/first/passes',
      ];
      for (const path of asked) {
        const answer = await deployment.api('GET', path);
        expect({ path, status: answer.status, ...(answer.status !== 200 && { said: answer.json }) }).toEqual({ path, status: 200 });
      }
      const page = await deployment.api('GET', '/');
      expect(page.status).toBe(200);
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      for (const { token } of clusters)
        for (const answer of [json, workloads.json, page.json]) expect(JSON.stringify(answer)).not.toContain(token);
    });
  });
});

test('a Job that is deleted is forgotten, and its pods with it', async () => {
  await inTurn(async () => {
    for (const cluster of clusters) await cluster.deleteJob('first');
    await until(
      'nothing known of it',
      async () => await deployment.api('GET', '/v1/workloads'),
      ({ json }) => !JSON.stringify(json).includes('"first"'),
    );
    for (const cluster of clusters)
      expect(
        await until(
          `pods of first gone from ${cluster.name}`,
          async () => await cluster.podsOf('first'),
          (pods) => pods.length === 0,
        ),
      ).toEqual([]);
  });
});

const deadEvents = async (): Promise<number> => {
  const { Attributes: { ApproximateNumberOfMessages: visible, ApproximateNumberOfMessagesNotVisible: seen } = {} } =
    await deployment.sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: deployment.output('EventsDeadQueueUrl'), AttributeNames: ['All'] }),
    );
  return Number(visible) + Number(seen);
};

test('R13: what cannot be read dies after its tries and stops nothing else; redriven by the API, it goes all the way again', async () => {
  await inTurn(async () => {
    await deployment.sqs.send(
      new SendMessageCommand({
        QueueUrl: deployment.output('EventsQueueUrl'),
        MessageBody: 'not a message of ours',
        MessageGroupId: 'sandbox',
      }),
    );
    const list = async (): Promise<{ messageId: string; body: string }[]> => {
      const { json } = await deployment.api('GET', '/v1/dead-letters?queue=events');
      return (json as { items: { messageId: string; body: string }[] }).items ?? [];
    };
    const [letter] = await until('a dead letter', list, (items) => items.length > 0);
    expect(letter?.body).toBe('not a message of ours');
    const redriven = await deployment.api('POST', '/v1/dead-letters/redrive?queue=events', { body: { messageIds: [letter?.messageId] } });
    expect(redriven).toMatchObject({ status: 200, json: { redriven: 1 } });
    expect(await deadEvents()).toBe(0);
    // Idempotent: it is there no more.
    expect(
      (await deployment.api('POST', '/v1/dead-letters/redrive?queue=events', { body: { messageIds: [letter?.messageId] } })).json,
    ).toEqual({ redriven: 0 });
    await until('the same letter, dead again', deadEvents, (count) => count === 1);
  });
}, 240_000);

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

const STATEFUL = ['Views', 'Clusters', 'Events', 'Wakes', 'Timers', 'EventsDead', 'WakesDead', 'TimersDead'];

test('a second deployment while Jobs run replaces nothing that holds state, and the Jobs complete', async () => {
  await inTurn(async () => {
    const before = await deployment.resources();
    const bornOf = async (): Promise<(Date | undefined)[]> =>
      await Promise.all(
        ['ViewsTable', 'ClustersTable'].map(
          async (output) =>
            (await deployment.dynamodb.send(new DescribeTableCommand({ TableName: deployment.output(output) }))).Table?.CreationDateTime,
        ),
      );
    const bornBefore = await bornOf();
    for (const cluster of clusters) await cluster.createJob('second', { completions: 4, parallelism: 2, runSeconds: 25 });
    for (const cluster of clusters)
      await until(
        `second at work on ${cluster.name}`,
        async () => await cluster.job('second'),
        ({ status }) => (status?.active ?? 0) > 0,
      );
    await deployment.osls('deploy', { ...PARAMETERS, logLevel: 'debug', reconcileConcurrency: '20' });
    const stillRunning = await Promise.all(clusters.map(async (cluster) => !isComplete(await cluster.job('second'))));
    console.log(`Jobs in flight when the second deployment was done: ${stillRunning.filter(Boolean).length} of ${clusters.length}`);
    const after = await deployment.resources();
    for (const name of STATEFUL) expect(after.get(name)).toEqual(before.get(name));
    expect(await bornOf()).toEqual(bornBefore);
    for (const job of await completed('second')) expect(job.status).toMatchObject({ succeeded: 4, completedIndexes: '0-3' });
  });
}, 300_000);

test('sweep runs every minute by itself', async () => {
  await inTurn(async () => {
    const lines = await until(
      'a sweep',
      async () => await deployment.logsOf('sweep'),
      (said) => said.some(({ message }) => message === 'swept'),
      130_000,
    );
    expect(lines.filter(({ level }) => level === 'ERROR')).toEqual([]);
  });
}, 140_000);

test('metrics stand in the logs, of the kinds and with the dimensions that the table of metrics tells', async () => {
  await inTurn(async () => {
    const seen = new Set<string>();
    for (const name of FUNCTIONS)
      for (const line of await deployment.logsOf(name)) {
        if (!('_aws' in line)) continue;
        const { CloudWatchMetrics: directives } = line['_aws'] as { CloudWatchMetrics: Directive[] };
        for (const { Namespace, Dimensions, Metrics } of directives)
          for (const { Name, Unit } of Metrics) {
            expect({ Name, Namespace, Unit, Dimensions }).toEqual({
              Name,
              Namespace: `Farloop/${STAGE}`,
              Unit: METRICS[Name]?.unit,
              Dimensions: METRICS[Name]?.sets,
            });
            for (const dimension of Dimensions.flat()) expect(line[dimension]).toEqual(expect.stringMatching(/^(?!unknown$)./));
            expect(line[Name]).toBeDefined();
            seen.add(Name);
          }
      }
    for (const name of [
      'ReconcileDuration',
      'EventToPassLag',
      'EventToActionLag',
      'WritesSent',
      'UnreadableMessages',
      'WatchAge',
      'ClockOffset',
      'SweepsFinished',
      'AwsRequests',
      'WriteUnits',
      'ReadUnits',
      'ColdStarts',
    ])
      expect([...seen]).toContain(name);
  });
});

test('no token of a cluster stands in a log line, nor in the table', async () => {
  await inTurn(async () => {
    for (const name of ['ingest', 'reconcile', 'timers', 'sweep', 'api'] as const) {
      const said = JSON.stringify(await deployment.logsOf(name));
      for (const { token, caPem } of clusters) {
        expect(said).not.toContain(token);
        expect(said).not.toContain(caPem.slice(100, 160));
      }
    }
  });
});

describe('rights', () => {
  /** Rights for cases that this test does not meet, by role (or `*`) and action; `test/adapters`, `test/peers` and the simulator meet them. */
  const UNUSED: Record<string, string> = {
    '* logs:CreateLogStream': 'Lambda calls it for the function',
    '* logs:PutLogEvents': 'Lambda calls it for the function',
    '* dynamodb:BatchGetItem': 'a view that lies in items: a Job of hundreds of pods',
    'IngestRole sqs:ReceiveMessage': 'the event source calls it for the function',
    'IngestRole sqs:DeleteMessage': 'the event source calls it for the function',
    'IngestRole sqs:GetQueueAttributes': 'the event source calls it for the function',
    'IngestRole sqs:SendMessage': 'a timer, where news come within a second of a pass',
    'ReconcileRole sqs:ReceiveMessage': 'the event source calls it for the function',
    'ReconcileRole sqs:DeleteMessage': 'the event source calls it for the function',
    'ReconcileRole sqs:GetQueueAttributes': 'the event source calls it for the function',
    'ReconcileRole sqs:ChangeMessageVisibility': 'giving back a wake that cannot be read, or whose pass was overtaken',
    'ReconcileRole dynamodb:BatchWriteItem': 'forgetting a Job of hundreds of pods',
    'ReconcileRole dynamodb:Query': 'sending again what was put off while a cluster was silent',
    'ReconcileRole dynamodb:UpdateItem': 'raising the era of a restored API server',
    'ReconcileRole sqs:SendMessage': 'a pass that was overtaken; asking the relay for everything',
    'TimersRole sqs:ReceiveMessage': 'the event source calls it for the function',
    'TimersRole sqs:DeleteMessage': 'the event source calls it for the function',
    'TimersRole sqs:GetQueueAttributes': 'the event source calls it for the function',
    'TimersRole sqs:ChangeMessageVisibility': 'giving back a timer that cannot be read',
    'TimersRole dynamodb:Query': 'looking for stale workloads between two sweeps',
    'TimersRole dynamodb:UpdateItem': 'waking one',
    'TimersRole dynamodb:GetItem': 'a view that differed from what the relay told, looked at again',
    'SweepRole sqs:GetQueueAttributes': 'the same',
    'TimersRole sqs:SendMessage': 'a timer that came early; asking the relay for a workload',
    'SweepRole dynamodb:PutItem': "the marker of a cluster's full list",
    'SweepRole dynamodb:UpdateItem': 'waking a stale workload',
    'SweepRole secretsmanager:PutSecretValue': 'renewing a token of which half is over',
    'SweepRole sqs:SendMessage': 'the same; a timer that lay beyond 15 minutes',
    'ApiRole sqs:DeleteMessage': 'redriving from the other queues',
    'ApiRole sqs:SendMessage': 'redriving to the other queues',
    'ApiRole sqs:ChangeMessageVisibility': 'giving back dead letters of the other queues',
    'ApiRole sqs:StartMessageMoveTask': 'redriving all at once, which the emulator does not know',
    'ApiRole sqs:ListMessageMoveTasks': 'the same',
  };

  test('every call of every function is in its role; a right that none used is listed', async () => {
    await inTurn(async () => {
      const keys = await deployment.accessKeys();
      const resources = await deployment.resources();
      const nameOf = (resource: string): string =>
        resource
          .replace(/^\$\{(\w+)\.Arn\}/, (_whole, logical: string) => (resources.get(logical)?.id ?? logical).split('/').at(-1) ?? '')
          .replace(/^.*:secret:/, '')
          .replace(/^arn:.*:/, '');
      const rights = rightsIn(templateOf()).map((right) => ({ ...right, resource: nameOf(right.resource) }));
      const permits = (right: Right, { role, action, resource }: Right): boolean =>
        right.role === role &&
        right.action === action &&
        new RegExp(`^${right.resource.split('*').map(escaped).join('.*')}$`).test(resource);
      const made = deployment.recorder.calls.flatMap(({ accessKeyId, action, resource }) => {
        const name = keys.get(accessKeyId);
        return name ? [{ role: `${name.charAt(0).toUpperCase()}${name.slice(1)}Role`, action, resource }] : [];
      });
      expect(new Set(made.map(({ role }) => role)).size).toBe(5);
      expect([
        ...new Set(made.filter((call) => !rights.some((right) => permits(right, call))).map((call) => JSON.stringify(call))),
      ]).toEqual([]);

      const unused = rights.filter((right) => !made.some((call) => permits(right, call)));
      const reasonFor = ({ role, action }: Right): string | undefined => UNUSED[`${role} ${action}`] ?? UNUSED[`* ${action}`];
      for (const right of unused)
        console.log(`right not used here: ${right.role} ${right.action} on ${right.resource}: ${reasonFor(right) ?? '?'}`);
      expect(unused.filter((right) => reasonFor(right) === undefined)).toEqual([]);
      console.log(
        `${made.length} calls of functions, ${new Set(made.map((call) => JSON.stringify(call))).size} different, ${rights.length} rights, ${unused.length} not used here`,
      );
    });
  });
});

test('removal leaves nothing', async () => {
  await inTurn(async () => {
    for (const cluster of clusters) {
      await cluster.stopRelay();
      await deployment.unregister(cluster.name);
    }
    await deployment.osls('remove', PARAMETERS);
    const { QueueUrls: queues = [] } = await deployment.sqs.send(new ListQueuesCommand({ QueueNamePrefix: `farloop-${STAGE}` }));
    const { TableNames: tables = [] } = await deployment.dynamodb.send(new ListTablesCommand({}));
    expect([...queues, ...tables.filter((name) => name.startsWith(`farloop-${STAGE}`))]).toEqual([]);
  });
}, 120_000);
