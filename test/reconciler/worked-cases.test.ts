// Worked cases that only the whole loop can show: calls that fail, what is sent in which order, when a change is looked at.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { JobSpec, JobStatus, Pod } from '../../lib/objects/kubernetes.ts';
import { EVENTS, JOBS, PODS } from '../../lib/objects/resources.ts';
import { parseKey } from '../../lib/objects/workload.ts';
import { ConflictError, NotFoundError, TerminalError } from '../../lib/ports/errors.ts';
import { reportsOf } from '../world/reporter.ts';
import { aJob, conditionsOf, World } from '../world/world.ts';

const FINALIZER = 'batch.kubernetes.io/job-tracking';
let world: World;
beforeEach(async () => {
  world = new World();
  await world.watch();
});
afterEach(() => world.close());

const refusal = (): TerminalError => new TerminalError('exceeded quota', { code: 403, reason: 'Forbidden' });
/** Stands before every call of this kind on pods, or on the Job's status. */
function stand(method: 'create' | 'delete' | 'patch', on: 'pods' | 'jobs', work: (call: number) => void): void {
  let call = 0;
  world.interposer = (point) => {
    const resource = point.args[0];
    if (point.port !== 'cluster' || point.method !== method || point.phase !== 'before') return;
    if (resource === (on === 'pods' ? PODS : JOBS)) work((call += 1));
  };
}
const once = async (): Promise<void> => {
  await world.report();
  await world.run();
};
const statusOf = async (): Promise<JobStatus> => (await world.job('demo')).status ?? {};
const eventsOf = async (reason: string): Promise<number> =>
  (await world.as<{ items: { reason: string }[] }>('GET', EVENTS, { namespace: 'default' })).items.filter(
    (event) => event.reason === reason,
  ).length;
const trackedPods = async (): Promise<Pod[]> => (await world.pods()).filter(({ metadata }) => metadata.finalizers?.includes(FINALIZER));
const change = async (spec: Partial<JobSpec>): Promise<unknown> =>
  await world.as('PATCH', JOBS, { namespace: 'default', name: 'demo', body: { spec }, type: 'application/merge-patch+json' });

/** A Job with that many running pods. */
async function running(pods: number, spec: Partial<JobSpec> = {}): Promise<Pod[]> {
  await world.apply(aJob('demo', { parallelism: pods, completions: 5, ...spec }));
  await once();
  for (const pod of await world.pods()) await world.startPod(pod);
  await world.elapse(8, { play: false });
  return await world.pods();
}

