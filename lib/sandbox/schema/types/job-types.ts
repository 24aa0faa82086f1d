// Jobs of batch/v1. Notation: notation.ts.

export const jobTypes = {
  Job: 'apiVersion:s kind:s metadata@1:ObjectMeta^ spec@2:JobSpec^ status@3:JobStatus^',
  JobSpec: `
    activeDeadlineSeconds@3:l backoffLimit@7:i backoffLimitPerIndex@12:i completionMode@9:s completions@2:i managedBy@15:s
    manualSelector@5:b maxFailedIndexes@13:i parallelism@1:i podFailurePolicy@11:PodFailurePolicy podReplacementPolicy@14:s
    selector@4:LabelSelector~ successPolicy@16:SuccessPolicy suspend@10:b template*@6:PodTemplateSpec^ ttlSecondsAfterFinished@8:i`,
  PodFailurePolicy: 'rules*@1:PodFailurePolicyRule[]',
  PodFailurePolicyRule: `
    action*@1:s onExitCodes@2:PodFailurePolicyOnExitCodesRequirement onPodConditions@3:PodFailurePolicyOnPodConditionsPattern[]`,
  PodFailurePolicyOnExitCodesRequirement: 'containerName@1:s operator*@2:s values*@3:i[|=]',
  PodFailurePolicyOnPodConditionsPattern: 'status@2:s type*@1:s',
  SuccessPolicy: 'rules*@1:SuccessPolicyRule[]',
  SuccessPolicyRule: 'succeededCount@2:i succeededIndexes@1:s',
  PodTemplateSpec: 'metadata@1:ObjectMeta^ spec@2:PodSpec^',
  JobStatus: `
    active@4:i completedIndexes@7:s completionTime@3:t conditions@1:JobCondition[type|] failed@6:i failedIndexes@10:s ready@9:i
    startTime@2:t succeeded@5:i terminating@11:i uncountedTerminatedPods@8:UncountedTerminatedPods`,
  JobCondition: 'lastProbeTime@3:t^ lastTransitionTime@4:t^ message@6:s reason@5:s status*@2:s type*@1:s',
  UncountedTerminatedPods: 'failed@2:s[|=] succeeded@1:s[|=]',
} as const;
