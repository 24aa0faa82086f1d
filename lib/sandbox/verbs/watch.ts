// Watches: what was, if asked for; then every change, as the watch's selection sees it; bookmarks in between.
import type { FieldError } from '../../objects/field-error.ts';
import { invalid, tooOldVersion, versionAhead } from '../objects/api-error.ts';
import type { ApiError } from '../objects/api-error.ts';
import { selectionIn } from './list.ts';
import { renderBookmark, renderEvent } from './representation.ts';
import type { Representation } from './representation.ts';
import { flagIn, numberIn, timeoutMsIn, versionIn } from '../http/request.ts';
import type { Sink } from '../http/request.ts';
import type { ResourceRow } from '../rows/resource-row.ts';
import { apiVersionOf, storageName } from '../rows/resources.ts';
import { shownBy } from './shown.ts';
import type { Storage } from '../storage/storage.ts';
import { keyOf, Version } from '../storage/version.ts';
import type { Change } from '../storage/version.ts';
import type { Cluster } from './writing.ts';

/** Watches that name no timeout end after half an hour to an hour. */
const shortestMs = 1_800_000;
/** No timer of Node's runs longer. */
const longestMs = 2 ** 31 - 1;
/** One bookmark comes so long before the end, so that the next watch need not repeat what a quiet one has seen. */
const beforeEndMs = 2_000;
const nothing = (): void => undefined;
const initialEventsEnd = { 'k8s.io/initial-events-end': 'true' };

/**
 * Reads what a watch asks for; the stream begins it.
 * @throws ApiError 400 and 422 for parameters; a version that is too old is an ERROR event of the stream
 */
export function watchObjects(
  cluster: Cluster,
  row: ResourceRow,
  { namespace, name, query }: { namespace: string | undefined; name: string | undefined; query: URLSearchParams },
  { representation, bookmarkIntervalMs }: { representation: Representation; bookmarkIntervalMs: number },
): (sink: Sink) => () => void {
  const { storage, surroundings, resources } = cluster;
  const selection = selectionIn(row, query, name);
  const asked = versionIn(query);
  const timeoutMs = timeoutMsIn(query);
  numberIn(query, 'limit'); // of no use to a watch, and refused like any other
  const wantsBookmarks = flagIn(query, 'allowWatchBookmarks');
  const wantsInitial = query.has('sendInitialEvents') ? flagIn(query, 'sendInitialEvents') : undefined;
  checkInitial(wantsInitial, asked ?? 0, query);
  const resource = storageName(row);
  const prefix = namespace === undefined ? undefined : keyOf(namespace, '');

  const lines = linesFor(storage);
  return (sink) => {
    if (timeoutMs < 0 || !resources.rows.includes(row)) {
      sink.end();
      return nothing;
    }
    storage.commit(); // so that what follows is either in the list or still to come
    let isFirst = true;
    const send = (type: string, version: Version): void => {
      const render = (): string => renderEvent(row, type, version, representation, { nowMs: surroundings.now(), isFirst });
      // Whole objects look the same to all who watch them; tables do not.
      sink.write(
        representation.form === 'table' ? render() : lines.lineOf(version, `${type} ${representation.form} ${apiVersionOf(row)}`, render),
      );
      isFirst = false;
    };
    const tell = ({ type, current: stored, previous: before, revision }: Change): void => {
      if (prefix !== undefined && !stored.key.startsWith(prefix)) return;
      const current = shownBy(row, stored);
      if (!selection) return send(type, current);
      const previous = before && shownBy(row, before);
      const is = type !== 'DELETED' && selection(current);
      const was = previous !== undefined && selection(previous);
      if (is) send(was ? 'MODIFIED' : 'ADDED', current);
      else if (was) send('DELETED', type === 'DELETED' ? current : atRevision(previous, revision));
    };

    const refuse = ({ status }: ApiError): (() => void) => {
      sink.write(`${JSON.stringify({ type: 'ERROR', object: status })}\n`);
      sink.end();
      return nothing;
    };
    const past = asked === undefined || asked === 0 || wantsInitial === true ? undefined : storage.since(resource, asked);
    const startsWithState = asked === undefined || asked === 0 ? wantsInitial !== false : wantsInitial === true;
    if (!startsWithState && asked !== undefined && asked > 0 && !past) {
      return refuse(tooOldVersion(asked, storage.oldest(resource)));
    }
    if (wantsInitial === true && asked !== undefined && asked > storage.revision(resource))
      return refuse(versionAhead(asked, storage.revision(resource)));
    if (startsWithState) {
      for (const stored of storage.list(resource, namespace)) {
        const version = shownBy(row, stored);
        if (!selection || selection(version)) send('ADDED', version);
      }
      lines.begin([]);
      if (wantsInitial && wantsBookmarks) sink.write(renderBookmark(row, storage.committed(resource), representation, initialEventsEnd));
    } else for (const change of past ?? []) tell(change);

    const floor = asked ?? 0;
    const leave = storage.onCommit((changes) => {
      lines.begin(changes);
      for (const change of changes) if (change.resource === resource && change.revision > floor) tell(change);
    });
    const lifeMs = timeoutMs > 0 ? Math.min(timeoutMs, longestMs) : shortestMs + (surroundings.random() % shortestMs);
    const lastBookmarkMs = surroundings.now() + lifeMs - beforeEndMs;
    let callOff = nothing;
    const bookmarkLater = (): void => {
      const leftMs = lastBookmarkMs - surroundings.now();
      callOff = surroundings.after(leftMs > 0 ? Math.min(leftMs, bookmarkIntervalMs) : bookmarkIntervalMs, () => {
        sink.write(renderBookmark(row, Math.max(storage.committed(resource), floor), representation));
        bookmarkLater();
      });
    };
    if (wantsBookmarks) bookmarkLater();
    const leaveResources = resources.onChange((change) => {
      if (!('removed' in change) || change.removed !== row) return;
      stop();
      sink.end();
    });
    const stop = (): void => {
      leave();
      leaveResources();
      callOff();
      callOffEnd();
    };
    const callOffEnd = surroundings.after(lifeMs, () => {
      stop();
      sink.end();
    });
    return stop;
  };
}

