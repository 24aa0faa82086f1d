// Deployments of apps/v1, and network policies of networking.k8s.io/v1. Notation: notation.ts.

export const appsTypes = {
  Deployment: 'apiVersion:s kind:s metadata@1:ObjectMeta^ spec@2:DeploymentSpec^ status@3:DeploymentStatus^',
  DeploymentSpec: `
    minReadySeconds@5:i paused@7:b progressDeadlineSeconds@9:i replicas@1:i revisionHistoryLimit@6:i selector*@2:LabelSelector
    strategy@4:DeploymentStrategy^ template*@3:PodTemplateSpec^`,
  DeploymentStrategy: 'rollingUpdate@2:RollingUpdateDeployment type@1:s',
  RollingUpdateDeployment: 'maxSurge@2:x maxUnavailable@1:x',
  DeploymentStatus: `
    availableReplicas@4:i collisionCount@8:i conditions@6:DeploymentCondition[type] observedGeneration@1:l readyReplicas@7:i
    replicas@2:i terminatingReplicas@9:i unavailableReplicas@5:i updatedReplicas@3:i`,
  DeploymentCondition: 'lastTransitionTime@7:t^ lastUpdateTime@6:t^ message@5:s reason@4:s status*@2:s type*@1:s',
  NetworkPolicy: 'apiVersion:s kind:s metadata@1:ObjectMeta^ spec@2:NetworkPolicySpec^',
  NetworkPolicySpec: 'egress@3:* ingress@2:* podSelector@1:LabelSelector^ policyTypes@4:s[]',
} as const;
