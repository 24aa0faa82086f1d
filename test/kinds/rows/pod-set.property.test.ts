// A set of pods that remembers what it counted plans as a list does that is walked from its beginning, whatever changed before.
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Job, JobSpec, JobStatus } from '../../../lib/objects/kubernetes.ts';
import type { PodFacts } from '../../../lib/objects/pods/pod-facts.ts';
import { podNameOf } from '../../../lib/kinds/job/pods/names.ts';
import { jobPlanner } from '../../../lib/kinds/job/plan.ts';
import { EMPTY_HEAD } from '../../../lib/kinds/rows/plan.ts';
import { placeOf, PodSet, type PodChange } from '../../../lib/kinds/rows/pod-set.ts';
import { aCondition, aJob, anIndexedJob, aPod, ended, NOW, now } from '../job/builders.ts';
import { shareOf } from '../../storm-share.ts';

const SEED = Date.now() % 2 ** 31;

const states: fc.Arbitrary<Partial<PodFacts>> = fc.constantFrom<Partial<PodFacts>[]>(
  { phase: 'Pending', assigned: false },
  { phase: 'Running' },
  { phase: 'Running', ready: 'True', readySince: NOW - 5 },
  { phase: 'Running', containers: [{ name: 'main', role: 'container', restarts: 2 }] },
  { phase: 'Succeeded', containers: [ended(0)] },
  { phase: 'Succeeded', containers: [ended(0)], tracked: false },
  { phase: 'Failed', containers: [ended(1)] },
  { phase: 'Failed', containers: [ended(3)], failureCount: '1' },
  { phase: 'Failed', containers: [ended(1)], tracked: false },
  { phase: 'Running', deletedAt: NOW - 30, deletionGraceSeconds: 30 },
);
/** Now and then what nobody should have made: no index, an index written oddly or beyond the end, a foreign or an orphaned pod. */
const oddities: fc.Arbitrary<Partial<PodFacts> & { unowned?: true }> = fc.oneof(
  { weight: 30, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.constantFrom({ index: 'x' }, { index: '+4' }, { index: '99999999999' }, { labels: {} }, { unowned: true as const }),
  },
);

interface Step {
  /** Which pods, of so many places. */
  pods: { index: number; number: number | undefined; state: Partial<PodFacts>; oddity: Partial<PodFacts> & { unowned?: true } }[];
  /** Which of those there are go. */
  gone: number[];
}

const steps = (indexes: number): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({
      pods: fc.array(
        fc.record({
          index: fc.nat({ max: indexes }),
          number: fc.option(fc.nat({ max: 3 }), { nil: undefined, freq: 12 }),
          state: states,
          oddity: oddities,
        }),
        { maxLength: 12 },
      ),
      gone: fc.array(fc.nat({ max: 1_000 }), { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 12 },
  );

const specs: fc.Arbitrary<JobSpec> = fc.constantFrom<JobSpec[]>(
  {},
  { suspend: true },
  { podReplacementPolicy: 'Failed' },
  { backoffLimitPerIndex: 1, maxFailedIndexes: 3 },
  { backoffLimit: 2 },
  { template: { spec: { restartPolicy: 'OnFailure', containers: [{ name: 'main' }] } } },
  { podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [3] } }] }, podReplacementPolicy: 'Failed' },
  { podFailurePolicy: { rules: [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [1] } }] }, podReplacementPolicy: 'Failed' },
);
const statuses: fc.Arbitrary<JobStatus> = fc.constantFrom<JobStatus[]>(
  {},
  { succeeded: 3, completedIndexes: '0-2' },
  { failed: 1, active: 4, ready: 1 },
  { uncountedTerminatedPods: { succeeded: ['pod-2-0'], failed: ['pod-5-1', 'pod-7-0'] } },
  { conditions: [aCondition('FailureTarget', 'True', 'BackoffLimitExceeded', 'over')] },
  { conditions: [aCondition('Complete', 'True', 'CompletionsReached', 'done')] },
);

