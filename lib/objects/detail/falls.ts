// Which of a workload's pods fell first. Where one ends the others, as in a training job, only the first end explains anything, and the
// cluster forgets it as soon as containers are started again.
import type { PodFacts } from '../pods/pod-facts.ts';

/** The end of a container that did not succeed. */
export interface Fall {
  pod: string;
  container: string;
  exitCode: number;
  /** The cluster's word where it says more than the exit code: `OOMKilled`. */
  reason?: string;
  /** Unix seconds. */
  at: number;
}

/** Falls that belong together: none came much later than the one before. */
export interface Falls {
  first: Fall;
  /** Unix seconds: of the last fall that is known. */
  lastAt: number;
  /** Pods that fell soon after the first. */
  followed: number;
  /** How long after the first the last of those fell. */
  withinSeconds: number;
  /** Of those that followed, where they have one in common. */
  followedExitCode?: number;
}

/** The kubelet waits up to 5 min before it starts a container again: after twice as long without a fall, the next one is another matter. */
const QUIET_SECONDS = 600;
/** A pod that falls later did so for a reason of its own. */
const FOLLOWS_SECONDS = 60;

/** The latest fall of a pod that is known; undefined for one that is well, or has ended well. */
export function fallOf(pod: PodFacts): Fall | undefined {
  const { phase, containers, lastEnds, reasons, containerWords, name } = pod;
  if (phase === 'Succeeded') return undefined;
  if (lastEnds === undefined && phase !== 'Failed' && containers.length < 2 && containers[0]?.exitCode === undefined) return undefined;
  let latest: Fall | undefined;
  for (const { name: container, exitCode = 0, finishedAt } of containers) {
    if (exitCode === 0 || finishedAt === undefined || (latest && latest.at <= finishedAt)) continue;
    const reason =
      reasons?.find((each) => each.container === container)?.reason ??
      containerWords?.find((each) => each.container === container && each.state === 'terminated')?.reason;
    latest = { pod: name, container, exitCode, ...(reason !== undefined && TELLS_MORE(reason) && { reason }), at: finishedAt };
  }
  const [end] = lastEnds ?? [];
  if (!latest && end && end.exitCode !== 0 && end.finishedAt !== undefined)
    latest = {
      pod: name,
      container: end.container,
      exitCode: end.exitCode,
      ...(end.reason !== undefined && { reason: end.reason }),
      at: end.finishedAt,
    };
  return latest;
}

const TELLS_MORE = (reason: string): boolean => reason !== '' && reason !== 'Error' && reason !== 'Completed';

/**
 * What is known of falls after this look, from what was known before it. The same again where nothing changed, so a repeated pass keeps it.
 * @param sinceSeconds falls before it are of an earlier run
 */
export function fallsAfter(known: Falls | undefined, pods: Iterable<PodFacts>, sinceSeconds = -Infinity): Falls | undefined {
  let falls = known && known.first.at >= sinceSeconds ? known : undefined;
  const seen: Fall[] = [];
  for (const pod of pods) {
    const fall = fallOf(pod);
    if (fall && fall.at >= sinceSeconds) seen.push(fall);
  }
  if (seen.length === 0) return falls;
  seen.sort((a, b) => a.at - b.at || (a.pod < b.pod ? -1 : 1));
  for (const fall of seen) {
    if (!falls || fall.at > falls.lastAt + QUIET_SECONDS) falls = startingWith(fall, fall.at);
    else if (fall.at > falls.lastAt) falls = { ...falls, lastAt: fall.at };
  }
  // One that is heard late may have been the first.
  for (const fall of seen.toReversed())
    if (falls && fall.at < falls.first.at && fall.at >= falls.first.at - QUIET_SECONDS) falls = startingWith(fall, falls.lastAt);
  return falls && withFollowers(falls, seen);
}

const startingWith = (first: Fall, lastAt: number): Falls => ({ first, lastAt, followed: 0, withinSeconds: 0 });

/** Pods that fell again meanwhile are not seen as followers any more: the most that were ever seen count. */
function withFollowers(falls: Falls, seen: readonly Fall[]): Falls {
  const { first } = falls;
  const followers = seen.filter(({ pod, at }) => pod !== first.pod && at >= first.at && at <= first.at + FOLLOWS_SECONDS);
  const last = followers.at(-1);
  if (!last || followers.length <= falls.followed) return falls;
  const { followedExitCode: _, ...rest } = falls;
  const isCommon = followers.every(({ exitCode }) => exitCode === last.exitCode);
  return {
    ...rest,
    followed: followers.length,
    withinSeconds: last.at - first.at,
    ...(isCommon && { followedExitCode: last.exitCode }),
  };
}

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/**
 * `worker-3 fell first: OOMKilled, exit code 137, 23:18:04. Six others followed within 9 s, exit code 1.`
 * @param owner whose name its pods' names begin with
 */
export function fallsText({ first, followed, withinSeconds, followedExitCode }: Falls, owner: string): string {
  const facts = [...(first.reason === undefined ? [] : [first.reason]), `exit code ${first.exitCode}`, timeOfDay(first.at)];
  const fell = `${shortName(first.pod, owner)} fell${followed > 0 ? ' first' : ''}: ${facts.join(', ')}.`;
  if (followed === 0) return fell;
  const count = NUMBERS[followed] ?? followed.toLocaleString('en');
  const followers = `${count.charAt(0).toUpperCase()}${count.slice(1)} ${followed === 1 ? 'other' : 'others'} followed within ${withinSeconds} s`;
  return `${fell} ${followers}${followedExitCode === undefined ? '' : `, exit code ${followedExitCode}`}.`;
}

/** A pod's name without its owner's before it: what tells it from the others. */
export const shortName = (pod: string, owner: string): string =>
  pod.startsWith(`${owner}-`) && pod.length > owner.length + 1 ? pod.slice(owner.length + 1) : pod;

/** UTC. */
const timeOfDay = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(11, 19);
