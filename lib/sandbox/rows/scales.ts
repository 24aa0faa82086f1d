// How many replicas something has and should have: what every resource that can be scaled shows of itself.
import { numberAt } from '../objects/api-object.ts';
import { ageColumn, column, nameColumn, row } from './row.ts';

/** Nothing is stored of it, and no path of its own leads to it. */
export const scales = row({
  group: 'autoscaling',
  version: 'v1',
  plural: 'scales',
  kind: 'Scale',
  columns: [
    nameColumn,
    column('Desired', ({ spec }) => numberAt(spec, 'replicas'), { type: 'integer' }),
    column('Available', ({ status }) => numberAt(status, 'replicas'), { type: 'integer' }),
    { ...ageColumn, type: 'date' },
  ],
});
