// Policies and bindings that a kube-apiserver refuses, and with which causes; the real one is the judge (test/cluster/custom-resources.test.ts).

type Fields = Record<string, unknown>;

export interface RefusalCase {
  name: string;
  kind: 'policy' | 'binding' | 'webhook';
  /** Of a policy or a binding the spec, of a webhook the webhook, besides what makes each a good one; undefined takes a field away. */
  change: Fields;
  /** `field: message`, sorted; none for what is taken. */
  causes: readonly string[];
}

const rule: Fields = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };
const withRule = (change: Fields): Fields => ({ matchConstraints: { resourceRules: [{ ...rule, ...change }] } });
const validating = (change: Fields): Fields => ({ validations: [{ expression: 'true', ...change }] });

const good: Record<RefusalCase['kind'], Fields> = {
  policy: { ...withRule({}), ...validating({}) },
  binding: { policyName: 'a-policy', validationActions: ['Deny'] },
  webhook: {
    name: 'hook.example.com',
    clientConfig: { url: 'https://hook.example.com/path' },
    rules: [rule],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  },
};

const kinds = {
  policy: 'ValidatingAdmissionPolicy',
  binding: 'ValidatingAdmissionPolicyBinding',
  webhook: 'MutatingWebhookConfiguration',
};

/** The object of a case, and where it is created. */
export function objectOf({ kind, change }: RefusalCase): { path: string; object: unknown } {
  const changed = Object.fromEntries(Object.entries({ ...good[kind], ...change }).filter(([, value]) => value !== undefined));
  const group = 'admissionregistration.k8s.io/v1';
  const type = { apiVersion: group, kind: kinds[kind], metadata: { name: 'refused' } };
  const plural = kind === 'policy' ? 'validatingadmissionpolicies' : `${kinds[kind].toLowerCase()}s`;
  const object = kind === 'webhook' ? { ...type, webhooks: [changed] } : { ...type, spec: changed };
  return { path: `/apis/${group}/${plural}?dryRun=All`, object };
}

