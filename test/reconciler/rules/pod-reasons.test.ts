// R9, R16: what a cluster says of pods that wait is shown, and costs no write and no pass beyond those of any other pod event.
import { afterEach, expect, test } from '@jest/globals';
import { describeWorkloads } from '../../../lib/api/workloads.ts';
import { PODS } from '../../../lib/objects/resources.ts';
import { aJob, CLUSTER, World } from '../../world/world.ts';

let world: World;
afterEach(() => world.close());

test('R9, R16: a waiting message that changes all the time costs a pass a second at most, and no write to the API server', async () => {
  world = new World();
  await world.watch();
  await world.apply(aJob('demo', { parallelism: 1, completions: 1 }));
  await world.until(async () => (await world.pods()).length === 1, { play: false });
  const name = (await world.pods())[0]?.metadata.name ?? '';
  const wait = async (message: string): Promise<unknown> =>
    await world.as('PATCH', PODS, {
      namespace: 'default',
      name,
      subresource: 'status',
      type: 'application/merge-patch+json',
      body: {
        status: {
          phase: 'Pending',
          containerStatuses: [
            {
              name: 'main',
              image: 'x',
              imageID: '',
              restartCount: 0,
              ready: false,
              state: { waiting: { reason: 'ImagePullBackOff', message } },
            },
          ],
        },
      },
    });
  await wait('first');
  await world.elapse(10, { play: false });
  let writes = 0;
  world.interposer = ({ port, method, phase }) => {
    if (port === 'cluster' && phase === 'before' && method !== 'get' && method !== 'list') writes += 1;
  };
  const before = world.passes.length;
  for (let tenth = 0; tenth < 100; tenth += 1) {
    await wait(`toomanyrequests: retry in ${100 - tenth} s`);
    await world.report();
    await world.run();
    await world.clock.advance(100);
  }
  await world.elapse(3, { play: false });
  expect(world.passes.length - before).toBeLessThanOrEqual(12);
  expect(writes).toBe(0);
  const [told] = await describeWorkloads(world.ports, { cluster: CLUSTER, kind: 'Job', namespace: 'default', name: 'demo' });
  expect(told).toMatchObject({
    state: 'Waiting',
    reason: 'ImagePullBackOff',
    reasons: [{ code: 'PodsWaiting', text: 'ImagePullBackOff (container main): toomanyrequests: retry in 1 s' }],
    pods: [{ reasons: [{ reason: 'ImagePullBackOff', container: 'main' }] }],
  });
  // The summary takes up the last figures once, and then it rests.
  await world.elapse(60, { play: false });
  const passes = world.passes.length;
  await world.elapse(600, { play: false });
  expect([world.passes.length - passes, writes]).toEqual([0, 0]);
});
