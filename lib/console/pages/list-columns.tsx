// The columns of the list, those that are shown, and the choice of them: kept by the browser, and in the address, so that a link shows the same.
import type { ComponentChildren } from 'preact';
import { Progress } from '../parts/progress.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { Age, clockText, Moment } from '../parts/times.tsx';
import { address, go, hashOf, withQuery } from '../state/address.ts';
import type { ListedWorkload } from '../state/answers.ts';
import { keptChoice } from '../state/kept.ts';
import { troubleOf } from '../state/standing.ts';

export interface ListColumn {
  /** In the address. */
  word: string;
  title: string;
  /** Of its cells, for the stylesheet. */
  look: string;
  /** By which the API sorts. */
  sort?: string;
  isUsual?: true;
  cell: (workload: ListedWorkload) => ComponentChildren;
  /** Where it may be cut. */
  whole?: (workload: ListedWorkload) => string | undefined;
}

const whyOf = ({ reason, why }: ListedWorkload): string => [reason, why].filter((part) => part !== undefined && part !== '').join(': ');
const labelsOf = ({ labels = {} }: ListedWorkload): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');

/** Most cost a fraction of a cent. */
const dollarsText = (dollars: number): string => `$ ${dollars.toFixed(dollars < 0.1 ? 6 : 2)}`;

const COLUMNS: readonly ListColumn[] = [
  {
    word: 'state',
    title: 'State',
    look: 'standing',
    sort: 'state',
    isUsual: true,
    cell: (workload) => (
      <>
        <StateWord word={workload.state} isPart={troubleOf(workload) !== undefined} />
        {workload.asOfTime !== undefined && <span class="soft"> as of {clockText(Date.parse(workload.asOfTime))}</span>}
      </>
    ),
  },
  { word: 'why', title: 'Why', look: 'why', isUsual: true, cell: whyOf, whole: whyOf },
  { word: 'progress', title: 'Progress', look: 'done', isUsual: true, cell: ({ figures }) => <Progress figures={figures} /> },
  { word: 'next', title: 'Next look', look: 'next soft', isUsual: true, cell: ({ nextWake }) => <Moment time={nextWake?.dueTime} /> },
  { word: 'since', title: 'Since', look: 'short', sort: 'since', cell: ({ sinceTime }) => <Age time={sinceTime} /> },
  { word: 'age', title: 'Age', look: 'age', sort: 'age', isUsual: true, cell: ({ creationTime }) => <Age time={creationTime} /> },
  { word: 'kind', title: 'Kind', look: 'extra', sort: 'kind', cell: ({ kind }) => kind, whole: ({ kind }) => kind },
  {
    word: 'namespace',
    title: 'Namespace',
    look: 'extra',
    sort: 'namespace',
    cell: ({ namespace }) => namespace !== '' && <a href={hashOf(['workloads'], { namespace })}>{namespace}</a>,
    whole: ({ namespace }) => namespace,
  },
  {
    word: 'cluster',
    title: 'Cluster',
    look: 'extra',
    sort: 'cluster',
    cell: ({ cluster }) => <a href={hashOf(['workloads'], { cluster })}>{cluster}</a>,
    whole: ({ cluster }) => cluster,
  },
  {
    word: 'cost',
    title: 'Cost, 7 d',
    look: 'short',
    sort: 'cost',
    cell: ({ costDollars }) => costDollars !== undefined && dollarsText(costDollars),
  },
  { word: 'labels', title: 'Labels', look: 'wide', cell: labelsOf, whole: labelsOf },
];

const USUAL = COLUMNS.filter(({ isUsual }) => isUsual).map(({ word }) => word);

const keptColumns = keptChoice<readonly string[]>(
  'columns',
  USUAL,
  (value): value is string[] => Array.isArray(value) && value.every((word) => typeof word === 'string'),
);

/** In their own order, whichever way they were named. */
export function shownColumns(): readonly ListColumn[] {
  const words = address.value.query.get('cols')?.split(',') ?? keptColumns.value;
  return COLUMNS.filter(({ word }) => words.includes(word));
}

function show(words: readonly string[]): void {
  keptColumns.value = words;
  const isUsual = words.join(',') === USUAL.join(',');
  go(withQuery({ cols: isUsual ? undefined : words.join(',') }), { isReplaced: true });
}

export function ColumnChoice() {
  const shown = shownColumns().map(({ word }) => word);
  return (
    <details class="columns-choice">
      <summary>Columns</summary>
      <div role="group" aria-label="Columns">
        {COLUMNS.map(({ word, title }) => (
          <label key={word} class="check">
            <input
              type="checkbox"
              checked={shown.includes(word)}
              onChange={() =>
                show(COLUMNS.map((each) => each.word).filter((each) => (each === word ? !shown.includes(word) : shown.includes(each))))
              }
            />
            {title}
          </label>
        ))}
        <button type="button" disabled={shown.join(',') === USUAL.join(',')} onClick={() => show(USUAL)}>
          As usual
        </button>
      </div>
    </details>
  );
}
