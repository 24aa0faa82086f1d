// The word for a state, with its icon and colour, which add nothing to it.
import type { State } from '../../kinds/rows/state.ts';

export type Tone = 'good' | 'run' | 'warn' | 'bad' | 'person' | 'soft';

interface Look {
  tone: Tone;
  /** In a box of 16: outline, and what is filled. */
  line?: string;
  fill?: string;
}

const RING = 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11z';

/** Does not compile while a state has none. */
const LOOKS: Record<State, Look> = {
  Pending: { tone: 'soft', line: RING },
  Running: { tone: 'run', fill: RING },
  BackingOff: { tone: 'warn', line: 'M3.5 8a4.5 4.5 0 1 1 1.6 3.4M3.5 12v-3h3' },
  Waiting: { tone: 'warn', line: 'M4 2.5h8M4 13.5h8M5 2.5c0 4 6 7 6 11M11 2.5c0 4-6 7-6 11' },
  Suspended: { tone: 'soft', line: 'M5.5 3v10M10.5 3v10' },
  Succeeded: { tone: 'good', line: 'M3 8.5l3.5 3.5L13 4.5' },
  Failed: { tone: 'bad', line: 'M4 4l8 8M12 4l-8 8' },
  Terminating: { tone: 'soft', line: RING, fill: 'M8 5.5a2.5 2.5 0 1 0 0 5a2.5 2.5 0 1 0 0-5z' },
  Parked: { tone: 'person', line: 'M4 14V2.5', fill: 'M4 3h8l-2 2.5l2 2.5H4z' },
  Orphan: { tone: 'soft', line: 'M8 2.5l5.5 5.5l-5.5 5.5l-5.5-5.5z' },
  Unknown: { tone: 'soft', line: 'M5.5 6a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.7M8 12.5v.8' },
  Unreadable: { tone: 'person', line: 'M3 3h10v10H3zM3 9l6-6M5 13l8-8' },
};
const TROUBLE: Look = { tone: 'warn', line: RING, fill: 'M8 2.5a5.5 5.5 0 0 0 0 11z' };

/** Of clusters, passes and pods. */
const OTHER_TONES: ReadonlyMap<string, Tone> = new Map(
  Object.entries({
    Watching: 'good',
    Draining: 'soft',
    Leaving: 'soft',
    Throttled: 'soft',
    acted: 'good',
    converged: 'soft',
    waiting: 'warn',
    'not started': 'soft',
    parked: 'person',
    failed: 'bad',
    unreachable: 'bad',
    overtaken: 'warn',
    putOff: 'warn',
    throttled: 'warn',
    admitting: 'soft',
    cancelled: 'soft',
    done: 'good',
    refused: 'bad',
    Silent: 'bad',
    Unreachable: 'bad',
    Refused: 'bad',
    RelayCutOff: 'bad',
    RelayTooNew: 'bad',
    WatchRefused: 'bad',
    WatchStuck: 'bad',
    Forbidden: 'bad',
  } as const),
);

const isState = (word: string): word is State => Object.hasOwn(LOOKS, word);

function lookOf(word: string): Look {
  if (isState(word)) return LOOKS[word];
  const tone = OTHER_TONES.get(word);
  if (tone === 'good') return { ...LOOKS.Succeeded, tone };
  if (tone === 'bad') return { tone, fill: 'M8 2.5l6 10.5H2z' };
  return tone === undefined ? LOOKS.Unknown : { ...LOOKS.Pending, tone };
}

interface StateWordProps {
  word: string;
  /** In brackets: part of it is not so. */
  trouble?: string | undefined;
  /** The same, where its words stand elsewhere. */
  isPart?: boolean;
  /** The icon alone, where a legend or a label has the word. */
  isBare?: boolean;
}

export function StateWord({ word, trouble, isPart = trouble !== undefined, isBare = false }: StateWordProps) {
  const look = isPart && word === 'Running' ? TROUBLE : lookOf(word);
  return (
    <span class={`state ${look.tone}`}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        {look.line !== undefined && <path d={look.line} fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" />}
        {look.fill !== undefined && <path d={look.fill} fill="currentColor" />}
      </svg>
      {!isBare && word}
      {trouble !== undefined && <span class="trouble"> ({trouble})</span>}
    </span>
  );
}

/** A word of which only the colour speaks. */
export const Tag = ({ word }: { word: string }) => <span class={`tag ${OTHER_TONES.get(word) ?? ''}`}>{word}</span>;
