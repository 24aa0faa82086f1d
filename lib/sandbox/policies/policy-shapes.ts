// Admission policies and their bindings, as their schema has read them and their defaults have filled them.
import type { LabelSelector } from '../../objects/kubernetes.ts';
import type { ApiObject } from '../objects/api-object.ts';

export interface Rule {
  resourceNames?: readonly string[];
  operations?: readonly string[];
  apiGroups?: readonly string[];
  apiVersions?: readonly string[];
  resources?: readonly string[];
  scope?: string;
}

export interface MatchResources {
  matchPolicy?: string;
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  resourceRules?: readonly Rule[];
  excludeResourceRules?: readonly Rule[];
}

export interface MatchCondition {
  name?: string;
  expression?: string;
}

export interface Validation {
  expression?: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
}

export interface PolicySpec {
  paramKind?: { apiVersion?: string; kind?: string };
  matchConstraints?: MatchResources;
  validations?: readonly Validation[];
  failurePolicy?: string;
  auditAnnotations?: readonly { key?: string; valueExpression?: string }[];
  matchConditions?: readonly MatchCondition[];
  variables?: readonly { name?: string; expression?: string }[];
}

export interface ParamRef {
  name?: string;
  namespace?: string;
  selector?: LabelSelector;
  parameterNotFoundAction?: string;
}

export interface BindingSpec {
  policyName?: string;
  paramRef?: ParamRef;
  matchResources?: MatchResources;
  validationActions?: readonly string[];
}

export const policySpecOf = ({ spec }: ApiObject): PolicySpec => spec ?? {};
export const bindingSpecOf = ({ spec }: ApiObject): BindingSpec => spec ?? {};
