// Runs through the handlers, as Lambda calls them: a request, its wake, timers, and sweep where a message was lost.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Context, SQSEvent } from 'aws-lambda';
import { handler as api } from '../../functions/api.ts';
import { handler as reconcile } from '../../functions/reconcile.ts';
import { handler as sweep } from '../../functions/sweep.ts';
import { handler as timers } from '../../functions/timers.ts';
import { EmbeddedRuns } from '../../lib/adapters/embedded/runs.ts';
import { SimulatedProvider } from '../../lib/adapters/providers/simulated.ts';
import type { RunSummary } from '../../lib/kinds/run-once/results.ts';
import type { QueueName } from '../../lib/ports/queue.ts';
import { useRuntime } from '../../lib/runtime.ts';
import { comesAbout } from '../claims.ts';
import { embeddedPorts, type EmbeddedPorts } from '../api/embedded-ports.ts';

let ports: EmbeddedPorts;
let records: EmbeddedRuns;
let simulated: SimulatedProvider;
/** Of the clock that everything here goes by. */
let aheadMs = 0;

beforeEach(async () => {
  ports = await embeddedPorts();
  records = EmbeddedRuns.open();
  aheadMs = 0;
  const { clock } = ports;
  ports.clock = {
    monotonicMs: () => clock.monotonicMs(),
    random: () => clock.random(),
    randomId: () => clock.randomId(),
    wait: async (ms, signal) => await clock.wait(ms, signal),
    nowMs: () => clock.nowMs() + aheadMs,
  };
  simulated = SimulatedProvider.open({ clock });
  ports.drivenRuns = { records, provider: 'http:https://provider.example', providerOf: () => simulated.of('run-once') };
  useRuntime({ ports, deadlineReserveMs: 22_000 });
});
afterEach(() => {
  records.close();
  simulated.close();
  ports.close();
});

async function ask(
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<{ status: number; json: RunSummary & { error?: string } }> {
  const answer = (await api(
    {
      version: '2.0',
      rawPath: path,
      rawQueryString: '',
      headers: { host: 'api.example', 'content-type': 'application/json' },
      requestContext: { http: { method, path }, authorizer: { iam: { userArn: 'arn:aws:iam::123456789012:user/somebody' } } },
      ...(body && { body: JSON.stringify(body) }),
      isBase64Encoded: false,
    },
    {},
  )) as { statusCode: number; body: string };
  return { status: answer.statusCode, json: JSON.parse(answer.body) };
}

const eventOf = async (queue: QueueName): Promise<SQSEvent> => ({
  Records: (await ports.queue.receive(queue, { max: 10, waitSeconds: 0, visibilitySeconds: 35 })).map(
    ({ messageId, receiptHandle, body }) => ({
      messageId,
      receiptHandle,
      body,
      attributes: { ApproximateReceiveCount: '1', SentTimestamp: '0', SenderId: 'local', ApproximateFirstReceiveTimestamp: '0' },
      messageAttributes: {},
      md5OfBody: '',
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:eu-central-1:123456789012:queue',
      awsRegion: 'eu-central-1',
    }),
  ),
});
const contextWith = (remainingMs: number): Context => ({ getRemainingTimeInMillis: () => remainingMs }) as Context;

/** @returns how many messages were handled */
async function deliver(queue: 'wakes' | 'timers', remainingMs = 34_000): Promise<number> {
  const event = await eventOf(queue);
  if (event.Records.length === 0) return 0;
  const context = contextWith(remainingMs);
  const { batchItemFailures } = queue === 'wakes' ? await reconcile(event, context) : await timers(event, context);
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  const done = event.Records.filter(({ messageId }) => !failed.has(messageId));
  // As if the visibility time-out had passed.
  for (const { messageId, receiptHandle } of event.Records)
    if (failed.has(messageId)) await ports.queue.changeVisibility(queue, receiptHandle, 0);
  await ports.queue.delete(
    queue,
    done.map(({ receiptHandle }) => receiptHandle),
  );
  return done.length;
}
const waiting = async (queue: 'wakes' | 'timers'): Promise<number> => {
  const { visible, inFlight, delayed } = await ports.queue.depth(queue);
  return visible + inFlight + delayed;
};

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a' },
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'i', command: ['sleep', '600'] }] },
};
const REQUEST = { runId: 'nightly', manifest: [POD] };
const starts = (): number => [...simulated.starts.values()].reduce((sum, count) => sum + count, 0);

