// Times: ages that go on by themselves, with the full time on hover.
import { serverNowMs } from '../state/freshness.ts';

/** `12 s`, `3 min`, `2 h`, `5 d`. */
export function spanText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 120) return `${whole} s`;
  if (whole < 7_200) return `${Math.round(whole / 60)} min`;
  return whole < 172_800 ? `${Math.round(whole / 3_600)} h` : `${Math.round(whole / 86_400)} d`;
}

/** @param time RFC 3339 */
export function momentText(time: string, fromMs: number): string {
  const seconds = (fromMs - Date.parse(time)) / 1_000;
  return seconds >= 0 ? `${spanText(seconds)} ago` : `in ${spanText(-seconds)}`;
}

/** How long ago, or in how long. */
export function Moment({ time }: { time: string | undefined }) {
  if (time === undefined || time === '') return <>–</>;
  return (
    <time dateTime={time} title={time}>
      {momentText(time, serverNowMs.value)}
    </time>
  );
}

/** How old, without a word. */
export function Age({ time }: { time: string | undefined }) {
  if (time === undefined || time === '') return <>–</>;
  return (
    <time dateTime={time} title={time}>
      {spanText((serverNowMs.value - Date.parse(time)) / 1_000)}
    </time>
  );
}

export const clockText = (ms: number): string => new Date(ms).toLocaleTimeString([], { hour12: false });

/** The time of day with milliseconds, for lists whose order matters. */
export function Clock({ time }: { time: string }) {
  return (
    <time dateTime={time} title={time} class="clock">
      {`${clockText(Date.parse(time))}.${time.slice(20, 23).replace('Z', '').padEnd(3, '0')}`}
    </time>
  );
}