describe('calls that fail', () => {
  test('case 20: slow start stops after the batch that met a refusal', async () => {
    stand('create', 'pods', (call) => {
      if (call > 10) throw refusal();
    });
    await world.apply(aJob('demo', { parallelism: 100, completions: 200 }));
    await once();
    expect(await world.pods()).toHaveLength(10);
    expect((await statusOf()).active).toBe(10);
    expect(await eventsOf('FailedCreate')).toBe(5);
  });

  describe('section 4: under a quota smaller than its parallelism', () => {
    const quota = 2;
    let [tries, inFlight] = [0, 0];
    let counts: (pod: Pod) => boolean;
    beforeEach(async () => {
      [tries, inFlight] = [0, 0];
      counts = ({ status }) => status?.phase === 'Pending' || status?.phase === 'Running';
      world.interposer = async ({ port, method, args, phase }) => {
        if (port !== 'cluster' || method !== 'create' || args[0] !== PODS) return;
        if (phase === 'after') inFlight -= 1;
        else {
          tries += 1;
          const place = (inFlight += 1);
          if ((await world.pods()).filter(counts).length + place <= quota) return;
          inFlight -= 1;
          throw refusal();
        }
      };
      await world.apply(aJob('demo', { parallelism: 4, completions: 200 }));
    });

    test('a pod that has ended is replaced about a second later, and what is refused is not tried again and again', async () => {
      const startedAtMs = new Map<string, number>();
      for (let second = 0; second < 120; second++) {
        for (const pod of await world.pods()) {
          const { uid = '' } = pod.metadata;
          const startedMs = startedAtMs.get(uid);
          if (startedMs === undefined) {
            startedAtMs.set(uid, world.clock.nowMs());
            await world.startPod(pod);
          } else if (pod.status?.phase === 'Running' && world.clock.nowMs() - startedMs >= 5_000) await world.end(pod, 0);
        }
        await world.elapse(1, { play: false });
      }
      const ended = (await statusOf()).succeeded ?? 0;
      // Two at a time, of 5 s each, and a second or two until the next one.
      expect(ended).toBeGreaterThan(28);
      // For each pod what is refused beside it, and that 1, 2 and 4 s later.
      expect(tries).toBeLessThan(5 * ended);
    });

    test('where ended pods count too, one that is deleted has another tried', async () => {
      counts = () => true;
      await once();
      for (const pod of await world.pods()) await world.startPod(pod);
      await world.elapse(100, { play: false });
      const [first] = await world.pods();
      const name = first?.metadata.name ?? '';
      await world.end(first as Pod, 0);
      await world.elapse(100, { play: false });
      expect(world.podsEver.size).toBe(quota);
      await world.as('DELETE', PODS, { namespace: 'default', name });
      await world.elapse(2, { play: false });
      expect(world.podsEver.size).toBe(quota + 1);
    });
  });

  test('case 21: with every pod call refused nothing is lost: the uid waits in the status', async () => {
    const [first] = await running(2);
    if (!first) throw new Error('no pod runs');
    world.interposer = ({ port, args, phase, method }) => {
      if (port === 'cluster' && args[0] === PODS && phase === 'before' && method !== 'get' && method !== 'list') throw refusal();
    };
    await world.end(first, 0);
    await world.elapse(3, { play: false });
    expect(await statusOf()).toMatchObject({ active: 1, uncountedTerminatedPods: { succeeded: [first.metadata.uid] } });
    expect((await statusOf()).succeeded).toBeUndefined();
    world.interposer = undefined;
    await world.until(async () => conditionsOf(await world.job('demo')).includes('Complete'), { seconds: 300 });
    expect((await statusOf()).succeeded).toBe(5);
  });

  test('case 22: a delete that is refused leaves its pod in the count', async () => {
    await running(3);
    stand('delete', 'pods', () => {
      throw refusal();
    });
    await change({ parallelism: 2 });
    await once();
    expect((await statusOf()).active).toBe(3);
    expect(await world.pods()).toHaveLength(3);
    expect(await eventsOf('FailedDelete')).toBe(1);
  });

  test('case 23: a namespace that is going is nobody’s fault', async () => {
    stand('create', 'pods', () => {
      throw new TerminalError('namespace is terminating', { code: 403, causes: [{ reason: 'NamespaceTerminating' }] });
    });
    await world.apply(aJob('demo'));
    await once();
    expect(await eventsOf('FailedCreate')).toBe(0);
    expect((await statusOf()).active).toBe(1);
    expect(world.passes.at(-1)?.error).toBeUndefined();
    expect(world.metrics.filter(({ metric }) => metric === 'job_controller_job_pods_creation_total')).toEqual([]);
  });

  test.each<[string, Partial<JobSpec>, (pod: Pod) => Promise<unknown>]>([
    [
      'a pod that matches FailJob',
      { podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [5] } }] } },
      async (pod) => await world.end(pod, 5),
    ],
    ['its deadline', { activeDeadlineSeconds: 101 }, async () => await world.elapse(2, { play: false })],
    [
      'its success policy',
      { completionMode: 'Indexed', successPolicy: { rules: [{ succeededIndexes: '0' }] } },
      async (pod) => await world.end(pod, 0),
    ],
  ])('sections 8.17, 10: a Job whose creates are refused is ended by %s at once, and its pods go', async (_, spec, happens) => {
    const quota = 2;
    stand('create', 'pods', (call) => {
      if (call > quota) throw refusal();
    });
    await world.apply(aJob('demo', { parallelism: 3, completions: 5, ...spec }));
    await once();
    for (const pod of await world.pods()) await world.startPod(pod);
    // By then it is tried once a minute.
    await world.elapse(100, { play: false });
    const [first] = await world.pods();
    if (!first) throw new Error('no pod runs');
    await happens(first);
    await world.elapse(3, { play: false });
    const wanted = spec.successPolicy ? 'SuccessCriteriaMet' : 'FailureTarget';
    expect(conditionsOf(await world.job('demo'))).toContain(wanted);
    expect((await statusOf()).active).toBeUndefined();
  });

  test('case 91: without the first status write no finalizer comes off', async () => {
    const [first, second] = await running(2);
    if (!first || !second) throw new Error('no pods run');
    stand('patch', 'jobs', () => {
      throw new ConflictError('changed meanwhile');
    });
    await world.end(first, 0);
    await world.end(second, 1);
    await world.elapse(2, { play: false });
    expect((await trackedPods()).map(({ metadata }) => metadata.uid)).toEqual(
      expect.arrayContaining([first.metadata.uid, second.metadata.uid]),
    );
    expect((await statusOf()).succeeded).toBeUndefined();
  });

  test('case 92: with every strip refused the uids stay, and the counters wait', async () => {
    const [first, second] = await running(2);
    if (!first || !second) throw new Error('no pods run');
    stand('patch', 'pods', () => {
      throw refusal();
    });
    await world.end(first, 0);
    await world.end(second, 1);
    await world.elapse(2, { play: false });
    const { succeeded, failed, uncountedTerminatedPods } = await statusOf();
    expect({ succeeded, failed }).toEqual({});
    expect(uncountedTerminatedPods).toEqual({ succeeded: [first.metadata.uid], failed: [second.metadata.uid] });
    // Nothing was to be deleted.
    expect(await eventsOf('FailedDelete')).toBe(0);
  });

  test('section 21: a strip that is refused again and again is tried later and later, and holds up no creates', async () => {
    const [first, second] = await running(2);
    if (!first || !second) throw new Error('no pods run');
    let tries = 0;
    stand('patch', 'pods', () => {
      tries += 1;
      throw refusal();
    });
    await world.end(first, 0);
    await world.elapse(60, { play: false });
    await world.end(second, 0);
    await world.elapse(2, { play: false });
    expect((await world.pods()).filter(({ status }) => status?.phase === 'Pending')).toHaveLength(2);
    await world.elapse(60, { play: false });
    // After 1, 2, 4, … seconds, and with what has happened; each time once more with what else there is to do, and two pods in the end.
    expect(tries).toBeLessThanOrEqual(40);
    world.interposer = undefined;
    await world.until(async () => conditionsOf(await world.job('demo')).includes('Complete'), { seconds: 300 });
    expect((await statusOf()).succeeded).toBe(5);
  });

  test('case 93: of strips that fail in part, each pod is counted once all the same', async () => {
    const pods = await running(4, { completions: 4, backoffLimit: 9 });
    stand('patch', 'pods', (call) => {
      if (call <= 4 && call % 2 === 0) throw refusal();
    });
    for (const [at, pod] of pods.entries()) await world.end(pod, at % 2);
    await world.until(async () => conditionsOf(await world.job('demo')).includes('Complete'), { seconds: 300 });
    expect(await statusOf()).toMatchObject({ succeeded: 4, failed: 2 });
  });

  test('case 97: a pod that is gone when its finalizer should come off counts as done', async () => {
    const [first] = await running(2);
    if (!first) throw new Error('no pod runs');
    let isGone = false;
    world.interposer = async ({ port, method, args, phase }) => {
      if (isGone || port !== 'cluster' || method !== 'patch' || args[0] !== PODS || phase !== 'before') return;
      isGone = true;
      const { name = '' } = first.metadata;
      await world.as('PATCH', PODS, {
        namespace: 'default',
        name,
        body: { metadata: { finalizers: null } },
        type: 'application/merge-patch+json',
      });
      await world.as('DELETE', PODS, {
        namespace: 'default',
        name,
        body: { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 },
      });
      throw new NotFoundError('pods not found');
    };
    await world.end(first, 0);
    await world.until(async () => (await statusOf()).succeeded === 1, { seconds: 5, play: false });
    expect(isGone).toBe(true);
  });
});

