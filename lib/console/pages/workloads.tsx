// The list of workloads: search, filters, sort; rows that stay where they are while they change.
import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { memo } from '../parts/memo.ts';
import { isNarrow } from '../parts/media.ts';
import { Loading, Trouble } from '../parts/notices.tsx';
import { countText, Progress } from '../parts/progress.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { Age, Moment } from '../parts/times.tsx';
import { useVirtualRows } from '../parts/virtual-rows.tsx';
import { address, go, hashOf, linkTo, titleOf, withQuery } from '../state/address.ts';
import type { ClusterSummary, Items, WorkloadSummary } from '../state/answers.ts';
import { pageKeys } from '../state/keys.ts';
import { useAnswer } from '../state/resource.ts';
import { countsOf, needsPerson, sorted, troubleOf } from '../state/standing.ts';
import { useWorkloads } from '../state/workload-list.ts';
import { Filters } from './filters.tsx';
import { useHeldOrder, type HeldRow } from './held-order.ts';
import { noWorkloadText } from './first-run.ts';

/** Parameters that the API knows; the others choose among its answer here. */
const ASKED = ['cluster', 'kind', 'namespace', 'state', 'label', 'text'] as const;
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
  return asked;
}

export function Workloads() {
  const { query } = address.value;
  const asked = askedOf(query);
  const selection = query.toString();
  const { data, problem, showMore } = useWorkloads(asked);
  const clusters = useAnswer<Items<ClusterSummary>>('v1/clusters').data?.items ?? [];
  const sort = query.get('sort') ?? 'urgency';
  const isPerson = query.get('needs') === 'person';
  const wanted = useMemo(() => data && sorted(isPerson ? data.items.filter(needsPerson) : data.items, sort), [data, isPerson, sort]);
  const table = useRef<HTMLTableElement>(null);
  const { rows, waiting, show } = useHeldOrder({ items: wanted, pages: data?.pages ?? 0, selection }, table);
  const counts = useMemo(() => countsOf(wanted ?? []), [wanted]);
  return (
    <>
      <h1>
        {data ? countText(rows.length, 'workload') : 'Workloads'}
        {data?.hasMore === true && ' and more'}
      </h1>
      <Filters clusters={clusters} items={data?.items ?? []} />
      {problem !== undefined && <Trouble>{problem}</Trouble>}
      {data && (
        <p class="counts" role="group" aria-label="By state">
          {counts.map(([state, count]) => (
            <a key={state} href={withQuery({ state, needs: undefined })}>
              <StateWord word={state} /> {count.toLocaleString('en')}
            </a>
          ))}
          {waiting > 0 && (
            <button type="button" class="waiting" onClick={show}>
              ↑ {waiting} more came since: show them (n)
            </button>
          )}
        </p>
      )}
      {!data && problem === undefined && <Loading />}
      {data && rows.length === 0 && <Empty clusters={clusters} query={query} hasMore={data.hasMore} />}
      <Rows
        rows={rows}
        table={table}
        showMore={showMore}
        showWaiting={show}
        isClusterShown={clusters.length > 1}
        hasMore={data?.hasMore === true}
      />
    </>
  );
}

function Empty({ clusters, query, hasMore }: { clusters: readonly ClusterSummary[]; query: URLSearchParams; hasMore: boolean }) {
  if (query.size === 0 && !hasMore) return <p class="notice">{noWorkloadText(clusters)}</p>;
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
  hasMore: boolean;
}

function Rows({ rows, table, showMore, showWaiting, isClusterShown, hasMore }: RowsProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const virtual = useVirtualRows(rows.length, isNarrow.value ? NARROW_ROW_PX : WIDE_ROW_PX, body);
  const [cursor, setCursor] = useState<string>();
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
      const chosen = rows[at]?.workload;
      if (key === 'Enter' && chosen && document.activeElement?.closest('a, button') === null) {
        go(linkTo(chosen));
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
      aria-rowcount={hasMore ? -1 : rows.length + 1}
      hidden={rows.length === 0}
    >
      <thead role="rowgroup">
        <tr role="row" aria-rowindex={1}>
          <SortedHead name="name" title="Name" />
          <SortedHead name="state" title="State" />
          <th scope="col" role="columnheader">
            Why
          </th>
          <th scope="col" role="columnheader">
            Progress
          </th>
          <th scope="col" role="columnheader">
            Next look
          </th>
          <SortedHead name="age" title="Age" />
        </tr>
      </thead>
      <tbody ref={body} role="rowgroup">
        <tr key="before" role="presentation" class="spacer" style={{ height: `${virtual.before}px` }} />
        {virtual.rows.map(({ index }) => {
          const row = rows[index];
          return (
            row && (
              <Row
                key={`${row.workload.cluster}/${row.workload.uid}`}
                workload={row.workload}
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

function SortedHead({ name, title }: { name: string; title: string }) {
  const sort = address.value.query.get('sort');
  const isUp = sort === name;
  const isDown = sort === `-${name}`;
  const next = isUp ? `-${name}` : isDown ? undefined : name;
  return (
    <th scope="col" role="columnheader" aria-sort={isUp ? 'ascending' : isDown ? 'descending' : 'none'}>
      <a href={withQuery({ sort: next })}>
        {title}
        {isUp ? ' ↑' : isDown ? ' ↓' : ''}
      </a>
    </th>
  );
}

interface RowProps {
  workload: WorkloadSummary;
  isFormer: boolean;
  isAtCursor: boolean;
  isClusterShown: boolean;
  index: number;
}

const Row = memo(({ workload, isFormer, isAtCursor, isClusterShown, index }: RowProps) => {
  const { state, reason, cluster, figures, creationTime, queued, nextWake } = workload;
  const classes = `${isFormer ? 'former' : ''} ${isAtCursor ? 'chosen' : ''}`.trim();
  return (
    <tr role="row" aria-rowindex={index + 2} class={classes === '' ? undefined : classes} aria-current={isAtCursor ? 'true' : undefined}>
      <td role="cell" class="name">
        <a href={linkTo(workload)} title={titleOf(workload)}>
          <bdi>{titleOf(workload)}</bdi>
        </a>
        {isClusterShown && (
          <a class="soft" href={hashOf(['workloads'], { cluster })}>
            {' '}
            on {cluster}
          </a>
        )}
      </td>
      <td role="cell" class="standing">
        <StateWord word={state} isPart={troubleOf(workload) !== undefined} />
      </td>
      <td role="cell" class="why" title={reason}>
        {reason}
      </td>
      <td role="cell" class="done">
        <Progress figures={figures} />
      </td>
      <td role="cell" class="next soft">
        {queued ? 'queued' : <Moment time={nextWake?.dueTime} />}
      </td>
      <td role="cell" class="age">
        <Age time={creationTime} />
      </td>
    </tr>
  );
});
