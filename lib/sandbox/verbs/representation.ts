// The forms in which a client may ask for objects: whole, their metadata only, or rows of a table.
import { jsonText } from '../../objects/values/json-text.ts';
import { badRequest, notAcceptable } from '../objects/api-error.ts';
import type { ResourceRow } from '../rows/resource-row.ts';
import { apiVersionOf } from '../rows/resources.ts';
import type { Version } from '../storage/version.ts';

export type Form = 'object' | 'metadata' | 'table';

/** How a client wants its answer. */
export interface Representation {
  form: Form;
  /** The object in a table's rows, besides their cells. */
  include: 'None' | 'Metadata' | 'Object';
  contentType: string;
}

interface MediaType {
  type: string;
  parameters: ReadonlyMap<string, string>;
}

/** The media types of an Accept header, in its order. */
export function acceptedTypes(accept: string | undefined): MediaType[] {
  return (accept || '*/*').split(',').map((text) => {
    const [type = '', ...parameters] = text.split(';').map((part) => part.trim());
    return { type, parameters: new Map(parameters.map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)])) };
  });
}

/** The first form of an Accept header that can be served. @throws ApiError 406 where no form can be served, 400 for a table of unknown contents */
export function representationOf(accept: string | undefined, query: URLSearchParams): Representation {
  const asked = query.get('includeObject') ?? '';
  const include = asked === 'None' || asked === 'Object' ? asked : 'Metadata';
  for (const { type, parameters } of acceptedTypes(accept)) {
    if (!['application/json', 'application/*', '*/*'].includes(type)) continue;
    const as = parameters.get('as');
    if (as === undefined) return { form: 'object', include, contentType: 'application/json' };
    if (parameters.get('g') !== 'meta.k8s.io' || parameters.get('v') !== 'v1') continue;
    if (as === 'Table' && !['None', 'Metadata', 'Object', ''].includes(asked)) {
      const problem = `includeObject: Invalid value: ${JSON.stringify(asked)}: must be 'Metadata', 'Object', 'None', or empty`;
      throw badRequest(`Unable to convert to Table as requested: ${problem}`);
    }
    if (as === 'Table') return { form: 'table', include, contentType: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
    if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList')
      return { form: 'metadata', include, contentType: 'application/json' };
  }
  throw notAcceptable(['application/json']);
}

/** An object's JSON without kind and apiVersion, as its row shows it. */
const bareText = (row: ResourceRow, version: Version): string => (row.stored ? jsonText(row.stored.read(version.object)) : version.text);

/** An object's whole JSON. */
const wholeText = (row: ResourceRow, version: Version): string =>
  `{"kind":"${row.kind}","apiVersion":"${apiVersionOf(row)}",${bareText(row, version).slice(1)}`;

const metadataText = (version: Version): string =>
  `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":${jsonText(version.object.metadata)}}`;

/** Metadata of a list. */
export interface ListFacts {
  revision: number;
  continue?: string;
  remaining?: number;
}

const listMetadata = ({ revision, continue: token, remaining }: ListFacts, isCustom = false): string =>
  JSON.stringify({
    resourceVersion: String(revision),
    ...((token !== undefined || isCustom) && { continue: token ?? '' }),
    ...(remaining !== undefined && { remainingItemCount: remaining }),
  });

/** One object in the form asked for. */
export function renderObject(row: ResourceRow, version: Version, { form, include }: Representation, nowMs: number): string {
  if (form === 'metadata') return metadataText(version);
  if (form === 'table') return tableText(row, [version], { revision: version.revision }, { include, nowMs, withColumns: true });
  return wholeText(row, version);
}

/** A list in the form asked for. */
export function renderList(
  row: ResourceRow,
  versions: readonly Version[],
  facts: ListFacts,
  { form, include }: Representation,
  nowMs: number,
): string {
  if (form === 'table') return tableText(row, versions, facts, { include, nowMs, withColumns: true });
  if (form === 'metadata') {
    const items = versions.map(metadataText).join(',');
    return `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":${listMetadata(facts)},"items":[${items}]}`;
  }
  // Only lists of custom resources name the kind of each item.
  const items = versions.map((version) => (row.isCustom ? wholeText(row, version) : bareText(row, version))).join(',');
  return `{"kind":"${row.defined?.listKind ?? `${row.kind}List`}","apiVersion":"${apiVersionOf(row)}","metadata":${listMetadata(facts, row.isCustom)},"items":[${items}]}`;
}

/** One event of a watch, with its line end. A table's columns go with the first event only. */
export function renderEvent(
  row: ResourceRow,
  type: string,
  version: Version,
  { form, include }: Representation,
  { nowMs, isFirst }: { nowMs: number; isFirst: boolean },
): string {
  if (form === 'object') return `{"type":"${type}","object":${wholeText(row, version)}}\n`;
  if (form === 'metadata') return `{"type":"${type}","object":${metadataText(version)}}\n`;
  const table = tableText(row, [version], { revision: version.revision }, { include, nowMs, withColumns: isFirst });
  return `{"type":"${type}","object":${table}}\n`;
}

/** A bookmark: nothing but how far the watch has come. */
export function renderBookmark(row: ResourceRow, revision: number, { form }: Representation, annotations?: Record<string, string>): string {
  const metadata = { resourceVersion: String(revision), ...(annotations && { annotations }) };
  const about =
    form === 'object'
      ? { kind: row.kind, apiVersion: apiVersionOf(row), metadata }
      : form === 'metadata'
        ? { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }
        : { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata, columnDefinitions: null, rows: [] };
  return `${JSON.stringify({ type: 'BOOKMARK', object: about })}\n`;
}

function tableText(
  row: ResourceRow,
  versions: readonly Version[],
  facts: ListFacts,
  { include, nowMs, withColumns }: { include: Representation['include']; nowMs: number; withColumns: boolean },
): string {
  const columns = row.columns.map(({ name, type, format = '', description = '', priority = 0 }) => ({
    name,
    type,
    format,
    description,
    priority,
  }));
  const texts = versions.map((version) => {
    const cells = JSON.stringify(row.columns.map(({ cell }) => cell(version.object, nowMs)));
    const object = include === 'None' ? 'null' : include === 'Object' ? wholeText(row, version) : metadataText(version);
    return `{"cells":${cells},"object":${object}}`;
  });
  const head = `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":${listMetadata(facts)}`;
  return `${head},"columnDefinitions":${withColumns ? JSON.stringify(columns) : 'null'},"rows":[${texts.join(',')}]}`;
}
