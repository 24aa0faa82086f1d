// A definition to try things on: things of example.com, with a status, a scale, columns and a field to select by.
export const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
export const things = '/apis/example.com/v1/namespaces/default/things';

export const thingSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: { replicas: { type: 'integer', default: 1 }, color: { type: 'string' } },
    },
    status: {
      type: 'object',
      properties: { replicas: { type: 'integer' }, selector: { type: 'string' }, phase: { type: 'string' } },
    },
  },
};

const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', labelSelectorPath: '.status.selector' };

export const aVersion = (name = 'v1', more: object = {}): object => ({
  name,
  served: true,
  storage: true,
  schema: { openAPIV3Schema: thingSchema },
  subresources: { status: {}, scale },
  additionalPrinterColumns: [
    { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' },
    { name: 'Color', type: 'string', jsonPath: '.spec.color', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  selectableFields: [{ jsonPath: '.spec.color' }],
  ...more,
});

export const thingNames = { plural: 'things', kind: 'Thing', shortNames: ['th'], categories: ['all'] };

/** @param spec in place of what the definition says otherwise */
export const aDefinition = (spec: object = {}, metadata: object = {}): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.com', ...metadata },
  spec: { group: 'example.com', scope: 'Namespaced', names: thingNames, versions: [aVersion()], ...spec },
});

export const aThing = (name: string, spec: object = {}, more: object = {}): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name, ...more },
  spec,
});
