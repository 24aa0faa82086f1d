// Definitions of custom resources, of apiextensions.k8s.io/v1. Notation: notation.ts.

const names = 'categories:s[] kind*:s listKind:s plural*:s shortNames:s[] singular:s';

export const definitionTypes = {
  CustomResourceDefinition: `
    apiVersion:s kind:s metadata:ObjectMeta^ spec*:CustomResourceDefinitionSpec^ status:CustomResourceDefinitionStatus^`,
  CustomResourceDefinitionSpec: `
    conversion:CustomResourceConversion group*:s names*:CustomResourceDefinitionNames^ preserveUnknownFields:b scope*:s
    versions*:CustomResourceDefinitionVersion[]`,
  CustomResourceDefinitionNames: names,
  CustomResourceConversion: 'strategy*:s webhook:ConversionWebhook',
  ConversionWebhook: 'clientConfig:ConversionClientConfig conversionReviewVersions*:s[]',
  ConversionClientConfig: 'caBundle:y service:ConversionServiceReference url:s',
  ConversionServiceReference: 'name*:s namespace*:s path:s port:i',
  CustomResourceDefinitionVersion: `
    additionalPrinterColumns:CustomResourceColumnDefinition[] deprecated:b deprecationWarning:s name*:s schema:CustomResourceValidation
    selectableFields:SelectableField[] served*:b storage*:b subresources:CustomResourceSubresources`,
  CustomResourceColumnDefinition: 'description:s format:s jsonPath*:s name*:s priority:i type*:s',
  SelectableField: 'jsonPath*:s',
  CustomResourceSubresources: 'scale:CustomResourceSubresourceScale status:*',
  CustomResourceSubresourceScale: 'labelSelectorPath:s specReplicasPath*:s statusReplicasPath*:s',
  CustomResourceValidation: 'openAPIV3Schema:JSONSchemaProps',
  JSONSchemaProps: `
    $ref:s $schema:s additionalItems:* additionalProperties:* allOf:JSONSchemaProps[] anyOf:JSONSchemaProps[] default:*
    definitions:{JSONSchemaProps} dependencies:{*} description:s enum:*[] example:* exclusiveMaximum:b exclusiveMinimum:b
    externalDocs:ExternalDocumentation format:s id:s items:* maxItems:l maxLength:l maxProperties:l maximum:n minItems:l minLength:l
    minProperties:l minimum:n multipleOf:n not:JSONSchemaProps nullable:b oneOf:JSONSchemaProps[] pattern:s
    patternProperties:{JSONSchemaProps} properties:{JSONSchemaProps} required:s[] title:s type:s uniqueItems:b
    x-kubernetes-embedded-resource:b x-kubernetes-int-or-string:b x-kubernetes-list-map-keys:s[] x-kubernetes-list-type:s
    x-kubernetes-map-type:s x-kubernetes-preserve-unknown-fields:b x-kubernetes-validations:ValidationRule[rule]`,
  ExternalDocumentation: 'description:s url:s',
  ValidationRule: 'fieldPath:s message:s messageExpression:s optionalOldSelf:b reason:s rule*:s',
  CustomResourceDefinitionStatus: `
    acceptedNames*:CustomResourceDefinitionNames^ conditions*:CustomResourceDefinitionCondition[|type]^ observedGeneration:l
    storedVersions*:s[]`,
  CustomResourceDefinitionCondition: 'lastTransitionTime:t^ message:s observedGeneration:l reason:s status*:s type*:s',
} as const;