function podOf({ index, number, state, oddity: { unowned, ...facts } }: Step['pods'][number], indexed: boolean): PodFacts {
  const uid = `pod-${index}-${number ?? 'foreign'}`;
  const place = indexed
    ? { index: String(index), ...(number !== undefined && { number }) }
    : number === undefined
      ? {}
      : { number: index * 4 + number };
  // Named by somebody else as ours would be: that name is taken.
  const name = number === undefined ? podNameOf(indexed ? anIndexedJob() : aJob(), index, indexed ? 0 : index) : uid;
  const { controller: _controller, ...pod } = aPod({ uid, name, resourceVersion: String(index), ...state, ...place, ...facts });
  return unowned ? pod : { ...pod, ...controllerOf(pod.uid) };
}

const controllerOf = (uid: string): Pick<PodFacts, 'controller'> => {
  const { controller } = aPod({ uid });
  return controller ? { controller } : {};
};

const planOf = (owner: Job, pods: PodSet | readonly PodFacts[]): unknown =>
  jobPlanner.plan({ owner, pods, head: EMPTY_HEAD, manages: ['all-jobs'] }, now);

describe(`a set that remembers (seed ${SEED})`, () => {
  test('plans as one that is counted from its beginning, after any changes', () => {
    const cases = fc.tuple(fc.boolean(), specs, fc.array(statuses, { minLength: 2, maxLength: 2 }), fc.nat({ max: 80 }), steps(80));
    fc.assert(
      fc.property(cases, ([indexed, spec, [earlier = {}, later = {}], parallelism, history]) => {
        const owners = [earlier, later].map((status) =>
          (indexed ? anIndexedJob : aJob)({ parallelism, completions: 80, ...spec }, { status }),
        );
        let set = PodSet.byPlace([]);
        const known = new Map<string, PodFacts>();
        for (const [at, step] of history.entries()) {
          const changes: PodChange[] = [];
          for (const given of step.pods) {
            const pod = podOf(given, indexed);
            changes.push({ was: known.get(pod.uid), now: pod });
            known.set(pod.uid, pod);
          }
          for (const which of step.gone) {
            const was = [...known.values()][which % Math.max(known.size, 1)];
            if (!was) continue;
            changes.push({ was });
            known.delete(was.uid);
          }
          set = set.with(changes);
          const owner = owners[at % 2] ?? aJob();
          const list = [...set];
          const places = list.map(placeOf);
          expect(places.every((place, after) => place >= (places[after - 1] ?? 0))).toBe(true);
          expect([set.size, list.length, list.every(({ uid }) => known.has(uid))]).toEqual([known.size, known.size, true]);
          const fromTheBeginning = planOf(owner, list);
          for (const again of [planOf(owner, set), planOf(owner, set)])
            if (!isDeepStrictEqual(again, fromTheBeginning)) expect(again).toEqual(fromTheBeginning);
        }
      }),
      { seed: SEED, numRuns: shareOf(150, 5) },
    );
  });

  test('a set stays as it is when another follows from it', () => {
    const first = PodSet.byPlace(Array.from({ length: 300 }, (_, index) => aPod({ uid: `u${index}`, index: String(index) })));
    const before = [...first];
    const second = first.with([{ was: before[7], now: aPod({ uid: 'u7', index: '7', phase: 'Failed' }) }, { was: before[200] }]);
    expect([...first]).toEqual(before);
    expect([first.size, second.size]).toEqual([300, 299]);
    expect(second.near(7).map(({ phase }) => phase)).toContain('Failed');
  });

  test('pods lie at their index, else at their number, else anywhere; those beyond all places too', () => {
    const pods = [{ index: '5', number: 9 }, { number: 9 }, {}, { index: '99999999999' }].map((facts) => aPod(facts));
    expect(pods.map(placeOf).slice(0, 2)).toEqual([5, 9]);
    expect(new Set(PodSet.byPlace(pods))).toEqual(new Set(pods));
  });
});
