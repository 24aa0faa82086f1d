// Every example is a manifest that the API server takes and the planner acts on.
import { describe, expect, test } from '@jest/globals';
import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { applicableObjects } from '../lib/cli/local/apply.ts';
import { readManifests } from '../lib/cli/manifests/manifest-files.ts';
import { planManifests } from '../lib/kinds/planning/manifest-plan.ts';

const root = resolve(import.meta.dirname, '..');
const examples = globSync('examples/*.yaml', { cwd: root }).toSorted();

describe('examples', () => {
  test('there are some', () => {
    expect(examples).toContain('examples/job.yaml');
  });

  for (const example of examples)
    test(`${example} can be applied, and starts pods`, async () => {
      const documents = await readManifests([resolve(root, example)], process.stdin);
      const jobs = applicableObjects(documents);
      expect(jobs.map(({ object }) => object.kind)).toEqual(['Job']);
      const [job] = jobs;
      // The planner of the sandbox and of --manage all-jobs; those that name their manager are taken everywhere.
      const { actions, outcome } = planManifests([{ document: job?.object, source: example }], { now: new Date('2026-05-01T10:00:00Z') });
      expect(outcome).toBe('acted');
      expect(actions.filter(({ verb }) => verb === 'create').length).toBeGreaterThan(0);
    });
});
