// Metadata of every object, and the small types that many share. Notation: notation.ts.

export const metaTypes = {
  ObjectMeta: `
    annotations@12:{s} creationTimestamp@8:t deletionGracePeriodSeconds@10:l deletionTimestamp@9:t finalizers@14:s[=] generateName@2:s
    generation@7:l labels@11:{s} managedFields@17:ManagedFieldsEntry[] name@1:s namespace@3:s ownerReferences@13:OwnerReference[uid]
    resourceVersion@6:s selfLink@4:s uid@5:s`,
  ManagedFieldsEntry: 'apiVersion@3:s fieldsType@6:s fieldsV1:* manager@1:s operation@2:s subresource@8:s time@4:t',
  OwnerReference: 'apiVersion*@5:s blockOwnerDeletion@7:b controller@6:b kind*@1:s name*@3:s uid*@4:s',
  LabelSelector: 'matchExpressions@2:LabelSelectorRequirement[] matchLabels@1:{s}',
  LabelSelectorRequirement: 'key*@1:s operator*@2:s values@3:s[]',
  ObjectReference: 'apiVersion@5:s fieldPath@7:s kind@1:s name@3:s namespace@2:s resourceVersion@6:s uid@4:s',
  DeleteOptions: `
    apiVersion:s dryRun@5:s[] gracePeriodSeconds@1:l ignoreStoreReadErrorWithClusterBreakingPotential@6:b kind:s orphanDependents@3:b preconditions@2:Preconditions propagationPolicy@4:s`,
  Preconditions: 'resourceVersion@2:s uid@1:s',
} as const;
