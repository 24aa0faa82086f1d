// Policies that take long where they run: by whoever may write policies in a sandbox.
import type { KubernetesObject } from '../../lib/objects/kubernetes.ts';
import type { Resource } from '../../lib/objects/resources.ts';

const GROUP = 'admissionregistration.k8s.io/v1';
export const POLICIES: Resource = {
  apiVersion: GROUP,
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
  namespaced: false,
};
export const BINDINGS: Resource = {
  apiVersion: GROUP,
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
  namespaced: false,
};

const TEXT = "object.metadata.annotations['text']";

/** Expressions over one long annotation of a config map. */
export const COSTLY_RULES: Readonly<Record<string, string>> = {
  'searches that find nothing': `${TEXT}.split('').all(x, ${TEXT}.indexOf('b') < 0)`,
  'a text that grows': `${TEXT}.replace('', ${TEXT}).size() > 0`,
  'steps that cost next to nothing': `${TEXT}.split('').all(x, ${TEXT}.split('').all(y, duration('1s') < duration('2s')))`,
  'a macro that repeats its target': `${Array.from({ length: 30 }).reduce<string>((inner, _, level) => `${inner}.optMap(x${level}, x${level})`, 'optional.of(1)')}.hasValue()`,
};

export const policyOf = (name: string, expression: string): KubernetesObject =>
  ({
    apiVersion: GROUP,
    kind: POLICIES.kind,
    metadata: { name },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
      },
      validations: [{ expression }],
    },
  }) as KubernetesObject;

export const bindingOf = (name: string): KubernetesObject =>
  ({
    apiVersion: GROUP,
    kind: BINDINGS.kind,
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'] },
  }) as KubernetesObject;

export const judgedConfigMap = (name: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', annotations: { text: 'a'.repeat(200_000) } },
});
