// Definitions of custom resources: what is asked of them. How they are named, served and ended: definitions/serving.ts.
import type { ApiObject } from '../objects/api-object.ts';
import { canonicalDefinition, storedVersionsOf } from './canonical-definition.ts';
import { withConditions } from './conditions.ts';
import { definitionProblems, definitionUpdateProblems } from './definition-problems.ts';
import { column, nameColumn, readAndWrite, row } from '../rows/row.ts';

/** Objects of a definition that is deleted go first. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

function withStatusOf(next: ApiObject, previous: ApiObject): ApiObject {
  const { status: _, ...others } = next;
  const status = { ...previous.status, storedVersions: storedVersionsOf({ ...next, status: previous.status ?? {} }) };
  return canonicalDefinition({ ...others, status });
}

/** A definition as of its deletion: it stays until its objects are gone. @param time RFC 3339 */
function marked(object: ApiObject, time: string): ApiObject {
  const { finalizers = [] } = object.metadata;
  const conditions = withConditions(
    object,
    [
      {
        type: 'Terminating',
        status: 'True',
        reason: 'InstanceDeletionPending',
        message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
      },
    ],
    time,
  );
  return {
    ...object,
    metadata: {
      ...object.metadata,
      deletionTimestamp: time,
      finalizers: finalizers.includes(cleanupFinalizer) ? finalizers : [...finalizers, cleanupFinalizer],
    },
    status: { ...object.status, conditions },
  };
}

export const customResourceDefinitions = row({
  group: 'apiextensions.k8s.io',
  plural: 'customresourcedefinitions',
  singular: 'customresourcedefinition',
  kind: 'CustomResourceDefinition',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  namespaced: false,
  subresources: [{ name: 'status', kind: 'CustomResourceDefinition', verbs: readAndWrite }],
  countsGenerations: true,
  needsVersion: true,
  marked,
  columns: [nameColumn, column('Created At', ({ metadata }) => metadata.creationTimestamp ?? '', { type: 'date' })],
  rules: {
    qualifiesFinalizers: false,
    defaults: canonicalDefinition,
    create: (object) => {
      const made = canonicalDefinition(object);
      const storedVersions = storedVersionsOf({ ...made, status: {} });
      return { ...made, status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions } };
    },
    validate: definitionProblems,
    update: withStatusOf,
    validateUpdate: definitionUpdateProblems,
  },
});
