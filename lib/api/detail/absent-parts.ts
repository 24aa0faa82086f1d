// Parts of a workload that were asked for and cannot be: an empty answer would say that there is nothing yet.
import { livingIn } from '../../reconciler/view/view.ts';
import { indexesIn, ownerIn, type Known } from './known.ts';

interface AskedParts {
  /** As the pod's label or annotation writes it. */
  index?: string | undefined;
  /** Of replicas, whatever the case of its letters. */
  type?: string | undefined;
  /** `worker-1`; `worker` alone means all of that type. */
  replica?: string | undefined;
}

/** Of parts whose pods are not there: @returns a sentence where there can be none, with what is possible. @param nowMs by the cluster's clock */
export function absenceOfParts(known: Known, { index, type, replica }: AskedParts, nowMs: number): string | undefined {
  const owner = ownerIn(known);
  if (!owner) return undefined;
  const { kind, name } = known.head.key;
  const word = `${kind.toLowerCase()}/${name}`;
  const [, replicaType, replicaIndex] = /^(.*?)(?:-(\d+))?$/.exec(replica ?? '') ?? [];
  const typeAsked = type ?? (replica === undefined ? undefined : replicaType);
  const replicas = known.row.shown.replicasOf?.(owner, livingIn(known.view));
  if (!replicas) {
    if (typeAsked !== undefined) return `${word} has no types of replicas: ask without "${type === undefined ? 'replica' : 'type'}"`;
    if (index === undefined) return undefined;
    const total = indexesIn(known, nowMs)?.codes.length;
    if (total === undefined) return `${word} has no indexes: ask without "index"`;
    return beyond(word, Number(index), total);
  }
  const meant = typeAsked === undefined ? replicas : replicas.filter((each) => each.type.toLowerCase() === typeAsked.toLowerCase());
  if (meant.length === 0) return `${word} has no replicas of the type ${typeAsked}: it has ${replicas.map((each) => each.type).join(', ')}`;
  const indexAsked = index ?? replicaIndex;
  if (indexAsked === undefined) return undefined;
  return beyond(
    typeAsked === undefined ? word : `the type ${meant[0]?.type} of ${word}`,
    Number(indexAsked),
    Math.max(...meant.map(({ wanted }) => wanted)),
  );
}

function beyond(whole: string, index: number, total: number): string | undefined {
  if (index < total) return undefined;
  return `${whole} has no index ${index}: ${total === 0 ? 'it has none now' : total === 1 ? 'there is 0 alone' : `they go from 0 to ${total - 1}`}`;
}
