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

/** An expression inside itself, so often. */
const nested = (levels: number, around: (inner: string, level: number) => string, inner: string): string =>
  Array.from({ length: levels }, (_, level) => level).reduce(around, inner);

export interface CostlyRule {
  expression: string;
  /** The annotation that it looks at. */
  text: string;
  /** Nobody can work it out in time: the server must say so. Else it may also decide. */
  isEndless?: true;
}

const LONG = 'a'.repeat(200_000);
const endless = (expression: string, text = LONG): CostlyRule => ({ expression, text, isEndless: true });

/** Expressions over one long annotation of a config map. */
export const COSTLY_RULES: Readonly<Record<string, CostlyRule>> = {
  'searches that find nothing': endless(`${TEXT}.split('').all(x, ${TEXT}.indexOf('b') < 0)`),
  'searches from the end': endless(`${TEXT}.split('').all(x, ${TEXT}.lastIndexOf('b') < 0)`),
  'a text that grows': endless(`${TEXT}.replace('', ${TEXT}).size() > 0`),
  'a text that grows in a loop': endless(`${TEXT}.split('').all(x, ${TEXT}.replace('a', 'aaaa').size() > 0)`),
  'replaced texts that are long': endless(`${TEXT}.split('').all(x, ${TEXT}.replace(${TEXT} + 'b', '') != '')`),
  'comparisons of long texts': endless(`${TEXT}.split('').all(x, ${TEXT} + 'b' < ${TEXT} + 'c')`),
  'comparisons of lists of long texts': endless(
    `${TEXT}.split('').all(x, [${TEXT} + 'b', ${TEXT} + 'b'] != [${TEXT} + 'b', ${TEXT} + 'c'])`,
  ),
  'comparisons of many values': endless(`${TEXT}.split('').all(x, ${TEXT}.split('') == ${TEXT}.split(''))`),
  'steps that cost next to nothing': endless(`${TEXT}.split('').all(x, ${TEXT}.split('').all(y, duration('1s') < duration('2s')))`),
  'a macro that repeats its target': {
    expression: `${nested(30, (inner, level) => `${inner}.optMap(x${level}, x${level})`, 'optional.of(1)')}.hasValue()`,
    text: '',
  },
  'loops in loops over a text': endless(`${nested(5, (inner, level) => `${TEXT}.split('').map(x${level}, ${inner})`, '1')}.size() > 0`),
  'patterns that go back and forth': endless(`${TEXT}.split('').all(x, !${TEXT}.matches('(a*)*b'))`),
  'loops nested forty times': { expression: `${nested(40, (inner, level) => `[1].map(x${level}, ${inner})`, '1')}.size() > 0`, text: '' },
  'a host of dots': { expression: `isURL(${TEXT})`, text: `http://${'a.'.repeat(100_000)}` },
  'a host of escapes': { expression: `isURL(${TEXT})`, text: `http://${'%41'.repeat(60_000)}/` },
  'an address of colons': { expression: `isURL(${TEXT})`, text: `http://[${':'.repeat(200_000)}]:1/` },
  'names and passwords before a host': { expression: `isURL(${TEXT})`, text: `http://${'a:@'.repeat(60_000)}a` },
  'one name many times in a query': { expression: `url(${TEXT}).getQuery().size() > 0`, text: `http://a/?${'a&'.repeat(100_000)}` },
  'many names in a query': {
    expression: `url(${TEXT}).getQuery().size() > 0`,
    text: `http://a/?${Array.from({ length: 20_000 }, (_, at) => `k${at}=1`).join('&')}`,
  },
  'escapes in a query': { expression: `url(${TEXT}).getQuery().size() > 0`, text: `http://a/?${'%41='.repeat(50_000)}` },
  'the query again and again': endless(
    `${TEXT}.split('&').all(x, url(${TEXT}).getQuery().size() > 0)`,
    `http://a/?${'a&'.repeat(100_000)}`,
  ),
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

export const judgedConfigMap = (name: string, text: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', annotations: { text } },
});
