// R4, R5, R6, R13: a pod create that gets no answer, or a 5xx, is looked for at once; what is not there holds up creates, and nothing else.
import { afterEach, describe, expect, test } from '@jest/globals';
import type { JobStatus } from '../../../lib/objects/kubernetes.ts';
import { EVENTS, JOBS, PODS } from '../../../lib/objects/resources.ts';
import { UnknownOutcomeError } from '../../../lib/ports/errors.ts';
import { decodeState } from '../../../lib/reconciler/head/pass-state.ts';
import { expectCompleted, expectQuiet, runToEnd } from '../../world/right.ts';
import { aJob, conditionsOf, World } from '../../world/world.ts';

let world: World;
afterEach(() => world.close());

const TRACKING = 'batch.kubernetes.io/job-tracking';
const WEBHOOK = 'Internal error occurred: failed calling webhook "pods.example.com": connection refused';
const statusOf = async (): Promise<JobStatus> => (await world.job('demo')).status ?? {};
const warnings = async (): Promise<string[]> => {
  const { items } = await world.as<{ items: { type: string; reason: string; message: string }[] }>('GET', EVENTS, { namespace: 'default' });
  return items.filter(({ type }) => type === 'Warning').map(({ reason, message }) => `${reason}: ${message}`);
};
const intended = async (): Promise<number> => {
  const head = await world.store.readHead(await world.keyOf('demo'));
  return decodeState(head?.state ?? '')?.intents.create.length ?? 0;
};

/** @returns how many creates were tried since */
function webhookIsDown(): { creates: number } {
  const tried = { creates: 0 };
  world.interposer = ({ port, method, args, phase }) => {
    if (port !== 'cluster' || method !== 'create' || args[0] !== PODS || phase !== 'before') return;
    tried.creates += 1;
    throw new UnknownOutcomeError(`create pods default at https://west.example.com: ${WEBHOOK}`, { said: WEBHOOK });
  };
  return tried;
}

describe('R13: a webhook for pods that cannot be called', () => {
  test('R13: holds up creates alone: the Job has a start time, its deadline fires, people are told why, tries come later and later', async () => {
    world = new World();
    await world.watch();
    const tried = webhookIsDown();
    await world.apply(aJob('demo', { parallelism: 2, completions: 5, activeDeadlineSeconds: 30 }));
    await world.elapse(20, { play: false });
    expect(await statusOf()).toMatchObject({ ready: 0, startTime: expect.any(String) as unknown });
    // One for each try, as for a refused one.
    expect(await warnings()).toEqual(Array.from({ length: tried.creates }, () => `FailedCreate: Error creating: ${WEBHOOK}`));
    expect(tried.creates).toBeGreaterThanOrEqual(4);
    expect(tried.creates).toBeLessThanOrEqual(6);
    expect(world.passes.length).toBeLessThanOrEqual(14);
    await world.elapse(15, { play: false });
    expect(conditionsOf(await world.job('demo'))).toContain('Failed');
    expect(world.podsEver.size).toBe(0);
    world.interposer = undefined;
    await expectQuiet(world, 2);
  });

  test('R13: a pod that succeeds meanwhile is counted and let go, and the Job goes on when the webhook is back', async () => {
    world = new World();
    await world.watch();
    await world.apply(aJob('demo', { parallelism: 2, completions: 5 }));
    await world.elapse(5, { play: false });
    for (const pod of await world.pods()) await world.startPod(pod);
    await world.elapse(5, { play: false });
    const tried = webhookIsDown();
    const [pod] = await world.pods();
    if (pod) await world.end(pod, 0);
    await world.elapse(5, { play: false });
    expect(await statusOf()).toMatchObject({ succeeded: 1, active: 1, uncountedTerminatedPods: {} });
    const ended = (await world.pods()).find(({ metadata }) => metadata.uid === pod?.metadata.uid);
    expect(ended?.metadata.finalizers ?? []).not.toContain(TRACKING);
    await world.elapse(115, { play: false });
    expect(tried.creates).toBeLessThanOrEqual(9);
    world.interposer = undefined;
    await runToEnd(world, 'demo');
    await expectCompleted(world, 'demo', { succeeded: 5, mostActive: 2 });
  });
});

describe('R6: one create without an answer', () => {
  test.each([
    { took: 'took effect', phase: 'after', warned: [] },
    {
      took: 'did not take effect',
      phase: 'before',
      warned: ['FailedCreate: Error creating: the API server gave no answer that tells what came of it'],
    },
  ])('R6: that $took costs no more than a second', async ({ phase: when, warned }) => {
    world = new World();
    await world.watch();
    await world.apply(aJob('demo', { completions: 3, parallelism: 3 }));
    let lost = 0;
    world.interposer = ({ port, method, args, phase }) => {
      if (port !== 'cluster' || method !== 'create' || args[0] !== PODS || phase !== when || ++lost > 1) return;
      throw new UnknownOutcomeError('create pods default at https://west.example.com: no answer in time');
    };
    const startedAtMs = world.clock.nowMs();
    await world.until(async () => (await world.pods()).length === 3, { play: false });
    expect(world.clock.nowMs() - startedAtMs).toBeLessThanOrEqual(2_000);
    expect(await warnings()).toEqual(warned);
    await runToEnd(world, 'demo');
    await expectCompleted(world, 'demo', { succeeded: 3, mostActive: 3 });
  });

  test('R4, R6: that takes effect after it was looked for is found by the next pass, though no watch tells of it and no pod is wanted any more', async () => {
    world = new World();
    await world.watch();
    await world.apply(aJob('demo', { completions: 3, parallelism: 1 }));
    world.keepBack('Pod');
    let sent: unknown;
    world.interposer = async ({ port, method, args, phase }) => {
      if (port !== 'cluster') return;
      if (method === 'create' && args[0] === PODS && phase === 'before' && sent === undefined) {
        sent = args[1];
        throw new UnknownOutcomeError('no answer in time');
      }
      if (method !== 'patch' || args[0] !== JOBS || phase !== 'after' || world.podsEver.size > 0) return;
      // The status of the Job was written, so the look is over.
      await world.as('POST', PODS, { namespace: 'default', body: sent });
    };
    await world.report();
    await world.run();
    expect(world.podsEver.size).toBe(1);
    expect(await intended()).toBe(1);
    const suspend = { spec: { suspend: true } };
    await world.as('PATCH', JOBS, { namespace: 'default', name: 'demo', body: suspend, type: 'application/merge-patch+json' });
    await world.elapse(5, { play: false });
    expect(await world.pods()).toEqual([]);
    expect(conditionsOf(await world.job('demo'))).toContain('Suspended');
    expect(await intended()).toBe(0);
  });

  test('R4, R14: where the look gets no answer either, what was intended stays written down', async () => {
    world = new World();
    await world.watch();
    await world.apply(aJob('demo', { completions: 3, parallelism: 3 }));
    world.interposer = ({ port, method, args, phase }) => {
      if (port !== 'cluster' || args[0] !== PODS || phase !== 'before' || (method !== 'create' && method !== 'get')) return;
      throw new UnknownOutcomeError('no answer in time');
    };
    await world.report();
    await world.run();
    expect(world.passes.at(-1)).toMatchObject({ outcome: 'unknown' });
    expect(await intended()).toBe(3);
    expect(await warnings()).toEqual([]);
    world.interposer = undefined;
    await runToEnd(world, 'demo');
    await expectCompleted(world, 'demo', { succeeded: 3, mostActive: 3 });
  });
});
