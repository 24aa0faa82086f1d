// A structural schema, as `openAPIV3Schema` of a CustomResourceDefinition writes it.

/** A rule in CEL: `x-kubernetes-validations`. */
export interface ValidationRule {
  rule: string;
  message?: string | undefined;
  messageExpression?: string | undefined;
  reason?: string | undefined;
  fieldPath?: string | undefined;
  optionalOldSelf?: boolean | undefined;
}

/** JSONSchemaProps of apiextensions.k8s.io/v1. */
export interface JsonSchema {
  id?: string | undefined;
  $schema?: string | undefined;
  $ref?: string | undefined;
  title?: string | undefined;
  description?: string | undefined;
  type?: string | undefined;
  format?: string | undefined;
  nullable?: boolean | undefined;
  default?: unknown;
  example?: unknown;
  externalDocs?: object | undefined;
  enum?: readonly unknown[] | undefined;
  maximum?: number | undefined;
  exclusiveMaximum?: boolean | undefined;
  minimum?: number | undefined;
  exclusiveMinimum?: boolean | undefined;
  multipleOf?: number | undefined;
  maxLength?: number | undefined;
  minLength?: number | undefined;
  pattern?: string | undefined;
  maxItems?: number | undefined;
  minItems?: number | undefined;
  uniqueItems?: boolean | undefined;
  maxProperties?: number | undefined;
  minProperties?: number | undefined;
  required?: readonly string[] | undefined;
  /** A list of schemas is refused in a definition. */
  items?: JsonSchema | readonly JsonSchema[] | undefined;
  additionalItems?: JsonSchema | boolean | undefined;
  properties?: Readonly<Record<string, JsonSchema>> | undefined;
  additionalProperties?: JsonSchema | boolean | undefined;
  patternProperties?: Readonly<Record<string, JsonSchema>> | undefined;
  dependencies?: Readonly<Record<string, JsonSchema | readonly string[]>> | undefined;
  definitions?: Readonly<Record<string, JsonSchema>> | undefined;
  allOf?: readonly JsonSchema[] | undefined;
  anyOf?: readonly JsonSchema[] | undefined;
  oneOf?: readonly JsonSchema[] | undefined;
  not?: JsonSchema | undefined;
  'x-kubernetes-preserve-unknown-fields'?: boolean | undefined;
  'x-kubernetes-embedded-resource'?: boolean | undefined;
  'x-kubernetes-int-or-string'?: boolean | undefined;
  'x-kubernetes-list-type'?: string | undefined;
  'x-kubernetes-list-map-keys'?: readonly string[] | undefined;
  'x-kubernetes-map-type'?: string | undefined;
  'x-kubernetes-validations'?: readonly ValidationRule[] | undefined;
}