export const refusalCases: readonly RefusalCase[] = [
  { name: 'a good policy', kind: 'policy', change: {}, causes: [] },
  { name: 'no constraints', kind: 'policy', change: { matchConstraints: undefined }, causes: ['spec.matchConstraints: Required value'] },
  {
    name: 'no rules of resources',
    kind: 'policy',
    change: { matchConstraints: {} },
    causes: ['spec.matchConstraints.resourceRules: Required value'],
  },
  {
    name: 'no validations',
    kind: 'policy',
    change: { validations: undefined },
    causes: [
      'spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item',
      'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
    ],
  },
  {
    name: 'an unknown failure policy',
    kind: 'policy',
    change: { failurePolicy: 'Stop' },
    causes: ['spec.failurePolicy: Unsupported value: "Stop": supported values: "Fail", "Ignore"'],
  },
  {
    name: 'an unknown match policy',
    kind: 'policy',
    change: { matchConstraints: { matchPolicy: 'Near', resourceRules: [rule] } },
    causes: ['spec.matchConstraints.matchPolicy: Unsupported value: "Near": supported values: "Equivalent", "Exact"'],
  },
  {
    name: 'a bad selector',
    kind: 'policy',
    change: { matchConstraints: { objectSelector: { matchLabels: { 'a b': 'c' } }, resourceRules: [rule] } },
    causes: [
      "spec.matchConstraints.objectSelector.matchLabels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  },
  {
    name: 'no operations',
    kind: 'policy',
    change: withRule({ operations: [] }),
    causes: ['spec.matchConstraints.resourceRules[0].operations: Required value'],
  },
  {
    name: 'an unknown operation',
    kind: 'policy',
    change: withRule({ operations: ['READ'] }),
    causes: [
      'spec.matchConstraints.resourceRules[0].operations[0]: Unsupported value: "READ": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
    ],
  },
  {
    name: 'all operations and one',
    kind: 'policy',
    change: withRule({ operations: ['*', 'CREATE'] }),
    causes: [
      'spec.matchConstraints.resourceRules[0].operations: Invalid value: ["*","CREATE"]: if \'*\' is present, must not specify other operations',
    ],
  },
  {
    name: 'all groups and one',
    kind: 'policy',
    change: withRule({ apiGroups: ['*', 'apps'] }),
    causes: [
      'spec.matchConstraints.resourceRules[0].apiGroups: Invalid value: ["*","apps"]: if \'*\' is present, must not specify other API groups',
    ],
  },
  {
    name: 'an empty version',
    kind: 'policy',
    change: withRule({ apiVersions: [''] }),
    causes: ['spec.matchConstraints.resourceRules[0].apiVersions[0]: Required value'],
  },
  {
    name: 'no resources',
    kind: 'policy',
    change: withRule({ resources: [] }),
    causes: ['spec.matchConstraints.resourceRules[0].resources: Required value'],
  },
  {
    name: 'all resources and one',
    kind: 'policy',
    change: withRule({ resources: ['*', 'pods'] }),
    causes: [
      'spec.matchConstraints.resourceRules[0].resources: Invalid value: ["*","pods"]: if \'*\' is present, must not specify other resources without subresources',
    ],
  },
  {
    name: 'all parts and one',
    kind: 'policy',
    change: withRule({ resources: ['pods/*', 'pods/status'] }),
    causes: [
      'spec.matchConstraints.resourceRules[0].resources[1]: Invalid value: "pods/status": if \'pods/*\' is present, must not specify pods/status',
    ],
  },
  {
    name: 'everything and one',
    kind: 'policy',
    change: withRule({ resources: ['*/*', 'pods'] }),
    causes: [
      'spec.matchConstraints.resourceRules[0].resources: Invalid value: ["*/*","pods"]: if \'*/*\' is present, must not specify other resources',
    ],
  },
  {
    name: 'an unknown scope',
    kind: 'policy',
    change: withRule({ scope: 'Global' }),
    causes: ['spec.matchConstraints.resourceRules[0].scope: Unsupported value: "Global": supported values: "*", "Cluster", "Namespaced"'],
  },
  {
    name: 'a bad name of a resource',
    kind: 'policy',
    change: withRule({ resourceNames: ['a/b', 'c', 'c'] }),
    causes: [
      'spec.matchConstraints.resourceRules[0].resourceNames[0]: Invalid value: "a/b": may not contain \'/\'',
      'spec.matchConstraints.resourceRules[0].resourceNames[2]: Duplicate value: "c"',
    ],
  },
  {
    name: 'an empty expression',
    kind: 'policy',
    change: validating({ expression: ' ' }),
    causes: ['spec.validations[0].expression: Required value: expression is not specified'],
  },
  {
    name: 'an expression that does not compile',
    kind: 'policy',
    change: validating({ expression: 'objec.spec == 1' }),
    causes: ['spec.validations[0].expression: Invalid value: "objec.spec == 1": compilation failed'],
  },
  {
    name: 'an expression of any type',
    kind: 'policy',
    change: validating({ expression: 'object.spec' }),
    causes: ['spec.validations[0].expression: Invalid value: "object.spec": must evaluate to bool but got dyn'],
  },
  {
    name: 'an expression of a number',
    kind: 'policy',
    change: validating({ expression: 'size(object.spec)' }),
    causes: ['spec.validations[0].expression: Invalid value: "size(object.spec)": must evaluate to bool but got int'],
  },
  {
    name: 'an unknown part of the request',
    kind: 'policy',
    change: validating({ expression: 'request.user == "a"' }),
    causes: ['spec.validations[0].expression: Invalid value: "request.user == \\"a\\"": compilation failed'],
  },
  {
    name: 'an unknown part of the namespace',
    kind: 'policy',
    change: validating({ expression: 'namespaceObject.metadata.uid == "a"' }),
    causes: ['spec.validations[0].expression: Invalid value: "namespaceObject.metadata.uid == \\"a\\"": compilation failed'],
  },
  {
    name: 'parameters without a kind',
    kind: 'policy',
    change: validating({ expression: 'params.a == 1' }),
    causes: ['spec.validations[0].expression: Invalid value: "params.a == 1": compilation failed'],
  },
  {
    name: 'a message expression of any type',
    kind: 'policy',
    change: validating({ messageExpression: 'object.metadata.name' }),
    causes: ['spec.validations[0].messageExpression: Invalid value: "object.metadata.name": must evaluate to string but got dyn'],
  },
  {
    name: 'an empty message expression',
    kind: 'policy',
    change: validating({ messageExpression: ' ' }),
    causes: ['spec.validations[0].messageExpression: Invalid value: " ": must be non-empty if specified'],
  },
  {
    name: 'an empty message',
    kind: 'policy',
    change: validating({ message: ' ' }),
    causes: ['spec.validations[0].message: Invalid value: " ": must be non-empty if specified'],
  },
  {
    name: 'a message of two lines',
    kind: 'policy',
    change: validating({ message: 'a\nb' }),
    causes: ['spec.validations[0].message: Invalid value: "a\\nb": must not contain line breaks'],
  },
  {
    name: 'an unknown reason',
    kind: 'policy',
    change: validating({ reason: 'NotFound' }),
    causes: [
      'spec.validations[0].reason: Unsupported value: "NotFound": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
    ],
  },
  {
    name: 'a variable that is not there',
    kind: 'policy',
    change: { variables: [{ name: 'a', expression: '1' }], ...validating({ expression: 'variables.b == 1' }) },
    causes: ['spec.validations[0].expression: Invalid value: "variables.b == 1": compilation failed'],
  },
  {
    name: 'variables where there are none',
    kind: 'policy',
    change: validating({ expression: 'variables.b == 1' }),
    causes: ['spec.validations[0].expression: Invalid value: "variables.b == 1": compilation failed'],
  },
  {
    name: 'a variable of a later one',
    kind: 'policy',
    change: {
      variables: [
        { name: 'a', expression: 'variables.b' },
        { name: 'b', expression: '1' },
      ],
    },
    causes: ['spec.variables[0].expression: Invalid value: "variables.b": compilation failed'],
  },
  {
    name: 'a bad name of a variable',
    kind: 'policy',
    change: {
      variables: [
        { name: 'a-b', expression: '1' },
        { name: 'in', expression: '2' },
      ],
    },
    causes: [
      'spec.variables[0].name: Invalid value: "a-b": must be a valid CEL identifier',
      'spec.variables[1].name: Invalid value: "in": must be a valid CEL identifier',
    ],
  },
  {
    name: 'an empty variable',
    kind: 'policy',
    change: { variables: [{ name: '', expression: '' }] },
    causes: [
      'spec.variables[0].expression: Required value: expression is not specified',
      'spec.variables[0].name: Required value: name is not specified',
    ],
  },
  {
    name: 'conditions of one name',
    kind: 'policy',
    change: {
      matchConditions: [
        { name: 'a', expression: 'true' },
        { name: 'b c', expression: '' },
      ],
    },
    causes: [
      'spec.matchConditions[1].expression: Required value',
      "spec.matchConditions[1].name: Invalid value: \"b c\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  },
  {
    name: 'a condition of any type',
    kind: 'policy',
    change: { matchConditions: [{ name: 'a', expression: ' object.spec ' }] },
    causes: ['spec.matchConditions[0].expression: Invalid value: "object.spec": must evaluate to bool but got dyn'],
  },
  {
    name: 'a bad kind of parameters',
    kind: 'policy',
    change: { paramKind: { apiVersion: 'a/b/c', kind: 'a b' } },
    causes: [
      'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      "spec.paramKind.kind: Invalid value: \"a b\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  },
  {
    name: 'no kind of parameters',
    kind: 'policy',
    change: { paramKind: { apiVersion: '', kind: '' } },
    causes: ['spec.paramKind.apiVersion: Required value', 'spec.paramKind.kind: Required value'],
  },
  {
    name: 'annotations',
    kind: 'policy',
    change: {
      auditAnnotations: [
        { key: 'a b', valueExpression: '1' },
        { key: 'c', valueExpression: 'string(object.a)' },
        { key: 'c', valueExpression: '' },
      ],
    },
    causes: [
      "spec.auditAnnotations[0].key: Invalid value: \"refused/a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
      'spec.auditAnnotations[2].key: Duplicate value: "c"',
      'spec.auditAnnotations[2].valueExpression: Required value: valueExpression is not specified',
    ],
  },

  { name: 'a good binding', kind: 'binding', change: {}, causes: [] },
  { name: 'no policy', kind: 'binding', change: { policyName: undefined }, causes: ['spec.policyName: Required value'] },
  {
    name: 'a bad name of a policy',
    kind: 'binding',
    change: { policyName: 'A_B' },
    causes: [
      "spec.policyName: Invalid value: \"A_B\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  },
  {
    name: 'no actions',
    kind: 'binding',
    change: { validationActions: [] },
    causes: ['spec.validationActions: Required value: at least one validation action is required'],
  },
  {
    name: 'an unknown action',
    kind: 'binding',
    change: { validationActions: ['Stop'] },
    causes: ['spec.validationActions[0]: Unsupported value: "Stop": supported values: "Audit", "Deny", "Warn"'],
  },
  {
    name: 'denying and warning',
    kind: 'binding',
    change: { validationActions: ['Deny', 'Warn'] },
    causes: [
      'spec.validationActions: Invalid value: ["Deny","Warn"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
    ],
  },
  {
    name: 'no way with missing parameters',
    kind: 'binding',
    change: { paramRef: { name: 'a' } },
    causes: ['spec.paramRef.parameterNotFoundAction: Required value'],
  },
  {
    name: 'an unknown way with missing parameters',
    kind: 'binding',
    change: { paramRef: { name: 'a', parameterNotFoundAction: 'Wait' } },
    causes: ['spec.paramRef.parameterNotFoundAction: Unsupported value: "Wait": supported values: "Deny", "Allow"'],
  },
  {
    name: 'parameters by name and labels',
    kind: 'binding',
    change: { paramRef: { name: 'a', selector: {}, parameterNotFoundAction: 'Deny' } },
    causes: [
      'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
      'spec.paramRef.selector: Forbidden: name and selector are mutually exclusive',
    ],
  },
  {
    name: 'parameters by nothing',
    kind: 'binding',
    change: { paramRef: { parameterNotFoundAction: 'Deny' } },
    causes: ['spec.paramRef: Required value: one of name or selector must be specified'],
  },
  {
    name: 'a bad rule of a binding',
    kind: 'binding',
    change: { matchResources: { resourceRules: [{ ...rule, operations: ['READ'] }] } },
    causes: [
      'spec.matchResources.resourceRules[0].operations[0]: Unsupported value: "READ": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
    ],
  },

  { name: 'a good webhook', kind: 'webhook', change: {}, causes: [] },
];
