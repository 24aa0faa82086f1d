// The metrics of a change of the view: how many pods of a counted sort came and how many went.
import type { Counted } from '../../objects/upstream-metrics.ts';
import { findFacts } from '../../kinds/facts.ts';
import type { CountedPods } from '../../kinds/rows/kind.ts';
import type { PodFacts } from '../../objects/pods/pod-facts.ts';
import type { PodEntry, ViewPart } from '../../wire/words/observations.ts';
import type { News } from './view.ts';

/** @param change.known the view before, of the parts touched; `merged`: the view now */
export function countsOfChange(
  kind: string,
  { known, merged, news }: { known: ViewPart; merged: ViewPart; news: News<PodFacts> },
): Counted[] {
  const counted = findFacts(kind)?.pods?.counted ?? [];
  if (counted.length === 0) return [];
  const uids = new Set(news.children.map(({ child }) => child.uid));
  if (news.whole) for (const uid of known.children.keys()) uids.add(uid);
  return counted.flatMap((sort) => {
    const change = { came: 0, went: 0 };
    for (const uid of uids) {
      const [was, is] = [known, merged].map(({ children }) => isCounted(sort, children.get(uid)));
      if (!was && is) change.came += 1;
      if (was && !is) change.went += 1;
    }
    return sort.countsOf(change);
  });
}

/** The counts of a workload that is forgotten with its whole view. */
export function countsOfForgotten(kind: string, { children }: ViewPart): Counted[] {
  const counted = findFacts(kind)?.pods?.counted ?? [];
  return counted.flatMap((sort) =>
    sort.countsOf({ came: 0, went: [...children.values()].filter((entry) => isCounted(sort, entry)).length }),
  );
}

const isCounted = (counted: CountedPods, entry: PodEntry | undefined): boolean =>
  entry !== undefined && entry.presence === 'there' && counted.has(entry.child);
