// Lists: which objects, as of which resourceVersion, in how many pages.
import { ApiError, badRequest, invalid, tooOldVersion, versionAhead } from '../objects/api-error.ts';
import { isFields } from '../objects/api-object.ts';
import type { ApiObject } from '../objects/api-object.ts';
import type { FieldError } from '../../objects/field-error.ts';
import type { ListFacts } from './representation.ts';
import { numberIn, timeoutMsIn, versionIn } from '../http/request.ts';
import type { ResourceRow } from '../rows/resource-row.ts';
import { storageName } from '../rows/resources.ts';
import { shownBy } from './shown.ts';
import { selectionOf } from './selectors.ts';
import type { Selection } from './selectors.ts';
import type { Storage } from '../storage/storage.ts';
import type { Version } from '../storage/version.ts';

/** The selection of a query; undefined for everything. @throws ApiError 400 */
export function selectionIn(row: ResourceRow, query: URLSearchParams, name?: string): Selection | undefined {
  const fields = query.get('fieldSelector') ?? '';
  return selectionOf(query.get('labelSelector') ?? '', name === undefined ? fields : `metadata.name=${name}${fields && `,${fields}`}`, {
    // Jobs are refused in words of their own.
    refusal: (field) => (row.kind === 'Job' ? `field label "${field}" not supported for Job` : `field label not supported: ${field}`),
    known: ['metadata.name', ...(row.namespaced ? ['metadata.namespace'] : []), ...row.selectable],
    fieldsOf: (object: ApiObject) => ({
      'metadata.namespace': object.metadata.namespace ?? '',
      ...(row.selectable.length > 0 && row.fieldsOf(object)),
    }),
  });
}

/** Where the next page begins. */
interface Continuation {
  /** -1: the newest state, the earlier one being forgotten. */
  revision: number;
  after: string;
}

const encode = ({ revision, after }: Continuation): string =>
  Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: `${after}\u0000` })).toString('base64url');

function decodeToken(text: string): Continuation {
  try {
    const token: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (isFields(token) && typeof token['rv'] === 'number' && typeof token['start'] === 'string' && token['v'] === 'meta.k8s.io/v1') {
      return { revision: token['rv'], after: token['start'].slice(0, -1) };
    }
  } catch {
    // said below
  }
  throw badRequest('continue key is not valid: unrecognized or damaged token');
}

/**
 * One page of a list, or all of it.
 * @throws ApiError 400, 410 for a version or token that is too old, 422 for parameters that exclude each other, 504 for a
 *   version ahead of the server
 */
export function listObjects(
  storage: Storage,
  row: ResourceRow,
  namespace: string | undefined,
  query: URLSearchParams,
): { versions: Version[]; facts: ListFacts } {
  const selection = selectionIn(row, query);
  const asked = versionIn(query);
  const limit = numberIn(query, 'limit') ?? 0;
  timeoutMsIn(query); // a list is through at once, whatever it says
  const token = query.get('continue') ?? '';
  if (query.has('sendInitialEvents')) {
    const message = 'Forbidden: sendInitialEvents is forbidden for list';
    throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions', name: '' }, [
      { reason: 'FieldValueForbidden', field: 'sendInitialEvents', message },
    ]);
  }
  checkParameters({ asked, match: query.get('resourceVersionMatch') ?? '', hasToken: token !== '' });
  const resource = storageName(row);
  const newest = storage.revision(resource);
  const { revision, after } = token === '' ? { revision: revisionFor(newest, asked, query, limit), after: '' } : decodeToken(token);
  const current = revision < 0 ? newest : revision;
  if (current > newest) throw versionAhead(current, newest);
  const all = storage.listAt(resource, namespace, current);
  if (!all) {
    if (token !== '') throw staleToken(after);
    throw tooOldVersion(current, storage.oldest(resource));
  }
  const rest = after === '' ? all : all.filter(({ key }) => key > after);
  const selected = selectedOf(row, rest, selection, limit > 0 ? limit + 1 : rest.length);
  if (limit <= 0 || selected.length <= limit) return { versions: selected, facts: { revision: current } };
  const page = selected.slice(0, limit);
  const last = page.at(-1)?.key ?? after;
  return {
    versions: page,
    facts: {
      revision: current,
      continue: encode({ revision: current, after: last }),
      ...(!selection && { remaining: rest.length - limit }),
    },
  };
}

/** The first ones that the selection takes, at most so many. */
function selectedOf(row: ResourceRow, from: readonly Version[], selection: Selection | undefined, most: number): Version[] {
  if (!selection) return from.slice(0, most).map((version) => shownBy(row, version));
  const selected: Version[] = [];
  for (const stored of from) {
    if (selected.length === most) break;
    const version = shownBy(row, stored);
    if (selection(version)) selected.push(version);
  }
  return selected;
}

function revisionFor(newest: number, asked: number | undefined, query: URLSearchParams, limit: number): number {
  if (asked === undefined || asked === 0) return newest;
  if (asked > newest) throw versionAhead(asked, newest);
  const match = query.get('resourceVersionMatch');
  return match === 'Exact' || (!match && limit > 0) ? asked : newest;
}

function checkParameters({ asked, match, hasToken }: { asked: number | undefined; match: string; hasToken: boolean }): void {
  const errors: FieldError[] = [];
  const refuse = (message: string): void => {
    errors.push({ reason: 'FieldValueForbidden', field: 'resourceVersionMatch', message: `Forbidden: ${message}` });
  };
  if (match !== '' && asked === undefined) refuse('resourceVersionMatch is forbidden unless resourceVersion is provided');
  if (match !== '' && hasToken) refuse('resourceVersionMatch is forbidden when continue is provided');
  if (match !== '' && match !== 'Exact' && match !== 'NotOlderThan') {
    errors.push({
      reason: 'FieldValueNotSupported',
      field: 'resourceVersionMatch',
      message: `Unsupported value: ${JSON.stringify(match)}: supported values: "Exact", "NotOlderThan", ""`,
    });
  }
  if (match === 'Exact' && asked === 0) refuse('resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions', name: '' }, errors);
  if (hasToken && asked !== undefined && asked !== 0) throw badRequest('specifying resource version is not allowed when using continue');
}

/** The refusal of an old token holds a new one, which goes on from the newest state. */
function staleToken(after: string): ApiError {
  const error = new ApiError(
    410,
    'Expired',
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
  );
  error.status.metadata['continue'] = encode({ revision: -1, after });
  return error;
}
