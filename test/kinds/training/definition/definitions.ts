// What a cluster is told of the training kinds.
import { FRAMEWORKS } from '../../../../lib/kinds/training/frameworks/all.ts';
import type { DefinitionManifest, PolicyManifest } from '../../../../lib/kinds/rows/kind-definition.ts';
import { trainingDefinition } from '../../../../lib/kinds/training/definition/definition.ts';
import { definitionSchemaOf } from '../../../../lib/sandbox/schema/definition-schema.ts';

const all = FRAMEWORKS.map(trainingDefinition);

export const trainingDefinitions = (): DefinitionManifest[] => all.map((definition) => definition.manifestOf(definitionSchemaOf));

export const trainingPolicies = (): PolicyManifest[] =>
  all.flatMap((definition) => definition.policies()).flatMap(({ manifests }) => manifests);
