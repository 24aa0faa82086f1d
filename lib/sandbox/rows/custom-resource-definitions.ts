// Definitions of custom resources: none. kubectl asks for them before it says that a kind is not known.
import { nameColumn, row } from './row.ts';

export const customResourceDefinitions = row({
  group: 'apiextensions.k8s.io',
  plural: 'customresourcedefinitions',
  singular: 'customresourcedefinition',
  kind: 'CustomResourceDefinition',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  namespaced: false,
  isReadOnly: true,
  columns: [
    nameColumn,
    { name: 'Created At', type: 'date', description: 'When it was created.', cell: ({ metadata }) => metadata.creationTimestamp ?? '' },
  ],
});
