// Which workloads a heartbeat tells digests of, where there are more than it holds.
import { describe, expect, test } from '@jest/globals';
import { RelayCache } from '../../lib/relay/cache.ts';
import { Heartbeats } from '../../lib/relay/heartbeats.ts';
import { aJob } from './scripted-source.ts';

const JOBS = 2_200;

function aCluster(jobs: number): RelayCache {
  const cache = new RelayCache({ manage: 'all' });
  for (let at = 1; at <= jobs; at++) {
    const job = aJob(`job-${at}`);
    cache.putJob({ ...job, metadata: { ...job.metadata, resourceVersion: String(at) } });
  }
  return cache;
}

function beat(heartbeats: Heartbeats, cache: RelayCache, waiting?: string): string[] {
  const { digests } = heartbeats.build({
    cache,
    watches: [],
    clockOffsetMs: 0,
    heardUntil: () => '1',
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

  test('few of them each minute, all of them', () => {
    const cache = aCluster(2);
    const heartbeats = new Heartbeats();
    for (let minute = 0; minute < 3; minute++) expect(beat(heartbeats, cache)).toEqual(['job-1', 'job-2']);
  });
});
