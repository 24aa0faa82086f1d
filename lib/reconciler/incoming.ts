// Messages of relays: who sent them, and whether they are believed (R15). Who sent one is known before it is read, and only what a registered
// sender sent is read at all.
import { createHash } from 'node:crypto';
import { isInScope, type ClusterRecord, type Clusters } from '../ports/clusters.ts';
import type { Ports } from '../ports/ports.ts';
import { decodeEvents, type ReadEvents, type Weight } from '../wire/events.ts';
import type { EventMessage } from '../wire/observations.ts';
import { LaterBuildError, UndecodableMessageError, UnknownKindError } from '../wire/undecodable.ts';
import { askForEverything } from './cluster/era.ts';
import { noteLaterVersion } from './later-version.ts';
import type { Delivery } from './unreadable.ts';
import { giveBackUnreadable } from './unreadable.ts';

export interface EventDelivery extends Delivery {
  senderId: string;
}

export type Opened<Message> = 'unreadable' | 'dropped' | { message: Message; record: ClusterRecord };

/** Senders that were registered when a process looked last; whether one still is, and for which cluster, each message's record tells. */
const known = new WeakMap<Clusters, Set<string>>();

/**
 * The messages of registered senders; the others are refused unread. All clusters are listed at a process's first message and again for
 * an unknown sender, who may just have been registered: once for a batch.
 */
export async function fromRegistered<Given extends EventDelivery>(
  deliveries: readonly Given[],
  { clusters, telemetry }: Pick<Ports, 'clusters' | 'telemetry'>,
): Promise<Given[]> {
  const isKnown = ({ senderId }: Given): boolean => known.get(clusters)?.has(senderId) ?? false;
  if (!deliveries.every(isKnown)) known.set(clusters, new Set((await clusters.list()).flatMap(({ senders }) => senders)));
  return deliveries.filter((delivery) => {
    if (!isKnown(delivery)) refuse(telemetry, delivery, {}, 'sender is not registered for this cluster');
    return isKnown(delivery);
  });
}

/** Why the latest ones could not be read, by a hash of their bodies: each comes back some times, and to read it costs the same each time. */
const unreadable = new Map<string, UndecodableMessageError>();
const UNREADABLE_MAX = 100;

const hashOf = (body: string): string => createHash('sha256').update(body).digest('base64');

function remember(body: string, error: UndecodableMessageError): void {
  unreadable.set(hashOf(body), error);
  const [oldest] = unreadable.keys();
  if (unreadable.size > UNREADABLE_MAX && oldest !== undefined) unreadable.delete(oldest);
}

/** Reads a message, and believes its sender about the cluster it is registered for only (R15). */
export async function openMessage<Message extends { cluster: string; kubeSystemUid: string }>(
  delivery: EventDelivery,
  decode: (body: string) => Message,
  ports: Ports,
): Promise<Opened<Message>> {
  const { clusters, queue, telemetry } = ports;
  const { body, senderId, receiveCount } = delivery;
  const before = receiveCount > 1 ? unreadable.get(hashOf(body)) : undefined;
  if (before) {
    await giveBackUnreadable({ queue, telemetry }, 'events', delivery, { senderId, error: before });
    return 'unreadable';
  }
  let message: Message;
  try {
    message = decode(body);
  } catch (error) {
    if (error instanceof LaterBuildError) await noteLaterVersion(ports, senderId, error);
    else if (error instanceof UndecodableMessageError) remember(body, error);
    await giveBackUnreadable({ queue, telemetry }, 'events', delivery, { senderId, error });
    return 'unreadable';
  }
  const { cluster, kubeSystemUid } = message;
  const record = await clusters.get(cluster);
  if (!record?.senders.includes(senderId)) return refuse(telemetry, delivery, { cluster }, 'sender is not registered for this cluster');
  // What is forgotten of it shall not be learnt anew; that its relay still speaks is no fault.
  if (record.leaving) return 'dropped';
  if (record.kubeSystemUid !== undefined && record.kubeSystemUid !== kubeSystemUid)
    return refuse(telemetry, delivery, { cluster }, 'another cluster than the registered one');
  return { message, record };
}

/** @param weight grows by what was read */
export async function openEvents(delivery: EventDelivery, ports: Ports, weight: Weight): Promise<Opened<ReadEvents>> {
  const opened = await openMessage(delivery, (body) => decodeEvents(body, { weight }), ports);
  if (opened === 'unreadable' || opened === 'dropped') return opened;
  const { message, record } = opened;
  // A session begun before the API server was restored tells of a past that is no more (R3).
  if (message.era < record.era) {
    // The ask sent when the era was raised may have been lost: once a minute it is sent again.
    if (message.heartbeat) await askForEverything(ports, record);
    return refuse(ports.telemetry, delivery, { cluster: message.cluster }, 'relay session of an earlier era');
  }
  refuseForeign(ports.telemetry, delivery, message, record);
  const { refused, unknownKind } = message;
  if (unknownKind !== undefined) {
    const error = new UnknownKindError('a report', unknownKind);
    await noteLaterVersion(ports, delivery.senderId, error);
    await giveBackUnreadable(ports, 'events', delivery, { senderId: delivery.senderId, cluster: record.name, error });
  }
  if (refused) {
    const place = { cluster: record.name, facts: refused.count, first: refused.first };
    refuse(ports.telemetry, delivery, place, 'facts that no API server tells');
  }
  return opened;
}

/** What a message tells of namespaces that its cluster is not registered for is passed over, and told of once; its other news are kept (R15). */
function refuseForeign(
  telemetry: Ports['telemetry'],
  delivery: EventDelivery,
  { reports, heartbeat }: EventMessage,
  record: ClusterRecord,
): void {
  const owners = [...reports, ...(heartbeat?.digests ?? [])].map(({ owner }) => owner);
  const foreign = owners.find(({ namespace }) => !isInScope(record, namespace));
  if (!foreign) return;
  refuse(telemetry, delivery, { cluster: record.name, namespace: foreign.namespace }, 'namespace is not registered for this cluster');
}

function refuse(telemetry: Ports['telemetry'], { messageId, senderId }: EventDelivery, place: object, reason: string): 'dropped' {
  telemetry.error('message refused', { messageId, senderId, ...place, reason });
  telemetry.count('RefusedMessages', 1, 'Count', { reason });
  return 'dropped';
}
