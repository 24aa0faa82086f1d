// The state of a cluster: one answer from all known facts, for console, command line, API, explanations, metrics and alarms.
import type { ClusterRecord } from '../../ports/clusters.ts';

/** Every state, the most important one first. Several may hold. */
export const CLUSTER_STATES = [
  /** It is being removed. */
  'Leaving',
  /** As far as is known, its API server answers neither passes nor its relay. */
  'Unreachable',
  /** Its API server refuses the credentials of passes. */
  'Refused',
  /** Its API server answers passes, but not its relay. */
  'RelayCutOff',
  /** The relay is of a later version than the functions that read its messages. */
  'RelayTooNew',
  /** It is registered, and its relay has not sent a heartbeat yet. */
  'Waiting',
  /** Its relay has sent nothing for three minutes. */
  'Silent',
  /** Its API server forbids the relay a watch. */
  'WatchRefused',
  /** A watch has received nothing for three minutes, not even a sign that it is alive. */
  'WatchStuck',
  /** Its API server forbids passes what they need. */
  'Forbidden',
  /** Its API server has asked Farloop to wait. */
  'Throttled',
  /** Work that has begun is finished. No new work is begun. */
  'Draining',
  /** None of the above. */
  'Watching',
] as const;
export type ClusterStateName = (typeof CLUSTER_STATES)[number];

export interface ClusterState {
  state: ClusterStateName;
  /** Unix milliseconds by our clock; absent if unknown. */
  sinceMs?: number;
  /** A sentence for people. */
  text: string;
}

/** A problem that passes and looks met. */
export interface Trouble {
  sinceMs: number;
  reason: string;
  /** The cluster answers, and forbids requests that Farloop needs. */
  isForbidden?: true;
  /** The cluster answers, and refuses the credentials. */
  isRefused?: true;
  /** When it is tried again; absent if no time is set. */
  probeAtMs?: number;
}

interface WatchFacts {
  /** As `pods`, or `pods:shop` from a relay that watches some namespaces. */
  resource: string;
  /** When the relay reported it. */
  ageMs: number;
  refused?: true | undefined;
}

/** Times are Unix milliseconds by our clock. */
export interface ClusterFacts {
  record: Pick<ClusterRecord, 'draining' | 'leaving'>;
  /** The relay's latest heartbeat; absent before the first one, or if the table lost it. */
  relay?: {
    heardAtMs: number;
    watches: readonly WatchFacts[];
    /** The API server's state towards the relay, if it does not answer it. */
    apiServer?: { state: 'silent' | 'refused'; sinceMs: number; reason: string } | undefined;
  };
  /** Undefined if passes are answered, or none has asked. */
  trouble?: Trouble | undefined;
  /** The relay's latest message that could not be read because it is of a later version. */
  laterVersion?: { atMs: number; sinceMs: number; reason: string } | undefined;
  /** No function may write before this time. */
  closedUntilMs?: number;
}

/** A relay sends a heartbeat at least once a minute: after three it is silent. */
export const SILENT_MS = 180_000;

const UNSEEN = 'what happens there is not seen';

/**
 * Every state that holds, in the order of CLUSTER_STATES; never empty. The first is the cluster's state.
 * @param namespace where rights and watches count; absent: anywhere
 */
export function clusterStatesOf(facts: ClusterFacts, nowMs: number, namespace?: string): [ClusterState, ...ClusterState[]] {
  const { record, closedUntilMs = 0 } = facts;
  if (record.leaving) return [{ state: 'Leaving', text: 'it is being removed: nothing is done on it any more' }];
  const found: ClusterState[] = [...serverStates(facts, nowMs), ...relayStates(facts, nowMs, namespace)];
  const { trouble } = facts;
  if (trouble?.isForbidden)
    found.push({ state: 'Forbidden', sinceMs: trouble.sinceMs, text: `its API server forbids what Farloop needs: ${trouble.reason}` });
  if (closedUntilMs > nowMs) {
    const seconds = Math.ceil((closedUntilMs - nowMs) / 1000);
    found.push({ state: 'Throttled', text: `its API server has asked Farloop to wait: nothing is written for ${seconds} s` });
  }
  if (record.draining) found.push({ state: 'Draining', text: 'work that has begun is finished, none is begun' });
  const [first, ...others] = found.toSorted((a, b) => CLUSTER_STATES.indexOf(a.state) - CLUSTER_STATES.indexOf(b.state));
  return first ? [first, ...others] : [{ state: 'Watching', text: 'its relay watches it, and its API server answers' }];
}