describe('a run', () => {
  test('is begun by a request, brought by its wake as far as it goes, and ended by a timer; its command ran once', async () => {
    expect((await ask('POST', '/v1/runs', REQUEST)).json).toMatchObject({ runId: 'nightly', state: 'admitting' });
    expect(starts()).toBe(0);
    expect(await deliver('wakes')).toBe(1);
    expect([starts(), (await ask('GET', '/v1/runs/nightly')).json.state, await waiting('timers')]).toEqual([1, 'waiting', 1]);
    const isDone = await comesAbout(async () => {
      await deliver('timers');
      await deliver('wakes');
      return (await ask('GET', '/v1/runs/nightly')).json.state === 'done';
    }, 15_000);
    expect([isDone, starts(), await waiting('timers'), await waiting('wakes')]).toEqual([true, 1, 0, 0]);
  });

  test('a repeated request is the same run', async () => {
    for (const _ of [1, 2, 3]) expect((await ask('POST', '/v1/runs', REQUEST)).status).toBe(200);
    while ((await deliver('wakes')) > 0);
    expect(starts()).toBe(1);
  });

  test('whose wake was lost is found by sweep once it is past its time, not before, and once by two sweeps', async () => {
    await ask('POST', '/v1/runs', REQUEST);
    await ports.queue.delete(
      'wakes',
      (await eventOf('wakes')).Records.map(({ receiptHandle }) => receiptHandle),
    );
    await sweep();
    expect(await waiting('wakes')).toBe(0);
    aheadMs = 60_000;
    await Promise.all([sweep(), sweep()]);
    expect(await deliver('wakes')).toBe(1);
    expect(starts()).toBe(1);
  });

  test('comes back where the function has no time left: nothing of it was done', async () => {
    await ask('POST', '/v1/runs', REQUEST);
    expect([await deliver('wakes', 10_000), starts(), await waiting('wakes')]).toEqual([0, 0, 1]);
    expect([await deliver('wakes'), starts()]).toEqual([1, 1]);
  });

  test('that cannot go on is no dead letter: the next sweep finds it', async () => {
    await ask('POST', '/v1/runs', REQUEST);
    await records.removeParts('nightly', '');
    expect([await deliver('wakes'), await waiting('wakes'), await waiting('timers')]).toEqual([1, 0, 0]);
    expect(await records.dueBefore(ports.clock.nowMs() + 1, 10)).toEqual(['nightly']);
  });

  test('is cancelled by a request: its tasks are deleted, and it is over', async () => {
    await ask('POST', '/v1/runs', { ...REQUEST, options: { until: 'completed', cleanup: 'always' } });
    await deliver('wakes');
    expect((await ask('POST', '/v1/runs/nightly/cancel')).json).toMatchObject({
      state: 'cancelled',
      results: [{ error: 'run cancelled' }],
    });
    const isOver = await comesAbout(async () => {
      await deliver('timers');
      await deliver('wakes');
      return (await ask('GET', '/v1/runs/nightly')).json.finishedAt !== undefined;
    }, 15_000);
    expect([isOver, simulated.tasksOn('run-once').filter(({ hasEnded }) => !hasEnded)]).toEqual([true, []]);
  });
});

describe('requests', () => {
  test('without a provider no run is begun, and the answer names the parameter; those that are there are shown', async () => {
    ports.drivenRuns = { records, providerOf: () => simulated.of('run-once') };
    const { status, json } = await ask('POST', '/v1/runs', REQUEST);
    expect([status, json.error]).toEqual([501, expect.stringMatching(/deploy it with the parameter runProvider/)]);
    expect((await ask('GET', '/v1/runs')).json).toEqual({ items: [] });
    expect((await ask('GET', '/v1/runs/nightly')).status).toBe(404);
  });

  test('no pod of a cluster is shown or evicted, and the answer says why', async () => {
    for (const option of ['mirror', 'preempt']) {
      const { status, json } = await ask('POST', '/v1/runs', { ...REQUEST, node: 'edge', options: { [option]: true } });
      expect([status, json.error]).toEqual([400, expect.stringMatching(`^options\\.${option}: .*which belongs to no cluster`)]);
    }
    expect((await records.list({ limit: 10 })).runs).toEqual([]);
  });

  test('R15: another provider than that of the deployment is refused', async () => {
    const { status, json } = await ask('POST', '/v1/runs', { ...REQUEST, provider: 'http:https://elsewhere.example' });
    expect([status, json.error, await records.get('nightly')]).toEqual([400, expect.stringContaining('runProvider'), undefined]);
  });

  test('a run whose time is over is not listed, and left to the table', async () => {
    await records.put({ id: 'old', manifestHash: 'h', createdAtMs: 1, state: '{}', keptUntilMs: 1 }, 0);
    expect((await ask('GET', '/v1/runs')).json).toEqual({ items: [] });
    expect(await records.get('old')).toBeDefined();
  });
});
