// Messages of relays: who sent them, and whether they may be trusted (R15). The sender is known before a message is read, and only messages
// of registered senders are read at all.
import { createHash } from 'node:crypto';
import { isInScope, type ClusterRecord, type Clusters } from '../ports/clusters.ts';
import type { Ports } from '../ports/ports.ts';
import { decodeEvents, type ReadEvents, type Weight } from '../wire/events.ts';
import type { EventMessage } from '../wire/words/observations.ts';
import { LaterBuildError, UndecodableMessageError, UnknownKindError } from '../wire/words/undecodable.ts';
import { askForEverything } from './cluster/era.ts';
import { noteLaterVersion } from './cluster/later-version.ts';
import type { Delivery } from './invocation/unreadable.ts';
import { giveBackUnreadable } from './invocation/unreadable.ts';

export interface EventDelivery extends Delivery {
  senderId: string;
}

export type Opened<Message> = 'unreadable' | 'dropped' | { message: Message; record: ClusterRecord };

/**
 * Senders that were registered when this process looked last. Each message's record says whether its sender still is, and for which
 * cluster.
 */
const known = new WeakMap<Clusters, Set<string>>();

/**
 * The messages of registered senders. The others are refused unread. A process lists all clusters at its first message, and again, once per
 * batch, for an unknown sender, which may just have been registered.
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

/**
 * Why recent messages could not be read, by a hash of their bodies. Each comes back several times, and reading it again would cost the same
 * each time.
 */
const unreadable = new Map<string, UndecodableMessageError>();
const UNREADABLE_MAX = 100;

const hashOf = (body: string): string => createHash('sha256').update(body).digest('base64');

function remember(body: string, error: UndecodableMessageError): void {
  unreadable.set(hashOf(body), error);
  const [oldest] = unreadable.keys();
  if (unreadable.size > UNREADABLE_MAX && oldest !== undefined) unreadable.delete(oldest);
}

/** Reads a message. Its sender may speak only for the cluster for which it is registered (R15). */
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
  // The cluster is being removed, so its forgotten data must not be learnt again. Its relay may still send, which is not an error.
  if (record.leaving) return 'dropped';
  if (record.kubeSystemUid !== undefined && record.kubeSystemUid !== kubeSystemUid)
    return refuse(telemetry, delivery, { cluster }, 'another cluster than the registered one');
  return { message, record };
}

/** @param weight grows by the size of the messages read */
export async function openEvents(delivery: EventDelivery, ports: Ports, weight: Weight): Promise<Opened<ReadEvents>> {
  const opened = await openMessage(delivery, (body) => decodeEvents(body, { weight }), ports);
  if (opened === 'unreadable' || opened === 'dropped') return opened;
  const { message, record } = opened;
  // A session that began before the API server was restored reports a past that no longer exists (R3).
  if (message.era < record.era) {
    // The ask that was sent when the era was raised may have been lost, so it is repeated once a minute.
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

/**
 * Reports about namespaces for which the cluster is not registered are ignored, with one log line. The message's other reports are kept
 * (R15).
 */
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
