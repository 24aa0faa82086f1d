// Entries of the log of summaries as items of the table, and back. The embedded store keeps them by the same keys, and counts by these items.
import { parseKey, formatKey, type WorkloadKey } from '../../objects/workload.ts';
import { TerminalError } from '../../ports/errors.ts';
import type { SummaryChange, SummaryEntry } from '../../ports/summaries.ts';
import { number, text, type Item } from './table-items.ts';

/** A Query answers so much at once. */
export const SUMMARIES_PAGE_BYTES = 1024 * 1024;

const BODY_BYTES_MAX = 8 * 1024;
/** Of a workload that is there: as long as its head, which no write has refreshed meanwhile either. */
const KEEP_MS = 180 * 24 * 3_600_000;

/** Two parts: no workload's key, and no answer's. */
export const summariesPartition = (cluster: string): string => `${cluster}/summaries`;

/** All moments have the same length, so that the order of texts is that of time. */
const momentText = (ms: number): string => String(Math.max(Math.trunc(ms), 0)).padStart(14, '0');

export const summarySortKey = (atMs: number, key: WorkloadKey): string =>
  `${momentText(atMs)}#${formatKey(key).slice(key.cluster.length + 1)}`;

/** Before all entries of that moment. */
export const summarySortKeyFrom = (fromMs: number): string => momentText(fromMs);

export const summaryKeptUntilMs = ({ keptUntilMs }: Pick<SummaryChange, 'keptUntilMs'>, nowMs: number): number =>
  keptUntilMs ?? nowMs + KEEP_MS;

/** @throws TerminalError larger than an entry may be */
export function summaryItem(change: SummaryChange, nowMs: number): Item {
  const { key, atMs, body } = change;
  if (Buffer.byteLength(body) > BODY_BYTES_MAX)
    throw new TerminalError(`the summary of ${formatKey(key)} takes ${Buffer.byteLength(body)} bytes, it holds at most ${BODY_BYTES_MAX}`);
  return {
    pk: text(summariesPartition(key.cluster)),
    sk: text(summarySortKey(atMs, key)),
    s: text(body),
    x: number(Math.floor(summaryKeptUntilMs(change, nowMs) / 1000)),
  };
}

/** @returns undefined for what no version wrote */
export function summaryEntryOf(cluster: string, sortKey: string, body: unknown): SummaryEntry | undefined {
  const at = sortKey.indexOf('#');
  const key = at < 0 ? undefined : parseKey(`${cluster}/${sortKey.slice(at + 1)}`);
  const atMs = Number(sortKey.slice(0, Math.max(at, 0)));
  return key && at > 0 && Number.isSafeInteger(atMs) && typeof body === 'string' ? { key, atMs, body } : undefined;
}
