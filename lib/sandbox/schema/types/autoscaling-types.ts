// Autoscalers of autoscaling/v2, and the scale of autoscaling/v1. Notation: notation.ts.

export const autoscalingTypes = {
  HorizontalPodAutoscaler: `
    apiVersion:s kind:s metadata@1:ObjectMeta^ spec*@2:HorizontalPodAutoscalerSpec^ status@3:HorizontalPodAutoscalerStatus^`,
  HorizontalPodAutoscalerSpec: `
    behavior@5:* maxReplicas*@3:i metrics@4:MetricSpec[] minReplicas@2:i
    scaleTargetRef*@1:CrossVersionObjectReference^`,
  HorizontalPodAutoscalerStatus: `
    conditions@6:HorizontalPodAutoscalerCondition[type] currentMetrics@5:*^ currentReplicas@3:i desiredReplicas*@4:i^
    lastScaleTime@2:t observedGeneration@1:l`,
  HorizontalPodAutoscalerCondition: 'lastTransitionTime@3:t message@5:s reason@4:s status*@2:s type*@1:s',
  CrossVersionObjectReference: 'apiVersion@3:s kind*@1:s name*@2:s',
  MetricSpec: `
    containerResource@7:ContainerResourceMetricSource external@5:ExternalMetricSource object@2:ObjectMetricSource
    pods@3:PodsMetricSource resource@4:ResourceMetricSource type*@1:s`,
  ContainerResourceMetricSource: 'container*@3:s name*@1:s target*@2:MetricTarget^',
  ExternalMetricSource: 'metric*@1:MetricIdentifier^ target*@2:MetricTarget^',
  ObjectMetricSource: 'describedObject*@1:CrossVersionObjectReference^ metric*@3:MetricIdentifier^ target*@2:MetricTarget^',
  PodsMetricSource: 'metric*@1:MetricIdentifier^ target*@2:MetricTarget^',
  ResourceMetricSource: 'name*@1:s target*@2:MetricTarget^',
  MetricIdentifier: 'name*@1:s selector@2:LabelSelector',
  MetricTarget: 'averageUtilization@4:i averageValue@3:q type*@1:s value@2:q',
  Scale: 'apiVersion:s kind:s metadata@1:ObjectMeta^ spec@2:ScaleSpec^ status@3:ScaleStatus^',
  ScaleSpec: 'replicas@1:i',
  ScaleStatus: 'replicas*@1:i selector@2:s',
} as const;
