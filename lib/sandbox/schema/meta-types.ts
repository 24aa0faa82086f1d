// What every object carries, and the small types that many share. Notation: notation.ts.

export const metaTypes = {
  ObjectMeta: `
    annotations:{s} creationTimestamp:t deletionGracePeriodSeconds:l deletionTimestamp:t finalizers:s[=] generateName:s generation:l
    labels:{s} managedFields:ManagedFieldsEntry[] name:s namespace:s ownerReferences:OwnerReference[uid] resourceVersion:s selfLink:s
    uid:s`,
  ManagedFieldsEntry: 'apiVersion:s fieldsType:s fieldsV1:* manager:s operation:s subresource:s time:t',
  OwnerReference: 'apiVersion*:s blockOwnerDeletion:b controller:b kind*:s name*:s uid*:s',
  LabelSelector: 'matchExpressions:LabelSelectorRequirement[] matchLabels:{s}',
  LabelSelectorRequirement: 'key*:s operator*:s values:s[]',
  ObjectReference: 'apiVersion:s fieldPath:s kind:s name:s namespace:s resourceVersion:s uid:s',
} as const;
