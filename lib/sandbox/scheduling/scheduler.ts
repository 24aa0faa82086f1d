// The sandbox's scheduler: gives each pod that has no node one that takes it and has room, and says of the others why none does.
import type { Pod } from '../../objects/kubernetes.ts';
import { claimsOf, hasEnded, isForScheduler } from '../../objects/placement/schedulable.ts';
import { Room } from '../../objects/placement/room.ts';
import { ApiError } from '../objects/api-error.ts';
import { isSame, listAt, textAt, timeText } from '../objects/api-object.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { events } from '../rows/events.ts';
import { nodes as nodeRow } from '../rows/nodes.ts';
import { asPod, pods as podRow } from '../rows/pods.ts';
import { storageName } from '../rows/resources.ts';
import { volumeClaims } from '../rows/volume-claims.ts';
import type { Change, Version } from '../storage/version.ts';
import { keyOf } from '../storage/version.ts';
import { bindPod } from '../verbs/pod-binding.ts';
import { createObject, updateObject } from '../verbs/writing.ts';
import type { Cluster } from '../verbs/writing.ts';
import { obstacleOf, placeOf, reluctanceOf, unplacedText, type Place } from './placing.ts';

/** So many pods in a turn, so that requests are answered in between. */
const LOOKS_IN_A_TURN = 64;
const WRITER = {
  manager: 'kube-scheduler',
  asker: { name: 'system:kube-scheduler', groups: ['system:authenticated'] },
  isDryRun: false,
  isReplacement: false,
};
/** Where people look for what a scheduler says. */
const COMPONENT = 'default-scheduler';

const [PODS, NODES, CLAIMS] = [storageName(podRow), storageName(nodeRow), storageName(volumeClaims)];

interface KnownNode {
  place: Place;
  /** Of the pods that are bound to it, or about to be. */
  room: Room;
}

/** Follows committed changes. @returns the way to stop it */
export function startScheduler(cluster: Cluster): () => void {
  const scheduler = new Scheduler(cluster);
  return () => scheduler.stop();
}

