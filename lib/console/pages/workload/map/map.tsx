// Its parts at a glance: the indexes of a Job, the replicas of a training job, or how many pods stand how.
import { useMemo } from 'preact/hooks';
import { codeOfLetter, INDEX_LETTERS, type IndexLetter } from '../../../../objects/detail/packed-states.ts';
import { cellCount, sizeFor, toldIn, windowAround, type Told } from '../../../parts/index-map/cells.ts';
import { IndexMapView, useColumns, type Zoom } from '../../../parts/index-map/index-map.tsx';
import { Legend, stateWordOf } from '../../../parts/index-map/legend.tsx';
import { Ranges } from '../../../parts/index-map/ranges.tsx';
import { Loading, Trouble } from '../../../parts/notices.tsx';
import { StateWord } from '../../../parts/state-word.tsx';
import { Table } from '../../../parts/table.tsx';
import { spanText } from '../../../parts/times.tsx';
import { TypedText } from '../../../parts/typed-text.tsx';
import { address, apiPathOf, go, linkTo, withQuery, type Named } from '../../../state/address.ts';
import type { IndexMap, PodMap, ReplicaMap, WorkloadDetail } from '../../../state/answers.ts';
import { useAnswer } from '../../../state/resource.ts';
import { LogLinks } from '../pods/pod-links.tsx';
import { PodTable } from '../pods/pod-table.tsx';
import { GoneIndex } from './gone-index.tsx';
import { Replicas } from './replicas.tsx';

type AnyMap = IndexMap | ReplicaMap | PodMap;

