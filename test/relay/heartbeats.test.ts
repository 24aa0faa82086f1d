// Which workloads a heartbeat tells digests of, where there are more than it holds.
import { describe, expect, test } from '@jest/globals';
import { ALL_FACTS } from '../../lib/kinds/facts.ts';
import { jobFacts } from '../../lib/kinds/job/facts.ts';
import { RecordingTelemetry } from '../world/recording-telemetry.ts';
import { RelayCache } from '../../lib/relay/cache/cache.ts';
import { Heartbeats } from '../../lib/relay/heartbeats.ts';
import { aJob } from './scripted-source.ts';
import { takesAll } from '../storm-share.ts';

const JOBS = 2_200;

function aCluster(jobs: number): RelayCache {
  const cache = new RelayCache({ manages: ['all-jobs'], kinds: ALL_FACTS, telemetry: new RecordingTelemetry() });
  for (let at = 1; at <= jobs; at++) {
    const job = aJob(`job-${at}`);
    cache.putOwner(jobFacts, { ...job, metadata: { ...job.metadata, resourceVersion: String(at) } });
  }
  return cache;
}

function beat(heartbeats: Heartbeats, cache: RelayCache, waiting?: string): string[] {
  const { digests } = heartbeats.build({
    cache,
    watches: [],
    clockOffsetMs: 0,
    observedUntil: () => '1',
    isWaiting: ({ owner }) => owner.name === waiting,
    externalJobs: [],
  });
  return digests.map(({ owner }) => owner.name);
}

describe('R2: within half an hour each workload is told of', () => {
  test('whatever changes all the time', () => {
    const cache = aCluster(JOBS);
    const busy = [...cache.workloads()].slice(0, 2_000);
    const heartbeats = new Heartbeats();
    const told = new Set<string>();
    for (let minute = 0; minute < 30 && told.size < JOBS; minute++) {
      const names = beat(heartbeats, cache);
      expect(names.length).toBeLessThanOrEqual(2_000);
      for (const name of names) told.add(name);
      for (const workload of busy) workload.changed = true;
    }
    expect(told.size).toBe(JOBS);
  });

  test('whoever was told of last has news just then, or is gone', () => {
    const cache = aCluster(JOBS);
    const heartbeats = new Heartbeats();
    for (let minute = 0; minute < 2; minute++) beat(heartbeats, cache);
    const told = new Set<string>();
    let last: string | undefined;
    for (let minute = 0; minute < 31; minute++) {
      const names = beat(heartbeats, cache, last);
      last = names.at(-1);
      for (const name of names) told.add(name);
    }
    expect(told.size).toBe(JOBS);
  });

  test.each([
    { jobs: 1_500, busy: 0 },
    { jobs: 1_600, busy: 20 },
    { jobs: 2_200, busy: 0 },
    ...(takesAll
      ? [
          { jobs: 2_200, busy: 2_000 },
          { jobs: 3_000, busy: 1_500 },
        ]
      : []),
  ])('between two tellings of one lies no more, round after round: $jobs Jobs, $busy of them busy', ({ jobs, busy }) => {
    const cache = aCluster(jobs);
    const workloads = [...cache.workloads()];
    const heartbeats = new Heartbeats();
    const toldAt = new Map(workloads.map(({ owner }) => [owner.name, -1]));
    let most = 0;
    for (let minute = 0; minute < 95; minute++) {
      for (const name of beat(heartbeats, cache)) {
        most = Math.max(most, minute - (toldAt.get(name) ?? 0));
        toldAt.set(name, minute);
      }
      for (const workload of workloads.slice(0, busy)) workload.changed = true;
      // Once, at some time: it is told of at once, and loses no turn by it.
      const once = workloads[busy + ((minute * 37) % (jobs - busy))];
      if (once) once.changed = true;
    }
    expect(Math.max(most, ...[...toldAt.values()].map((at) => 95 - at))).toBeLessThanOrEqual(30);
  });

  test('few of them each minute, all of them', () => {
    const cache = aCluster(2);
    const heartbeats = new Heartbeats();
    for (let minute = 0; minute < 3; minute++) expect(beat(heartbeats, cache)).toEqual(['job-1', 'job-2']);
  });
});
