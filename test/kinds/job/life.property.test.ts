// Whole lives of random Jobs: every action of a plan is carried out, pods run, end, fail and vanish by chance, and passes die
// between any two actions. What must hold does so at every step, and once calm returns every Job ends with exact counts.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { countIndexes, parseIndexes } from '../../../lib/objects/values/index-text.ts';
import { validateJobStatusUpdate } from '../../../lib/admission/job/job-validation.ts';
import type { Job, JobSpec, Pod } from '../../../lib/objects/kubernetes.ts';
import { podFactsOf, type PodFacts } from '../../../lib/objects/pods/pod-facts.ts';
import { jobPlanner } from '../../../lib/kinds/job/plan.ts';
import { EMPTY_HEAD, type Action, type PlanHead } from '../../../lib/kinds/rows/plan.ts';
import { aJob, NOW } from './builders.ts';
import { shareOf } from '../../storm-share.ts';

interface World {
  job: Job;
  pods: Map<string, PodFacts>;
  head: PlanHead;
  seconds: number;
  /** Uids of pods whose end the status tells, by what it was. */
  ended: { Succeeded: Set<string>; Failed: Set<string> };
  versions: number;
  /** Numbers given so far: no name may ever come twice. */
  names: Set<string>;
}

const specs: fc.Arbitrary<JobSpec> = fc.record(
  {
    parallelism: fc.integer({ min: 1, max: 5 }),
    completions: fc.integer({ min: 1, max: 6 }),
    completionMode: fc.constantFrom('Indexed', 'NonIndexed'),
    backoffLimit: fc.integer({ min: 0, max: 6 }),
    podReplacementPolicy: fc.constantFrom('Failed', 'TerminatingOrFailed'),
  },
  { requiredKeys: ['parallelism', 'completions', 'completionMode', 'backoffLimit', 'podReplacementPolicy'] },
);
const policies: fc.Arbitrary<JobSpec> = fc.constantFrom<JobSpec[]>(
  {},
  { backoffLimitPerIndex: 1 },
  { successPolicy: { rules: [{ succeededCount: 1 }] } },
  {
    podFailurePolicy: { rules: [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [3] } }] },
    podReplacementPolicy: 'Failed',
  },
);

function jobOf(spec: JobSpec, policy: JobSpec): Job {
  const fits = spec.completionMode === 'Indexed' || policy.podFailurePolicy !== undefined ? policy : {};
  return { ...aJob({ ...spec, ...fits }), status: {} };
}

function aWorld(job: Job): World {
  return {
    job,
    pods: new Map(),
    head: EMPTY_HEAD,
    seconds: NOW,
    ended: { Succeeded: new Set(), Failed: new Set() },
    versions: 1,
    names: new Set(),
  };
}

/** One pass; with `diesAfter`, it dies behind so many of its actions. */
function pass(world: World, diesAfter = Number.POSITIVE_INFINITY): number {
  const plan = jobPlanner.plan(
    { owner: world.job, pods: [...world.pods.values()], head: world.head, manages: ['all-jobs'] },
    new Date(world.seconds * 1000),
  );
  const actions = plan.actions.filter(({ verb }) => verb !== 'event');
  for (const action of actions.slice(0, diesAfter)) carryOut(world, action);
  if (diesAfter >= actions.length) world.head = { ...world.head, backoff: plan.head.backoff };
  return actions.length;
}

function carryOut(world: World, action: Action): void {
  world.versions += 1;
  switch (action.verb) {
    case 'call':
      throw new Error('a Job has no provider');
    case 'create': {
      const name = action.object.metadata.name ?? '';
      expect(world.names.has(name)).toBe(false);
      world.names.add(name);
      const { metadata } = action.object;
      const pod: Pod = { metadata: { ...metadata, uid: `uid-${name}`, resourceVersion: String(world.versions) }, spec: { containers: [] } };
      world.pods.set(`uid-${name}`, { ...podFactsOf(pod), phase: 'Pending', createdAt: world.seconds });
      expect(activeIn(world)).toBeLessThanOrEqual(world.job.spec.parallelism ?? 0);
      return;
    }
    case 'delete':
      change(world, action.uid, { deletedAt: world.seconds, deletionGraceSeconds: 0 });
      return;
    case 'patch':
      strip(world, action.uid);
      return;
    case 'status': {
      const next: Job = { ...world.job, status: action.status };
      expect(validateJobStatusUpdate(next, world.job)).toEqual([]);
      world.job = next;
      return;
    }
    case 'event':
  }
}

/** A finalizer comes off: of a pod that ended, its end must be told by the status. */
function strip(world: World, uid: string): void {
  const pod = world.pods.get(uid);
  if (pod && (pod.phase === 'Succeeded' || pod.phase === 'Failed')) world.ended[pod.phase].add(uid);
  change(world, uid, { tracked: false });
}

