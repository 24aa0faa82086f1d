// `farloop explain run/ID` and `farloop plan run/ID`: how a run stands and why, and what its next step would do.
import type { OpenRunPod, RunPodResult, RunSummary } from '../../kinds/run-once/results.ts';
import type { RunPlan } from '../../reconciler/runs/planned-run.ts';
import { shownData } from '../../objects/values/shown-text.ts';
import { paint, print, printInstead, printProblem, spanText, type Colour, type OutputFormat } from '../terminal/output.ts';
import type { RunSource } from './run-named.ts';

const WATCH_EVERY_MS = 1_000;

interface ExplainRunOptions {
  id: string;
  source: RunSource;
  watch?: true | undefined;
  output: OutputFormat;
}

/** With `watch` until the run is over. */
export async function explainRun(first: RunSummary, { id, source, watch, output }: ExplainRunOptions): Promise<void> {
  if (!watch) return await print({ run: first }, output, (shown) => explanationOf(shown.run));
  const { SystemClock } = await import('../../adapters/clock/system-clock.ts');
  const clock = new SystemClock();
  let shown: string | undefined;
  for (let run: RunSummary | undefined = first; run; run = await source.summary(id)) {
    // The moment of the next look comes nearer all the time.
    const content = JSON.stringify(run);
    if (content !== shown) printInstead(explanationOf(shownData(run)), shown === undefined);
    shown = content;
    if (run.finishedAt !== undefined) return;
    await clock.wait(WATCH_EVERY_MS);
  }
  printProblem(`farloop: run/${id} is gone`);
}

function explanationOf(run: RunSummary): string {
  const { runId, state, node, provider, why, nextAt, results, open, openPods, warnings, startedAt, finishedAt } = run;
  const pods = results.length + open;
  const endingMs = finishedAt === undefined ? undefined : Date.parse(finishedAt) - Date.parse(startedAt);
  return [
    `${paint(`run/${runId}`, 'bold')} on ${node} at ${provider}: ${paint(state, colourOfRun(run))}`,
    `  ${results.length} of ${pods} ${pods === 1 ? 'pod has' : 'pods have'} an outcome; begun ${startedAt}${endingMs === undefined ? '' : `, over after ${spanText(endingMs)}`}`,
    `  ${paint(why, 'bold')}`,
    ...warnings.map((warning) => `  warning: ${warning}`),
    ...openPods.map(openLine),
    ...results.map(resultLine),
    ...(finishedAt === undefined ? [`  next look: ${nextAt === undefined ? 'now' : inText(nextAt)}`] : []),
  ].join('\n');
}

const colourOfRun = ({ state, error }: RunSummary): Colour | undefined =>
  error === undefined ? (state === 'done' ? 'green' : undefined) : 'red';

const nameOf = ({ pod }: Pick<RunPodResult, 'pod'>): string => `pod ${pod.namespace}/${pod.name}`;

const openLine = (open: OpenRunPod): string =>
  `  ${nameOf(open)} ${open.why === 'waits' ? '' : `${open.why}: `}waits for ${open.waitsFor}${open.nextAt === undefined ? '' : `; looked at again ${inText(open.nextAt)}`}`;

function resultLine(result: RunPodResult): string {
  const { error, rejected, containers } = result;
  const ends = containers.flatMap(({ name, exitCode }) => (exitCode === undefined ? [] : [`${name}: exit ${exitCode}`])).join(', ');
  const outcome = error ?? (rejected ? `rejected: ${rejected.reason}: ${rejected.message}` : 'ok');
  return `  ${nameOf(result)} ${outcome}${ends === '' ? '' : ` (${ends})`}`;
}

/** A moment that has passed is met by the next process that goes on with the run. */
function inText(time: string): string {
  const ms = Date.parse(time) - Date.now();
  return ms <= 0 ? 'now' : `in ${spanText(ms)}`;
}

export async function showRunPlan(plan: RunPlan, output: OutputFormat): Promise<void> {
  await print(plan, output, planText);
}

function planText({ runId, state, why, at, actions, isLast }: RunPlan): string {
  const head = `${paint(`run/${runId}`, 'bold')}: ${state}: ${why}`;
  if (at === undefined) return `${head}\n  nothing follows`;
  return [
    head,
    `  next step ${inText(at)}, or once a task changes; its provider is not asked now:`,
    ...actions.map(({ verb, pod, why: reason }) => `  ${verb}${pod ? ` ${pod.namespace}/${pod.name}` : ''}: ${reason}`),
    ...(isLast ? ['  the run is over then'] : []),
  ].join('\n');
}