/** Whether the API server answers, and whom. */
function serverStates({ trouble, relay }: ClusterFacts, nowMs: number): ClusterState[] {
  const untold = relay?.apiServer;
  if (trouble?.isRefused)
    return [{ state: 'Refused', sinceMs: trouble.sinceMs, text: `its API server refuses Farloop's credentials: ${trouble.reason}` }];
  if (trouble && !trouble.isForbidden) {
    const sinceMs = untold?.state === 'silent' ? Math.min(trouble.sinceMs, untold.sinceMs) : trouble.sinceMs;
    return [{ state: 'Unreachable', sinceMs, text: `its API server does not answer: ${trouble.reason}` }];
  }
  if (!untold) return [];
  const { sinceMs, reason } = untold;
  const does = untold.state === 'silent' ? 'does not answer its relay' : "refuses its relay's credentials";
  const last = nowMs - relay.heardAtMs > SILENT_MS ? '; that is the last that was heard of its relay' : '';
  return [{ state: 'RelayCutOff', sinceMs, text: `its API server ${does}: ${reason}${last}; ${UNSEEN}` }];
}

/** Whether Farloop sees changes on the cluster. */
function relayStates({ relay, laterVersion, trouble }: ClusterFacts, nowMs: number, namespace: string | undefined): ClusterState[] {
  const found: ClusterState[] = [];
  const isTooNew = laterVersion !== undefined && laterVersion.atMs > (relay?.heardAtMs ?? 0);
  if (isTooNew) {
    const text = `its relay is newer than the functions, which cannot read it: ${laterVersion.reason}; upgrade them, or the relay back`;
    found.push({ state: 'RelayTooNew', sinceMs: laterVersion.sinceMs, text });
  }
  if (!relay) return isTooNew ? found : [...found, { state: 'Waiting', text: 'no word of its relay has come yet' }];
  const silentForMs = nowMs - relay.heardAtMs;
  const isServerSilent = trouble !== undefined && !trouble.isForbidden && !trouble.isRefused;
  // A relay that cannot renew its Lease may not send any more. Its last heartbeat gave the reason.
  const hasSaidWhy = isServerSilent && relay.apiServer !== undefined;
  if (silentForMs > SILENT_MS) {
    const text = `nothing was heard of its relay: ${UNSEEN}`;
    return isTooNew || hasSaidWhy ? found : [...found, { state: 'Silent', sinceMs: relay.heardAtMs, text }];
  }
  const watches = relay.watches.filter(({ resource }) => isOf(resource, namespace));
  const aliveAtMs = (watch: WatchFacts): number => relay.heardAtMs - watch.ageMs;
  const refused = watches.filter((watch) => watch.refused);
  if (refused.length > 0) {
    const text = `its API server does not let the relay watch ${namesOf(refused)}: ${UNSEEN}`;
    found.push({ state: 'WatchRefused', sinceMs: Math.min(...refused.map(aliveAtMs)), text });
  }
  const stuck = watches.filter((watch) => !watch.refused && watch.ageMs > SILENT_MS);
  // If the API server is silent, so are its watches.
  if (stuck.length > 0 && !isServerSilent && relay.apiServer === undefined) {
    const text = `the watch of ${namesOf(stuck)} brings nothing any more: ${UNSEEN}`;
    found.push({ state: 'WatchStuck', sinceMs: Math.min(...stuck.map(aliveAtMs)), text });
  }
  return found;
}

/** A relay of some namespaces has watches for each, such as `pods:shop`. */
const isOf = (resource: string, namespace: string | undefined): boolean =>
  namespace === undefined || !resource.includes(':') || resource.endsWith(`:${namespace}`);

const MOST_NAMED = 4;

function namesOf(watches: readonly WatchFacts[]): string {
  const names = watches.slice(0, MOST_NAMED).map(({ resource }) => resource.replace(/^([^:]+):(.*)$/, '$1 in $2'));
  const left = watches.length - names.length;
  return left > 0 ? `${names.join(', ')} and ${left} more` : names.join(', ');
}
