// Roles and who has them, and classes of priority. Notation: notation.ts.

export const rbacTypes = {
  Role: 'apiVersion:s kind:s metadata@1:ObjectMeta^ rules*@2:PolicyRule[]^',
  ClusterRole: 'aggregationRule@3:AggregationRule apiVersion:s kind:s metadata@1:ObjectMeta^ rules*@2:PolicyRule[]^',
  PolicyRule: 'apiGroups@2:s[] nonResourceURLs@5:s[] resourceNames@4:s[] resources@3:s[] verbs*@1:s[]^',
  AggregationRule: 'clusterRoleSelectors@1:LabelSelector[]',
  RoleBinding: 'apiVersion:s kind:s metadata@1:ObjectMeta^ roleRef*@3:RoleRef~^ subjects@2:Subject[]',
  ClusterRoleBinding: 'apiVersion:s kind:s metadata@1:ObjectMeta^ roleRef*@3:RoleRef~^ subjects@2:Subject[]',
  RoleRef: 'apiGroup*@1:s kind*@2:s name*@3:s',
  Subject: 'apiGroup@2:s kind*@1:s name*@3:s namespace@4:s',
  PriorityClass: 'apiVersion:s description@4:s globalDefault@3:b kind:s metadata@1:ObjectMeta^ preemptionPolicy@5:s value*@2:i^',
} as const;
