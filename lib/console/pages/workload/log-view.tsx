// The lines themselves, in a box that follows its end until somebody scrolls up. Of many lines those near the window are made.
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useVirtualizer } from '../../parts/virtual-rows.tsx';
import type { LogLine } from '../../state/log-lines.ts';

const LINE_PX = 18;
const AT_END_PX = 24;

interface LogViewProps {
  lines: readonly LogLine[];
  find: string;
  /** Position of the line that a search has come to; -1: none. */
  current: number;
  hasEnded: boolean;
}

export function LogView({ lines, find, current, hasEnded }: LogViewProps) {
  const box = useRef<HTMLDivElement>(null);
  const [isFollowing, setFollowing] = useState(true);
  const [seen, setSeen] = useState(lines.length);
  const [, setRound] = useState(0);
  const options = {
    count: lines.length,
    estimateSize: () => LINE_PX,
    getScrollElement: () => box.current,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    initialRect: { width: 800, height: 500 },
    overscan: 20,
    getItemKey: (at: number) => lines[at]?.id ?? at,
    onChange: () => setRound((round) => round + 1),
  };
  const made = useRef<Virtualizer<HTMLDivElement, HTMLElement>>(undefined);
  const virtualizer = (made.current ??= new Virtualizer<HTMLDivElement, HTMLElement>(options));
  virtualizer.setOptions(options);
  useVirtualizer(virtualizer);
  useLayoutEffect(() => {
    if (!isFollowing || !box.current) return;
    box.current.scrollTop = box.current.scrollHeight;
    setSeen(lines.length);
  }, [lines, isFollowing]);
  useEffect(() => {
    if (current < 0) return;
    setFollowing(false);
    virtualizer.scrollToIndex(current, { align: 'center' });
  }, [current]);
  const rows = virtualizer.getVirtualItems();
  const missed = Math.max(0, lines.length - seen);
  return (
    <div class="logs">
      <div
        ref={box}
        class="lines"
        role="log"
        aria-live="off"
        aria-label="Lines"
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) =>
          setFollowing(scrollHeight - scrollTop - clientHeight < AT_END_PX)
        }
      >
        <div style={{ height: `${rows[0]?.start ?? 0}px` }} />
        {rows.map(({ index, key }) => {
          const line = lines[index];
          return (
            line && (
              <div key={key} class={`line ${line.isNote === true ? 'note' : ''} ${index === current ? 'chosen' : ''}`}>
                {line.of !== '' && <span class="of">{line.of} </span>}
                {line.time !== undefined && <span class="soft">{line.time.slice(11, 23).replace(/Z$/, '')} </span>}
                <Found text={line.text} find={find} />
              </div>
            )
          );
        })}
        <div style={{ height: `${Math.max(0, virtualizer.getTotalSize() - (rows.at(-1)?.end ?? 0))}px` }} />
      </div>
      {!isFollowing && (
        <button type="button" class="follow" onClick={() => setFollowing(true)}>
          ↓ {missed > 0 ? `${missed.toLocaleString('en')} new lines` : hasEnded ? 'to the end' : 'follow'}
        </button>
      )}
    </div>
  );
}

/** The text, with what was searched for marked. */
function Found({ text, find }: { text: string; find: string }) {
  if (find === '' || text.toLowerCase().length !== text.length) return <>{text}</>;
  const parts: ComponentChildren[] = [];
  const [lower, wanted] = [text.toLowerCase(), find.toLowerCase()];
  let from = 0;
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, from)) {
    parts.push(text.slice(from, at), <mark>{text.slice(at, at + wanted.length)}</mark>);
    from = at + wanted.length;
  }
  return (
    <>
      {parts}
      {text.slice(from)}
    </>
  );
}
