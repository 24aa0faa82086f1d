// Random edits by hand while a Job runs, through the whole loop: never a crash, never a lost count; what cannot go on is parked with an
// event and a reason, and once nobody edits any more the Job ends. FAST_CHECK_SEED=n replays one run.
import { expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { isJobFinished } from '../../lib/kinds/job/terms/owner-facts.ts';
import type { Job, JobSpec, Pod } from '../../lib/objects/kubernetes.ts';
import { EVENTS, JOBS, PODS } from '../../lib/objects/resources.ts';
import { countIndexes, parseIndexes } from '../../lib/objects/values/index-text.ts';
import { shareOf } from '../storm-share.ts';
import { relist } from '../world/reporter.ts';
import { aJob, World } from '../world/world.ts';

jest.setTimeout(240_000);

const FINALIZER = 'batch.kubernetes.io/job-tracking';
const INDEX = 'batch.kubernetes.io/job-completion-index';
const MERGE = 'application/merge-patch+json';
const seed = Number(process.env['FAST_CHECK_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

type Edit =
  | { what: 'status'; status: object }
  | { what: 'pod'; at: number; metadata: object }
  | { what: 'other owner'; at: number }
  | { what: 'end'; at: number; code: number }
  | { what: 'delete pod'; at: number }
  | { what: 'spec'; spec: JobSpec }
  | { what: 'unheard'; kind: 'Pod' | 'Job' }
  | { what: 'time'; seconds: number };

const at = fc.nat(5);
const count = fc.nat(4);
const text = fc.constantFrom('', '0', '0,1', '0-2', '1-0', 'x', '7', '0,0');
const conditionEdit = fc.record({
  type: fc.constantFrom('Failed', 'Complete', 'FailureTarget', 'SuccessCriteriaMet', 'Suspended', 'Odd'),
  status: fc.constantFrom('False', 'Unknown'),
});
const statusEdit = fc.record(
  {
    active: count,
    ready: count,
    terminating: count,
    succeeded: count,
    failed: count,
    completedIndexes: text,
    startTime: fc.constantFrom(null, '2020-01-01T00:00:00Z'),
    uncountedTerminatedPods: fc.record({ succeeded: fc.constantFrom([], ['made-up']), failed: fc.constantFrom([], ['made-up-too']) }),
    conditions: fc.array(conditionEdit, { maxLength: 3 }),
  },
  { requiredKeys: [] },
);
const podEdit = fc.constantFrom<object>(
  { finalizers: null },
  { finalizers: ['example.com/hold'] },
  { finalizers: [FINALIZER] },
  { labels: null },
  { labels: { 'batch.kubernetes.io/controller-uid': 'another' } },
  { labels: { 'batch.kubernetes.io/controller-uid': null, 'controller-uid': null } },
  { ownerReferences: null },
  { annotations: null },
  { annotations: { [INDEX]: '0' } },
  { annotations: { [INDEX]: 'ninety' } },
  { annotations: { [INDEX]: '99' } },
  { annotations: { 'farloop.dev/child': '0' } },
);
const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 3, arbitrary: statusEdit.map((status): Edit => ({ what: 'status', status })) },
  { weight: 4, arbitrary: fc.record({ what: fc.constant('pod' as const), at, metadata: podEdit }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('other owner' as const), at }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('end' as const), at, code: fc.constantFrom(0, 0, 1) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('delete pod' as const), at }) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom<JobSpec>({ parallelism: 1 }, { parallelism: 4 }, { suspend: true }, { suspend: false })
      .map((spec): Edit => ({ what: 'spec', spec })),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('unheard' as const), kind: fc.constantFrom('Pod' as const, 'Job' as const) }) },
  { weight: 4, arbitrary: fc.record({ what: fc.constant('time' as const), seconds: fc.constantFrom(1, 3, 40) }) },
);

/** What the API server refuses does not count. */
const unlessRefused = async (editing: Promise<unknown>): Promise<void> => void (await editing.catch(() => {}));

async function carryOut(world: World, one: Edit): Promise<void> {
  const pods = await world.pods();
  const pod = 'at' in one ? pods[one.at % Math.max(pods.length, 1)] : undefined;
  const target = { namespace: 'default', name: 'demo' };
  const patch = async (metadata: object): Promise<void> =>
    await unlessRefused(world.as('PATCH', PODS, { namespace: 'default', name: pod?.metadata.name ?? '', body: { metadata }, type: MERGE }));
  switch (one.what) {
    case 'status':
      await unlessRefused(world.as('PATCH', JOBS, { ...target, subresource: 'status', body: { status: one.status }, type: MERGE }));
      return;
    case 'spec':
      await unlessRefused(world.as('PATCH', JOBS, { ...target, body: { spec: one.spec }, type: MERGE }));
      return;
    case 'unheard':
      world.keepBack(one.kind);
      return;
    case 'time':
      await world.elapse(one.seconds, { play: false });
      return;
    case 'pod':
      if (pod) await patch(one.metadata);
      return;
    case 'other owner':
      if (pod)
        await patch({ ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'other', uid: 'other', controller: true }] });
      return;
    case 'end':
      if (pod?.status?.phase === 'Pending' && !pod.spec.nodeName) await unlessRefused(world.startPod(pod));
      else if (pod?.status?.phase === 'Running') await unlessRefused(world.end(pod, one.code));
      return;
    case 'delete pod':
      if (pod) await unlessRefused(world.as('DELETE', PODS, { namespace: 'default', name: pod.metadata.name ?? '', body: {} }));
      return;
  }
}

