// The workloads of a selection: pages of the API, as many as somebody has scrolled through.
import { read } from './call.ts';
import type { Facets, ListedWorkload } from './answers.ts';
import { pausedAtMs } from './freshness.ts';
import { patched } from './patched.ts';
import { askAgainFor, useAnswer, type Loaded, type Read } from './resource.ts';
import { idOf } from './selection.ts';

/** Most look at the top alone, and whole pages come again after each change. */
const FIRST_ROWS = 100;
const FURTHER_ROWS = 500;
/** A list longer than that is narrowed by a filter, not scrolled through. */
const MOST_PAGES = 40;
/** Pages without a match are followed by others. */
const MOST_EMPTY_PAGES = 20;

interface ListAnswer extends Totals {
  items: ListedWorkload[];
  next?: string;
}

export interface Totals {
  /** Of those that match, on all pages. */
  total: number;
  totals: Readonly<Record<string, number>>;
  /** Whether they match or not. */
  of: number;
  facets?: Facets;
}

export interface WorkloadList extends Totals {
  items: readonly ListedWorkload[];
  /** There are more on the server. */
  hasMore: boolean;
  /** Of the API, that these are. */
  pages: number;
}

const NONE: Totals = { total: 0, totals: {}, of: 0 };

/** Pages wanted, by the path of the selection. */
const wantedRows = new Map<string, number>();

/** @param path of the first page */
function readPages(path: string): Read<WorkloadList> {
  let shown: WorkloadList | undefined;
  let pages: readonly ListAnswer[] = [];
  let wantedBefore = 0;
  return async (stop) => {
    const wanted = wantedRows.get(path) ?? FIRST_ROWS;
    // Somebody scrolls on: those before are looked at again with the next change, not for each further page.
    const next: ListAnswer[] = wanted > wantedBefore ? [...pages] : [];
    // A row that wanders from page to page while they are read comes once.
    const items = new Map(next.flatMap((page) => page.items.map((item) => [idOf(item), item])));
    let empty = 0;
    while (
      next.length === 0 ||
      (next.at(-1)?.next !== undefined && items.size < wanted && next.length < MOST_PAGES && empty < MOST_EMPTY_PAGES)
    ) {
      const mark = next.at(-1)?.next;
      const answer = await read<ListAnswer>(
        mark === undefined
          ? `${path}&limit=${FIRST_ROWS}`
          : `${path.replace('&facets=shown', '')}&limit=${FURTHER_ROWS}&continue=${encodeURIComponent(mark)}`,
        stop,
      );
      empty = answer.items.length === 0 ? empty + 1 : 0;
      for (const item of answer.items) items.set(idOf(item), item);
      next.push(answer);
    }
    // A further page is put to those that stand there.
    if (pausedAtMs.value !== undefined && shown && wanted === wantedBefore) return shown;
    [pages, wantedBefore] = [next, wanted];
    const { total, totals, of, facets } = next[0] ?? NONE;
    const hasMore = next.at(-1)?.next !== undefined;
    shown = patched(shown, { items: [...items.values()], hasMore, pages: next.length, total, totals, of, ...(facets && { facets }) });
    return shown;
  };
}

export interface ShownList extends Loaded<WorkloadList> {
  /** Asks for a further page, where there is one. */
  showMore: () => void;
}

/** @param query of the API; undefined: nothing is asked */
export function useWorkloads(query: URLSearchParams | undefined, rows = FIRST_ROWS): ShownList {
  const path = query && `v1/workloads?${query.toString()}`;
  if (path !== undefined && !wantedRows.has(path)) wantedRows.set(path, rows);
  const loaded = useAnswer<WorkloadList>(path, readPages);
  const showMore = (): void => {
    if (path === undefined || loaded.data?.hasMore !== true) return;
    const wanted = wantedRows.get(path) ?? FIRST_ROWS;
    if (wanted > loaded.data.items.length) return;
    wantedRows.set(path, wanted + FURTHER_ROWS);
    askAgainFor(path);
  };
  return { ...loaded, showMore };
}
