// The list of workloads: search, filters, sort; rows that stay where they are while they change.
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { memo } from '../parts/memo.ts';
import { isNarrow } from '../parts/media.ts';
import { Loading, Trouble } from '../parts/notices.tsx';
import { countText } from '../parts/progress.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { useVirtualRows } from '../parts/virtual-rows.tsx';
import { address, go, hashOf, linkTo, titleOf, withQuery } from '../state/address.ts';
import type { ClusterSummary, Items, ListedWorkload } from '../state/answers.ts';
import { pageKeys } from '../state/keys.ts';
import { useAnswer } from '../state/resource.ts';
import { choose, chooseNone, chosen, idOf, toggleChosen } from '../state/selection.ts';
import { countsOf } from '../state/standing.ts';
import { useWorkloads } from '../state/workload-list.ts';
import { ActButtons } from './actions/act-buttons.tsx';
import { Filters } from './filters.tsx';
import { useHeldOrder, type HeldRow } from './held-order.ts';
import { ColumnChoice, shownColumns, type ListColumn } from './list-columns.tsx';
import { noWorkloadText } from './first-run.ts';

/** Parameters of the API. */
const ASKED = ['cluster', 'kind', 'namespace', 'state', 'label', 'text', 'node', 'age', 'ended', 'needs'] as const;
/** What needs a person, then the youngest. */
const USUAL_SORT = 'need';
const WIDE_ROW_PX = 36;
const NARROW_ROW_PX = 80;
/** So near to the end the next page is asked for. */
const NEAR_END_ROWS = 60;

function askedOf(query: URLSearchParams): URLSearchParams {
  const asked = new URLSearchParams();
  for (const name of ASKED) {
    const value = query.get(name);
    if (value !== null && value !== '') asked.set(name, value);
  }
  asked.set('sort', query.get('sort') ?? USUAL_SORT);
  asked.set('facets', 'shown');
  // Summed up for those that look at it.
  if (shownColumns().some(({ word }) => word === 'cost')) asked.set('cost', 'shown');
  return asked;
}

export function Workloads() {
  const { query } = address.value;
  const asked = askedOf(query);
  // What is shown of a row changes no row's place.
  const selection = asked.toString();
  const { data, problem, showMore } = useWorkloads(asked);
  const clusters = useAnswer<Items<ClusterSummary>>('v1/clusters').data?.items ?? [];
  const table = useRef<HTMLTableElement>(null);
  const { rows, waiting, show } = useHeldOrder({ items: data?.items, pages: data?.pages ?? 0, selection }, table);
  useEffect(() => chooseNone, []);
  return (
    <>
      <h1>
        {data ? countText(data.total, 'workload') : 'Workloads'}
        {data && data.total < data.of && <span class="soft"> of {data.of.toLocaleString('en')}</span>}
      </h1>
      <Filters clusters={clusters} items={data?.items ?? []} facets={data?.facets} />
      {problem !== undefined && (
        <Trouble>
          {problem} {!data && <a href="#/workloads">Show all</a>}
        </Trouble>
      )}
      {data && (
        <div class="counts" role="group" aria-label="By state">
          {countsOf(data.totals).map(([state, count]) => (
            <a key={state} href={withQuery({ state, needs: undefined })}>
              <StateWord word={state} /> {count.toLocaleString('en')}
            </a>
          ))}
          <ColumnChoice />
          {waiting > 0 && (
            <button type="button" class="waiting" onClick={show}>
              ↑ {waiting} more came since: show them (n)
            </button>
          )}
        </div>
      )}
      <Chosen rows={rows} />
      {!data && problem === undefined && <Loading />}
      {data && rows.length === 0 && <Empty clusters={clusters} isNone={data.of === 0} />}
      <Rows
        rows={rows}
        table={table}
        showMore={showMore}
        showWaiting={show}
        isClusterShown={clusters.length > 1}
        total={data?.total ?? 0}
      />
    </>
  );
}

/** What can be done with the rows that are chosen. */
function Chosen({ rows }: { rows: readonly HeldRow[] }) {
  const { size } = chosen.value;
  if (size === 0) return null;
  const current = new Map(rows.map(({ workload }) => [idOf(workload), workload]));
  return (
    <div class="chosen-bar" role="region" aria-label="Chosen rows">
      <strong role="status">{size.toLocaleString('en')} chosen:</strong>{' '}
      <ActButtons workloads={[...chosen.value].map(([id, workload]) => current.get(id) ?? workload)} />
      <button type="button" onClick={chooseNone}>
        Choose none
      </button>
    </div>
  );
}

function Empty({ clusters, isNone }: { clusters: readonly ClusterSummary[]; isNone: boolean }) {
  if (isNone) return <p class="notice">{noWorkloadText(clusters)}</p>;
  return (
    <p class="notice">
      No workload matches. <a href="#/workloads">Show all</a>
    </p>
  );
}

interface RowsProps {
  rows: readonly HeldRow[];
  table: RefObject<HTMLTableElement | null>;
  showMore: () => void;
  showWaiting: () => void;
  isClusterShown: boolean;
  total: number;
}

