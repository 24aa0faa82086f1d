// The map of a Job's indexes: one stop of the keyboard, a click that leads closer, and the same in words.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { INDEX_LETTERS, INDEX_STATES, type IndexLetter } from '../../../objects/detail/packed-states.ts';
import { mediaSignal } from '../media.ts';
import { cellCount, cellsOf, columnsFor, indexesOf, LETTERS, type Cells, type Shown, type Told } from './cells.ts';
import { GUTTER_PX, paint, ROW_PX } from './paint.ts';

const isDark = mediaSignal('(prefers-color-scheme: dark)');
const LEAST_CELL_PX = 10;
const MOST_CELL_PX = 14;

/** An index out of the ordinary, as the map marks it. */
export interface Marked {
  index: number;
  lags?: true;
  seconds?: number;
}

/** By ten; `into`: as near as one click may lead, so that a cell of a hundred opens as a row of single ones. */
export type Zoom = 'in' | 'out' | 'into';

interface IndexMapProps {
  told: Told;
  total: number;
  shown: Shown;
  /** Counts of the whole, for those who read the page aloud. */
  label: string;
  marked: readonly Marked[];
  letters: ReadonlySet<string> | undefined;
  /** The index that is looked at. */
  at: number | undefined;
  open: (index: number) => void;
  zoom: (index: number, by: Zoom) => void;
  toIndex: () => void;
  spanText: (seconds: number) => string;
}

/** As wide as there is room: the cells in a row, and how wide each is. */
export function useColumns(): { box: { current: HTMLDivElement | null }; columns: number; cellPx: number } {
  const box = useRef<HTMLDivElement>(null);
  const [widthPx, setWidthPx] = useState(Math.min(innerWidth - 48, 1_872));
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setWidthPx(element.clientWidth));
    observer.observe(element);
    setWidthPx(element.clientWidth);
    return () => observer.disconnect();
  }, []);
  const room = Math.max(widthPx - GUTTER_PX - 4, 0);
  const columns = columnsFor(room);
  return { box, columns, cellPx: Math.max(Math.min(Math.floor(room / columns), MOST_CELL_PX), columns === 25 ? 8 : LEAST_CELL_PX) };
}

const wordOf = (letter: IndexLetter): string => (letter === '-' ? 'not started' : INDEX_STATES[letter]);

/** `4,711: Running, 47 min, lags`, or `4,700 to 4,799: Failed 1, Succeeded 99`. */
export function cellText({ shown, counts }: Cells, cell: number, { marked, spanText }: Pick<IndexMapProps, 'marked' | 'spanText'>): string {
  const { first, behind } = indexesOf(shown, cell);
  const states = INDEX_LETTERS.flatMap((letter, code) => {
    const count = counts[cell * LETTERS + code] ?? 0;
    return count === 0 ? [] : [{ word: wordOf(letter), count }];
  });
  const inside = marked.filter(({ index }) => index >= first && index < behind);
  const lagging = inside.filter(({ lags }) => lags === true).length;
  if (behind - first === 1) {
    const [mark] = inside;
    return [
      `${first.toLocaleString('en')}: ${states[0]?.word ?? 'not known'}`,
      ...(mark?.seconds === undefined ? [] : [spanText(mark.seconds)]),
      ...(lagging > 0 ? ['lags'] : []),
    ].join(', ');
  }
  const texts = states.map(({ word, count }) => `${word} ${count.toLocaleString('en')}`);
  const lag = lagging > 0 ? [`${lagging} ${lagging === 1 ? 'lags' : 'lag'}`] : [];
  return `${first.toLocaleString('en')} to ${(behind - 1).toLocaleString('en')}: ${[...texts, ...lag].join(', ')}`;
}