const countOf = ({ status = {}, spec: { completions = 0 } }: Job): { succeeded: number; failed: number; indexes: number } => ({
  succeeded: (status.succeeded ?? 0) + (status.uncountedTerminatedPods?.succeeded?.length ?? 0),
  failed: (status.failed ?? 0) + (status.uncountedTerminatedPods?.failed?.length ?? 0),
  indexes: countIndexes(parseIndexes(status.completedIndexes ?? '', completions)),
});

/** Of pods that are there, ended, ours and still to be counted: they must not lose the finalizer without having been counted. */
const isToCount = ({ metadata, status }: Pod): boolean =>
  (status?.phase === 'Succeeded' || status?.phase === 'Failed') && (metadata.finalizers ?? []).includes(FINALIZER);

test(`random edits by hand, seed ${seed}: no crash, no lost count, and the Job ends`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(edit, { minLength: 1, maxLength: 14 }), async (indexed, edits) => {
      const world = new World();
      try {
        await world.watch();
        await world.apply(
          aJob('demo', { completions: 4, parallelism: 3, backoffLimit: 1000, completionMode: indexed ? 'Indexed' : 'NonIndexed' }),
        );
        await world.elapse(2, { play: false });
        for (const one of edits) {
          await carryOut(world, one);
          await world.report();
          await world.run();
        }
        // Nobody edits any more: what was not told is listed, and suspended Jobs go on.
        world.tellAgain('Pod');
        world.tellAgain('Job');
        await relist(world);
        const job = await world.job('demo');
        if (job.spec.suspend === true) await carryOut(world, { what: 'spec', spec: { suspend: false } });
        // Whoever holds pods lets them go, or those that are being deleted would stay for ever.
        for (const { metadata } of await world.pods()) {
          const finalizers = (metadata.finalizers ?? []).filter((finalizer) => finalizer === FINALIZER);
          const target = { namespace: 'default', name: metadata.name ?? '', body: { metadata: { finalizers } }, type: MERGE };
          if (finalizers.length < (metadata.finalizers ?? []).length) await unlessRefused(world.as('PATCH', PODS, target));
        }
        const before = countOf(await world.job('demo'));
        const toCount = (await world.pods()).filter(isToCount).length;
        await world.until(async () => isJobFinished(await world.job('demo')), { seconds: 5_400 });
        await world.elapse(90);
        const crashed = world.passes.find(({ error = '' }) => /TypeError|RangeError|ReferenceError|undefined \(reading/.test(error));
        expect(crashed).toBeUndefined();
        const finished = await world.job('demo');
        const after = countOf(finished);
        // The API server lets no counter fall, and nothing that was on record goes; every index has a success of its own.
        expect(after.failed).toBeGreaterThanOrEqual(before.failed);
        if (indexed) expect(after).toMatchObject({ indexes: 4, succeeded: 4 });
        else expect(after.succeeded).toBeGreaterThanOrEqual(Math.max(before.succeeded, 4));
        expect(after.succeeded + after.failed).toBeGreaterThanOrEqual(
          indexed ? 4 : Math.min(before.succeeded + before.failed + toCount, 4),
        );
        expect(finished.status?.uncountedTerminatedPods ?? {}).toEqual({});
        // No finalizer of ours is left, but on pods that somebody else controls.
        const left = (await world.pods()).filter(({ metadata }) => metadata.finalizers?.includes(FINALIZER));
        expect(left.filter(({ metadata }) => !metadata.ownerReferences?.some(({ kind }) => kind === 'ReplicaSet'))).toEqual([]);
        const parked = world.passes.filter(({ outcome }) => outcome === 'parked');
        for (const { why } of parked) expect(why.join('')).not.toBe('');
        if (parked.length > 0) {
          const events = await world.as<{ items: { type: string }[] }>('GET', EVENTS, { namespace: 'default' });
          expect(events.items.some(({ type }) => type === 'Warning')).toBe(true);
        }
      } finally {
        world.close();
      }
    }),
    { seed, numRuns: Number(process.env['HAND_EDIT_RUNS'] ?? shareOf(40, 4)) },
  );
});
