// One pass probes a cluster that does not answer, every few seconds. Its other wakes are put off without a call (R14). The same holds for a
// namespace in which the cluster forbids requests that Farloop needs: that is a matter of the rights there, not of each workload. A look
// once a minute (cluster-look.ts) takes part, so that the state of a cluster without work is known as well.
import * as v from 'valibot';
import type { WorkloadKey } from '../../objects/workload.ts';
import { isInScope, type ClusterRecord } from '../../ports/clusters.ts';
import { TerminalError } from '../../ports/errors.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Note, ReadsNotes } from '../../ports/store.ts';
import { StaleWriteError } from '../../ports/store.ts';
import type { Trouble } from './cluster-state.ts';
import { OncePerKey } from '../invocation/once-per-key.ts';

const NOTE = 'reach';
const PROBE_EVERY_MS = 5_000;
/** An unanswered request lasts this long (R17). While one probe waits, no second one takes another slot. */
const PROBE_LASTS_MS = 10_000;
const PROBE_HELD_MS = PROBE_LASTS_MS + PROBE_EVERY_MS;
/** A person must restore rights, so this is slower than PROBE_EVERY_MS. */
const RIGHTS_EVERY_MS = 20_000;
const CACHED_MS = 1_000;
const MOST_TRIES = 4;
/** One refused workload may be refused for its own sake. This many mean the cluster's credentials. */
const REFUSED_WORKLOADS = 2;
const REFUSED_WITHIN_MS = 600_000;

const Reach = v.looseObject({
  downSinceMs: v.nullable(v.number()),
  /**
   * When the silence was noted. A request that began before may have been answered before the silence. Absent in notes of earlier builds.
   */
  notedAtMs: v.optional(v.number()),
  probeAtMs: v.number(),
  reason: v.string(),
  /** The cluster answers, and refuses the credentials. */
  isRefused: v.optional(v.literal(true)),
  /** The workload whose next pass probes. Its wakes are put off only until the probe's time, without a random delay. */
  proberUid: v.optional(v.string()),
  forbidden: v.optional(
    v.object({
      sinceMs: v.number(),
      reason: v.string(),
      /** Workloads that were refused; no more are stored than are needed to decide. */
      uids: v.array(v.string()),
      /** By namespace: when its rights are checked again. */
      probeAtMs: v.record(v.string(), v.number()),
    }),
  ),
});
type Reach = v.InferOutput<typeof Reach>;
interface Known {
  reach: Reach;
  version: number;
  readAtMs: number;
}

type Place = Pick<WorkloadKey, 'cluster' | 'namespace'>;

export interface Hold {
  /** 0 if this pass may call, else milliseconds to put its work off. */
  waitMs: number;
  /** The check that this pass makes on behalf of all others. */
  probe: 'none' | 'answer' | 'rights';
}

const GO: Hold = { waitMs: 0, probe: 'none' };

export class Reachability {
  readonly #ports: Pick<Ports, 'store' | 'clock' | 'telemetry'>;
  readonly #known = new Map<string, Known>();
  /** Parallel passes of a process share one read. */
  readonly #asking = new OncePerKey<Known>();

  constructor(ports: Pick<Ports, 'store' | 'clock' | 'telemetry'>) {
    this.#ports = ports;
  }

