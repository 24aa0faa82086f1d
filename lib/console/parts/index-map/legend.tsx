// The states of the map with their shapes and counts; each narrows the map to itself.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { INDEX_LETTERS, INDEX_STATES, type IndexLetter, type StateCounts } from '../../../objects/detail/packed-states.ts';
import { mediaSignal } from '../media.ts';
import { coloursOf, paintShape } from './paint.ts';

const isDark = mediaSignal('(prefers-color-scheme: dark)');
const SWATCH_PX = 14;

interface LegendProps {
  counts: StateCounts;
  lagging: number;
  /** Undefined: all are shown. */
  letters: ReadonlySet<string> | undefined;
  /** The address with that letter shown, or no more. */
  hrefOf: (letter: IndexLetter) => string;
}

export const stateWordOf = (letter: IndexLetter): string => (letter === '-' ? 'not started' : INDEX_STATES[letter]);

export function Legend({ counts, lagging, letters, hrefOf }: LegendProps) {
  return (
    <p class="counts legend">
      {INDEX_LETTERS.toReversed().map((letter) => {
        const count = counts[letter] ?? 0;
        return (
          count > 0 && (
            <a key={letter} href={hrefOf(letter)} aria-current={letters?.has(letter) ? 'true' : undefined}>
              <Swatch letter={letter} />
              {stateWordOf(letter)} {count.toLocaleString('en')}
              {letter === 'R' && lagging > 0 && ` (${lagging.toLocaleString('en')} ${lagging === 1 ? 'lags' : 'lag'})`}
            </a>
          )
        );
      })}
    </p>
  );
}

function Swatch({ letter }: { letter: IndexLetter }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const dark = isDark.value;
  useLayoutEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!canvas.current || !context) return;
    context.clearRect(0, 0, SWATCH_PX, SWATCH_PX);
    paintShape(context, letter, { x: 0, y: 0, width: SWATCH_PX, height: SWATCH_PX }, coloursOf(canvas.current));
  }, [letter, dark]);
  return <canvas ref={canvas} width={SWATCH_PX} height={SWATCH_PX} aria-hidden="true" />;
}
