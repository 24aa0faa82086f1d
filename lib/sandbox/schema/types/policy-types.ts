// Disruption budgets, evictions, and definitions of resources that nobody defines here. Notation: notation.ts.

export const policyTypes = {
  PodDisruptionBudget: 'apiVersion:s kind:s metadata@1:ObjectMeta^ spec@2:PodDisruptionBudgetSpec^ status@3:PodDisruptionBudgetStatus^',
  PodDisruptionBudgetSpec: 'maxUnavailable@3:x minAvailable@1:x selector@2:LabelSelector~ unhealthyPodEvictionPolicy@4:s',
  PodDisruptionBudgetStatus: `
    conditions@7:Condition[type] currentHealthy@4:i^ desiredHealthy@5:i^ disruptedPods@2:{t} disruptionsAllowed@3:i^ expectedPods@6:i^
    observedGeneration@1:l`,
  CustomResourceDefinition: 'apiVersion:s kind:s metadata@1:ObjectMeta^ spec*@2:CustomResourceDefinitionSpec^',
  CustomResourceDefinitionSpec: 'group*@1:s scope*@4:s',
  Eviction: 'apiVersion:s deleteOptions@2:DeleteOptions kind:s metadata@1:ObjectMeta^',
} as const;
