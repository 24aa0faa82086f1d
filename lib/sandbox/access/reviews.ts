// Questions instead of objects: who asks, and who may do what. The holder of the sandbox's token is its administrator; roles decide
// for all others.
import type { FieldError } from '../../objects/field-error.ts';
import { badRequest, invalid } from '../objects/api-error.ts';
import { fieldsAt, isFields, textAt } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import { ISSUER } from './service-account-tokens.ts';
import type { Asker, Attributes, Decision, Reviewing } from '../objects/asker.ts';
import type { ResourceRow } from '../rows/resource-row.ts';
import { nameColumn, row } from '../rows/row.ts';

const authentication = 'authentication.k8s.io';
const authorization = 'authorization.k8s.io';

/** A user as answers show one. */
const userInfoOf = ({ name, uid, groups, extra }: Asker): Fields => ({ username: name, uid, groups: [...groups], ...(extra && { extra }) });

function review(group: string, plural: string, kind: string, answer: (object: ApiObject, reviewing: Reviewing) => Fields): ResourceRow {
  return row({
    group,
    plural,
    kind,
    namespaced: false,
    columns: [nameColumn],
    answer: (object, reviewing) => ({
      ...object,
      // A review of oneself is dated now.
      metadata: { ...object.metadata, ...(kind === 'SelfSubjectReview' && { creationTimestamp: reviewing.time }) },
      status: answer(object, reviewing),
    }),
  });
}

const selfReviews = review(authentication, 'selfsubjectreviews', 'SelfSubjectReview', (_object, { asker }) => ({
  userInfo: userInfoOf(asker),
}));

const tokenReviews = review(authentication, 'tokenreviews', 'TokenReview', ({ spec }, { identified }) => {
  const token = textAt(spec, 'token');
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const asker = identified(token);
  if (!asker) return { user: {}, error: 'invalid bearer token' };
  return { authenticated: true, user: userInfoOf(asker), audiences: [ISSUER] };
});

/** @throws ApiError 422 where a review names nothing that could be allowed, or nobody */
function checkQuestion(spec: Fields | undefined, needsUser: boolean): void {
  const asked = ['resourceAttributes', 'nonResourceAttributes'].filter((name) => isFields(spec?.[name]));
  const problems: FieldError[] = [];
  if (asked.length !== 1) {
    const message = 'Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified';
    problems.push({ reason: 'FieldValueInvalid', field: 'spec.resourceAttributes', message });
  }
  if (needsUser && textAt(spec, 'user') === '' && !isNamed(spec)) {
    const message = 'Invalid value: "": at least one of user or group must be specified';
    problems.push({ reason: 'FieldValueInvalid', field: 'spec.user', message });
  }
  if (problems.length > 0) throw invalid({ group: authorization, kind: '', name: '' }, problems);
}

const groupsOf = (spec: Fields | undefined): unknown[] => (Array.isArray(spec?.['groups']) ? spec['groups'] : []);
const isNamed = (spec: Fields | undefined): boolean => groupsOf(spec).length > 0;

/** The attributes that a review asks about. */
function attributesIn(spec: Fields | undefined): Attributes {
  if (isFields(spec?.['nonResourceAttributes'])) {
    const path = fieldsAt(spec, 'nonResourceAttributes');
    return { verb: textAt(path, 'verb'), path: textAt(path, 'path') };
  }
  const asked = fieldsAt(spec, 'resourceAttributes');
  const [verb, group, resource, subresource, namespace, name] = ['verb', 'group', 'resource', 'subresource', 'namespace', 'name'].map(
    (field) => textAt(asked, field),
  ) as [string, string, string, string, string, string];
  return { verb, group, resource, subresource, namespace, name };
}

const statusOf = ({ isAllowed, reason }: Decision): Fields => ({ allowed: isAllowed, ...(reason !== '' && { reason }) });

const selfAccess = review(authorization, 'selfsubjectaccessreviews', 'SelfSubjectAccessReview', ({ spec }, { asker, decide }) => {
  checkQuestion(spec, false);
  return statusOf(decide(asker, attributesIn(spec)));
});

const access = review(authorization, 'subjectaccessreviews', 'SubjectAccessReview', ({ spec }, { decide }) => {
  checkQuestion(spec, true);
  const groups = groupsOf(spec).filter((group): group is string => typeof group === 'string');
  return statusOf(decide({ name: textAt(spec, 'user'), groups }, attributesIn(spec)));
});

const rules = review(authorization, 'selfsubjectrulesreviews', 'SelfSubjectRulesReview', ({ spec }, { asker, rulesOf }) => {
  const namespace = textAt(spec, 'namespace');
  if (namespace === '') throw badRequest('no namespace on request');
  const held = rulesOf(asker, namespace);
  const isOfPaths = (rule: Fields): boolean => 'nonResourceURLs' in rule;
  return {
    resourceRules: held.filter((rule) => !isOfPaths(rule)),
    nonResourceRules: held.filter(isOfPaths),
    incomplete: false,
  };
});

/** How long a token lasts that is asked for without a word on it. */
const USUAL_SECONDS = 3_600;

/** Answered under the account that the token is for; no path of its own leads to it. */
export const tokenRequests = row({
  group: authentication,
  plural: 'tokenrequests',
  kind: 'TokenRequest',
  columns: [nameColumn],
  rules: { defaults: (request) => ({ ...request, spec: { expirationSeconds: USUAL_SECONDS, ...request.spec } }) },
});

export const reviews: readonly ResourceRow[] = [selfReviews, tokenReviews, selfAccess, rules, access];
