// Prints logs as they come: lines on standard output, merged by time; what is to be known about them on standard error.
import { once } from 'node:events';
import type { ContainerLog } from '../../api/logs/log-reading.ts';
import type { WorkloadLogs } from '../../api/logs/workload-logs.ts';
import { shownText } from '../../objects/values/shown-text.ts';
import { printProblem } from '../terminal/output.ts';

/** More names are counted. */
const MOST_NAMES = 5;

export class LogPrinter {
  readonly #hasTimes: boolean;
  readonly #isFollowing: boolean;
  readonly #pods = new Set<string>();
  readonly #told = new Set<string>();
  #isFirst = true;
  readonly #begun = new Set<string>();
  #firstProblem: string | undefined;
  #brokenOff: string | undefined;

  constructor({ hasTimes, isFollowing }: { hasTimes: boolean; isFollowing: boolean }) {
    this.#hasTimes = hasTimes;
    this.#isFollowing = isFollowing;
  }

  /** Why no log could be shown, or one not to its end; undefined where one was, if only an empty one. */
  get problem(): string | undefined {
    if (this.#begun.size > 0) return this.#brokenOff;
    const isTold = this.#firstProblem !== undefined && this.#told.has(this.#firstProblem);
    return isTold && this.#pods.size > 1 ? `none of the ${this.#pods.size} logs could be shown` : this.#firstProblem;
  }

  /** Resolves when the reader has taken what was printed. */
  async print(logs: WorkloadLogs): Promise<void> {
    for (const { pod } of logs.items) this.#pods.add(pod);
    for (const item of logs.items) this.#tellOf(item);
    if (this.#isFirst) this.#tellOfChoice(logs);
    this.#isFirst = false;
    const isMerged = this.#pods.size > 1;
    const text = mergedLines(logs.items)
      .map(
        ({ pod, time, line }) =>
          `${isMerged ? `${shownText(pod)}  ` : ''}${this.#hasTimes && time !== undefined ? `${time} ` : ''}${lineText(line)}\n`,
      )
      .join('');
    if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
  }

  #tellOf({ pod, container, others, lines, gap, problem, index }: ContainerLog): void {
    const hasBegun = this.#begun.has(`${pod}/${container}`);
    if (problem === undefined || lines.length > 0) this.#begun.add(`${pod}/${container}`);
    if (gap !== undefined) printProblem(`farloop: pod ${pod}: ${gap}`);
    if (problem === undefined) {
      if (this.#isFirst && others.length > 0 && container !== '')
        this.#tellOnce(`of pods with several containers this is ${container}; -c names another: ${others.join(', ')}`);
      return;
    }
    if (hasBegun && !this.#isFollowing) {
      this.#brokenOff ??= `the log of pod ${pod} breaks off here: ${problem}`;
      return;
    }
    this.#firstProblem ??=
      index === undefined || problem.includes(`pod ${pod}`) || problem.includes(`"${pod}"`) ? problem : `pod ${pod}: ${problem}`;
    // Where nothing else is shown, it is how the command ends.
    if (this.#isFollowing || this.#pods.size > 1) this.#tellOnce(problem);
  }

  #tellOfChoice({ items, leftOut: { count, pods }, tail }: WorkloadLogs): void {
    if (tail !== undefined && items.some(({ lines }) => lines.length >= tail))
      printProblem(`farloop: the last ${tail} lines of each of ${items.length} pods; --tail -1 shows all`);
    if (count === 0) return;
    const more = count > MOST_NAMES ? ` and ${count - MOST_NAMES} more` : '';
    printProblem(
      `farloop: of ${items.length} pods at a time: left out ${count === 1 ? 'is' : 'are'} ${pods.slice(0, MOST_NAMES).join(', ')}${more}`,
    );
  }

  #tellOnce(problem: string): void {
    if (this.#told.has(problem)) return;
    this.#told.add(problem);
    printProblem(`farloop: ${problem}`);
  }
}

interface MergedLine {
  pod: string;
  time?: string;
  line: string;
}

/** A line without a time stays behind the one before it. */
function mergedLines(items: readonly ContainerLog[]): MergedLine[] {
  const lines = items.flatMap(({ pod, lines: own }) => {
    let latest = '';
    return own.map(({ time, text }) => {
      latest = time !== undefined && time > latest ? time : latest;
      return { pod, ...(time !== undefined && { time }), line: text, at: latest };
    });
  });
  return items.length < 2 ? lines : lines.toSorted((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)));
}

/** A tab does no harm. */
const lineText = (text: string): string => text.split('\t').map(shownText).join('\t');
