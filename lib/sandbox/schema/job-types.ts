// Jobs of batch/v1. Notation: notation.ts.

export const jobTypes = {
  Job: 'apiVersion:s kind:s metadata:ObjectMeta spec:JobSpec status:JobStatus',
  JobSpec: `
    activeDeadlineSeconds:l backoffLimit:i backoffLimitPerIndex:i completionMode:s completions:i managedBy:s manualSelector:b
    maxFailedIndexes:i parallelism:i podFailurePolicy:PodFailurePolicy podReplacementPolicy:s selector:LabelSelector~
    successPolicy:SuccessPolicy suspend:b template*:PodTemplateSpec ttlSecondsAfterFinished:i`,
  PodFailurePolicy: 'rules*:PodFailurePolicyRule[]',
  PodFailurePolicyRule: `
    action*:s onExitCodes:PodFailurePolicyOnExitCodesRequirement onPodConditions:PodFailurePolicyOnPodConditionsPattern[]`,
  PodFailurePolicyOnExitCodesRequirement: 'containerName:s operator*:s values*:i[|=]',
  PodFailurePolicyOnPodConditionsPattern: 'status:s type*:s',
  SuccessPolicy: 'rules*:SuccessPolicyRule[]',
  SuccessPolicyRule: 'succeededCount:i succeededIndexes:s',
  PodTemplateSpec: 'metadata:ObjectMeta spec:PodSpec',
  JobStatus: `
    active:i completedIndexes:s completionTime:t conditions:JobCondition[type|] failed:i failedIndexes:s ready:i startTime:t
    succeeded:i terminating:i uncountedTerminatedPods:UncountedTerminatedPods`,
  JobCondition: 'lastProbeTime:t lastTransitionTime:t message:s reason:s status*:s type*:s',
  UncountedTerminatedPods: 'failed:s[|=] succeeded:s[|=]',
} as const;
