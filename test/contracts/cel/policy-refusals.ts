// Policies and bindings that a kube-apiserver refuses, and which of their fields; the real one is the judge (test/cluster/custom-resources.test.ts).
import { rowsOf, valueIn } from '../case-table.ts';

type Fields = Record<string, unknown>;

const rule: Fields = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };
const matching = (change: Fields): Fields => ({ matchConstraints: { resourceRules: [{ ...rule, ...change }] } });
const validating = (change: Fields): Fields => ({ validations: [{ expression: 'true', ...change }] });

/** Where a change is made to what is a good object otherwise. */
const objects: Readonly<Record<string, { kind: string; of: (change: Fields) => Fields }>> = {
  policy: { kind: 'ValidatingAdmissionPolicy', of: (change) => ({ spec: { ...matching({}), ...validating({}), ...change } }) },
  rule: { kind: 'ValidatingAdmissionPolicy', of: (change) => ({ spec: { ...matching(change), ...validating({}) } }) },
  validation: { kind: 'ValidatingAdmissionPolicy', of: (change) => ({ spec: { ...matching({}), ...validating(change) } }) },
  binding: {
    kind: 'ValidatingAdmissionPolicyBinding',
    of: (change) => ({ spec: { policyName: 'a-policy', validationActions: ['Deny'], ...change } }),
  },
  webhook: {
    kind: 'MutatingWebhookConfiguration',
    of: (change) => ({
      webhooks: [
        {
          name: 'hook.example.com',
          clientConfig: { url: 'https://hook.example.com/path' },
          rules: [rule],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          ...change,
        },
      ],
    }),
  },
};

export interface RefusalCase {
  name: string;
  /** Where it is created. */
  path: string;
  object: object;
  /** `field: kind of problem`, sorted; none for what is taken. */
  causes: readonly string[];
}