/** The events of one commit as text, made once for all watches that send them. */
class EventLines {
  #changes: readonly Change[] | undefined;
  readonly #lines = new Map<Version, Map<string, string>>();

  /** Lets go of the lines of another commit than this. */
  begin(changes: readonly Change[]): void {
    if (this.#changes === changes) return;
    this.#changes = changes;
    this.#lines.clear();
  }

  lineOf(version: Version, kind: string, render: () => string): string {
    let own = this.#lines.get(version);
    if (!own) this.#lines.set(version, (own = new Map<string, string>()));
    let line = own.get(kind);
    if (line === undefined) own.set(kind, (line = render()));
    return line;
  }
}

const linesByStorage = new WeakMap<Storage, EventLines>();

function linesFor(storage: Storage): EventLines {
  let lines = linesByStorage.get(storage);
  if (!lines) linesByStorage.set(storage, (lines = new EventLines()));
  return lines;
}

/** @param wantsInitial undefined where the watch does not say. @throws ApiError 422 for parameters that do not go together */
function checkInitial(wantsInitial: boolean | undefined, version: number, query: URLSearchParams): void {
  const match = query.get('resourceVersionMatch') ?? '';
  const errors: FieldError[] = [];
  const forbid = (message: string): void => {
    errors.push({ reason: 'FieldValueForbidden', field: 'resourceVersionMatch', message: `Forbidden: ${message}` });
  };
  if (wantsInitial === undefined) {
    if (match !== '') forbid('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided');
  } else if (match !== 'NotOlderThan') forbid('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
  if (match !== '' && match !== 'NotOlderThan') {
    const message = `Unsupported value: ${JSON.stringify(match)}: supported values: "NotOlderThan"`;
    errors.push({ reason: 'FieldValueNotSupported', field: 'resourceVersionMatch', message });
  }
  // Where a watch says nothing of how it begins, and names no version, a real server fills in NotOlderThan.
  const isFilledIn = wantsInitial === undefined && version === 0;
  if ((match !== '' || isFilledIn) && query.get('continue')) forbid('resourceVersionMatch is forbidden when continue is provided');
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions', name: '' }, errors);
}

/** An object that left the selection: its last state within, at the version with which it left. */
function atRevision(version: Version, revision: number): Version {
  const { object, key } = version;
  return new Version(key, revision, { object: { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } } });
}
