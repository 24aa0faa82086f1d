// The map of a workload in characters: a cell for one index, or for ten, a hundred or more, so that it fits a terminal.
import type { Answer } from '../../api/routes/route-table.ts';
import {
  INDEX_LETTERS,
  INDEX_STATES,
  unpackBlocks,
  unpackStates,
  type IndexLetter,
  type StateCounts,
} from '../../objects/detail/packed-states.ts';
import { laggingText } from '../../objects/detail/workload-map.ts';
import { shortSpan } from '../../objects/detail/short-span.ts';
import { paint, tableText, type Colour } from '../terminal/output.ts';

export type ToldMap = Answer<'GET /v1/workloads/{cluster}/{kind}/{namespace}/{name}/map'>;
type IndexMap = Extract<ToldMap, { of: 'indexes' }>;
type ReplicaMap = Extract<ToldMap, { of: 'replicas' }>;

/** Shape and colour: each says it without the other. */
const LOOKS: Record<IndexLetter, { glyph: string; colour: Colour | undefined }> = {
  F: { glyph: '▟', colour: 'red' },
  B: { glyph: '▒', colour: 'yellow' },
  W: { glyph: '▒', colour: 'yellow' },
  T: { glyph: '▖', colour: 'yellow' },
  P: { glyph: '▁', colour: 'cyan' },
  R: { glyph: '▄', colour: 'cyan' },
  '-': { glyph: '░', colour: undefined },
  S: { glyph: '█', colour: 'green' },
};

const MOST_ROWS = 20;
/** With 80 columns 50 cells stand behind the label of a row; from 112 on 100 do. */
const CELLS = { narrow: 50, wide: 100, wideFrom: 112 };

/** @param columns of the terminal */
export function mapText(title: string, map: ToldMap, columns = 80): string {
  if (map.of === 'pods') return `${title}: ${countsText(Object.entries(map.counts))}`;
  return map.of === 'replicas' ? replicasText(title, map) : indexesText(title, map, columns);
}

const countsText = (counts: readonly (readonly [string, number | undefined])[]): string => {
  const told = counts.flatMap(([word, count = 0]) => (count === 0 ? [] : [`${count.toLocaleString('en')} ${word}`]));
  return told.length === 0 ? 'no pod is known' : told.join(', ');
};

function indexesText(title: string, map: IndexMap, columns: number): string {
  const { counts, from, to, total, lagging, notable, notableLeftOut, medianSeconds } = map;
  const sums = INDEX_LETTERS.toReversed().map((letter): [string, number | undefined] => [wordOf(letter, lagging), counts[letter]]);
  const part = from === 0 && to === total ? '' : `, indexes ${from} to ${to - 1} of them`;
  const { blockSize, blocks } = blocksOf(map);
  const cells = columns >= CELLS.wideFrom ? CELLS.wide : CELLS.narrow;
  let perCell = blockSize;
  while ((to - from) / perCell > cells * MOST_ROWS) perCell *= 10;
  const lags = notable.filter((each) => each.lags);
  const lagText = lags.length === 0 ? undefined : laggingText({ count: lagging, lagging: lags, medianSeconds });
  return [
    `${title}: ${countsText(sums)}${part}`,
    ...rowsOf(blocks, { from, perCell, blockSize, cells }),
    `${legendOf(counts)}   ${perCell === 1 ? 'one index a cell' : `${perCell.toLocaleString('en')} indexes a cell, of which the worst shows`}`,
    ...(lagText === undefined ? [] : [lagText]),
    ...notableLines(notable),
    ...(notableLeftOut > 0 ? [`and ${notableLeftOut} more that failed, wait or back off: --from and --to show a part`] : []),
    ...(map.at ? [atText(map.at)] : []),
  ].join('\n');
}

const wordOf = (letter: IndexLetter, lagging: number): string => {
  if (letter === '-') return 'not started';
  return letter === 'R' && lagging > 0 ? `${INDEX_STATES.R} (${lagging} lag)` : INDEX_STATES[letter];
};

/** The worst state of each block, as it is told: of one index, or of as many as a block holds. */
function blocksOf({ states, from, to }: IndexMap): { blockSize: number; blocks: IndexLetter[] } {
  if (states.ranges !== undefined) {
    const codes = unpackStates(states.ranges, to - from) ?? new Uint8Array(to - from);
    return { blockSize: 1, blocks: [...codes].map((code) => INDEX_LETTERS[code] ?? '-') };
  }
  const counts = unpackBlocks(states.blocks?.counts ?? '') ?? [];
  return { blockSize: states.blocks?.size ?? 1, blocks: counts.map(worstIn) };
}

