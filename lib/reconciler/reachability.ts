// A cluster that does not answer is probed every few seconds by one pass; its other wakes are put off without a call (R14).
import * as v from 'valibot';
import type { Ports } from '../ports/ports.ts';
import type { Note } from '../ports/store.ts';
import { StaleWriteError } from '../ports/store.ts';

const NOTE = 'reach';
const PROBE_EVERY_MS = 5_000;
const CACHED_MS = 1_000;

const Reach = v.object({ downSinceMs: v.nullable(v.number()), probeAtMs: v.number(), reason: v.string() });
type Reach = v.InferOutput<typeof Reach>;
interface Known {
  reach: Reach;
  version: number;
  readAtMs: number;
}

export class Reachability {
  readonly #ports: Pick<Ports, 'store' | 'clock' | 'telemetry'>;
  readonly #known = new Map<string, Known>();

  constructor(ports: Pick<Ports, 'store' | 'clock' | 'telemetry'>) {
    this.#ports = ports;
  }

  /** @returns 0 when this pass may call (it may be the probe), else milliseconds to put its work off */
  async holdMs(cluster: string): Promise<number> {
    const nowMs = this.#ports.clock.nowMs();
    const known = this.#known.get(cluster);
    if (known && known.reach.downSinceMs === null && nowMs - known.readAtMs < CACHED_MS) return 0;
    const { reach, version } = await this.#read(cluster);
    if (reach.downSinceMs === null) return 0;
    // One that lies further ahead was set before the clock was set back.
    if (reach.probeAtMs > nowMs && reach.probeAtMs <= nowMs + 2 * PROBE_EVERY_MS)
      return reach.probeAtMs - nowMs + this.#jitterMs(nowMs - reach.downSinceMs);
    // Whoever moves the probe's time on is the probe.
    return (await this.#put(cluster, { ...reach, probeAtMs: nowMs + PROBE_EVERY_MS }, version)) ? 0 : PROBE_EVERY_MS;
  }

  async sawSilence(cluster: string, reason: string): Promise<void> {
    const nowMs = this.#ports.clock.nowMs();
    const { reach, version } = await this.#read(cluster);
    if (reach.downSinceMs === null) {
      this.#ports.telemetry.error('cluster does not answer', { cluster, reason });
      this.#ports.telemetry.count('SilentClusters', 1, 'Count');
    }
    await this.#put(cluster, { downSinceMs: reach.downSinceMs ?? nowMs, probeAtMs: nowMs + PROBE_EVERY_MS, reason }, version);
  }

  /** @returns true when it had been silent before: what was put off is to be sent again */
  async sawAnswer(cluster: string): Promise<boolean> {
    if (this.#known.get(cluster)?.reach.downSinceMs === null) return false;
    const { reach, version } = await this.#read(cluster);
    if (reach.downSinceMs === null) return false;
    this.#ports.telemetry.info('cluster answers again', { cluster, silentMs: this.#ports.clock.nowMs() - reach.downSinceMs });
    return await this.#put(cluster, { downSinceMs: null, probeAtMs: 0, reason: '' }, version);
  }

  /** Why and since when a cluster is silent; undefined while it answers. */
  async silence(cluster: string): Promise<{ sinceMs: number; reason: string } | undefined> {
    const { reach } = await this.#read(cluster);
    return reach.downSinceMs === null ? undefined : { sinceMs: reach.downSinceMs, reason: reach.reason };
  }

  /** Work put off waits longer the longer the silence lasts (a minute at most): an answer sends all of it again. */
  #jitterMs(silentMs: number): number {
    return Math.round(this.#ports.clock.random() * Math.min(Math.max(silentMs, 1_000), 60_000));
  }

  async #read(cluster: string): Promise<Known> {
    const note: Note | undefined = await this.#ports.store.readNote(cluster, NOTE);
    const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), Reach), note?.body);
    const reach = parsed.success ? parsed.output : { downSinceMs: null, probeAtMs: 0, reason: '' };
    const known = { reach, version: note?.version ?? 0, readAtMs: this.#ports.clock.nowMs() };
    this.#known.set(cluster, known);
    return known;
  }

  async #put(cluster: string, reach: Reach, version: number): Promise<boolean> {
    this.#known.delete(cluster);
    try {
      await this.#ports.store.putNote(cluster, NOTE, JSON.stringify(reach), version);
      return true;
    } catch (error) {
      if (error instanceof StaleWriteError) return false;
      throw error;
    }
  }
}
