// Admission policies and webhook configurations of admissionregistration.k8s.io/v1. Notation: notation.ts.

const match = `matchPolicy@7:s namespaceSelector@1:LabelSelector objectSelector@2:LabelSelector`;
const webhook = `
  admissionReviewVersions*@8:s[] clientConfig*@2:WebhookClientConfig^ failurePolicy@4:s matchPolicy@9:s name*@1:s
  namespaceSelector@5:LabelSelector rules@3:RuleWithOperations[] sideEffects*@6:s timeoutSeconds@7:i`;

export const admissionTypes = {
  ValidatingAdmissionPolicy: `
    apiVersion:s kind:s metadata@1:ObjectMeta^ spec*@2:ValidatingAdmissionPolicySpec^ status@3:ValidatingAdmissionPolicyStatus^`,
  ValidatingAdmissionPolicySpec: `
    auditAnnotations@5:AuditAnnotation[] failurePolicy@4:s matchConditions@6:MatchCondition[name] matchConstraints@2:MatchResources
    paramKind@1:ParamKind validations@3:Validation[] variables@7:Variable[name]`,
  ValidatingAdmissionPolicyStatus: 'conditions@3:Condition[type] observedGeneration@1:l typeChecking@2:TypeChecking',
  TypeChecking: 'expressionWarnings@1:ExpressionWarning[]',
  ExpressionWarning: 'fieldRef*@2:s warning*@3:s',
  AuditAnnotation: 'key*@1:s valueExpression*@2:s',
  MatchCondition: 'expression*@2:s name*@1:s',
  MatchResources: `excludeResourceRules@4:NamedRuleWithOperations[] ${match} resourceRules@3:NamedRuleWithOperations[]`,
  NamedRuleWithOperations: `
    apiGroups@2.2.1:s[] apiVersions@2.2.2:s[] operations@2.1:s[] resourceNames@1:s[] resources@2.2.3:s[] scope@2.2.4:s`,
  RuleWithOperations: 'apiGroups@2.1:s[] apiVersions@2.2:s[] operations@1:s[] resources@2.3:s[] scope@2.4:s',
  ParamKind: 'apiVersion@1:s kind@2:s',
  Validation: 'expression*@1:s message@2:s messageExpression@4:s reason@3:s',
  Variable: 'expression*@2:s name*@1:s',
  ValidatingAdmissionPolicyBinding: 'apiVersion:s kind:s metadata@1:ObjectMeta^ spec*@2:ValidatingAdmissionPolicyBindingSpec^',
  ValidatingAdmissionPolicyBindingSpec: 'matchResources@3:MatchResources paramRef@2:ParamRef policyName@1:s validationActions@4:s[=]',
  ParamRef: 'name@1:s namespace@2:s parameterNotFoundAction@4:s selector@3:LabelSelector',
  ValidatingWebhookConfiguration: 'apiVersion:s kind:s metadata@1:ObjectMeta^ webhooks@2:ValidatingWebhook[name]',
  ValidatingWebhook: `${webhook} matchConditions@11:MatchCondition[name] objectSelector@10:LabelSelector`,
  MutatingWebhookConfiguration: 'apiVersion:s kind:s metadata@1:ObjectMeta^ webhooks@2:MutatingWebhook[name]',
  MutatingWebhook: `${webhook} matchConditions@12:MatchCondition[name] objectSelector@11:LabelSelector reinvocationPolicy@10:s`,
  WebhookClientConfig: 'caBundle@2:y service@1:ServiceReference url@3:s',
  ServiceReference: 'name*@2:s namespace*@1:s path@3:s port@4:i',
} as const;
