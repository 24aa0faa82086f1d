// A request's attributes, in the words of roles; and the refusal of a request that no role grants.
import { ApiError } from '../objects/api-error.ts';
import { flagIn } from '../http/request.ts';
import type { ApiRequest, ResourcePath } from '../http/request.ts';
import type { Asker, Attributes } from '../objects/asker.ts';

const verbs: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch' };

function verbOf({ method, query }: ApiRequest, { name }: ResourcePath): string {
  const isOne = name !== undefined;
  if (method === 'DELETE') return isOne ? 'delete' : 'deletecollection';
  if (method !== 'GET' && method !== 'HEAD') return verbs[method] ?? '';
  return flagIn(query, 'watch') ? 'watch' : isOne ? 'get' : 'list';
}

/** A list of one object by its name is about that one. */
const selectedName = ({ query }: ApiRequest): string | undefined =>
  /(?:^|,)metadata\.name==?([^,]+)/.exec(query.get('fieldSelector') ?? '')?.[1];

/** @param path undefined for a path that leads to no resource */
export function attributesOf(request: ApiRequest, path: ResourcePath | undefined): Attributes {
  if (!path) return { verb: request.method.toLowerCase(), path: request.path };
  const { group, plural: resource, subresource } = path;
  const verb = verbOf(request, path);
  const isAboutMany = verb === 'list' || verb === 'watch';
  const name = path.name ?? (isAboutMany ? selectedName(request) : undefined);
  // A namespace is in itself, so that a role in it may be about it.
  const namespace = group === '' && resource === 'namespaces' ? path.name : path.namespace;
  return {
    verb,
    group,
    resource,
    ...(subresource !== undefined && { subresource }),
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
  };
}

/** @param reason why, beside that no role grants it; empty for nothing */
export function refusalOf({ name: asker }: Asker, asked: Attributes, reason: string): ApiError {
  const why = reason && `: ${reason}`;
  const who = `User ${JSON.stringify(asker)} cannot ${asked.verb}`;
  if ('path' in asked) return new ApiError(403, 'Forbidden', `forbidden: ${who} path ${JSON.stringify(asked.path)}${why}`, {});
  const { group, resource, subresource, namespace, name = '' } = asked;
  const what = subresource === undefined ? resource : `${resource}/${subresource}`;
  const where = namespace ? `in the namespace ${JSON.stringify(namespace)}` : 'at the cluster scope';
  const about = `${group ? `${resource}.${group}` : resource}${name && ` ${JSON.stringify(name)}`}`;
  const message = `${about} is forbidden: ${who} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}${why}`;
  return new ApiError(403, 'Forbidden', message, { ...(name && { name }), ...(group && { group }), kind: resource });
}
