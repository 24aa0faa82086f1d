// How long the indexes of a Job ran that succeeded: each is counted once, with the status that names it.
import type { Job } from '../../../objects/kubernetes.ts';
import { NO_RUN_LENGTHS, readRunLengths, runLengthsText, withRuns } from '../../../objects/detail/run-lengths.ts';
import { secondsRun } from '../../../objects/detail/pod-standing.ts';
import { completionIndexOf, type PodFacts } from '../../../objects/pods/pod-facts.ts';
import { hasIndex, noIndexes, parseIndexes, type IndexSet } from '../../../objects/values/index-text.ts';
import type { RunsRemembered } from '../../rows/planner-row.ts';

/** With fewer a median says nothing, so they cost no byte. */
const FEWEST_INDEXES = 4;

const succeededIn = (job: Job | undefined): number => job?.status?.succeeded ?? 0;

const completedIn = ({ spec, status }: Job): IndexSet => parseIndexes(status?.completedIndexes ?? '', spec.completions ?? 0);

/**
 * A pass that repeats another finds its indexes counted. Where the status is not the one that was counted last (another pass wrote it and died,
 * or the table was lost), all that is still to be seen is counted anew, so that no index counts twice.
 * @param owners the Job as the pass began, and after it
 * @param pods also those that are gone, as they were seen last
 */
export function jobRunLengths(
  known: RunsRemembered | undefined,
  { before, after }: { before: Job | undefined; after: Job },
  pods: Iterable<PodFacts>,
): RunsRemembered | undefined {
  const { completionMode, completions = 0 } = after.spec;
  const succeeded = succeededIn(after);
  if (completionMode !== 'Indexed' || completions < FEWEST_INDEXES || succeeded === 0) return undefined;
  if (known?.of === succeeded) return known;
  const earlier = known !== undefined && before && known.of === succeededIn(before) ? readRunLengths(known.lengths) : undefined;
  const counted = earlier && before ? completedIn(before) : noIndexes;
  const completed = completedIn(after);
  const seen = new Set<number>();
  const lengths: number[] = [];
  for (const pod of pods) {
    if (pod.phase !== 'Succeeded') continue;
    const index = completionIndexOf(pod);
    if (index === undefined || seen.has(index) || !hasIndex(completed, index) || hasIndex(counted, index)) continue;
    const seconds = secondsRun(pod, 0);
    if (seconds === undefined) continue;
    seen.add(index);
    lengths.push(seconds);
  }
  return { of: succeeded, lengths: runLengthsText(withRuns(earlier ?? NO_RUN_LENGTHS, lengths)) };
}
