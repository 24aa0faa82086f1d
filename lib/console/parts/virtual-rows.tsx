// Of many rows of one height only those near the window are made.
import { observeWindowOffset, observeWindowRect, Virtualizer, windowScroll, type VirtualItem } from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** The library's two calls for those who make a part of a framework of it. */
export function useVirtualizer<Scrolled extends Element | Window>(virtualizer: Virtualizer<Scrolled, HTMLElement>): void {
  const { _didMount: mount, _willUpdate: update } = virtualizer;
  useLayoutEffect(() => mount(), []);
  useLayoutEffect(() => update());
}

export interface VirtualRows {
  rows: readonly VirtualItem[];
  /** Pixels above and below those that are made. */
  before: number;
  after: number;
  scrollTo: (index: number) => void;
}

/** @param body where the first row begins */
export function useVirtualRows(count: number, rowHeight: number, body: RefObject<HTMLElement | null>): VirtualRows {
  const [, setRound] = useState(0);
  const [margin, setMargin] = useState(0);
  const options = {
    count,
    estimateSize: () => rowHeight,
    getScrollElement: () => window,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
    initialRect: { width: innerWidth, height: innerHeight },
    initialOffset: () => scrollY,
    overscan: 12,
    scrollMargin: margin,
    onChange: () => setRound((round) => round + 1),
  };
  const made = useRef<Virtualizer<Window, HTMLElement>>(undefined);
  const virtualizer = (made.current ??= new Virtualizer<Window, HTMLElement>(options));
  virtualizer.setOptions(options);
  useVirtualizer(virtualizer);
  useLayoutEffect(() => {
    const top = Math.round((body.current?.getBoundingClientRect().top ?? 0) + scrollY);
    if (Math.abs(top - margin) > 1) setMargin(top);
  });
  useLayoutEffect(() => virtualizer.measure(), [rowHeight]);
  const rows = virtualizer.getVirtualItems();
  const [first, last] = [rows[0], rows.at(-1)];
  return {
    rows,
    before: first ? first.start - margin : 0,
    after: last ? virtualizer.getTotalSize() - (last.end - margin) : 0,
    scrollTo: (index) => virtualizer.scrollToIndex(index, { align: 'auto' }),
  };
}
