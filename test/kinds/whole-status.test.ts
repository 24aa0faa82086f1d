// The owner as a view keeps it, of every kind. A pass compares the status that it wrote with the one that it meets (R18): where a field of it is
// missing, each pass after a write counts live, which costs lists and shows nowhere else.
import { expect, test } from '@jest/globals';
import { TEST_ROWS } from '../world/kinds/table.ts';
import { ALL_FACTS } from '../../lib/kinds/facts.ts';
import type { WorkloadObject } from '../../lib/objects/kubernetes.ts';

test('the kinds of the tests are among them', () => {
  expect(ALL_FACTS.map(({ resource }) => resource.plural)).toContain(TEST_ROWS[0]?.plural);
});

test.each(ALL_FACTS.filter(({ isOwnerless }) => !isOwnerless))('$kind: its facts keep the status whole, and the generation', (facts) => {
  const { apiVersion, kind } = facts.resource;
  const owner: WorkloadObject = {
    apiVersion,
    kind,
    metadata: { name: 'demo', namespace: 'default', uid: 'u', resourceVersion: '7', generation: 3 },
    spec: {},
    status: { observedGeneration: 3, ready: {}, conditions: [{ type: 'Other', status: 'True' }], aFieldOfALaterVersion: { list: [1] } },
  };
  const kept = facts.factsOf(structuredClone(owner));
  expect(kept.status).toEqual(owner.status);
  expect(kept.metadata).toMatchObject(owner.metadata);
  // The same from a list, a watch and the answer to a write.
  expect(facts.factsOf(structuredClone(kept))).toEqual(kept);
});
