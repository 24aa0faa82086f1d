// Figures of nodes and pods. Notation: notation.ts.

export const metricsTypes = {
  NodeMetrics: 'apiVersion:s kind:s metadata@1:ObjectMeta^ timestamp*@2:t usage*@4:{q} window*@3:s',
  PodMetrics: 'apiVersion:s containers*@4:ContainerMetrics[] kind:s metadata@1:ObjectMeta^ timestamp*@2:t window*@3:s',
  ContainerMetrics: 'name*@1:s usage*@2:{q}',
} as const;
