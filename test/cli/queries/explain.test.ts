// `farloop explain`: what it tells of recorded passes. Where they cannot be read what else is known stands on standard output, and the
// command fails.
import { afterEach, expect, test } from '@jest/globals';
import type { IncomingMessage } from 'node:http';
import { embeddedPorts, know } from '../../api/embedded-ports.ts';
import { serveApi } from '../../api/served-api.ts';
import { aPass } from '../../contracts/recorder.ts';
import type { Listening } from '../../listening.ts';
import { until } from '../../claims.ts';
import { FarloopProcess, runWithin } from '../farloop-process.ts';

let api: Listening;
afterEach(async () => await api.stop());

test('a log that takes too long to search hides nothing else', async () => {
  const ports = await embeddedPorts('local');
  await know(ports, { name: 'demo', status: { active: 2, startTime: '2026-05-01T10:00:01Z' }, pods: ['demo-a'] });
  ports.recorder.passes = async () => await Promise.reject(new Error('the log could not be searched within 15 s'));
  api = await serveApi(ports, 'a-token');
  const environment = { FARLOOP_ENDPOINT: api.url, FARLOOP_TOKEN: 'a-token' };
  const { exitCode, stdout, stderr } = await runWithin(['explain', 'job/demo'], { environment });
  ports.close();
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: 'farloop: its passes cannot be shown: the log could not be searched within 15 s\n',
  });
  expect(stdout).toContain('job/demo in default on local: Running');
  expect(stdout).toContain('Its passes are not known.');
});

test('the latest pass is its own; those of a former uid of its name say so', async () => {
  const ports = await embeddedPorts('local');
  const key = await know(ports, { name: 'demo' });
  const passes = { [key.uid]: 'two pods are missing', 'uid-of-before': 'it is to be let go' };
  for (const [uid, why] of Object.entries(passes))
    await ports.recorder.append(aPass(Date.now() - 1_000, { key: { ...key, uid }, passId: `of-${uid}`, why: [why] }));
  api = await serveApi(ports, 'a-token');
  const environment = { FARLOOP_ENDPOINT: api.url, FARLOOP_TOKEN: 'a-token' };
  const { stdout } = await runWithin(['explain', 'job/demo'], { environment });
  ports.close();
  expect(stdout).toContain('latest pass: two pods are missing');
  expect(stdout).toContain('pass of-uid-of-before, uid uid-of-before');
  expect(stdout).not.toContain('pass of-uid-of-demo, uid');
});

test('a workload that is gone is explained by the passes that are kept; its kind and name may be two words', async () => {
  const ports = await embeddedPorts('local');
  const key = { cluster: 'local', kind: 'Job', namespace: 'default', name: 'gone', uid: 'uid-of-gone' };
  await ports.recorder.append(aPass(Date.now() - 1_000, { key, passId: 'the-last', why: ['its last pod has succeeded'] }));
  await know(ports, { name: 'demo' });
  api = await serveApi(ports, 'a-token');
  const environment = { FARLOOP_ENDPOINT: api.url, FARLOOP_TOKEN: 'a-token' };
  const [gone, demo, never] = await Promise.all(
    [['job', 'gone'], ['job', 'demo'], ['job/never']].map(async (words) => await runWithin(['explain', ...words], { environment })),
  );
  ports.close();
  expect(gone).toMatchObject({ exitCode: 0, stderr: '' });
  expect(gone?.stdout).toMatch(/^job\/gone in default on local is gone; its last pass began at /);
  expect(gone?.stdout).toContain('because: its last pod has succeeded');
  expect(demo?.stdout).toMatch(/^job\/demo in default on local: /);
  expect(never).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('there is no Job never') });
});