const worstIn = (counts: StateCounts): IndexLetter => INDEX_LETTERS.find((letter) => (counts[letter] ?? 0) > 0) ?? '-';

function rowsOf(
  blocks: readonly IndexLetter[],
  { from, perCell, blockSize, cells }: { from: number; perCell: number; blockSize: number; cells: number },
): string[] {
  const perRow = cells * perCell;
  const rows: string[] = [];
  const width = (from + blocks.length * blockSize).toLocaleString('en').length;
  for (let first = 0; first * blockSize < blocks.length * blockSize; first += perRow / blockSize) {
    const row = blocks.slice(first, first + perRow / blockSize);
    if (row.length === 0) break;
    const letters: IndexLetter[] = [];
    for (let at = 0; at < row.length; at += perCell / blockSize) {
      const cell = new Set(row.slice(at, at + perCell / blockSize));
      letters.push(INDEX_LETTERS.find((letter) => cell.has(letter)) ?? '-');
    }
    rows.push(`${(from + first * blockSize).toLocaleString('en').padStart(width)}  ${painted(letters)}`);
  }
  return rows;
}

/** Neighbours of one state in one colour at once: a terminal gets fewer characters. */
function painted(letters: readonly IndexLetter[]): string {
  let text = '';
  for (let at = 0; at < letters.length;) {
    const letter = letters[at] ?? '-';
    let end = at + 1;
    while (letters[end] === letter) end += 1;
    const { glyph, colour } = LOOKS[letter];
    text += paint(glyph.repeat(end - at), colour);
    at = end;
  }
  return text;
}

const legendOf = (counts: StateCounts): string =>
  INDEX_LETTERS.toReversed()
    .filter((letter) => (counts[letter] ?? 0) > 0)
    .map((letter) => `${paint(LOOKS[letter].glyph, LOOKS[letter].colour)} ${wordOf(letter, 0)}`)
    .join('  ');

function notableLines(notable: IndexMap['notable']): string[] {
  if (notable.length === 0) return [];
  const rows = notable.map(({ index, state, lags, seconds, exitCode, reason = '', pod }) => [
    String(index),
    lags ? 'lags' : INDEX_STATES[state],
    seconds === undefined ? '' : shortSpan(seconds),
    exitCode === undefined ? '' : String(exitCode),
    reason,
    pod,
  ]);
  return tableText(['INDEX', 'STATE', 'RAN', 'EXIT', 'REASON', 'POD'], rows).split('\n');
}

function atText({ index, state, seconds, pods }: NonNullable<IndexMap['at']>): string {
  const told = pods.map(({ name, state: of, ranSeconds, exitCodes }) =>
    [
      `  pod ${name} ${of}`,
      ...(ranSeconds === undefined ? [] : [`ran ${shortSpan(ranSeconds)}`]),
      ...exitCodes.map((code) => `exit code ${code}`),
    ].join(', '),
  );
  const lags = seconds === undefined ? '' : `, lags: it runs for ${shortSpan(seconds)}`;
  return [
    `index ${index}: ${state === 'NotStarted' ? 'not started' : state}${lags}`,
    ...(told.length === 0 ? ['  none of its pods is known'] : told),
  ].join('\n');
}

function replicasText(title: string, { types }: ReplicaMap): string {
  const rows = types.flatMap(({ type, replicas }) =>
    replicas.map(({ index, rank, state, reason = '', restarts, exitCode, fellFirst, pod = '' }) => [
      `${type}-${index}`,
      rank === undefined ? '' : String(rank),
      state === 'NotStarted' ? 'not started' : state,
      reason,
      restarts === undefined ? '' : String(restarts),
      exitCode === undefined ? '' : String(exitCode),
      fellFirst ? `${pod}  fell first` : pod,
    ]),
  );
  const sums = types.map(({ type, wanted, counts }) => `${wanted} ${type} (${countsText(Object.entries(counts))})`);
  const left = types.flatMap(({ type, replicasLeftOut }) =>
    replicasLeftOut > 0 ? [`and ${replicasLeftOut} more of type ${type}: --from and --to show a part`] : [],
  );
  return [`${title}: ${sums.join(', ')}`, tableText(['REPLICA', 'RANK', 'STATE', 'REASON', 'RESTARTS', 'EXIT', 'POD'], rows), ...left].join(
    '\n',
  );
}