function Rows({ rows, table, showMore, showWaiting, isClusterShown, total }: RowsProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const virtual = useVirtualRows(rows.length, isNarrow.value ? NARROW_ROW_PX : WIDE_ROW_PX, body);
  const [cursor, setCursor] = useState<string>();
  const columns = shownColumns();
  const shape = columns.map(({ word }) => word).join();
  const isAllChosen = rows.length > 0 && rows.every(({ workload }) => chosen.value.has(idOf(workload)));
  const lastShown = virtual.rows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (lastShown >= rows.length - NEAR_END_ROWS) showMore();
  });
  useEffect(() => {
    pageKeys.value = ({ key }) => {
      const step = key === 'j' || key === 'ArrowDown' ? 1 : key === 'k' || key === 'ArrowUp' ? -1 : 0;
      const at = rows.findIndex(({ workload }) => workload.uid === cursor);
      if (step !== 0 && rows.length > 0) {
        const next = at === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, at + step));
        setCursor(rows[next]?.workload.uid);
        virtual.scrollTo(next);
        return true;
      }
      const under = rows[at]?.workload;
      if (key === 'Enter' && under && document.activeElement?.closest('a, button, summary') === null) {
        go(linkTo(under));
        return true;
      }
      if (key === 'x' && under) {
        toggleChosen(under);
        return true;
      }
      if (key === 'Escape' && chosen.value.size > 0) {
        chooseNone();
        return true;
      }
      if (key === '.') {
        document.querySelector<HTMLElement>('.chosen-bar .actions button')?.focus();
        return true;
      }
      if (key === 'n') showWaiting();
      return key === 'n';
    };
    return () => {
      pageKeys.value = undefined;
    };
  });
  return (
    <table
      class="workloads"
      ref={table}
      aria-label="Workloads"
      role="table"
      aria-rowcount={Math.max(total, rows.length) + 1}
      hidden={rows.length === 0}
    >
      <thead role="rowgroup">
        <tr role="row" aria-rowindex={1}>
          <th scope="col" role="columnheader" class="choose">
            <input
              type="checkbox"
              aria-label="Choose all rows that are loaded"
              checked={isAllChosen}
              onChange={() => (isAllChosen ? chooseNone() : choose(rows.map(({ workload }) => workload)))}
            />
          </th>
          <SortedHead name="name" title="Name" look="name" />
          {columns.map(({ word, title, look, sort }) =>
            sort === undefined ? (
              <th key={word} scope="col" role="columnheader" class={look}>
                {title}
              </th>
            ) : (
              <SortedHead key={word} name={sort} title={title} look={look} />
            ),
          )}
        </tr>
      </thead>
      <tbody ref={body} role="rowgroup">
        <tr key="before" role="presentation" class="spacer" style={{ height: `${virtual.before}px` }} />
        {virtual.rows.map(({ index }) => {
          const row = rows[index];
          return (
            row && (
              <Row
                key={idOf(row.workload)}
                workload={row.workload}
                columns={columns}
                shape={shape}
                isChosen={chosen.value.has(idOf(row.workload))}
                isFormer={row.isFormer}
                isAtCursor={row.workload.uid === cursor}
                isClusterShown={isClusterShown}
                index={index}
              />
            )
          );
        })}
        <tr key="after" role="presentation" class="spacer" style={{ height: `${virtual.after}px` }} />
      </tbody>
    </table>
  );
}

function SortedHead({ name, title, look }: { name: string; title: string; look: string }) {
  const sort = address.value.query.get('sort');
  const isUp = sort === name;
  const isDown = sort === `-${name}`;
  const next = isUp ? `-${name}` : isDown ? undefined : name;
  return (
    <th scope="col" role="columnheader" class={look} aria-sort={isUp ? 'ascending' : isDown ? 'descending' : 'none'}>
      <a href={withQuery({ sort: next })}>
        {title}
        {isUp ? ' ↑' : isDown ? ' ↓' : ''}
      </a>
    </th>
  );
}

interface RowProps {
  workload: ListedWorkload;
  columns: readonly ListColumn[];
  /** The columns as a word: they are others when it is another one. */
  shape: string;
  isFormer: boolean;
  isAtCursor: boolean;
  isChosen: boolean;
  isClusterShown: boolean;
  index: number;
}

const Row = memo(
  ({ workload, columns, isFormer, isAtCursor, isChosen, isClusterShown, index }: RowProps) => {
    const { cluster } = workload;
    const title = titleOf(workload);
    const classes = [isFormer && 'former', isAtCursor && 'chosen', isChosen && 'picked'].filter((each) => each !== false).join(' ');
    return (
      <tr role="row" aria-rowindex={index + 2} class={classes === '' ? undefined : classes} aria-current={isAtCursor ? 'true' : undefined}>
        <td role="cell" class="choose">
          <label>
            <input type="checkbox" aria-label={`Choose ${title}`} checked={isChosen} onChange={() => toggleChosen(workload)} />
          </label>
        </td>
        <td role="cell" class="name">
          <a href={linkTo(workload)} title={title}>
            <bdi>{title}</bdi>
          </a>
          {isClusterShown && (
            <a class="soft" href={hashOf(['workloads'], { cluster })}>
              {' '}
              on {cluster}
            </a>
          )}
        </td>
        {columns.map(({ word, look, cell, whole }) => (
          <td key={word} role="cell" class={look} title={whole?.(workload)}>
            {cell(workload)}
          </td>
        ))}
      </tr>
    );
  },
  ['columns'],
);
