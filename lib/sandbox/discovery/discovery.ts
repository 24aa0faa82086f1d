// Discovery: version, health, groups, resources, OpenAPI.
import { compareVersions } from '../definitions/definition.ts';
import { openApiFor, openApiIndex } from './openapi.ts';
import { acceptedTypes } from '../verbs/representation.ts';
import { wordsOf } from '../http/request.ts';
import type { ApiRequest, ApiResponse } from '../http/request.ts';
import type { ResourceRow } from '../rows/resource-row.ts';
import { apiVersionOf } from '../rows/resources.ts';

/** The version that clients compare their own with. */
const version = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.3',
  gitCommit: 'unknown',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'unknown',
  compiler: 'node',
  platform: 'linux/amd64',
};

const objectVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

const customVerbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

function verbsOf({ plural, answer, isCustom, isMeasured }: ResourceRow): string[] {
  if (answer) return ['create'];
  if (isMeasured) return ['get', 'list'];
  if (isCustom) return customVerbs;
  return plural === 'namespaces' ? objectVerbs.filter((verb) => verb !== 'deletecollection') : objectVerbs;
}

/**
 * The older document of OpenAPI, in protocol buffers, which describes nothing. kubectl reads it where version 3 does not know a kind, and only
 * then says that the kind is unknown.
 */
const olderDocument = '\x0a\x032.0\x12\x12\x0a\x0aKubernetes\x12\x041.36\x42\x00\x4a\x00';
const olderType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/** The answer to a path that names no resource, undefined if absent. @param rows the resources that the server serves */
export function answerDiscovery({ path, headers, method }: ApiRequest, rows: readonly ResourceRow[]): ApiResponse | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const words = wordsOf(path);
  if (path.startsWith('//') || words.includes('')) return undefined;
  const at = words.join('/');
  if (at === 'version') return json(version);
  if (words.length <= 2 && ['healthz', 'livez', 'readyz'].includes(words[0] ?? '')) return text('ok');
  if (at === 'openapi/v2') return { status: 200, headers: { 'Content-Type': olderType }, body: olderDocument };
  if (at === 'openapi/v3') return json(openApiIndex(rows));
  if (words[0] === 'openapi' && words[1] === 'v3') {
    const document = openApiFor(rows, words.slice(2).join('/'));
    return document === undefined ? undefined : { status: 200, headers: { 'Content-Type': 'application/json' }, body: document };
  }
  if ((at === 'api' || at === 'apis') && wantsAggregated(headers['accept'])) return aggregated(rows, at === 'apis');
  if (at === 'api') {
    return json({
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: headers['host'] ?? '' }],
    });
  }
  if (at === 'apis') return json({ kind: 'APIGroupList', apiVersion: 'v1', groups: groups(rows).map((name) => groupOf(rows, name)) });
  if (words[0] === 'apis' && words.length === 2 && groups(rows).includes(words[1] ?? '')) {
    return json({ kind: 'APIGroup', apiVersion: 'v1', ...groupOf(rows, words[1] ?? '') });
  }
  const [root, ...rest] = words;
  if (root !== 'api' && root !== 'apis') return undefined;
  const found = rows.filter((row) => apiVersionOf(row) === rest.join('/') && (row.group === '') === (root === 'api'));
  if (found.length === 0) return undefined;
  return json({
    kind: 'APIResourceList',
    ...(root === 'apis' && { apiVersion: 'v1' }),
    groupVersion: rest.join('/'),
    resources: inOrder(found).flatMap(resourcesOf),
  });
}

const json = (body: unknown, contentType = 'application/json'): ApiResponse => ({
  status: 200,
  headers: { 'Content-Type': contentType },
  body: JSON.stringify(body),
});

const text = (body: string): ApiResponse => ({ status: 200, headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body });

/** The server's own first, then those of definitions by their names. */
function groups(rows: readonly ResourceRow[]): string[] {
  const own = new Set(rows.filter(({ isCustom }) => !isCustom).map(({ group }) => group));
  const defined = new Set(rows.map(({ group }) => group).filter((group) => !own.has(group)));
  return [...own, ...[...defined].toSorted()].filter(Boolean);
}

/** The server's own resources as its table has them, those of definitions by their names. */
const inOrder = (rows: readonly ResourceRow[]): ResourceRow[] =>
  rows.toSorted((a, b) => (a.isCustom && b.isCustom ? (a.plural < b.plural ? -1 : 1) : 0));

/** The versions of a group, in the order in which clients prefer them. */
const versionsOf = (rows: readonly ResourceRow[], name: string): string[] =>
  [...new Set(rows.filter(({ group }) => group === name).map(({ version: each }) => each))].toSorted(compareVersions);

function groupOf(rows: readonly ResourceRow[], name: string): object {
  const described = versionsOf(rows, name).map((each) => ({ groupVersion: `${name}/${each}`, version: each }));
  return { name, versions: described, preferredVersion: described[0] };
}

function resourcesOf(row: ResourceRow): object[] {
  const { plural, singular, namespaced, kind, shortNames, categories, subresources } = row;
  return [
    {
      name: plural,
      singularName: singular,
      namespaced,
      kind,
      verbs: verbsOf(row),
      ...(shortNames.length > 0 && { shortNames }),
      ...(categories.length > 0 && { categories }),
    },
    ...subresources.map((sub) => ({
      name: `${plural}/${sub.name}`,
      singularName: '',
      namespaced,
      ...(sub.group !== undefined && { group: sub.group, version: sub.version }),
      kind: sub.kind,
      verbs: sub.verbs,
    })),
  ];
}

const wantsAggregated = (accept: string | undefined): boolean =>
  acceptedTypes(accept).some(({ parameters }) => parameters.get('as') === 'APIGroupDiscoveryList' && parameters.get('v') === 'v2');

function aggregated(rows: readonly ResourceRow[], named: boolean): ApiResponse {
  const items = (named ? groups(rows) : ['']).map((name) => {
    const own = rows.filter(({ group }) => group === name);
    return {
      metadata: { ...(name && { name }), creationTimestamp: null },
      versions: versionsOf(rows, name).map((each) => ({
        version: each,
        resources: inOrder(own.filter((row) => row.version === each)).map(aggregatedResource),
        freshness: 'Current',
      })),
    };
  });
  const body = { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
  return json(body, 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
}

function aggregatedResource(row: ResourceRow): object {
  const { plural, singular, group, version: rowVersion, kind, namespaced, shortNames, categories, subresources } = row;
  return {
    resource: plural,
    responseKind: { group, version: rowVersion, kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: verbsOf(row),
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(subresources.length > 0 && {
      subresources: subresources.map((sub) => ({
        subresource: sub.name,
        responseKind: { group: sub.group ?? group, version: sub.version ?? rowVersion, kind: sub.kind },
        verbs: sub.verbs,
      })),
    }),
  };
}
