// A create that comes through minutes after the last look at the clock, its name free again: its pod is one too many, and goes uncounted.
import type { Job } from '../../lib/objects/kubernetes.ts';
import { describe, expect, test } from '@jest/globals';
import { JOBS, PODS } from '../../lib/objects/resources.ts';
import { aJob, apply } from './kinds/job/acts.ts';
import type { SimApiServer } from './api-server.ts';
import { singlesOf, survey } from './enumerate.ts';
import { all } from './kinds/job/fates.ts';
import type { PodRecord } from './history.ts';
import { recoveryOf, type Access } from './recovery.ts';
import type { Scenario } from './scenario.ts';
import { Simulation } from './simulation.ts';

/** As whoever collects what has ended. */
async function collect(api: SimApiServer): Promise<void> {
  for (const { metadata, status } of api.pods())
    if (status?.phase === 'Succeeded') await api.as('DELETE', PODS, { name: metadata.name ?? '' });
}

/** One pod after the other, each for minutes; those that have ended are collected before the late one comes. */
const STORY: Scenario = {
  name: 'long',
  clusters: ['west'],
  acts: [
    { atMs: 1_000, act: apply(aJob('a', { parallelism: 1, completions: 2 })) },
    { atMs: 175_000, act: collect },
  ],
  fateOf: all(120_000),
  ends: { a: { end: 'Complete', succeeded: 2, failed: 0 } },
  withinMs: 300_000,
};

async function withLateCreate(scenario: Scenario, access?: Access): Promise<{ late: PodRecord[]; status: unknown; violations: unknown[] }> {
  const calm = await survey(scenario, [], access);
  expect(calm.violations).toEqual([]);
  const fits = new Set(calm.log.filter(({ call }) => access !== 'relayed' || call.port === 'source').map(({ call }) => call.number));
  const planned = singlesOf(calm).find(({ call, fault }) => fault === 'landsLate' && fits.has(call));
  if (!planned) throw new Error('nothing is created');
  const run = { scenario, seed: 1, plan: [planned], jitter: false, limitMs: 1_800_000, ...(access && { access }) };
  const simulation = new Simulation(run);
  const result = await simulation.simulate();
  const recovery = recoveryOf(run, { result, calm });
  const late = simulation.history.pods.filter(({ createdBy }) => createdBy?.isLate);
  const [job] = simulation.history.owners;
  return { late, status: (job?.object as Job | undefined)?.status, violations: [...result.violations, ...(recovery ? [recovery] : [])] };
}

describe('a create that comes through late', () => {
  test.each([undefined, 'relayed'] as const)('R17: into a Job that runs, clusters being reached %s', async (access) => {
    const { late, status, violations } = await withLateCreate(STORY, access);
    expect(violations).toEqual([]);
    expect(late).toHaveLength(1);
    expect(late[0]).toMatchObject({ isGone: true });
    expect(late[0]?.pod.status?.phase).not.toBe('Succeeded');
    expect(status).toMatchObject({ succeeded: 2 });
    expect(status).not.toHaveProperty('failed');
  });

  test.each([undefined, 'relayed'] as const)('R17: into a Job that has ended, clusters being reached %s', async (access) => {
    const ended = { ...STORY, fateOf: all(60_000) };
    const { late, status, violations } = await withLateCreate(ended, access);
    expect(violations).toEqual([]);
    expect(late).toHaveLength(1);
    expect(late[0]).toMatchObject({ isGone: true });
    expect(status).toMatchObject({ succeeded: 2 });
    expect(status).not.toHaveProperty('failed');
  });

  test.each([undefined, 'relayed'] as const)('R17: after its Job is gone, clusters being reached %s', async (access) => {
    const removed: Scenario = {
      ...STORY,
      acts: [...STORY.acts, { atMs: 100_000, act: (api) => api.as('DELETE', JOBS, { name: 'a' }) }],
      ends: { a: { end: 'gone' } },
    };
    const { late, violations } = await withLateCreate(removed, access);
    expect(violations).toEqual([]);
    expect(late.every(({ isGone }) => isGone)).toBe(true);
  });
});
