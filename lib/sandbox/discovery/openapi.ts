// The OpenAPI documents, one for each group and version, made from the rows when first asked for.
import { createHash } from 'node:crypto';
import { openApiNameOf } from './openapi-names.ts';
import { schemasOf } from './openapi-schemas.ts';
import { describedTypesDigest } from '../schema/notation.ts';
import type { ResourceRow } from '../rows/resource-row.ts';

/** Media types of patches: clients read here whether they may send a strategic one. */
const patchTypes = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
];

const info = { title: 'Kubernetes', version: '1.36' };

const pathOf = (row: ResourceRow): string => (row.group ? `apis/${row.group}/${row.version}` : `api/${row.version}`);

/** The document of one group and version, and the rows that it was made of. */
interface GroupDocument {
  rows: readonly ResourceRow[];
  text: string;
}

/** By the first row of a group and version: servers share the built-in rows, and so these. */
const ofGroups = new WeakMap<ResourceRow, GroupDocument>();

/** Where each group's document is. Clients keep a document for as long as its hash stays. No document is made for it. */
export function openApiIndex(rows: readonly ResourceRow[]): object {
  const byPlace = Map.groupBy(rows, pathOf);
  const paths = [...byPlace].map(([place, own]) => [place, { serverRelativeURL: `/openapi/v3/${place}?hash=${digestOf(own)}` }]);
  return { paths: Object.fromEntries(paths) };
}

/** Of all that the document of some rows is made of. */
function digestOf(rows: readonly ResourceRow[]): string {
  const hash = createHash('sha256').update(describedTypesDigest());
  for (const row of rows) {
    const { kind, plural, namespaced, subresources, defined, schema } = row;
    hash.update(JSON.stringify([kind, plural, namespaced, subresources, schema.name, defined?.digest ?? '', defined?.listKind ?? '']));
  }
  return hash.digest('hex').toUpperCase();
}

/** One group's document as JSON; undefined where there is no such group. @param place e.g. `apis/batch/v1` */
export function openApiFor(rows: readonly ResourceRow[], place: string): string | undefined {
  const own = rows.filter((row) => pathOf(row) === place);
  const [first] = own;
  if (!first) return undefined;
  const known = ofGroups.get(first);
  if (known && known.rows.length === own.length && own.every((row, at) => row === known.rows[at])) return known.text;
  const text = JSON.stringify({
    openapi: '3.0.0',
    info,
    paths: Object.fromEntries(own.flatMap(pathsOf)),
    components: { schemas: schemasOf(own, first.version) },
  });
  ofGroups.set(first, { rows: own, text });
  return text;
}

function pathsOf(row: ResourceRow): [string, object][] {
  const base = `/${pathOf(row)}/${row.namespaced ? 'namespaces/{namespace}/' : ''}${row.plural}`;
  const schema = { $ref: `#/components/schemas/${openApiNameOf(row.schema.name)}` };
  const content = { 'application/json': { schema } };
  const { group, kind, version } = row;
  const ofKind = (action: string, parameters: string[] = []): object => ({
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group, kind, version },
    parameters: parameters.map((name) => ({
      name,
      in: 'query',
      schema: { type: name === 'force' ? 'boolean' : 'string', uniqueItems: true },
    })),
    responses: { 200: { description: 'OK', content } },
  });
  const writing = ['dryRun', 'fieldManager', 'fieldValidation'];
  const post = { ...ofKind('post', writing), requestBody: { content } };
  if (row.answer) return [[base, { post }]];
  if (row.isMeasured) return [base, `${base}/{name}`].map((path, at) => [path, { get: ofKind(at === 0 ? 'list' : 'get') }]);
  const ofPatch = { schema: { $ref: `#/components/schemas/${openApiNameOf('Patch')}` } };
  const own = row.isCustom ? patchTypes.filter((type) => !type.includes('strategic')) : patchTypes;
  const requestBody = { content: Object.fromEntries(own.map((type) => [type, ofPatch])) };
  return [
    [base, { get: ofKind('list'), post }],
    [`${base}/{name}`, { get: ofKind('get'), patch: { ...ofKind('patch', [...writing, 'force']), requestBody } }],
  ];
}
