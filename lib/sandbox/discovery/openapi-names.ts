// How OpenAPI calls the types: by the package in which Kubernetes keeps them. kubectl shows what stands after the last dot.

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const admission = 'io.k8s.api.admissionregistration.v1.';

/** Types of a package by what their names begin with; the others are of core/v1. */
const packages: readonly (readonly [RegExp, string])[] = [
  [/^(ObjectMeta|ListMeta|ManagedFieldsEntry|OwnerReference|LabelSelector|LabelSelectorRequirement|FieldSelectorRequirement)$/, meta],
  [/^(DeleteOptions|Preconditions|Condition|Time|MicroTime|FieldsV1|Patch)$/, meta],
  [/^Quantity$/, 'io.k8s.apimachinery.pkg.api.resource.'],
  [/^IntOrString$/, 'io.k8s.apimachinery.pkg.util.intstr.'],
  [/^(Workload.*|PodGroup.*|JobScheduling)$/, 'io.k8s.api.scheduling.v1beta1.'],
  [/^(Job(Spec|Status|Condition|List)?|PodFailurePolicy.*|SuccessPolicy.*|UncountedTerminatedPods)$/, 'io.k8s.api.batch.v1.'],
  [/^(Deployment.*|RollingUpdateDeployment)$/, 'io.k8s.api.apps.v1.'],
  [/^NetworkPolicy.*$/, 'io.k8s.api.networking.v1.'],
  [/^(HorizontalPodAutoscaler.*|CrossVersionObjectReference)$/, 'io.k8s.api.autoscaling.v2.'],
  [/^(\w*MetricSource|Metric(Identifier|Spec|Target))$/, 'io.k8s.api.autoscaling.v2.'],
  [/^Scale(Spec|Status)?$/, 'io.k8s.api.autoscaling.v1.'],
  [
    /^(CustomResource|JSONSchema|Conversion(Webhook|ClientConfig|ServiceReference)|SelectableField|ExternalDocumentation|ValidationRule).*$/,
    'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.',
  ],
  [
    /^((Validating|Mutating)(AdmissionPolicy|Webhook).*|MatchCondition|MatchResources|NamedRuleWithOperations|RuleWithOperations)$/,
    admission,
  ],
  [
    /^(AuditAnnotation|ExpressionWarning|Param(Kind|Ref)|TypeChecking|Validation|Variable|WebhookClientConfig|ServiceReference)$/,
    admission,
  ],
  [/^(Node|Pod|Container)Metrics(List)?$/, 'io.k8s.metrics.pkg.apis.metrics.v1beta1.'],
  [/^Lease(Spec|List)?$/, 'io.k8s.api.coordination.v1.'],
  [/^(PodDisruptionBudget.*|Eviction)$/, 'io.k8s.api.policy.v1.'],
  [/^(SelfSubjectReview.*|TokenRe(view|quest).*|BoundObjectReference|UserInfo)$/, 'io.k8s.api.authentication.v1.'],
  [/^((Self)?Subject.*Review.*|SubjectRules.*|.*Attributes|ResourceRule|NonResourceRule)$/, 'io.k8s.api.authorization.v1.'],
];

/** e.g. `JobSpec` → `io.k8s.api.batch.v1.JobSpec` */
export function openApiNameOf(type: string): string {
  // Types of custom resources have whole names.
  if (type.includes('.')) return type;
  // The newer events share their names with the older ones.
  if (type.startsWith('EventsEvent')) return `io.k8s.api.events.v1.${type.slice('Events'.length)}`;
  const found = packages.find(([names]) => names.test(type));
  return `${found?.[1] ?? 'io.k8s.api.core.v1.'}${type}`;
}