function change(world: World, uid: string, facts: Partial<PodFacts>): void {
  const pod = world.pods.get(uid);
  if (!pod) return;
  world.versions += 1;
  const next = { ...pod, ...facts, resourceVersion: String(world.versions) };
  // Nothing holds a pod that is being deleted and has no finalizer.
  if (next.deletedAt === undefined || next.tracked) {
    world.pods.set(uid, next);
    return;
  }
  world.pods.delete(uid);
  // As the loop does when a numbered pod vanishes from the view.
  world.head = { ...world.head, ordinal: Math.max(world.head.ordinal, (pod.number ?? -1) + 1) };
}

const isRunning = ({ phase }: PodFacts): boolean => phase === 'Pending' || phase === 'Running';
const activeIn = ({ pods }: World): number => [...pods.values()].filter((pod) => isRunning(pod) && pod.deletedAt === undefined).length;

type Happening = 'run' | 'succeed' | 'fail' | 'evict' | 'ignored' | 'die';

/** Something happens to one pod, or to the next pass. */
function happen(world: World, what: Happening, which: number): void {
  const candidates = [...world.pods.values()].filter(isRunning);
  const pod = candidates[which % Math.max(candidates.length, 1)];
  world.seconds += 1;
  if (!pod) return;
  const exit = (exitCode: number) => [{ name: 'main', role: 'container', restarts: 0, exitCode, finishedAt: world.seconds }] as const;
  switch (what) {
    case 'run':
      return change(world, pod.uid, { phase: 'Running', assigned: true, ready: 'True', readySince: world.seconds });
    case 'succeed':
      return change(world, pod.uid, { phase: 'Succeeded', containers: [...exit(0)] });
    case 'fail':
      return change(world, pod.uid, { phase: 'Failed', containers: [...exit(1)] });
    case 'ignored':
      return change(world, pod.uid, { phase: 'Failed', containers: [...exit(3)] });
    case 'evict':
      return change(world, pod.uid, { deletedAt: world.seconds, deletionGraceSeconds: 0 });
    case 'die':
  }
}

const happenings = fc.array(
  fc.record({
    what: fc.constantFrom<Happening>('run', 'run', 'succeed', 'fail', 'evict', 'ignored', 'die'),
    which: fc.nat(9),
    dies: fc.option(fc.nat(6), { nil: undefined }),
  }),
  { maxLength: 40 },
);

const isOver = ({ job }: World): boolean =>
  job.status?.conditions?.some(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True') ?? false;

/** Everything that runs or terminates ends well, and passes go on until there is nothing to do. */
function calm(world: World): void {
  for (let round = 0; round < 200; round += 1) {
    world.seconds += 700;
    const planned = pass(world);
    const left = [...world.pods.values()].filter(isRunning);
    if (planned === 0 && left.length === 0) return;
    for (const pod of left) {
      const phase = pod.deletedAt === undefined ? 'Succeeded' : 'Failed';
      change(world, pod.uid, {
        phase,
        containers: [{ name: 'main', role: 'container', restarts: 0, exitCode: phase === 'Failed' ? 137 : 0, finishedAt: world.seconds }],
      });
    }
  }
  throw new Error('it never comes to rest');
}

/** Each index counts once, however often it succeeded. */
function indexesDone({ job }: World): number {
  return countIndexes(parseIndexes(job.status?.completedIndexes ?? '', job.spec.completions ?? 0));
}

describe('lives of Jobs', () => {
  test('R1, R5, R16: never more pods than may run, no name twice, no status that the API server refuses, and in the end exact counts', () => {
    fc.assert(
      fc.property(specs, policies, happenings, (spec, policy, story) => {
        const world = aWorld(jobOf(spec, policy));
        pass(world);
        for (const { what, which, dies } of story) {
          happen(world, what, which);
          pass(world, what === 'die' ? (dies ?? 1) : undefined);
        }
        calm(world);
        expect(isOver(world)).toBe(true);
        expect([...world.pods.values()].filter(({ tracked }) => tracked)).toEqual([]);
        expect(pass(world)).toBe(0);
        const { succeeded = 0, failed = 0 } = world.job.status ?? {};
        const indexed = spec.completionMode === 'Indexed';
        expect(succeeded).toBe(indexed ? indexesDone(world) : world.ended.Succeeded.size);
        expect(failed).toBeGreaterThanOrEqual(
          policy.podFailurePolicy ? 0 : [...world.ended.Failed].filter((uid) => world.pods.get(uid)?.deletedAt === undefined).length,
        );
      }),
      { numRuns: shareOf(300, 4) },
    );
  });
});