class Scheduler {
  readonly #cluster: Cluster;
  readonly #nodes = new Map<string, KnownNode>();
  /** Keys of pods without a node, by uid, in the order in which they came. */
  readonly #unplaced = new Map<string, string>();
  /** Of them, those that a claim may bring further, and those to be looked at. */
  readonly #withoutClaim = new Set<string>();
  readonly #due = new Set<string>();
  readonly #leave: () => void;
  #isScheduled = false;
  #isStopped = false;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    for (const version of cluster.storage.list(NODES)) this.#seeNode(version.object);
    for (const version of cluster.storage.list(PODS)) this.#seePod(version.key, asPod(version.glance()));
    this.#leave = cluster.storage.onCommit((changes) => {
      for (const change of changes) this.#see(change);
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#leave();
  }

  #see({ resource, type, current }: Change): void {
    const isGone = type === 'DELETED';
    if (resource === PODS) {
      const pod = asPod(current.object);
      if (isGone) this.#forget(pod.metadata.uid ?? '');
      else this.#seePod(current.key, pod);
    } else if (resource === NODES) {
      if (isGone) this.#nodes.delete(current.object.metadata.name ?? '');
      else if (!this.#seeNode(current.object)) return;
      this.#enqueue(this.#unplaced.keys());
    } else if (resource === CLAIMS && !isGone) this.#enqueue(this.#withoutClaim);
  }

  /** @returns whether it decides otherwise than before */
  #seeNode(node: ApiObject): boolean {
    const place = placeOf(node);
    const before = this.#nodes.get(place.name);
    if (before && isSame(before.place, place)) return false;
    if (before && isSame(before.place.allocatable, place.allocatable)) this.#nodes.set(place.name, { ...before, place });
    else this.#nodes.set(place.name, { place, room: this.#roomOf(place) });
    return true;
  }

  #roomOf({ name, allocatable }: Place): Room {
    const room = new Room(allocatable);
    for (const version of this.#cluster.storage.list(PODS)) {
      const pod = asPod(version.glance());
      if (pod.spec.nodeName === name && !hasEnded(pod)) room.hold(pod);
    }
    return room;
  }

  #seePod(key: string, pod: Pod): void {
    const { uid = '' } = pod.metadata;
    const { nodeName = '' } = pod.spec;
    if (nodeName !== '' && !hasEnded(pod)) {
      this.#nodes.get(nodeName)?.room.hold(pod);
      this.#leaveOthers(uid, nodeName);
      this.#unplaced.delete(uid);
      this.#due.delete(uid);
    } else if (nodeName === '' && isForScheduler(pod)) {
      const isNew = !this.#unplaced.has(uid);
      this.#unplaced.set(uid, key);
      if (isNew) this.#enqueue([uid]);
    } else this.#forget(uid);
  }

  /** It has ended, is gone, or will not come. */
  #forget(uid: string): void {
    this.#unplaced.delete(uid);
    this.#withoutClaim.delete(uid);
    this.#due.delete(uid);
    this.#leaveOthers(uid);
  }

  /** Gives back what it holds or waits for on other nodes than this one. Pods that waited there have room now. */
  #leaveOthers(uid: string, nodeName?: string): void {
    for (const [name, { room }] of this.#nodes) if (name !== nodeName) this.#enqueue(room.release(uid));
  }

  #enqueue(uids: Iterable<string>): void {
    for (const uid of uids) this.#due.add(uid);
    if (this.#isScheduled || this.#due.size === 0) return;
    this.#isScheduled = true;
    this.#cluster.surroundings.defer(() => this.#work());
  }

  #work(): void {
    this.#isScheduled = false;
    if (this.#isStopped) return;
    let looks = 0;
    for (const uid of this.#due) {
      if (looks++ >= LOOKS_IN_A_TURN) break;
      this.#due.delete(uid);
      const version = this.#cluster.storage.get(PODS, this.#unplaced.get(uid) ?? '');
      // The change that put another pod there, or gave this one its node, is told in a moment.
      if (!version || version.object.metadata.uid !== uid || textAt(version.object.spec, 'nodeName') !== '') continue;
      try {
        this.#look(uid, version);
      } catch (error) {
        // A refusal (a conflict, say) is answered by the change that caused it; anything else is a mistake of this program.
        if (!(error instanceof ApiError)) throw error;
      }
    }
    this.#enqueue([]);
  }

  #look(uid: string, version: Version): void {
    const pod = asPod(version.object);
    const missing = this.#missingClaimOf(pod);
    if (missing !== undefined) {
      this.#withoutClaim.add(uid);
      this.#leaveOthers(uid);
      return this.#say(version, `0/${this.#nodes.size} nodes are available: ${missing}.`);
    }
    this.#withoutClaim.delete(uid);
    const reasons: string[] = [];
    const open: KnownNode[] = [];
    for (const node of this.#nodes.values()) {
      const obstacle = obstacleOf(pod, node.place);
      if (obstacle === undefined) open.push(node);
      else {
        reasons.push(obstacle);
        this.#enqueue(node.room.release(uid));
      }
    }
    // Room that it has been given first; else the least reluctant node, of these the one with the fewest pods.
    const rankOf = ({ place, room }: KnownNode): number[] => [room.holds(uid) ? 0 : 1, reluctanceOf(pod, place), room.pods];
    const ranked = open.map((node) => ({ node, rank: rankOf(node) })).toSorted((a, b) => compareRanks(a.rank, b.rank));
    for (const { node } of ranked) {
      const short = node.room.take(pod);
      if (short.length === 0) return this.#bind(uid, version, node.place.name);
      reasons.push(...short.map(({ resource }) => (resource === 'pods' ? 'Too many pods' : `Insufficient ${resource}`)));
    }
    this.#say(version, unplacedText(this.#nodes.size, reasons));
  }

  #bind(uid: string, version: Version, name: string): void {
    const body = { metadata: { name: version.object.metadata.name, uid }, target: { kind: 'Node', name } };
    bindPod(this.#cluster, podRow, version, { body, isDryRun: false });
    this.#leaveOthers(uid, name);
  }

  #missingClaimOf(pod: Pod): string | undefined {
    const namespace = pod.metadata.namespace ?? '';
    const missing = claimsOf(pod).find((name) => this.#cluster.storage.get(CLAIMS, keyOf(namespace, name)) === undefined);
    return missing && `persistentvolumeclaim ${JSON.stringify(missing)} not found`;
  }

  /** A reason that stands there is not written again. */
  #say(version: Version, message: string): void {
    const { object } = version;
    const others = listAt(object.status, 'conditions').filter(({ type }) => type !== 'PodScheduled');
    const known = listAt(object.status, 'conditions').find(({ type }) => type === 'PodScheduled');
    if (known?.['message'] === message) return;
    const lastTransitionTime = known?.['status'] === 'False' ? known['lastTransitionTime'] : timeText(this.#cluster.surroundings.now());
    const condition = { type: 'PodScheduled', status: 'False', lastProbeTime: null, lastTransitionTime, reason: 'Unschedulable', message };
    const next = { ...object, status: { ...object.status, conditions: [...others, condition] } };
    updateObject(this.#cluster, version, next, { ...WRITER, row: podRow, subresource: 'status' });
    this.#emit(object, message);
  }

  #emit({ metadata }: ApiObject, message: string): void {
    const { namespace = '', name = '', uid, resourceVersion } = metadata;
    const time = timeText(this.#cluster.surroundings.now());
    const event = {
      metadata: { generateName: `${name}-` },
      involvedObject: { apiVersion: 'v1', kind: podRow.kind, namespace, name, uid, resourceVersion },
      type: 'Warning',
      reason: 'FailedScheduling',
      message,
      source: { component: COMPONENT },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    };
    createObject(this.#cluster, event, namespace, { ...WRITER, row: events });
  }
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  for (const [at, value] of one.entries()) if (value !== other[at]) return value - (other[at] ?? 0);
  return 0;
}
