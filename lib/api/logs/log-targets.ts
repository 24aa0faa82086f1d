// Which containers' logs are meant: of which pods of a workload, and of which container of each.
import type { PodFacts } from '../../objects/pods/pod-facts.ts';
import { isFinished, podFactsOf } from '../../objects/pods/pod-facts.ts';
import type { Pod } from '../../objects/kubernetes.ts';
import { PODS } from '../../objects/resources.ts';
import { listOf, textOf } from '../../objects/values/untyped-fields.ts';
import type { KindFacts } from '../../kinds/rows/kind.ts';
import type { ViewPart } from '../../wire/words/observations.ts';

/** A workload as far as it is known, and its kind. */
export interface KnownWorkload {
  facts: KindFacts;
  view: ViewPart;
}

/** Which pods of the workload are meant; absent: all. */
export interface LogSelection {
  pod?: string | undefined;
  index?: string | undefined;
  /** `worker-1`; `worker` alone means all of that type. */
  replica?: string | undefined;
  container?: string | undefined;
}

/** How a container ended, as far as it is known. */
export interface ContainerEnd {
  exitCode?: number;
  reason?: string;
  message?: string;
}

export interface LogTarget {
  pod: string;
  uid: string;
  /** Empty: the only one of the pod, whose containers are not known yet. */
  container: string;
  /** Its other containers. */
  others: string[];
  index?: string;
  replica?: string;
  /** Unix seconds. */
  createdAt: number;
  phase: string;
  restarts: number;
  /** The view knows the pod as deleted. */
  isGone: boolean;
  /** No container of the pod runs or will. */
  isOver: boolean;
  end?: ContainerEnd;
  /** In the cluster's words: why it does not run. */
  waits?: string;
}

/** Whether the workload is a pod itself. */
const isPod = ({ facts }: KnownWorkload): boolean => facts.resource === PODS && facts.isOwnerless !== true;

interface SeenPod {
  facts: PodFacts;
  isGone: boolean;
  /** As the pod's spec names them, where that is known. */
  names: string[];
}

function podsOf(known: KnownWorkload): SeenPod[] {
  const { view } = known;
  if (isPod(known)) {
    const { owner } = view;
    if (!owner) return [];
    const pod = owner.object as unknown as Pod;
    const names = listOf(pod.spec.containers).map(({ name }) => textOf(name));
    return [{ facts: podFactsOf({ ...pod, spec: { containers: [] } }), isGone: owner.deleted, names }];
  }
  return [...view.children.values()].map(({ child: facts, presence }) => ({ facts, isGone: presence !== 'there', names: [] }));
}

/** No pod will come. */
export function isAtItsEnd(known: KnownWorkload): boolean {
  const { owner } = known.view;
  const { facts } = known;
  if (isPod(known) || facts.isOwnerless) return true;
  return owner !== undefined && (owner.deleted || facts.isFinished(owner.object));
}

/**
 * Running pods first, then those that wait, then those that ended, the newest first. Of pods that are gone only those that were asked for by
 * pod, index or replica, where no other is there, and those that are followed.
 */
export function targetsOf(known: KnownWorkload, selection: LogSelection, isFollowed: (uid: string) => boolean = () => false): LogTarget[] {
  const { replicaOf } = known.facts.pods ?? {};
  const chosen = podsOf(known).flatMap((seen): LogTarget[] => {
    const replica = replicaOf?.(seen.facts);
    return isMeant(seen.facts, replica, selection) ? [targetOf(seen, replica, selection.container)] : [];
  });
  const there = chosen.filter(({ isGone, uid }) => !isGone || isFollowed(uid));
  const isNarrow = [selection.pod, selection.index, selection.replica].some((part) => part !== undefined);
  const meant = there.length === 0 && isNarrow ? chosen : there;
  return meant.toSorted(
    (a, b) => rankOf(a) - rankOf(b) || (rankOf(a) < 2 ? a.createdAt - b.createdAt : b.createdAt - a.createdAt) || compare(a, b),
  );
}

const rankOf = ({ phase, isOver }: LogTarget): number => (isOver ? 2 : phase === 'Running' ? 0 : 1);
const compare = (a: LogTarget, b: LogTarget): number => a.pod.localeCompare(b.pod, 'en', { numeric: true });

function isMeant({ name, index }: PodFacts, replica: string | undefined, wanted: LogSelection): boolean {
  if (wanted.pod !== undefined && wanted.pod !== name) return false;
  if (wanted.index !== undefined && wanted.index !== index) return false;
  if (wanted.replica === undefined) return true;
  const asked = wanted.replica.toLowerCase();
  return replica === asked || replica?.replace(/-\d+$/, '') === asked;
}

function targetOf({ facts, isGone, names }: SeenPod, replica: string | undefined, asked: string | undefined): LogTarget {
  const { containers } = facts;
  const usual = containers.find(({ role }) => role === 'container')?.name ?? names[0] ?? '';
  const container = asked ?? usual;
  const known = containers.find(({ name }) => name === container);
  const others = [...new Set([...containers.map(({ name }) => name), ...names])].filter((name) => name !== container);
  const isOver = isGone || isFinished(facts) || (known?.role === 'init' && known.exitCode === 0);
  // Of one that waits to start, the reasons say why it waits.
  const end =
    isGone || isFinished(facts) || known?.exitCode !== undefined || (known?.restarts ?? 0) > 0 ? endOf(facts, container) : undefined;
  const waits = facts.reasons?.find((reason) => reason.container === undefined || reason.container === container);
  return {
    pod: facts.name,
    uid: facts.uid,
    container,
    others,
    ...(facts.index !== undefined && { index: facts.index }),
    ...(replica !== undefined && { replica }),
    createdAt: facts.createdAt,
    phase: facts.phase,
    restarts: known?.restarts ?? 0,
    isGone,
    isOver,
    ...(end && { end }),
    ...(waits && { waits: [waits.reason, waits.message].filter((part) => part !== undefined).join(': ') }),
  };
}

function endOf({ containers, reasons, containerWords, lastEnds }: PodFacts, name: string): ContainerEnd | undefined {
  const known = containers.find((container) => container.name === name);
  const before = known?.exitCode === undefined ? lastEnds?.find(({ container }) => container === name) : undefined;
  const exitCode = known?.exitCode ?? before?.exitCode;
  const why = reasons?.find(({ container }) => container === undefined || container === name);
  const reason =
    before?.reason ?? why?.reason ?? containerWords?.find(({ container, state }) => container === name && state === 'terminated')?.reason;
  const end = {
    ...(exitCode !== undefined && { exitCode }),
    ...(reason !== undefined && reason !== '' && { reason }),
    ...(why?.message !== undefined && { message: why.message }),
  };
  return Object.keys(end).length === 0 ? undefined : end;
}