  async hold({ cluster, namespace, uid }: Pick<WorkloadKey, 'cluster' | 'namespace' | 'uid'>): Promise<Hold> {
    const nowMs = this.#ports.clock.nowMs();
    const known = this.#known.get(cluster);
    if (known && nowMs - known.readAtMs < CACHED_MS && isOpen(known.reach, namespace)) return GO;
    const { reach, version } = await this.#readTogether(cluster);
    if (reach.downSinceMs !== null) {
      const waitMs = waitFor(reach.probeAtMs, nowMs, PROBE_HELD_MS);
      if (waitMs > 0 && uid === reach.proberUid) return { waitMs, probe: 'none' };
      // A look saw the silence, so no workload probes yet: this one does from now on. A workload that waits alone waits for no other.
      if (waitMs > 0 && reach.proberUid === undefined && (await this.#put(cluster, { ...reach, proberUid: uid }, version)))
        return { waitMs, probe: 'none' };
      if (waitMs > 0) return { waitMs: waitMs + this.#jitterMs(nowMs - reach.downSinceMs), probe: 'none' };
      const isProbe = await this.#takeProbe(cluster, reach, version);
      return isProbe ? { waitMs: 0, probe: 'answer' } : { waitMs: PROBE_EVERY_MS, probe: 'none' };
    }
    const probeAtMs = reach.forbidden?.probeAtMs[namespace];
    if (!reach.forbidden || probeAtMs === undefined) return GO;
    const waitMs = waitFor(probeAtMs, nowMs, RIGHTS_EVERY_MS);
    if (waitMs > 0) return { waitMs: waitMs + this.#jitterMs(PROBE_EVERY_MS), probe: 'none' };
    const isProbe = await this.#put(cluster, withProbe(reach, namespace, nowMs + RIGHTS_EVERY_MS), version);
    return isProbe ? { waitMs: 0, probe: 'rights' } : { waitMs: PROBE_EVERY_MS, probe: 'none' };
  }

  /** The writer that moves the probe's time on is the probe. */
  async #takeProbe(cluster: string, reach: Reach, version: number): Promise<boolean> {
    return await this.#put(cluster, { ...reach, probeAtMs: this.#ports.clock.nowMs() + PROBE_HELD_MS }, version);
  }

  /**
   * For a look that belongs to no workload. It also ends refusals in namespaces for which the cluster is no longer registered, because no
   * pass goes there and finds out.
   * @returns `up`; `down`, and the caller is the probe; or `probed`: another pass or look is about to check
   */
  async takeLook(record: Pick<ClusterRecord, 'name' | 'namespaces'>): Promise<'up' | 'down' | 'probed'> {
    const { name: cluster } = record;
    const { reach, version } = await this.#readTogether(cluster);
    const inScope = withinScope(reach, record);
    if (inScope !== reach) return (await this.#put(cluster, inScope, version)) ? await this.takeLook(record) : 'probed';
    if (reach.downSinceMs === null) return 'up';
    if (waitFor(reach.probeAtMs, this.#ports.clock.nowMs(), PROBE_HELD_MS) > 0) return 'probed';
    return (await this.#takeProbe(cluster, reach, version)) ? 'down' : 'probed';
  }

  /** Whether passes there may call, as the store has it now. */
  async isOpen({ cluster, namespace }: Place): Promise<boolean> {
    return isOpen((await this.#read(cluster)).reach, namespace);
  }

  async isDown(cluster: string): Promise<boolean> {
    return (await this.#read(cluster)).reach.downSinceMs !== null;
  }

  /** The workload that saw the silence probes next. After a look it is the one that probed before, or the next that is put off. */
  async sawSilence({ cluster, uid }: Pick<WorkloadKey, 'cluster'> & Partial<Pick<WorkloadKey, 'uid'>>, error: Error): Promise<void> {
    const nowMs = this.#ports.clock.nowMs();
    const { reach, version } = await this.#read(cluster);
    const reason = error.message;
    if (reach.downSinceMs === null) this.#tellSilence(cluster, reason);
    const noted = reach.downSinceMs === null ? { downSinceMs: nowMs, notedAtMs: nowMs } : {};
    const { isRefused: _before, ...rest } = reach;
    const prober = uid === undefined ? {} : { proberUid: uid };
    const refused = isUnauthorized(error) ? { isRefused: true as const } : {};
    await this.#put(cluster, { ...rest, ...prober, ...refused, ...noted, probeAtMs: nowMs + PROBE_EVERY_MS, reason }, version);
  }

  /**
   * The relay gets no answer from its API server any more. Work is put off from now on, except for one pass, which probes: it may have
   * another way.
   * @param silence.sinceMs when the relay last had an answer
   */
  async relaySawSilence(cluster: string, { sinceMs, reason }: { sinceMs: number; reason: string }): Promise<void> {
    for (let attempt = 1; attempt <= MOST_TRIES; attempt++) {
      const { reach, version } = await this.#read(cluster);
      if (reach.downSinceMs !== null) return;
      const { isRefused: _before, ...rest } = reach;
      if (
        !(await this.#put(cluster, { ...rest, downSinceMs: sinceMs, notedAtMs: this.#ports.clock.nowMs(), probeAtMs: 0, reason }, version))
      )
        continue;
      return this.#tellSilence(cluster, reason);
    }
  }

  /**
   * The relay gets answers again, so the next probe need not wait. @returns whether the cluster counts as silent, so that the caller
   * triggers a look
   */
  async relaySawAnswer(cluster: string): Promise<boolean> {
    for (let attempt = 1; attempt <= MOST_TRIES; attempt++) {
      const { reach, version } = await this.#read(cluster);
      if (reach.downSinceMs === null) return false;
      const { proberUid: _, ...rest } = reach;
      if (await this.#put(cluster, { ...rest, probeAtMs: 0 }, version)) return true;
    }
    return false;
  }

  #tellSilence(cluster: string, reason: string): void {
    this.#ports.telemetry.error('cluster does not answer', { cluster, reason });
    this.#ports.telemetry.count('SilentClusters', 1, 'Count', { cluster });
  }

  /**
   * The cluster refuses to show a workload or to accept its status. If it refuses more than one, its credentials lack rights. That is
   * reported once, as trouble of the cluster, and the namespaces concerned are put off.
   * @returns milliseconds until the rights are checked again; undefined if it is this workload's own trouble
   */
  async sawForbidden(key: WorkloadKey, reason: string): Promise<number | undefined> {
    return await this.#forbidden(key, reason);
  }

  /** A look asks for nothing of any workload, so a refusal concerns the credentials. */
  async lookForbidden(place: Place, reason: string): Promise<void> {
    await this.#forbidden(place, reason);
  }

  async #forbidden({ cluster, namespace, uid }: Place & Partial<Pick<WorkloadKey, 'uid'>>, reason: string): Promise<number | undefined> {
    const { clock, telemetry } = this.#ports;
    for (let attempt = 1; attempt <= MOST_TRIES; attempt++) {
      const nowMs = clock.nowMs();
      const { reach, version } = await this.#read(cluster);
      const known = reach.forbidden && (isTold(reach) || nowMs - reach.forbidden.sinceMs < REFUSED_WITHIN_MS) ? reach.forbidden : undefined;
      const others = (known?.uids ?? []).filter((other) => other !== uid);
      const uids = uid === undefined ? others : [...others, uid].slice(-REFUSED_WORKLOADS);
      const forbidden = { sinceMs: nowMs, reason, probeAtMs: {}, ...known, uids };
      const isOfCluster = uids.length >= REFUSED_WORKLOADS || uid === undefined || isTold(reach);
      const answers = uid === undefined ? { downSinceMs: null, probeAtMs: 0 } : {};
      const refused = { ...reach, ...answers, forbidden };
      const next = isOfCluster ? withProbe(refused, namespace, nowMs + RIGHTS_EVERY_MS) : refused;
      if (!(await this.#put(cluster, next, version))) continue;
      if (!isOfCluster) return undefined;
      if (isTold(reach)) return RIGHTS_EVERY_MS;
      const fields = { cluster, namespace, reason };
      telemetry.error('cluster forbids what Farloop needs: give its credentials the rights that docs/clusters.md lists', fields);
      telemetry.count('ForbiddenClusters', 1, 'Count', { cluster });
      return RIGHTS_EVERY_MS;
    }
    return undefined;
  }

  /**
   * @param askedAtMs when the caller began the request that was answered
   * @returns true if the cluster was silent or forbidding before: work that was put off must be enqueued again
   */
  async sawAnswer({ cluster, namespace }: Place, askedAtMs: number): Promise<boolean> {
    const known = this.#known.get(cluster);
    if (known && isOpen(known.reach, namespace)) return false;
    const { reach, version } = await this.#read(cluster);
    if (isOpen(reach, namespace) || this.#isOlder(askedAtMs, reach)) return false;
    const { forbidden, proberUid: _, isRefused: _refused, ...rest } = reach;
    const { [namespace]: _allowed, ...others } = forbidden?.probeAtMs ?? {};
    const left = forbidden && Object.keys(others).length > 0 ? { forbidden: { ...forbidden, probeAtMs: others } } : {};
    this.#tellAnswer(cluster, namespace, reach);
    return await this.#put(cluster, { ...rest, ...left, downSinceMs: null, probeAtMs: 0, reason: '' }, version);
  }

  /**
   * A look was answered. Workloads may have been refused other requests than the look's, so their refusals stay until their own checks of
   * rights succeed.
   * @returns as `sawAnswer`
   */
  async lookAnswered({ cluster, namespace }: Place, askedAtMs: number): Promise<boolean> {
    const known = this.#known.get(cluster);
    if (known && known.reach.downSinceMs === null && !isToldByLook(known.reach)) return false;
    const { reach, version } = await this.#read(cluster);
    if ((reach.downSinceMs === null && !isToldByLook(reach)) || this.#isOlder(askedAtMs, reach)) return false;
    const { forbidden, proberUid: _, isRefused: _refused, ...rest } = reach;
    const left = forbidden && !isToldByLook(reach) ? { forbidden } : {};
    this.#tellAnswer(cluster, namespace, reach);
    return await this.#put(cluster, { ...rest, ...left, downSinceMs: null, probeAtMs: 0, reason: '' }, version);
  }

  /** The answer may be from before the silence. A note with a future time was written before the clock was set back. */
  #isOlder(askedAtMs: number, { downSinceMs, notedAtMs = 0 }: Reach): boolean {
    return downSinceMs !== null && askedAtMs < notedAtMs && notedAtMs <= this.#ports.clock.nowMs();
  }

  #tellAnswer(cluster: string, namespace: string, { downSinceMs, forbidden }: Reach): void {
    const sinceMs = downSinceMs ?? forbidden?.sinceMs ?? 0;
    this.#ports.telemetry.info('cluster answers again', { cluster, namespace, silentMs: this.#ports.clock.nowMs() - sinceMs });
  }

  /** The longer the silence, the longer work is put off, up to a minute. An answer enqueues all of it again. */
  #jitterMs(silentMs: number): number {
    return Math.round(this.#ports.clock.random() * Math.min(Math.max(silentMs, 1_000), 60_000));
  }

  async #readTogether(cluster: string): Promise<Known> {
    return await this.#asking.of(cluster, async () => await this.#read(cluster));
  }

  async #read(cluster: string): Promise<Known> {
    const known = { ...(await readReach(this.#ports, cluster)), readAtMs: this.#ports.clock.nowMs() };
    this.#known.set(cluster, known);
    return known;
  }

  async #put(cluster: string, reach: Reach, version: number): Promise<boolean> {
    this.#known.delete(cluster);
    // If two functions write the same in the same moment, each must recognize its own write.
    const body = JSON.stringify({ ...reach, writeId: this.#ports.clock.randomId() });
    try {
      await this.#ports.store.putNote(cluster, NOTE, body, version);
      return true;
    } catch (error) {
      // Our own write, repeated by a layer below (R8).
      if (error instanceof StaleWriteError) return (error.current as Note | undefined)?.body === body;
      throw error;
    }
  }
}

async function readReach({ store }: ReadsNotes, cluster: string): Promise<Pick<Known, 'reach' | 'version'>> {
  const note: Note | undefined = await store.readNote(cluster, NOTE);
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), Reach), note?.body);
  return { reach: parsed.success ? parsed.output : { downSinceMs: null, probeAtMs: 0, reason: '' }, version: note?.version ?? 0 };
}

/** The trouble that passes and looks met. @param counts whether rights in that namespace count. @returns undefined if all is well */
export async function troubleOf(
  ports: ReadsNotes,
  cluster: string,
  counts: (namespace: string) => boolean = () => true,
): Promise<Trouble | undefined> {
  const { downSinceMs, reason, forbidden, isRefused, probeAtMs } = (await readReach(ports, cluster)).reach;
  if (downSinceMs !== null) return { sinceMs: downSinceMs, reason, ...(isRefused && { isRefused }), probeAtMs };
  const places = Object.entries(forbidden?.probeAtMs ?? {}).filter(([place]) => counts(place));
  if (!forbidden || places.length === 0) return undefined;
  const nextMs = Math.min(...places.map(([, placeProbeAtMs]) => placeProbeAtMs));
  return { sinceMs: forbidden.sinceMs, reason: forbidden.reason, isForbidden: true, probeAtMs: nextMs };
}

/** The server does not know these credentials. It refuses every other workload that uses them, too. */
export const isUnauthorized = (error: unknown): error is TerminalError => error instanceof TerminalError && error.code === 401;

/** Returns the given value itself if nothing was forbidden outside the scope. */
function withinScope(reach: Reach, record: Pick<ClusterRecord, 'namespaces'>): Reach {
  const { forbidden, ...rest } = reach;
  const places = Object.entries(forbidden?.probeAtMs ?? {});
  const left = places.filter(([namespace]) => isInScope(record, namespace));
  if (!forbidden || left.length === places.length) return reach;
  return left.length === 0 ? rest : { ...rest, forbidden: { ...forbidden, probeAtMs: Object.fromEntries(left) } };
}

const isOpen = ({ downSinceMs, forbidden }: Reach, namespace: string): boolean =>
  downSinceMs === null && forbidden?.probeAtMs[namespace] === undefined;

const isTold = ({ forbidden }: Reach): boolean => Object.keys(forbidden?.probeAtMs ?? {}).length > 0;

/** Fewer workloads were refused than needed, so the refusal was a look's. */
const isToldByLook = (reach: Reach): boolean => isTold(reach) && (reach.forbidden?.uids.length ?? 0) < REFUSED_WORKLOADS;

/** A time further ahead was set before the clock was set back. */
const waitFor = (probeAtMs: number, nowMs: number, everyMs: number): number =>
  probeAtMs > nowMs && probeAtMs <= nowMs + 2 * everyMs ? probeAtMs - nowMs : 0;

const withProbe = (reach: Reach, namespace: string, probeAtMs: number): Reach => ({
  ...reach,
  ...(reach.forbidden && { forbidden: { ...reach.forbidden, probeAtMs: { ...reach.forbidden.probeAtMs, [namespace]: probeAtMs } } }),
});
