// `farloop explain`: what it tells of recorded passes. Where they cannot be read what else is known stands on standard output, and the
// command fails.
import { afterEach, expect, test } from '@jest/globals';
import { embeddedPorts, know } from '../api/embedded-ports.ts';
import { serveApi } from '../api/served-api.ts';
import { aPass } from '../contracts/recorder.ts';
import type { Listening } from '../listening.ts';
import { runFarloop } from './farloop-process.ts';

let api: Listening;
afterEach(async () => await api.stop());

test('a log that takes too long to search hides nothing else', async () => {
  const ports = await embeddedPorts('local');
  await know(ports, { name: 'demo', status: { active: 2, startTime: '2026-05-01T10:00:01Z' }, pods: ['demo-a'] });
  ports.recorder.passes = async () => await Promise.reject(new Error('the log could not be searched within 15 s'));
  api = await serveApi(ports, 'a-token');
  const environment = { FARLOOP_ENDPOINT: api.url, FARLOOP_TOKEN: 'a-token' };
  const { exitCode, stdout, stderr } = await runFarloop(['explain', 'job/demo'], { environment });
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
  const { stdout } = await runFarloop(['explain', 'job/demo'], { environment });
  ports.close();
  expect(stdout).toContain('latest pass: two pods are missing');
  expect(stdout).toContain('pass of-uid-of-before, uid uid-of-before');
  expect(stdout).not.toContain('pass of-uid-of-demo, uid');
});
