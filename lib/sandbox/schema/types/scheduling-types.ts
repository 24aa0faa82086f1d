// Groups of pods for the scheduler, where that feature is switched on (features.ts). Notation: notation.ts.

const template = `
  disruptionMode@5:WorkloadDisruptionMode priorityClassName@6:s resourceClaims@4:WorkloadResourceClaim[name!|name]
  schedulingConstraints@3:WorkloadSchedulingConstraints schedulingPolicy*@2:WorkloadSchedulingPolicy^`;

export const schedulingTypes = {
  Workload: 'apiVersion:s kind:s metadata@1:ObjectMeta^ spec*@2:WorkloadSpec^',
  WorkloadSpec: 'controllerRef@1:WorkloadControllerReference podGroupTemplates*@2:PodGroupTemplate[|name]',
  WorkloadControllerReference: 'apiGroup@1:s kind*@2:s name*@3:s',
  PodGroupTemplate: `name*@1:s ${template}`,
  PodGroup: 'apiVersion:s kind:s metadata@1:ObjectMeta^ spec*@2:PodGroupSpec^ status@3:PodGroupStatus^',
  PodGroupSpec: `workloadRef@1:PodGroupWorkloadReference parentCompositePodGroupName@8:s ${template}`,
  PodGroupWorkloadReference: 'workloadName*@1:s templateName*@2:s',
  PodGroupStatus: 'conditions@1:Condition[type]',
  WorkloadSchedulingPolicy: 'basic@1:* gang@2:WorkloadGangPolicy',
  WorkloadGangPolicy: 'minCount@1:i',
  WorkloadSchedulingConstraints: 'topology@1:WorkloadTopologyConstraint[]',
  WorkloadTopologyConstraint: 'key*@1:s',
  WorkloadDisruptionMode: 'all@2:* single@1:*',
  WorkloadResourceClaim: 'name*@1:s resourceClaimName@2:s resourceClaimTemplateName@3:s',
  JobScheduling: `
    disruptionMode@3:WorkloadDisruptionMode resourceClaims@4:WorkloadResourceClaim[name!|name]
    schedulingConstraints@2:WorkloadSchedulingConstraints schedulingPolicy@1:WorkloadSchedulingPolicy`,
} as const;