/** What is changed, where, to what (a null takes it away), and the causes of the refusal. */
const table = `
  a good policy                          | policy     | {}                                                                                                                                                            |
  no constraints                         | policy     | {matchConstraints: null}                                                                                                                                      | spec.matchConstraints: Required value
  no rules of resources                  | policy     | {matchConstraints: {}}                                                                                                                                        | spec.matchConstraints.resourceRules: Required value
  no validations                         | policy     | {validations: null}                                                                                                                                           | spec.auditAnnotations: Required value, spec.validations: Required value
  an unknown failure policy              | policy     | {failurePolicy: Stop}                                                                                                                                         | spec.failurePolicy: Unsupported value
  an unknown match policy                | policy     | {matchConstraints: {matchPolicy: Near, resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}}                       | spec.matchConstraints.matchPolicy: Unsupported value
  a bad selector                         | policy     | {matchConstraints: {objectSelector: {matchLabels: {a b: c}}, resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}} | spec.matchConstraints.objectSelector.matchLabels: Invalid value
  no operations                          | rule       | {operations: []}                                                                                                                                              | spec.matchConstraints.resourceRules[0].operations: Required value
  an unknown operation                   | rule       | {operations: [READ]}                                                                                                                                          | spec.matchConstraints.resourceRules[0].operations[0]: Unsupported value
  an empty version                       | rule       | {apiVersions: ['']}                                                                                                                                           | spec.matchConstraints.resourceRules[0].apiVersions[0]: Required value
  no resources                           | rule       | {resources: []}                                                                                                                                               | spec.matchConstraints.resourceRules[0].resources: Required value
  an unknown scope                       | rule       | {scope: Global}                                                                                                                                               | spec.matchConstraints.resourceRules[0].scope: Unsupported value
  an empty expression                    | validation | {expression: " "}                                                                                                                                             | spec.validations[0].expression: Required value
  an expression that does not compile    | validation | {expression: objec.spec == 1}                                                                                                                                 | spec.validations[0].expression: Invalid value
  an expression of any type              | validation | {expression: object.spec}                                                                                                                                     | spec.validations[0].expression: Invalid value
  an expression of a number              | validation | {expression: size(object.spec)}                                                                                                                               | spec.validations[0].expression: Invalid value
  an unknown part of the request         | validation | {expression: request.user == "a"}                                                                                                                             | spec.validations[0].expression: Invalid value
  an unknown part of the namespace       | validation | {expression: namespaceObject.metadata.uid == "a"}                                                                                                             | spec.validations[0].expression: Invalid value
  parameters without a kind              | validation | {expression: params.a == 1}                                                                                                                                   | spec.validations[0].expression: Invalid value
  a message expression of any type       | validation | {messageExpression: object.metadata.name}                                                                                                                     | spec.validations[0].messageExpression: Invalid value
  an empty message expression            | validation | {messageExpression: " "}                                                                                                                                      | spec.validations[0].messageExpression: Invalid value
  an empty message                       | validation | {message: " "}                                                                                                                                                | spec.validations[0].message: Invalid value
  a message of two lines                 | validation | {message: "a\\nb"}                                                                                                                                             | spec.validations[0].message: Invalid value
  an unknown reason                      | validation | {reason: NotFound}                                                                                                                                            | spec.validations[0].reason: Unsupported value
  a variable that is not there           | policy     | {variables: [{name: a, expression: '1'}], validations: [{expression: variables.b == 1}]}                                                                      | spec.validations[0].expression: Invalid value
  variables where there are none         | validation | {expression: variables.b == 1}                                                                                                                                | spec.validations[0].expression: Invalid value
  a variable of a later one              | policy     | {variables: [{name: a, expression: variables.b}, {name: b, expression: '1'}]}                                                                                 | spec.variables[0].expression: Invalid value
  a bad name of a variable               | policy     | {variables: [{name: a-b, expression: '1'}, {name: in, expression: '2'}]}                                                                                      | spec.variables[0].name: Invalid value, spec.variables[1].name: Invalid value
  an empty variable                      | policy     | {variables: [{name: '', expression: ''}]}                                                                                                                     | spec.variables[0].expression: Required value, spec.variables[0].name: Required value
  conditions of one name                 | policy     | {matchConditions: [{name: a, expression: 'true'}, {name: b c, expression: ''}]}                                                                               | spec.matchConditions[1].expression: Required value, spec.matchConditions[1].name: Invalid value
  a condition of any type                | policy     | {matchConditions: [{name: a, expression: ' object.spec '}]}                                                                                                   | spec.matchConditions[0].expression: Invalid value
  no kind of parameters                  | policy     | {paramKind: {apiVersion: '', kind: ''}}                                                                                                                       | spec.paramKind.apiVersion: Required value, spec.paramKind.kind: Required value
  annotations                            | policy     | {auditAnnotations: [{key: a, valueExpression: '1'}, {key: b, valueExpression: string(object.a)}, {key: c, valueExpression: ''}]}                              | spec.auditAnnotations[0].valueExpression: Invalid value, spec.auditAnnotations[2].valueExpression: Required value
  a good binding                         | binding    | {}                                                                                                                                                            |
  no policy                              | binding    | {policyName: null}                                                                                                                                            | spec.policyName: Required value
  a bad name of a policy                 | binding    | {policyName: A_B}                                                                                                                                             | spec.policyName: Invalid value
  no actions                             | binding    | {validationActions: []}                                                                                                                                       | spec.validationActions: Required value
  an unknown action                      | binding    | {validationActions: [Stop]}                                                                                                                                   | spec.validationActions[0]: Unsupported value
  denying and warning                    | binding    | {validationActions: [Deny, Warn]}                                                                                                                             | spec.validationActions: Invalid value
  no way with missing parameters         | binding    | {paramRef: {name: a}}                                                                                                                                         | spec.paramRef.parameterNotFoundAction: Required value
  an unknown way with missing parameters | binding    | {paramRef: {name: a, parameterNotFoundAction: Wait}}                                                                                                          | spec.paramRef.parameterNotFoundAction: Unsupported value
  parameters by name and labels          | binding    | {paramRef: {name: a, selector: {}, parameterNotFoundAction: Deny}}                                                                                            | spec.paramRef.name: Forbidden, spec.paramRef.selector: Forbidden
  parameters by nothing                  | binding    | {paramRef: {parameterNotFoundAction: Deny}}                                                                                                                   | spec.paramRef: Required value
  a bad rule of a binding                | binding    | {matchResources: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [READ], resources: [pods]}]}}                                              | spec.matchResources.resourceRules[0].operations[0]: Unsupported value
  a good webhook                         | webhook    | {}                                                                                                                                                            |
`;

export const refusalCases: readonly RefusalCase[] = rowsOf(['name', 'of', 'change', 'causes'], table).map(
  ({ name, of, change, causes }) => {
    const { kind = '', of: objectOf } = objects[of] ?? {};
    const group = 'admissionregistration.k8s.io/v1';
    const plural = kind.replace(/y$/, 'ie').toLowerCase();
    return {
      name,
      path: `/apis/${group}/${plural}s?dryRun=All`,
      object: { apiVersion: group, kind, metadata: { name: 'refused' }, ...objectOf?.(valueIn(change) as Fields) },
      causes: causes === '' ? [] : causes.split(', '),
    };
  },
);
