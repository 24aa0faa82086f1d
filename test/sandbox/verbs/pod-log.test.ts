// A container's log on the sandbox: which lines, which of them, and what is refused. What kubectl makes of it: test/cluster/kubectl.test.ts.
import { beforeEach, describe, expect, test } from '@jest/globals';
import { embed } from '../embedded.ts';
import type { Embedded } from '../embedded.ts';

const PODS = '/api/v1/namespaces/default/pods';
const STARTED = '2026-01-01T00:00:01Z';
const ENDED = '2026-01-01T00:00:03Z';
const terminated = { exitCode: 3, reason: 'Error', startedAt: STARTED, finishedAt: ENDED };
const BEGUN = `${STARTED} main started\n`;
const OVER = `${ENDED} main ended with exit code 3\n`;

let sandbox: Embedded;
beforeEach(() => {
  sandbox = embed();
});

interface Wanted {
  nodeName?: string;
  container?: object;
  metadata?: object;
  spec?: object;
}

async function aPod({ nodeName = 'n', container = {}, metadata = {}, spec = {} }: Wanted = {}): Promise<void> {
  const containers = [{ name: 'main', image: 'busybox' }];
  await sandbox.send('POST', PODS, {
    metadata: { name: 'p', ...metadata },
    spec: { containers, ...(nodeName !== '' && { nodeName }), ...spec },
  });
  await tell(container);
}

/** As a kubelet would. @param container its status, in part */
async function tell(container: object): Promise<void> {
  const whole = { name: 'main', image: 'busybox', imageID: '', ready: false, restartCount: 0, ...container };
  await sandbox.send(
    'PATCH',
    `${PODS}/p/status`,
    { status: { phase: 'Running', containerStatuses: [whole] } },
    'application/merge-patch+json',
  );
}

const ask = async (query: string): ReturnType<Embedded['cluster']['handle']> =>
  await sandbox.cluster.handle({ method: 'GET', path: `${PODS}/p/log`, query: new URLSearchParams(query), headers: {}, body: '' });

async function log(query = ''): Promise<{ status: number; text: string }> {
  const answer = await ask(query);
  if ('stream' in answer) throw new Error('it follows');
  return { status: answer.status, text: answer.status === 200 ? answer.body : (JSON.parse(answer.body) as { message: string }).message };
}

describe('lines', () => {
  test('one when it started, one when it ended', async () => {
    await aPod({ container: { state: { running: { startedAt: STARTED } } } });
    expect(await log()).toEqual({ status: 200, text: BEGUN });
    await tell({ state: { terminated } });
    expect(await log()).toEqual({ status: 200, text: BEGUN + OVER });
  });

  test('what the annotation says, line by line', async () => {
    await aPod({ metadata: { annotations: { 'sim.farloop.dev/log': 'one\n\ntwo' } }, container: { state: { terminated } } });
    expect(await log()).toEqual({ status: 200, text: 'one\n\ntwo\n' });
    expect(await log('tailLines=1')).toEqual({ status: 200, text: 'two\n' });
  });

  test('none of a pod without a node', async () => {
    await aPod({ nodeName: '' });
    expect(await log()).toEqual({ status: 200, text: '' });
  });

  test('those of the run before', async () => {
    await aPod({ container: { state: { running: { startedAt: ENDED } }, restartCount: 1, lastState: { terminated } } });
    expect(await log('previous=true')).toEqual({ status: 200, text: BEGUN + OVER });
    expect(await log()).toEqual({ status: 200, text: `${ENDED} main started\n` });
  });

  test.each([
    ['tailLines=1', OVER],
    ['tailLines=0', ''],
    ['limitBytes=4', '2026'],
    ['timestamps=true&tailLines=1', `${ENDED} ${OVER}`],
    ['sinceTime=2026-01-01T00:00:02Z', OVER],
    ['sinceSeconds=8', OVER],
    ['sinceSeconds=100', BEGUN + OVER],
    ['container=main', BEGUN + OVER],
  ])('%s', async (query, text) => {
    await sandbox.pass(10_000);
    await aPod({ container: { state: { terminated } } });
    expect(await log(query)).toEqual({ status: 200, text });
  });

  test('follow: what comes until the container ends, within the limit of bytes', async () => {
    await aPod({ container: { state: { running: { startedAt: STARTED } } } });
    const answer = await ask(`follow=true&limitBytes=${BEGUN.length + 4}`);
    if (!('stream' in answer)) throw new Error('it does not follow');
    let [text, isEnded] = ['', false];
    answer.stream({ write: (more) => (text += more), end: () => (isEnded = true) });
    expect([text, isEnded]).toEqual([BEGUN, false]);
    await tell({ state: { terminated } });
    await sandbox.pass(0);
    expect([text, isEnded]).toEqual([`${BEGUN}2026`, true]);
  });
});

describe('refusals', () => {
  const init = { initContainers: [{ name: 'first', image: 'busybox' }] };
  const two = { containers: ['a', 'b'].map((name) => ({ name, image: 'busybox' })) };
  test.each<[string, string, object, number, string]>([
    ['a container that is not there', 'container=other', {}, 400, 'container other is not valid for pod p'],
    [
      'one of several that is not named',
      '',
      { ...init, ...two },
      400,
      'a container name must be specified for pod p, choose one of: [first a b]',
    ],
    ['one that has not started', '', {}, 400, 'container "main" in pod "p" is waiting to start: ContainerCreating'],
    ['a run before the first', 'previous=true', {}, 400, 'previous terminated container "main" in pod "p" not found'],
    [
      'fewer than no lines',
      'tailLines=-1',
      {},
      422,
      'PodLogOptions "p" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
    ],
    ['no bytes', 'limitBytes=0', {}, 422, 'PodLogOptions "p" is invalid: limitBytes: Invalid value: 0: must be greater than 0'],
    ['no seconds', 'sinceSeconds=0', {}, 422, 'PodLogOptions "p" is invalid: sinceSeconds: Invalid value: 0: must be greater than 0'],
  ])('%s', async (_, query, spec, status, text) => {
    await aPod({ spec });
    expect(await log(query)).toEqual({ status, text });
  });
});
