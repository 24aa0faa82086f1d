// The rows of a training job's children.
import { expect, test } from '@jest/globals';
import { childrenOf } from '../../../lib/kinds/training/children.ts';
import { MPI, PYTORCH } from '../../../lib/kinds/training/names/framework-names.ts';

test.each([MPI, PYTORCH])('$kind: the Event about a refused child names the kind of the child', (names) => {
  const told = childrenOf(names).map(({ resource, refusedReasons }) => [resource.kind, refusedReasons?.create, refusedReasons?.delete]);
  expect(told).toEqual(told.map(([kind]) => [kind, `FailedCreate${kind}`, `FailedDelete${kind}`]));
});