test('containers that failed or restarted are shown, init containers apart from the others', async () => {
  const ports = await embeddedPorts('local');
  await know(ports, {
    name: 'demo',
    status: { failed: 1 },
    pods: [
      {
        name: 'demo-a',
        status: {
          phase: 'Failed',
          initContainerStatuses: [{ name: 'prepare', restartCount: 0, state: { terminated: { exitCode: 0, reason: 'Completed' } } }],
          containerStatuses: [{ name: 'main', restartCount: 2, state: { terminated: { exitCode: 137, reason: 'OOMKilled' } } }],
        },
      },
      {
        name: 'demo-b',
        status: {
          phase: 'Running',
          containerStatuses: [
            {
              name: 'main',
              restartCount: 3,
              state: { running: {} },
              lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
            },
          ],
        },
      },
    ],
  });
  api = await serveApi(ports, 'a-token');
  const environment = { FARLOOP_ENDPOINT: api.url, FARLOOP_TOKEN: 'a-token' };
  const [text, json] = await Promise.all([
    runWithin(['explain', 'job/demo'], { environment }),
    runWithin(['explain', 'job/demo', '-o', 'json'], { environment }),
  ]);
  ports.close();
  expect(text.stdout).toContain('  pod demo-a Failed: main: exit code 137 (OOMKilled), 2 restarts; init prepare: exit code 0\n');
  // It runs again: why it was started anew is in its state before.
  expect(text.stdout).toContain('  pod demo-b Running: main: last exit code 137 (OOMKilled), 3 restarts\n');
  expect(JSON.parse(json.stdout)).toMatchObject({
    workload: {
      pods: [
        { exitCodes: [137], containers: [{ name: 'main' }, { role: 'init' }] },
        { exitCodes: [], containers: [{ restarts: 3, lastExitCode: 137, reason: 'OOMKilled' }] },
      ],
    },
  });
});

test('one that is watched is shown anew when it changes, and to its end', async () => {
  const ports = await embeddedPorts('local');
  const key = await know(ports, { name: 'demo', pods: ['demo-a'] });
  const forget = async (): Promise<unknown> => await ports.store.forget(key, (await ports.store.readHead(key))?.fence ?? '');
  let isAway = false;
  let wasAway = false;
  // A look is two requests: both are answered or neither, else its passes alone would be told of as not known.
  const onRequest = ({ url = '', socket }: IncomingMessage): void => {
    if (!url.includes('/passes')) wasAway = isAway;
    if (wasAway) socket.destroy();
  };
  api = await serveApi(ports, 'a-token', { onRequest });
  const environment = { FARLOOP_ENDPOINT: api.url, FARLOOP_TOKEN: 'a-token' };
  const watch = new FarloopProcess(['explain', 'job/demo', '--watch'], { environment });
  await watch.says('job/demo in default on local: Running');
  const timesSaid = (part: string): number => watch.stderr.split(part).length - 1;
  isAway = true;
  await until('it says that nothing answers', () => timesSaid('it is asked again') === 1);
  // Nothing that it shows is another: a pod has taken the place of one before.
  await forget();
  await know(ports, { name: 'demo', pods: ['demo-b'] });
  isAway = false;
  await until('it says that it is back', () => timesSaid('it answers again') === 1);
  isAway = true;
  await until('it says once more that nothing answers', () => timesSaid('it is asked again') === 2);
  await ports.recorder.append(aPass(Date.now() - 1_000, { key, passId: 'a-pass', why: ['two pods are missing'] }));
  isAway = false;
  await watch.says('latest pass: two pods are missing');
  expect(watch.stdout.match(/job\/demo in default/g)).toHaveLength(2);
  await forget();
  expect(await watch.exited).toBe(0);
  expect(watch.stderr).toMatch(/farloop: job\/demo is gone\n$/);
  ports.close();
});

test('plan and map of a workload print lines, and no text from a cluster makes one of its own', async () => {
  const ports = await embeddedPorts('local');
  await know(ports, { name: 'demo', status: { active: 2, startTime: '2026-05-01T10:00:01Z' }, pods: ['demo-a'] });
  api = await serveApi(ports, 'a-token');
  const environment = { FARLOOP_ENDPOINT: api.url, FARLOOP_TOKEN: 'a-token' };
  const [plan, map] = await Promise.all(['plan', 'map'].map(async (command) => await runWithin([command, 'job/demo'], { environment })));
  ports.close();
  expect(plan).toMatchObject({ exitCode: 0, stderr: '' });
  expect(plan?.stdout).toMatch(/^Job\/default\/demo .+\n {2}because: .+\n/);
  expect(plan?.stdout).not.toContain('\\n');
  expect(map).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringMatching(/^job\/demo: 1 \w+\n$/) });
}, 60_000);
