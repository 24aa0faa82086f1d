// Questions about who somebody is and what they may do. Notation: notation.ts.

export const reviewTypes = {
  SelfSubjectReview: 'apiVersion:s kind:s metadata@1:ObjectMeta^ status@2:SelfSubjectReviewStatus^',
  SelfSubjectReviewStatus: 'userInfo@1:UserInfo^',
  UserInfo: 'extra@4:{s[]} groups@3:s[] uid@2:s username@1:s',
  TokenReview: 'apiVersion:s kind:s metadata@1:ObjectMeta^ spec*@2:TokenReviewSpec^ status@3:TokenReviewStatus^',
  TokenReviewSpec: 'audiences@2:s[] token*@1:s',
  TokenReviewStatus: 'audiences@4:s[] authenticated@1:b error@3:s user@2:UserInfo^',
  TokenRequest: 'apiVersion:s kind:s metadata@1:ObjectMeta^ spec@2:TokenRequestSpec^ status@3:TokenRequestStatus^',
  TokenRequestSpec: 'audiences@1:s[]^ boundObjectRef@3:BoundObjectReference expirationSeconds@4:l',
  TokenRequestStatus: 'expirationTimestamp@2:t^ token@1:s^',
  BoundObjectReference: 'apiVersion@2:s kind@1:s name@3:s uid@4:s',
  SelfSubjectAccessReview:
    'apiVersion:s kind:s metadata@1:ObjectMeta^ spec*@2:SelfSubjectAccessReviewSpec^ status@3:SubjectAccessReviewStatus^',
  SelfSubjectAccessReviewSpec: 'nonResourceAttributes@2:NonResourceAttributes resourceAttributes@1:ResourceAttributes',
  SubjectAccessReview: 'apiVersion:s kind:s metadata@1:ObjectMeta^ spec*@2:SubjectAccessReviewSpec^ status@3:SubjectAccessReviewStatus^',
  SubjectAccessReviewSpec: `
    extra@5:{s[]} groups@4:s[] nonResourceAttributes@2:NonResourceAttributes resourceAttributes@1:ResourceAttributes uid@6:s user@3:s`,
  SubjectAccessReviewStatus: 'allowed*@1:b denied@4:b evaluationError@3:s reason@2:s',
  NonResourceAttributes: 'path@1:s verb@2:s',
  ResourceAttributes: `
    fieldSelector@8:FieldSelectorAttributes group@3:s labelSelector@9:LabelSelectorAttributes name@7:s namespace@1:s resource@5:s
    subresource@6:s verb@2:s version@4:s`,
  FieldSelectorAttributes: 'rawSelector@1:s requirements@2:FieldSelectorRequirement[]',
  FieldSelectorRequirement: 'key*@1:s operator*@2:s values@3:s[]',
  LabelSelectorAttributes: 'rawSelector@1:s requirements@2:LabelSelectorRequirement[]',
  SelfSubjectRulesReview:
    'apiVersion:s kind:s metadata@1:ObjectMeta^ spec*@2:SelfSubjectRulesReviewSpec^ status@3:SubjectRulesReviewStatus^',
  SelfSubjectRulesReviewSpec: 'namespace@1:s',
  SubjectRulesReviewStatus: 'evaluationError@4:s incomplete*@3:b nonResourceRules*@2:NonResourceRule[] resourceRules*@1:ResourceRule[]',
  NonResourceRule: 'nonResourceURLs@2:s[] verbs*@1:s[]',
  ResourceRule: 'apiGroups@2:s[] resourceNames@4:s[] resources@3:s[] verbs*@1:s[]',
} as const;
