// Decides requests by the stored roles and bindings. Besides these only the rights of everybody are granted.
import { fieldsAt, listAt, textAt } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import type { Storage } from '../storage/storage.ts';
import { keyOf } from '../storage/version.ts';
import type { Attributes, Decision, Person } from '../objects/asker.ts';

const GROUP = 'rbac.authorization.k8s.io';
const ADMINISTRATORS = 'system:masters';
const ALL = '*';
const ACCOUNT = 'system:serviceaccount:';

/** Rules with what grants them. */
interface Grant {
  rules: readonly Fields[];
  reason: string;
  /** A binding names a role that is not there: that it is missing, in the words of a refusal. */
  lacks?: string;
}

/** Rights that a real server's own roles grant every authenticated user: discovery, and reviews of oneself. */
const ofEverybody: readonly Fields[] = [
  {
    verbs: ['get'],
    nonResourceURLs: [
      '/api',
      '/api/*',
      '/apis',
      '/apis/*',
      '/healthz',
      '/livez',
      '/openapi',
      '/openapi/*',
      '/readyz',
      '/version',
      '/version/',
    ],
  },
  { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
  { verbs: ['create'], apiGroups: ['authorization.k8s.io'], resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'] },
];

const isAdministrator = ({ groups }: Person): boolean => groups.includes(ADMINISTRATORS);

/** Decides by the roles and bindings of now. */
export function decide(storage: Storage, person: Person, asked: Attributes): Decision {
  if (isAdministrator(person)) return { isAllowed: true, reason: '' };
  const missing: string[] = [];
  for (const { rules, reason, lacks } of grantsOf(storage, person, 'path' in asked ? undefined : asked.namespace)) {
    if (rules.some((rule) => grants(rule, asked))) return { isAllowed: true, reason };
    if (lacks !== undefined) missing.push(lacks);
  }
  const [first] = missing;
  if (first === undefined) return { isAllowed: false, reason: '' };
  return { isAllowed: false, reason: `RBAC: ${missing.length === 1 ? first : `[${[...new Set(missing)].join(', ')}]`}` };
}

/** All rules that hold for somebody in a namespace. */
export const rulesOf = (storage: Storage, person: Person, namespace: string): Fields[] =>
  isAdministrator(person)
    ? [
        { verbs: [ALL], apiGroups: [ALL], resources: [ALL] },
        { verbs: [ALL], nonResourceURLs: [ALL] },
      ]
    : [...grantsOf(storage, person, namespace)].flatMap(({ rules }) => rules);

function* grantsOf(storage: Storage, person: Person, namespace: string | undefined): Generator<Grant> {
  if (person.groups.includes('system:authenticated')) yield { rules: ofEverybody, reason: '' };
  yield* grantsBy(storage, person, { bindings: storage.list(`clusterrolebindings.${GROUP}`), kind: 'ClusterRoleBinding' });
  if (namespace) yield* grantsBy(storage, person, { bindings: storage.list(`rolebindings.${GROUP}`, namespace), kind: 'RoleBinding' });
}

function* grantsBy(
  storage: Storage,
  person: Person,
  { bindings, kind }: { bindings: readonly { object: ApiObject }[]; kind: string },
): Generator<Grant> {
  for (const { object } of bindings) {
    const { name = '', namespace } = object.metadata;
    const subject = listAt(object, 'subjects').find((each) => isSubject(each, person, namespace));
    if (!subject) continue;
    const role = fieldsAt(object, 'roleRef');
    const [roleKind, roleName] = [textAt(role, 'kind'), textAt(role, 'name')];
    const found =
      roleKind === 'Role'
        ? storage.get(`roles.${GROUP}`, keyOf(namespace, roleName))
        : storage.get(`clusterroles.${GROUP}`, keyOf(undefined, roleName));
    if (!found) {
      yield { rules: [], reason: '', lacks: `${roleKind.toLowerCase()}.${GROUP} ${JSON.stringify(roleName)} not found` };
      continue;
    }
    const binding = JSON.stringify(namespace === undefined ? name : `${name}/${namespace}`);
    const reason = `RBAC: allowed by ${kind} ${binding} of ${roleKind} ${JSON.stringify(roleName)} to ${subjectText(subject, namespace)}`;
    yield { rules: listAt(found.object, 'rules'), reason };
  }
}

function isSubject(subject: Fields, { name, groups }: Person, namespace: string | undefined): boolean {
  const given = textAt(subject, 'name');
  switch (textAt(subject, 'kind')) {
    case 'User':
      return name === given;
    case 'Group':
      return groups.includes(given);
    case 'ServiceAccount':
      return name === `${ACCOUNT}${textAt(subject, 'namespace') || (namespace ?? '')}:${given}`;
    default:
      return false;
  }
}

function subjectText(subject: Fields, namespace: string | undefined): string {
  const [kind, name] = [textAt(subject, 'kind'), textAt(subject, 'name')];
  const whole = kind === 'ServiceAccount' ? `${name}/${textAt(subject, 'namespace') || (namespace ?? '')}` : name;
  return `${kind} ${JSON.stringify(whole)}`;
}

const textsAt = (rule: Fields, field: string): string[] =>
  Array.isArray(rule[field]) ? rule[field].filter((item): item is string => typeof item === 'string') : [];

const hasAny = (rule: Fields, field: string, ...values: string[]): boolean => {
  const texts = textsAt(rule, field);
  return texts.includes(ALL) || values.some((value) => texts.includes(value));
};

function grants(rule: Fields, asked: Attributes): boolean {
  if (!hasAny(rule, 'verbs', asked.verb)) return false;
  if ('path' in asked)
    return textsAt(rule, 'nonResourceURLs').some(
      (url) => url === ALL || url === asked.path || (url.endsWith(ALL) && asked.path.startsWith(url.slice(0, -1))),
    );
  const { group, resource, subresource, name = '' } = asked;
  if (!hasAny(rule, 'apiGroups', group)) return false;
  const resources = subresource === undefined || subresource === '' ? [resource] : [`${resource}/${subresource}`, `*/${subresource}`];
  if (!hasAny(rule, 'resources', ...resources)) return false;
  const names = textsAt(rule, 'resourceNames');
  return names.length === 0 || names.includes(name);
}
