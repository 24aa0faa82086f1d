// What must be true of a Job however it got there, and of a world in which nothing happens any more.
import { expect } from '@jest/globals';
import { isJobFinished } from '../../lib/kinds/job/terms/owner-facts.ts';
import type { JobSpec, Pod } from '../../lib/objects/kubernetes.ts';
import { controllerOf } from '../../lib/objects/pods/pod-facts.ts';
import { aJob, type World } from './world.ts';

/** The Job `demo`, as many pods of it as it has, and all of them running. */
export async function runningPods(world: World, pods: number, spec: Partial<JobSpec>): Promise<Pod[]> {
  await world.watch();
  await world.apply(aJob('demo', { parallelism: pods, completions: pods, ...spec }));
  await world.elapse(20, { play: false });
  for (const pod of await world.pods()) await world.startPod(pod);
  await world.elapse(20, { play: false });
  return await world.pods();
}

/** Its finish, counted and stripped, within so many seconds of virtual time. */
export async function runToEnd(world: World, name: string, seconds = 240): Promise<void> {
  await world.until(
    async () => isJobFinished(await world.job(name)) && (await world.pods()).every(({ metadata }) => !metadata.finalizers?.length),
    { seconds },
  );
}

/** The Job ran to Complete with exact counts: never too many pods at once, none that was not needed, none counted twice or lost. */
export async function expectCompleted(
  world: World,
  name: string,
  { succeeded, failed = 0, mostActive }: { succeeded: number; failed?: number; mostActive: number },
): Promise<void> {
  const { status } = await world.job(name);
  const finish = (status?.conditions ?? []).find(({ type }) => type === 'Complete');
  expect({ finish: finish?.status, succeeded: status?.succeeded ?? 0, failed: status?.failed ?? 0, active: status?.active ?? 0 }).toEqual({
    finish: 'True',
    succeeded,
    failed,
    active: 0,
  });
  expect(status?.uncountedTerminatedPods ?? {}).toEqual({});
  const pods = [...world.podsEver.values()].filter(({ metadata }) => controllerOf(metadata.ownerReferences)?.name === name);
  expect(pods).toHaveLength(succeeded + failed);
  expect(world.mostActive.get(name)).toBeLessThanOrEqual(mostActive);
}

/** R16: once what was lost has been mended (a visibility time-out, a sweep), nothing is written and nothing wakes, however long. */
export async function expectQuiet(world: World, minutes = 10): Promise<void> {
  for (const seconds of [1, 2, 5, 10, 42, 5, 55, 5]) await idle(world, seconds);
  const before = { writes: world.cluster.writes.length, passes: world.passes.length };
  for (let minute = 0; minute < minutes; minute++) await idle(world, 60);
  expect({ writes: world.cluster.writes.length, passes: world.passes.length }).toEqual(before);
}

/** Nobody plays; what is due runs. */
export async function idle(world: World, seconds: number): Promise<void> {
  await world.clock.advance(seconds * 1000);
  if (seconds > 40) await world.sweep();
  await world.report();
  await world.run();
}
