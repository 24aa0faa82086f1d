// Durations as kubectl shows ages: two units at most, the finer one only while it matters.

/** `45s`, `2m5s`, `17m`, `3h12m`, `2d4h`, `120d`, `2y30d`. @param ms may lie a little in the future: then `0s` */
export function humanDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 192) return pair(days, 'd', hours % 24, 'h');
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  return days < 2920 ? pair(years, 'y', days % 365, 'd') : `${years}y`;
}

const pair = (whole: number, unit: string, rest: number, finer: string): string =>
  rest === 0 ? `${whole}${unit}` : `${whole}${unit}${rest}${finer}`;

/** Time since an RFC 3339 text; `<unknown>` without one. */
export function ageOf(time: unknown, nowMs: number): string {
  const then = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(then) ? '<unknown>' : humanDuration(nowMs - then);
}
