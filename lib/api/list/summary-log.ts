// The summaries of a cluster's workloads, kept in memory: a poll reads only the part of the log that was written since. Each process that
// answers the API has its own.
import { findFacts } from '../../kinds/facts.ts';
import { formatKey, type WorkloadKey } from '../../objects/workload.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { Ports } from '../../ports/ports.ts';
import type { SummaryEntry } from '../../ports/summaries.ts';
import { inParallel } from '../../reconciler/invocation/parallel.ts';
import { ENDED_KEPT_MS } from '../../reconciler/summary/pass-summary.ts';
import { storedSummary } from '../../reconciler/summary/stored-summary.ts';
import { decodeSummary, type TimedSummary } from '../../reconciler/summary/summary.ts';

export interface SummaryRow {
  key: WorkloadKey;
  /** `cluster/kind/namespace/name/uid` */
  id: string;
  summary: TimedSummary;
}

interface Known extends SummaryRow {
  atMs: number;
  /** Undefined of a summary that was made here. */
  body: string | undefined;
}

interface Loaded {
  rows: Map<string, Known>;
  /** Of the latest entry. */
  newestAtMs: number;
  loadedAtMs: number;
}

type LogPorts = Pick<Ports, 'store' | 'clock' | 'telemetry'>;

/**
 * An entry may come into the log so much later than its time says: its pass was slow or frozen in between, or its machine's clock is behind.
 * What comes later still is read with the whole log.
 */
const OVERLAP_MS = 60_000;
const WHOLE_EVERY_MS = 600_000;
const KEYS_PER_PAGE = 1_000;
const HEADS_AT_ONCE = 100;
const READS_AT_ONCE = 16;

export class SummaryLog {
  readonly #ports: LogPorts;
  readonly #loaded = new Map<string, Loaded>();
  readonly #reading = new Map<string, Promise<Loaded>>();

  constructor(ports: LogPorts) {
    this.#ports = ports;
  }

  /** As they are now. Requests at the same time share one read. */
  async rowsOf(record: ClusterRecord): Promise<Iterable<SummaryRow>> {
    const reading = this.#reading.get(record.name) ?? this.#read(record);
    this.#reading.set(record.name, reading);
    try {
      return (await reading).rows.values();
    } finally {
      this.#reading.delete(record.name);
    }
  }

  async #read(record: ClusterRecord): Promise<Loaded> {
    const known = this.#loaded.get(record.name);
    const nowMs = this.#ports.clock.nowMs();
    if (known && Math.abs(nowMs - known.loadedAtMs) < WHOLE_EVERY_MS) {
      await this.#follow(record.name, known, known.newestAtMs - OVERLAP_MS);
      return known;
    }
    const loaded: Loaded = { rows: new Map(), newestAtMs: 0, loadedAtMs: nowMs };
    await this.#follow(record.name, loaded, 0);
    await this.#compareWithHeads(record, loaded);
    for (const [id, { summary }] of loaded.rows)
      if (summary.removedAtMs !== undefined && nowMs - summary.removedAtMs > ENDED_KEPT_MS) loaded.rows.delete(id);
    this.#loaded.set(record.name, loaded);
    return loaded;
  }

  async #follow(cluster: string, loaded: Loaded, fromMs: number): Promise<void> {
    let after: string | undefined;
    do {
      const page = await this.#ports.store.summaries(cluster, { fromMs, ...(after !== undefined && { after }) });
      for (const entry of page.entries) take(loaded, entry);
      after = page.next;
    } while (after !== undefined);
  }

  /**
   * Heads without a summary are read, and summaries without a head dropped: those of an earlier build, and those whose entries have gone by
   * their time to live. The list of heads may be late, so a head is looked for before its summary goes.
   */
  async #compareWithHeads(record: ClusterRecord, { rows }: Loaded): Promise<void> {
    const { store } = this.#ports;
    const unseen = new Set([...rows].flatMap(([id, { summary }]) => (summary.removedAtMs === undefined ? [id] : [])));
    const missing: WorkloadKey[] = [];
    let after: string | undefined;
    do {
      const page = await store.workloads(record.name, { limit: KEYS_PER_PAGE, ...(after !== undefined && { after }) });
      for (const key of page.keys) {
        const id = formatKey(key);
        const row = rows.get(id);
        unseen.delete(id);
        if ((row === undefined || row.summary.removedAtMs !== undefined) && findFacts(key.kind)) missing.push(key);
      }
      after = page.next;
    } while (after !== undefined);
    await inParallel(missing, READS_AT_ONCE, async (key) => {
      const summary = await storedSummary(this.#ports, key, { record });
      if (summary) rows.set(formatKey(key), { key, id: formatKey(key), atMs: 0, body: undefined, summary });
    });
    const gone = [...unseen].flatMap((id) => rows.get(id) ?? []);
    for (let at = 0; at < gone.length; at += HEADS_AT_ONCE) {
      const some = gone.slice(at, at + HEADS_AT_ONCE);
      const heads = await store.readHeads(some.map(({ key }) => key));
      for (const [each, { id }] of some.entries()) if (heads[each] === undefined) rows.delete(id);
    }
  }
}

/** The later entry counts. One that is read again is not decoded again. */
function take(loaded: Loaded, { key, atMs, body }: SummaryEntry): void {
  loaded.newestAtMs = Math.max(loaded.newestAtMs, atMs);
  const id = formatKey(key);
  const known = loaded.rows.get(id);
  if (known && (known.atMs > atMs || (known.atMs === atMs && known.body === body))) return;
  // A kind that only a later build knows: that build shows it.
  const summary = findFacts(key.kind) && decodeSummary(body);
  if (summary) loaded.rows.set(id, { key: known?.key ?? key, id, atMs, body, summary });
}