describe('when a change is looked at', () => {
  test('case 32: a key without its parts is no key', () => {
    expect(parseKey('foo')).toBeUndefined();
    expect(parseKey('west/Job/default/demo/uid-1')).toMatchObject({ name: 'demo' });
  });

  test('case 152: a changed spec at once', async () => {
    await running(2);
    await world.elapse(20, { play: false });
    const before = world.passes.length;
    await change({ parallelism: 3 });
    await once();
    expect(world.passes.length).toBeGreaterThan(before);
    expect(await world.pods()).toHaveLength(3);
  });

  test('cases 146, 153: what happens to pods or to the status is looked at together, after a second', async () => {
    const pods = await running(3);
    await world.elapse(20, { play: false });
    const passes = (): number => world.passes.filter(({ outcome }) => outcome !== 'gone').length;
    const before = passes();
    for (const pod of pods) {
      await world.end(pod, 0);
      await once();
    }
    expect(passes() - before).toBeLessThanOrEqual(1);
    await world.elapse(2, { play: false });
    expect((await statusOf()).succeeded).toBe(3);
    expect(passes() - before).toBeLessThanOrEqual(3);
  });

  test('case 147: a delete that is seen is no longer waited for', async () => {
    await running(2);
    await change({ parallelism: 1 });
    await world.until(async () => (await world.pods()).some(({ metadata }) => metadata.deletionTimestamp !== undefined), { play: false });
    await change({ parallelism: 3 });
    await once();
    expect((await world.pods()).filter(({ metadata }) => metadata.deletionTimestamp === undefined)).toHaveLength(3);
  });

  test('cases 148, 149: a finalizer is taken off once, and what is told again costs nothing', async () => {
    const [first] = await running(2);
    if (!first) throw new Error('no pod runs');
    await world.end(first, 0);
    await world.elapse(20, { play: false });
    const strips = world.cluster.writes.filter(
      ({ verb, plural, name }) => verb === 'patch' && plural === 'pods' && name === first.metadata.name,
    );
    expect(strips).toHaveLength(1);
    const writes = world.cluster.writes.length;
    const told = [...world.podsEver.values()].map((object) => ({ type: 'MODIFIED', object }));
    await world.send(reportsOf(world.kinds, told));
    await world.ingest();
    await world.elapse(5, { play: false });
    expect(world.cluster.writes).toHaveLength(writes);
  });

  test('case 154: a changed spec does not wait for the back-off after an error', async () => {
    stand('create', 'pods', () => {
      throw refusal();
    });
    await world.apply(aJob('demo'));
    await world.elapse(100, { play: false });
    const before = world.passes.length;
    await change({ suspend: true });
    await once();
    expect(world.passes.length).toBeGreaterThan(before);
    expect(conditionsOf(await world.job('demo'))).toContain('Suspended');
  });

  test('case 155: a nearer deadline is kept', async () => {
    await world.apply(aJob('demo', { activeDeadlineSeconds: 100 }));
    await world.elapse(3, { play: false });
    await change({ activeDeadlineSeconds: 5 });
    await world.until(async () => conditionsOf(await world.job('demo')).includes('FailureTarget'), { seconds: 4, play: false });
    expect(world.passes.at(-1)?.why.join()).toContain('DeadlineExceeded');
  });
});