/** A whole number in the address. */
function numberIn(name: string): number | undefined {
  const text = address.value.query.get(name) ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

export function MapTab({ named, workload }: { named: Named; workload: WorkloadDetail }) {
  const { query } = address.value;
  const isOfReplicas = workload.map === 'replicas';
  // Of replicas the window is the API's; of indexes the whole is there, and is narrowed here.
  const window = isOfReplicas && query.get('from') ? `?from=${numberIn('from') ?? 0}` : '';
  const { data, problem } = useAnswer<AnyMap>(`${apiPathOf(named)}/map${window}`);
  return (
    <section aria-label={isOfReplicas ? 'Replicas' : 'Map'}>
      {problem !== undefined && <Trouble>{problem}</Trouble>}
      {!data && problem === undefined && <Loading />}
      {data?.of === 'indexes' && <Indexes named={named} whole={data} />}
      {data?.of === 'replicas' && <Replicas named={named} map={data} />}
      {data?.of === 'pods' && <PodCounts named={named} map={data} />}
    </section>
  );
}

function PodCounts({ named, map: { counts } }: { named: Named; map: PodMap }) {
  return (
    <>
      <p>Its pods stand for nothing but themselves: they have neither indexes nor ranks.</p>
      <p class="counts">
        {Object.entries(counts).map(([state, count]) => (
          <a key={state} href={linkTo(named, ['pods'], { state })}>
            <StateWord word={state} /> {count.toLocaleString('en')}
          </a>
        ))}
      </p>
    </>
  );
}

/** As the address has them: `state=Failed,Running`. */
function lettersIn(): ReadonlySet<IndexLetter> | undefined {
  const words = (address.value.query.get('state') ?? '').split(',');
  const letters = INDEX_LETTERS.filter((letter) => words.includes(stateWordOf(letter)));
  return letters.length === 0 ? undefined : new Set(letters);
}

function withLetter(letters: ReadonlySet<IndexLetter> | undefined, letter: IndexLetter): string {
  const next = new Set(letters);
  if (!next.delete(letter)) next.add(letter);
  return withQuery({ state: [...next].map((each) => stateWordOf(each)).join(',') });
}

type Row = Omit<IndexMap['notable'][number], 'pod'> & { pod?: string };

/** More of them are seen on the map. */
const MOST_ALONE = 50;

/** Failed indexes whose pods are gone from the cluster. Where the server leaves rows out, those may be among them: then none. */
function failedAlone({ codes, from }: Told, { notable, notableLeftOut }: IndexMap): Row[] {
  if (!codes || notableLeftOut > 0) return [];
  const withPods = new Set(notable.map(({ index }) => index));
  const failed = codeOfLetter('F');
  const rows: Row[] = [];
  for (let at = codes.indexOf(failed); at >= 0 && rows.length < MOST_ALONE; at = codes.indexOf(failed, at + 1))
    if (!withPods.has(from + at)) rows.push({ index: from + at, state: 'F' });
  return rows;
}

function Indexes({ named, whole }: { named: Named; whole: IndexMap }) {
  const layout = useColumns();
  const { columns } = layout;
  const { total } = whole;
  const at = numberIn('at');
  const from = Math.min(numberIn('from') ?? 0, Math.max(total - 1, 0));
  const to = Math.max(Math.min(numberIn('to') ?? total, total), from + 1);
  const isPart = to - from < total;
  // A part is asked for where the whole is too coarse, or names too many.
  const isAsked = isPart && (whole.states.blocks !== undefined || whole.notableLeftOut > 0);
  const part = useAnswer<IndexMap>(isAsked ? `${apiPathOf(named)}/map?from=${from}&to=${to}` : undefined);
  const chosen = useAnswer<IndexMap>(
    at === undefined ? undefined : `${apiPathOf(named)}/map?${at < total ? `from=${at}&to=${at + 1}&` : ''}at=${at}`,
  );
  const answer = part.data ?? whole;
  const told = useMemo(() => toldIn(answer), [answer.states, answer.from, answer.to]);
  const letters = lettersIn();
  const rows = useMemo(
    () =>
      [...answer.notable, ...(told ? failedAlone(told, answer) : [])]
        .filter(({ index }) => index >= from && index < to)
        .filter(({ state }) => !letters || letters.has(state)),
    [answer, told, from, to, address.value.query.get('state')],
  );
  if (total === 0) return <p class="soft">It has no index: its spec asks for none.</p>;
  if (!told) return <Trouble>The map cannot be read: is the server of another version than this page?</Trouble>;
  const shown = { from, to, size: sizeFor(to - from, columns, told.blocks?.size) };
  const show = (window: { from: number; to: number } | undefined): void =>
    go(withQuery({ from: window && String(window.from), to: window && String(window.to) }));
  const zoom = (index: number, by: Zoom): void => {
    if (by !== 'out' && shown.size === 1) return;
    if (by === 'out' && !isPart) return;
    show(
      windowAround(index, { size: by === 'out' ? shown.size * 10 : Math.max(shown.size / (by === 'in' ? 10 : 100), 1), columns, total }),
    );
  };
  const toIndex = (): void => document.getElementById('index')?.focus();
  const label = INDEX_LETTERS.flatMap((letter) =>
    whole.counts[letter] === undefined ? [] : [`${stateWordOf(letter)} ${whole.counts[letter].toLocaleString('en')}`],
  ).join(', ');
  return (
    <>
      <Legend counts={whole.counts} lagging={whole.lagging} letters={letters} hrefOf={(letter) => withLetter(letters, letter)} />
      {whole.lagging > 0 && (
        <p>
          Lagging indexes run longer than three times the median of those that succeeded
          {whole.medianSeconds !== undefined && `, which is ${spanText(whole.medianSeconds)}`}, and than 2 min.
        </p>
      )}
      <div class="filters">
        <label>
          <span>Index</span>
          <TypedText
            id="index"
            value={at === undefined ? '' : String(at)}
            hint="4711"
            take={(value) => go(withQuery({ at: value }), { isReplaced: true })}
          />
        </label>
        <button type="button" aria-label="Closer" disabled={shown.size === 1} onClick={() => zoom(at ?? rows[0]?.index ?? from, 'in')}>
          +
        </button>
        <button type="button" aria-label="Farther" disabled={!isPart} onClick={() => zoom(from, 'out')}>
          −
        </button>
        <span class="soft">
          {from.toLocaleString('en')} to {(to - 1).toLocaleString('en')} of {total.toLocaleString('en')},{' '}
          {shown.size === 1 ? 'each a cell' : `${shown.size.toLocaleString('en')} a cell`}
        </span>
        {isPart && <a href={withQuery({ from: undefined, to: undefined })}>All indexes</a>}
      </div>
      {part.problem !== undefined && <Trouble>{part.problem}</Trouble>}
      <IndexMapView
        {...layout}
        told={told}
        total={total}
        shown={shown}
        label={`${label}. ${cellCount(shown)} cells`}
        marked={answer.notable}
        letters={letters}
        at={at}
        open={(index) => go(withQuery({ at: String(index) }))}
        zoom={zoom}
        toIndex={toIndex}
        spanText={spanText}
      />
      {at !== undefined && <Chosen named={named} at={at} answer={chosen.data} problem={chosen.problem} />}
      <h2>Out of the ordinary{isPart && ', in this part'}</h2>
      <Table<Row>
        label="Indexes out of the ordinary"
        columns={[
          {
            title: 'Index',
            isNumber: true,
            cell: ({ index }) => <a href={withQuery({ at: String(index) })}>{index.toLocaleString('en')}</a>,
          },
          {
            title: 'State',
            cell: ({ state, lags, reason }) => (
              <StateWord
                word={stateWordOf(state)}
                trouble={[lags ? 'lags' : '', reason ?? ''].filter((word) => word !== '').join(', ') || undefined}
              />
            ),
          },
          { title: 'For', cell: ({ seconds }) => (seconds === undefined ? undefined : spanText(seconds)) },
          { title: 'Exit code', isNumber: true, cell: ({ exitCode }) => exitCode },
          {
            title: 'Pod',
            cell: ({ pod, index }) =>
              pod === undefined ? (
                <a href={withQuery({ at: String(index) })}>gone from the cluster</a>
              ) : (
                <a href={linkTo(named, ['pods', pod], { index: String(index) })}>
                  <bdi>{pod}</bdi>
                </a>
              ),
          },
          { title: 'Log', cell: ({ pod }) => pod !== undefined && <LogLinks named={named} pod={pod} /> },
        ]}
        rows={rows}
        idOf={({ index, state }) => `${index} ${state}`}
        empty="None: nothing failed, waits or lags."
      />
      {answer.notableLeftOut > 0 && (
        <p class="soft">
          and {answer.notableLeftOut.toLocaleString('en')} more: go closer, or look at{' '}
          <a href={linkTo(named, ['pods'], { state: 'Failed' })}>the failed pods</a>
        </p>
      )}
      <Ranges told={told} />
    </>
  );
}

interface ChosenProps {
  named: Named;
  at: number;
  answer: IndexMap | undefined;
  problem: string | undefined;
}

function Chosen({ named, at, answer, problem }: ChosenProps) {
  const found = answer?.at;
  return (
    <section class="card" aria-label={`Index ${at}`}>
      <h2>
        Index {at.toLocaleString('en')} <a href={withQuery({ at: undefined })}>close</a>
      </h2>
      {problem !== undefined && <Trouble>{problem}</Trouble>}
      {!found && problem === undefined && <Loading />}
      {found && (
        <>
          <p>
            <StateWord word={found.state === 'NotStarted' ? 'not started' : found.state} trouble={found.lags && 'lags'} />
            {found.seconds !== undefined && ` for ${spanText(found.seconds)}`}
          </p>
          {found.pods.length > 0 ? (
            <PodTable named={named} pods={found.pods} label={`Pods of index ${at}`} empty="None." />
          ) : (
            <GoneIndex named={named} found={found} />
          )}
        </>
      )}
    </section>
  );
}
