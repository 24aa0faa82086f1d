// Which run's log is shown, and what is said where there is none to show.
import { expect, test } from '@jest/globals';
import type { ContainerStatus, Pod } from '../../lib/objects/kubernetes.ts';
import { isRunning, runWanted } from '../../lib/node-api/container-run.ts';

const terminated = { exitCode: 1, reason: 'Error' };
const podWith = (status: Partial<ContainerStatus> | undefined): Pod => ({
  metadata: { namespace: 'default', name: 'a' },
  spec: { containers: [{ name: 'main' }], initContainers: [{ name: 'first' }], ephemeralContainers: [{ name: 'debug' }] },
  status: { containerStatuses: status ? [{ name: 'main', ...status }] : [] },
});

test.each([
  ['runs', { state: { running: {} } }, false, 'current'],
  ['has ended', { state: { terminated } }, false, 'current'],
  ['was started anew', { state: { running: {} }, lastState: { terminated } }, false, 'current'],
  ['was started anew, the run before', { state: { running: {} }, lastState: { terminated } }, true, 'previous'],
  ['waits to be started again', { state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated } }, false, 'previous'],
  ['has ended twice, the run before', { state: { terminated }, lastState: { terminated } }, true, 'previous'],
] as const)('a container that %s', (_name, status, isPrevious, run) => expect(runWanted(podWith(status), 'main', isPrevious)).toBe(run));

test.each([
  ['has no status yet', undefined, false, 'container "main" in pod "a" is not available'],
  ['waits', { state: { waiting: {} } }, false, 'container "main" in pod "a" is waiting to start: ContainerCreating'],
  [
    'waits for a reason',
    { state: { waiting: { reason: 'PodInitializing' } } },
    false,
    'container "main" in pod "a" is waiting to start: PodInitializing',
  ],
  [
    'has no image',
    { state: { waiting: { reason: 'ErrImagePull' } } },
    false,
    'container "main" in pod "a" is waiting to start: image can\'t be pulled',
  ],
  [
    'tries again',
    { state: { waiting: { reason: 'ImagePullBackOff' } } },
    false,
    'container "main" in pod "a" is waiting to start: trying and failing to pull image',
  ],
  ['has no state', {}, false, 'container "main" in pod "a" is waiting to start: ContainerCreating'],
  ['has had no run before', { state: { running: {} } }, true, 'previous terminated container "main" in pod "a" not found'],
] as const)('of a container that %s there is no log: 400', (_name, status, isPrevious, message) => {
  expect(() => runWanted(podWith(status), 'main', isPrevious)).toThrow(expect.objectContaining({ status: 400, message }));
});

test('a container that the pod does not have: 404', () => {
  expect(() => runWanted(podWith(undefined), 'other', false)).toThrow(
    expect.objectContaining({ status: 404, message: 'container "other" not found in pod "a"' }),
  );
});

test('containers that come first, and those that are added for debugging, have logs', () => {
  const pod = podWith(undefined);
  pod.status = {
    initContainerStatuses: [{ name: 'first', state: { terminated } }],
    ephemeralContainerStatuses: [{ name: 'debug', state: { running: {} } }],
  };
  expect([runWanted(pod, 'first', false), runWanted(pod, 'debug', false)]).toEqual(['current', 'current']);
  expect([isRunning(pod, 'first'), isRunning(pod, 'debug')]).toEqual([false, true]);
});
