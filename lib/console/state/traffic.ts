// How much this tab asks of the network: bytes and answers of the last minute, as the browser counts them.
import { computed, signal } from '@preact/signals';
import { nowMs } from './freshness.ts';

const MINUTE_MS = 60_000;

interface Counted {
  atMs: number;
  bytes: number;
  answers: number;
  /** Of them, without a body: nothing had changed. */
  unchanged: number;
}

const counted = signal<readonly Counted[]>([]);

const note = (more: Omit<Counted, 'atMs'>): void => {
  const atMs = Date.now();
  counted.value = [...counted.value.filter((each) => atMs - each.atMs < MINUTE_MS), { atMs, ...more }];
};

/** Of the stream, which has no end at which the browser would count it. */
export const noteBytes = (bytes: number): void => note({ bytes, answers: 0, unchanged: 0 });

export const lastMinute = computed<Omit<Counted, 'atMs'>>(() => {
  const sum = { bytes: 0, answers: 0, unchanged: 0 };
  for (const each of counted.value) {
    if (nowMs.value - each.atMs > MINUTE_MS) continue;
    sum.bytes += each.bytes;
    sum.answers += each.answers;
    sum.unchanged += each.unchanged;
  }
  return sum;
});

/** `8 KB`, `1.2 MB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export function watchTraffic(): void {
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      if (entry instanceof PerformanceResourceTiming && entry.initiatorType === 'fetch')
        note({ bytes: entry.transferSize, answers: 1, unchanged: entry.encodedBodySize === 0 ? 1 : 0 });
    // The browser would keep each for as long as the page is open.
    performance.clearResourceTimings();
  });
  observer.observe({ type: 'resource' });
}
