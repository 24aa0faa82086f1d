// Questions instead of objects: who asks, and who may do what. Whoever holds the sandbox's token is its administrator; nobody else
// may do anything.
import type { FieldError } from '../../objects/field-error.ts';
import { badRequest, invalid } from '../http/api-error.ts';
import { fieldsAt, isFields, textAt } from '../api-object.ts';
import type { ApiObject, Fields } from '../api-object.ts';
import type { Asker, ResourceRow } from './resource-row.ts';
import { nameColumn, row } from './row.ts';

const authentication = 'authentication.k8s.io';
const authorization = 'authorization.k8s.io';
const administrators = 'system:masters';
const audience = 'https://kubernetes.default.svc';

/** As an answer tells of a user. */
const userInfoOf = ({ name, groups }: Asker): Fields => ({ username: name, uid: name, groups: [...groups] });

function review(
  group: string,
  plural: string,
  kind: string,
  answer: (object: ApiObject, asker: Asker) => Fields,
  namespaced = false,
): ResourceRow {
  return row({
    group,
    plural,
    singular: kind.toLowerCase(),
    kind,
    namespaced,
    columns: [nameColumn],
    answer: (object, asker) => ({ ...object, status: answer(object, asker) }),
  });
}

/** Who asks is told as of now. */
const dated = (of: ResourceRow): ResourceRow => ({
  ...of,
  answer: (object, asker, time) => {
    const answered = of.answer?.(object, asker, time) ?? object;
    return { ...answered, metadata: { ...answered.metadata, creationTimestamp: time } };
  },
});

const selfReviews = dated(
  review(authentication, 'selfsubjectreviews', 'SelfSubjectReview', (_object, asker) => ({
    userInfo: userInfoOf(asker),
  })),
);

const tokenReviews = review(authentication, 'tokenreviews', 'TokenReview', ({ spec }, asker) => {
  const token = textAt(spec, 'token');
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  if (!asker.isToken(token)) return { user: {}, error: 'invalid bearer token' };
  return { authenticated: true, user: userInfoOf(asker), audiences: [audience] };
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

const selfAccess = review(authorization, 'selfsubjectaccessreviews', 'SelfSubjectAccessReview', ({ spec }) => {
  checkQuestion(spec, false);
  return { allowed: true };
});

const accessOf = ({ spec }: ApiObject, asker: Asker): Fields => {
  checkQuestion(spec, true);
  return { allowed: textAt(spec, 'user') === asker.name || groupsOf(spec).includes(administrators) };
};

const access = review(authorization, 'subjectaccessreviews', 'SubjectAccessReview', accessOf);

const localAccess = review(
  authorization,
  'localsubjectaccessreviews',
  'LocalSubjectAccessReview',
  (object, asker) => {
    const { namespace = '' } = object.metadata;
    if (textAt(fieldsAt(object.spec, 'resourceAttributes'), 'namespace') !== namespace) {
      throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${namespace}`);
    }
    return accessOf(object, asker);
  },
  true,
);

const rules = review(authorization, 'selfsubjectrulesreviews', 'SelfSubjectRulesReview', ({ spec }) => {
  if (textAt(spec, 'namespace') === '') throw badRequest('no namespace on request');
  return {
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    incomplete: false,
  };
});

export const reviews: readonly ResourceRow[] = [selfReviews, tokenReviews, localAccess, selfAccess, rules, access];
