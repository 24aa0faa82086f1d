// A made-up custom resource: any spec, a status of its own.
import { numberAt } from '../../lib/sandbox/objects/api-object.ts';
import { customResource, type CustomResource } from '../../lib/sandbox/rows/custom-resource.ts';
import { ageColumn, nameColumn } from '../../lib/sandbox/rows/row.ts';

export const ensembles = (more: Partial<CustomResource> = {}) =>
  customResource({
    group: 'example.com',
    version: 'v1',
    kind: 'Ensemble',
    plural: 'ensembles',
    singular: 'ensemble',
    shortNames: ['ens'],
    namespaced: true,
    hasStatus: true,
    columns: [
      nameColumn,
      { name: 'Ready', type: 'integer', description: 'Pods that are ready.', cell: ({ status }) => numberAt(status, 'ready') },
      ageColumn,
    ],
    ...more,
  });
