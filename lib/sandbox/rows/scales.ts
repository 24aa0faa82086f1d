// How many replicas something has and should have: what every resource that can be scaled shows of itself.
import { numberAt } from '../objects/api-object.ts';
import { ageColumn, nameColumn, row } from './row.ts';

/** Nothing is stored of it, and no path of its own leads to it. */
export const scales = row({
  group: 'autoscaling',
  version: 'v1',
  plural: 'scales',
  singular: 'scale',
  kind: 'Scale',
  columns: [
    nameColumn,
    { name: 'Desired', type: 'integer', description: 'Number of desired replicas', cell: ({ spec }) => numberAt(spec, 'replicas') },
    { name: 'Available', type: 'integer', description: 'Number of actual replicas', cell: ({ status }) => numberAt(status, 'replicas') },
    { ...ageColumn, type: 'date' },
  ],
});