export function IndexMapView({
  told,
  total,
  shown,
  label,
  marked,
  letters,
  at,
  open,
  zoom,
  toIndex,
  spanText,
  ...layout
}: IndexMapProps & ReturnType<typeof useColumns>) {
  const { box, columns, cellPx } = layout;
  const canvas = useRef<HTMLCanvasElement>(null);
  const cells = useMemo(() => cellsOf(told, shown), [told, shown.from, shown.to, shown.size]);
  const count = cellCount(shown);
  const cellOf = (index: number): number => Math.floor((index - shown.from) / shown.size);
  const lagging = useMemo(
    () =>
      new Set(
        marked
          .filter(({ lags, index }) => lags === true && index >= shown.from && index < shown.to)
          .map(({ index }) => Math.floor((index - shown.from) / shown.size)),
      ),
    [marked, shown.from, shown.to, shown.size],
  );
  const [hasFocus, setFocus] = useState(false);
  const [pointed, setPointed] = useState<number>();
  /** An index, so that it stays where it is when the level changes. */
  const [cursorIndex, setCursorIndex] = useState(at ?? shown.from);
  useEffect(() => {
    if (at !== undefined) setCursorIndex(at);
  }, [at]);
  const cursor = Math.min(Math.max(cellOf(cursorIndex), 0), count - 1);
  const isAtShown = at !== undefined && at >= shown.from && at < shown.to;
  const drawn = hasFocus ? cursor : isAtShown ? cellOf(at) : undefined;
  const dark = isDark.value;
  useLayoutEffect(() => {
    if (!canvas.current) return;
    paint(canvas.current, { cells, columns, cellPx, lagging, letters, cursor: drawn, font: '11px system-ui, sans-serif' });
  }, [cells, columns, cellPx, lagging, letters, drawn, dark]);

  const isOdd = (cell: number): boolean =>
    lagging.has(cell) ||
    ['F', 'B', 'W'].some((letter) => (cells.counts[cell * LETTERS + INDEX_LETTERS.indexOf(letter as IndexLetter)] ?? 0) > 0);
  const move = (cell: number): void => setCursorIndex(indexesOf(shown, Math.min(Math.max(cell, 0), count - 1)).first);
  const next = (step: 1 | -1): void => {
    for (let cell = cursor + step; cell >= 0 && cell < count; cell += step)
      if (isOdd(cell)) {
        move(cell);
        return;
      }
  };
  /** Of many the one that is out of the ordinary, if it is known. */
  const indexIn = (cell: number): number => {
    const { first, behind } = indexesOf(shown, cell);
    return marked.find(({ index }) => index >= first && index < behind)?.index ?? first;
  };
  const enter = (cell: number): void => {
    if (shown.size === 1) open(indexesOf(shown, cell).first);
    else zoom(indexIn(cell), 'into');
  };
  const rowOf = (cell: number): number => cell - (cell % columns);
  const KEYS: Readonly<Record<string, () => void>> = {
    ArrowRight: () => move(cursor + 1),
    ArrowLeft: () => move(cursor - 1),
    ArrowDown: () => cursor + columns < count && move(cursor + columns),
    ArrowUp: () => cursor >= columns && move(cursor - columns),
    Home: () => move(rowOf(cursor)),
    End: () => move(rowOf(cursor) + columns - 1),
    PageUp: () => move(0),
    PageDown: () => move(count - 1),
    '[': () => next(-1),
    ']': () => next(1),
    '+': () => zoom(cursorIndex, 'in'),
    '-': () => zoom(cursorIndex, 'out'),
    Enter: () => enter(cursor),
    i: toIndex,
  };
  const cellUnder = ({ offsetX, offsetY }: { offsetX: number; offsetY: number }): number | undefined => {
    const column = Math.floor((offsetX - GUTTER_PX) / cellPx);
    const cell = Math.floor(offsetY / ROW_PX) * columns + column;
    return column >= 0 && column < columns && cell >= 0 && cell < count ? cell : undefined;
  };
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    // Not passive: with Ctrl the wheel would make the whole page larger.
    const turn = (event: WheelEvent): void => {
      const cell = event.ctrlKey ? cellUnder(event) : undefined;
      if (cell === undefined) return;
      event.preventDefault();
      zoom(indexIn(cell), event.deltaY < 0 ? 'in' : 'out');
    };
    element.addEventListener('wheel', turn, { passive: false });
    return () => element.removeEventListener('wheel', turn);
  });
  const text = cellText(cells, pointed ?? cursor, { marked, spanText });
  return (
    <div ref={box} class="index-map">
      <div
        class="cells"
        role="slider"
        tabIndex={0}
        aria-label={`Map of the indexes. ${label}`}
        aria-valuemin={0}
        aria-valuemax={total - 1}
        aria-valuenow={indexesOf(shown, cursor).first}
        aria-valuetext={cellText(cells, cursor, { marked, spanText })}
        onFocus={() => setFocus(true)}
        onBlur={() => setFocus(false)}
        onKeyDown={(event) => {
          const does = event.ctrlKey || event.metaKey || event.altKey ? undefined : KEYS[event.key];
          if (!does) return;
          event.preventDefault();
          setPointed(undefined);
          does();
        }}
      >
        <canvas
          ref={canvas}
          aria-hidden="true"
          onPointerMove={(event) => setPointed(cellUnder(event))}
          onPointerLeave={() => setPointed(undefined)}
          onClick={(event) => {
            const cell = cellUnder(event);
            if (cell === undefined) return;
            move(cell);
            enter(cell);
          }}
        />
      </div>
      <p class="under soft" aria-hidden="true">
        {pointed === undefined && !hasFocus ? 'Point at a cell, or use the arrow keys.' : text}
      </p>
    </div>
  );
}
