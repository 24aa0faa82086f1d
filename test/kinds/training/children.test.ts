// The rows of a training job's children.
import { expect, test } from '@jest/globals';
import { MPI, PYTORCH } from '../../../lib/kinds/training/names/framework-names.ts';
import { trainingFacts } from '../../../lib/kinds/training/facts.ts';

test.each([MPI, PYTORCH])('$kind: the Event about a refused child names the kind of the child', (names) => {
  const told = trainingFacts(names).children.map(({ resource, refusedReasons }) => [
    resource.kind,
    refusedReasons?.create,
    refusedReasons?.delete,
  ]);
  expect(told).toEqual(told.map(([kind]) => [kind, `FailedCreate${kind}`, `FailedDelete${kind}`]));
});
