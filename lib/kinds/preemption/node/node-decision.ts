// A node's decisions on its pods: the durable state of the node's passes, and all that a pod's pass reads of the node.
import * as v from 'valibot';

const text = v.pipe(v.string(), v.maxLength(1000));
const time = v.pipe(v.string(), v.isoTimestamp());

const HOST_PORT = v.object({ address: text, protocol: text, port: v.number() });

/** A pod's share of its node, as counted when it was decided: quantities, and ports of the host. */
const ROOM = v.object({ requests: v.record(v.string(), text), hostPorts: v.optional(v.array(HOST_PORT)) });
export type Room = v.InferOutput<typeof ROOM>;

export interface PodName {
  uid: string;
  namespace: string;
  name: string;
}

/** A pod whose end another one waits for, at most until the deadline. */
const WAIT = v.object({ uid: text, deadline: time });
export type Wait = v.InferOutput<typeof WAIT>;

export const POD_DECISION = v.object({
  uid: text,
  namespace: text,
  name: text,
  /**
   * - `admitted`: its pass may start it. Final.
   * - `preempting`: it keeps its place and waits for the end of others.
   * - `rejected`: its pass writes a failed status. Final.
   * - `cancelled`: it was deleted, or had ended, before it was admitted. Final.
   */
  state: v.picklist(['admitted', 'preempting', 'rejected', 'cancelled']),
  /** The number of its first decision: the order of admission. */
  sequence: v.number(),
  /** The number of the latest change that its pass must see; absent: of its first decision. */
  changed: v.optional(v.number()),
  /** Of an admitted or preempting pod: held until the pod has ended. */
  room: v.optional(ROOM),
  /** Of a rejected pod. The message is without prefix. */
  rejection: v.optional(v.object({ reason: text, message: v.string() })),
  /** Of a preempting pod. Never changed once chosen. */
  preemption: v.optional(
    v.object({
      startedAt: time,
      victims: v.array(WAIT),
      /** Pods that were ending anyway and that the pod's room depends on. */
      claims: v.array(WAIT),
    }),
  ),
  /** Of a victim, whatever becomes of the pod that it makes room for. */
  eviction: v.optional(
    v.object({
      /** Uid of the pod that it makes room for; absent after a lost decision. */
      by: v.optional(text),
      /** The resource that `kubelet_preemptions` names; absent after a lost decision. */
      signal: v.optional(text),
      deadline: time,
      /** It still ran at its deadline. */
      isLate: v.optional(v.literal(true)),
    }),
  ),
  /** Its pass has seen that nothing of it runs and nothing will. */
  hasEnded: v.optional(v.literal(true)),
});
export type PodDecision = v.InferOutput<typeof POD_DECISION>;

export const NODE_DECISION = v.object({
  /** The number of the latest change. */
  latest: v.number(),
  /** Pods of changes up to this number have been woken. */
  told: v.number(),
  /** In the order of decision; no uid twice. */
  pods: v.array(POD_DECISION),
  /** Since when pods have waited for a node that cannot be read. */
  unreadableSince: v.optional(time),
});
export type NodeDecision = v.InferOutput<typeof NODE_DECISION>;

/** The decision of a node that never had a pod. */
export const NO_DECISION: NodeDecision = { latest: 0, told: 0, pods: [] };
