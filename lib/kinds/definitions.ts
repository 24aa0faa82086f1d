// The definitions of kinds that a cluster does not have by itself, for `farloop crds`, a new sandbox and tests. No function uses it.
import { ownEntry } from '../objects/values/untyped-fields.ts';
import type { Kind } from './facts.ts';
import type { DefinitionManifest, KindDefinition, KubernetesTypes, PolicyManifest } from './rows/kind-definition.ts';
import { trainingDefinition } from './training/definition/definition.ts';
import { jax } from './training/frameworks/jax.ts';
import { mpi } from './training/frameworks/mpi.ts';
import { mxnet } from './training/frameworks/mxnet.ts';
import { paddle } from './training/frameworks/paddle.ts';
import { pytorch } from './training/frameworks/pytorch.ts';
import { tensorflow } from './training/frameworks/tensorflow.ts';
import { xgboost } from './training/frameworks/xgboost.ts';

/** Every cluster has the others. */
export const DEFINITIONS = {
  TFJob: trainingDefinition(tensorflow),
  PyTorchJob: trainingDefinition(pytorch),
  MPIJob: trainingDefinition(mpi),
  XGBoostJob: trainingDefinition(xgboost),
  PaddleJob: trainingDefinition(paddle),
  MXJob: trainingDefinition(mxnet),
  JAXJob: trainingDefinition(jax),
} as const satisfies Partial<Record<Kind, KindDefinition>>;

const all = (): KindDefinition[] => Object.values<KindDefinition>(DEFINITIONS);

/** Of every kind that brings its own. Parts are shared among them: a definition is copied before it is changed. */
export const kindDefinitions = (types: KubernetesTypes): DefinitionManifest[] => all().map((definition) => definition.manifestOf(types));

/** @throws Error for a kind that every cluster has */
export function definitionFor(kind: string, types: KubernetesTypes): DefinitionManifest {
  const definition = ownEntry<KindDefinition>(DEFINITIONS, kind);
  if (!definition) throw new Error(`${kind} has no definition of its own`);
  return definition.manifestOf(types);
}

/** Policies that refuse come before those that warn. */
export function kindPolicies(): PolicyManifest[] {
  const policies = all().flatMap((definition) => definition.policies());
  return (['Deny', 'Warn'] as const).flatMap((action) =>
    policies.filter((policy) => policy.action === action).flatMap(({ manifests }) => manifests),
  );
}
