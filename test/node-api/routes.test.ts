// The routes of a node: pods, refusals, what a provider does not have; paths and headers that no client of good will sends.
import { connect } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { NotFoundError, TerminalError, UnknownOutcomeError } from '../../lib/ports/errors.ts';
import { NodeUnderTest, runningPod, taskOf } from './node-under-test.ts';

let under: NodeUnderTest;
beforeAll(async () => {
  under = await NodeUnderTest.prepare();
});
afterAll(async () => await under.stop());
beforeEach(async () => {
  under.pods.splice(0, Infinity, runningPod('a'), runningPod('far', { node: 'other' }));
  under.warnings.length = 0;
  under.tasks = {
    list: async () => ({ tasks: under.pods.map((pod) => taskOf(pod)) }),
    logs: async function* () {
      yield Buffer.from('hello\n');
    },
  };
  await under.start();
});
const namesIn = (text: string): string[] =>
  (JSON.parse(text) as { items: { metadata: { name: string } }[] }).items.map((pod) => pod.metadata.name);

describe('pods', () => {
  test.each(['/pods', '/pods/', '/runningpods/', '/runningpods'])('%s: those of this node, as a list', async (path) => {
    const { status, headers, text } = await under.ask(path);
    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
    expect(JSON.parse(text)).toMatchObject({ kind: 'PodList', apiVersion: 'v1' });
    expect(namesIn(text)).toEqual(['a']);
  });

  test('an empty list is a list', async () => {
    under.pods.length = 0;
    expect(JSON.parse((await under.ask('/pods')).text)).toEqual({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: [] });
  });

  test('those alone run of which something runs, and that are not being deleted; a provider tells them page by page', async () => {
    under.pods.push(runningPod('ended'), runningPod('leaving'), runningPod('waiting'), runningPod('last'));
    const leaving = under.pods.find(({ metadata }) => metadata.name === 'leaving');
    leaving!.metadata.deletionTimestamp = '2026-05-01T10:00:00Z';
    const tasks = under.pods.filter(({ metadata }) => metadata.name !== 'waiting').map((pod) => taskOf(pod, pod.metadata.name === 'ended'));
    under.tasks = {
      list: async ({ after = '0' }) => {
        const task = tasks[Number(after)];
        const next = Number(after) + 1;
        return { tasks: task ? [task] : [], ...(next < tasks.length && { next: String(next) }) };
      },
    };
    await under.start();
    expect(namesIn((await under.ask('/runningpods/')).text)).toEqual(['a', 'last']);
    expect(namesIn((await under.ask('/pods')).text)).toEqual(['a', 'ended', 'leaving', 'waiting', 'last']);
  });

  test('HEAD has no body', async () => expect(await under.ask('/pods', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' }));
});

describe('refusals', () => {
  test.each([
    ['GET', '/', 404, '404 request not found'],
    ['GET', '/pods/a', 404, '404 request not found'],
    ['GET', '/logs/messages', 404, '404 request not found'],
    ['GET', '/debug/pprof', 404, '404 request not found'],
    ['GET', '/containerLogs/default/a', 404, '404 request not found'],
    ['GET', '/containerLogs/default/a/main/more', 404, '404 request not found'],
    ['GET', '//pods', 404, '404 request not found'],
    ['GET', '//elsewhere/pods', 404, '404 request not found'],
    ['GET', '/exec/default/a/main', 501, '501 not implemented'],
    ['POST', '/exec/default/a/main', 501, '501 not implemented'],
    ['GET', '/attach/default/a/main', 501, '501 not implemented'],
    ['POST', '/portForward/default/a', 501, '501 not implemented'],
    ['POST', '/run/default/a/main', 501, '501 not implemented'],
    ['GET', '/stats/summary', 404, '404 request not found'],
    ['GET', '/metrics/resource', 404, '404 request not found'],
    ['GET', '/metrics/cadvisor', 404, '404 request not found'],
    ['POST', '/pods', 405, '405 method not allowed'],
    ['DELETE', '/containerLogs/default/a/main', 405, '405 method not allowed'],
    ['GET', '/containerLogs/default/none/main', 404, 'pod "none_default" does not exist'],
    ['GET', '/containerLogs/kube-system/a/main', 404, 'pod "a_kube-system" does not exist'],
    // A pod of another node is as unknown as one that is not there.
    ['GET', '/containerLogs/default/far/main', 404, 'pod "far_default" does not exist'],
    ['GET', '/containerLogs/default/a/other', 404, 'container "other" not found in pod "a"'],
    ['GET', '/containerLogs/default/a/main?tailLines=-1', 400, '"tailLines" is -1'],
    ['GET', '/containerLogs/default/a/main?previous=true', 400, 'previous terminated container "main" in pod "a" not found'],
  ])('%s %s: %i', async (method, path, status, text) => {
    const answer = await under.ask(path, { method });
    expect([answer.status, answer.text]).toEqual([status, text]);
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  test.each([
    '/containerLogs/default/a/../../../pods',
    '/containerLogs/default/..',
    '/./pods',
    '/containerLogs/%2e%2e/pods',
    '/containerLogs/.%2E/pods',
    '*',
    'https://elsewhere/pods',
  ])('a path that leads upwards or is none, %s: 400', async (path) => {
    expect(await under.ask(path)).toMatchObject({ status: 400, text: 'the path is none: expected one without "." and ".."' });
  });

  test.each(['..%2f..%2fpods', '%2e%2e%2fa', 'a%00', '%zz', '..\\..\\pods', 'A', 'a'.repeat(300)])(
    'a name with escapes, %s: no pod has it',
    async (name) => {
      expect((await under.ask(`/containerLogs/default/${name}/main`)).status).toBe(404);
      expect((await under.ask(`/containerLogs/${name}/a/main`)).status).toBe(404);
      expect((await under.ask(`/containerLogs/default/a/${name}`)).status).toBe(404);
    },
  );

  test.each([
    [new NotFoundError('no log of that run'), 404],
    [new TerminalError('that much is not kept'), 400],
    [new UnknownOutcomeError('it broke off'), 500],
  ])('what the provider says of a log keeps its class: %s', async (error, status) => {
    under.tasks = {
      ...under.tasks,
      logs: () => ({ [Symbol.asyncIterator]: () => ({ next: async () => await Promise.reject(error) }) }),
    };
    await under.start();
    expect(await under.ask('/containerLogs/default/a/main')).toMatchObject({
      status,
      text: `error getting container logs?): ${error.message}`,
    });
  });

  test('a provider without logs: 501 for every pod', async () => {
    under.tasks = { list: async () => ({ tasks: [] }) };
    await under.start();
    for (const name of ['a', 'none'])
      expect(await under.ask(`/containerLogs/default/${name}/main`)).toMatchObject({ status: 501, text: '501 not implemented' });
  });

  test('a provider that does not answer: 500 and its sentence, logged', async () => {
    under.tasks = {
      list: async () => {
        throw new UnknownOutcomeError('the provider answered too late');
      },
    };
    await under.start();
    expect(await under.ask('/runningpods/')).toMatchObject({ status: 500, text: 'the provider answered too late' });
    expect(under.warnings.map(({ message }) => message)).toEqual(['a virtual node could not answer']);
    expect((await under.ask('/pods')).status).toBe(200);
  });
});

describe('a server that lives on', () => {
  const spoken = async (text: string): Promise<string> =>
    await new Promise((resolve) => {
      let answered = '';
      const socket = connect({ ...under.options('/'), path: undefined } as never);
      socket.on('secureConnect', () => socket.write(text));
      socket.on('data', (chunk) => (answered += chunk.toString()));
      // It closes while we still write.
      socket.on('error', () => {});
      socket.on('close', () => resolve(answered));
    });

  test('a header of 1 MB: 431', async () => {
    expect(await spoken(`GET /pods HTTP/1.1\r\nHost: node\r\nX-Long: ${'x'.repeat(1024 * 1024)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /);
    expect((await under.ask('/pods')).status).toBe(200);
  });

  test('a path of 1 MB: 431', async () => {
    expect(await spoken(`GET /${'x'.repeat(1024 * 1024)} HTTP/1.1\r\nHost: node\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /);
    expect((await under.ask('/pods')).status).toBe(200);
  });

  test('a path without a slash: 400', async () => expect((await under.ask('pods')).status).toBe(400));

  test('what is no HTTP: 400', async () => {
    expect(await spoken('hello\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
    expect((await under.ask('/pods')).status).toBe(200);
  });
});
