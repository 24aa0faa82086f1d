// A run as people and pipelines read it: a line for each change, a table at the end, JSON, JUnit.
import type { OpenRunPod, RunPodResult, RunSummary } from '../../kinds/run-once/results.ts';
import { hasOutcome, type ContainerEnd, type RunPod, type RunState } from '../../kinds/run-once/run.ts';
import { isEnding, standingOf } from '../../kinds/run-once/standing.ts';
import { LiveLines } from '../terminal/live-lines.ts';
import { printProblem, tableText, type Colour } from '../terminal/output.ts';

const nameOf = ({ namespace, name }: Pick<RunPod, 'namespace' | 'name'>): string => `${namespace}/${name}`;

export interface RunProgress {
  show: (run: RunState) => void;
  /** Other output follows. */
  end: () => void;
}

/** Where a person reads both streams a table that is redrawn; else a line on standard error for each pod that changes. */
export function runProgress(): RunProgress {
  if (!process.stderr.isTTY || !LiveLines.areRedrawn()) return { show: progressLines((line) => printProblem(line)), end: () => {} };
  const lines = new LiveLines();
  const known = new Map<string, string>();
  const show = (run: RunState): void => {
    const { pods } = run;
    const width = Math.max(...pods.map((pod) => nameOf(pod).length));
    for (const pod of pods) {
      const standing = standingOf(pod, run);
      if (known.get(pod.uid) === standing) continue;
      known.set(pod.uid, standing);
      lines.set(pod.uid, {
        text: `${nameOf(pod).padEnd(width)}  ${standing}`,
        colour: colourOf(pod),
        isLast: hasOutcome(pod) && !isEnding(pod, run),
      });
    }
  };
  return { show, end: () => lines.end() };
}

function colourOf({ error, rejected, phase, status }: RunPod): Colour | undefined {
  if (error !== undefined) return 'red';
  if (rejected) return 'yellow';
  if (phase === 'final') return 'green';
  return status?.phase === 'Running' ? 'cyan' : 'dim';
}

/** Calls `say` with a line for each pod whose standing differs from the last call's. */
function progressLines(say: (line: string) => void): (run: RunState) => void {
  const said = new Map<string, string>();
  return (run) => {
    for (const pod of run.pods) {
      const standing = standingOf(pod, run);
      if (said.get(pod.uid) === standing || (standing === 'waits' && !said.has(pod.uid))) continue;
      said.set(pod.uid, standing);
      say(`${nameOf(pod)}: ${standing}`);
    }
  };
}

const resultText = ({ error, rejected }: RunPodResult): string => (error !== undefined ? 'failed' : rejected ? 'rejected' : 'ok');

const containerText = ({ name, state, exitCode, reason }: ContainerEnd): string =>
  `${name}: ${state === 'terminated' ? `exit ${exitCode}` : state}${state === 'waiting' && reason !== undefined ? ` (${reason})` : ''}`;

const containersText = ({ containers }: { containers: readonly ContainerEnd[] }): string => containers.map(containerText).join(', ');

const openText = ({ why, nextAt, retries }: OpenRunPod): string =>
  [why, ...(retries > 0 ? [`${retries} retries`] : []), ...(nextAt === undefined ? [] : [`looked at again at ${nextAt}`])].join('; ');

const noteText = ({ error, rejected }: RunPodResult): string => error ?? (rejected ? `${rejected.reason}: ${rejected.message}` : '');

export type LogsByPod = ReadonlyMap<string, Readonly<Record<string, string>>>;

export function runText(summary: RunSummary, logs: LogsByPod = new Map()): string {
  const { runId, state, node, results, warnings, open, openPods, finishedAt } = summary;
  const counts = [
    `${results.filter((result) => resultText(result) === 'ok').length} ok`,
    `${results.filter((result) => resultText(result) === 'failed').length} failed`,
    `${results.filter((result) => resultText(result) === 'rejected').length} rejected`,
    ...(open > 0 ? [`${open} open`] : []),
  ];
  const rows = [
    ...results.map((result) => [nameOf(result.pod), resultText(result), containersText(result), noteText(result)]),
    ...openPods.map((pod) => [nameOf(pod.pod), 'open', containersText(pod), openText(pod)]),
  ];
  return [
    `run ${runId} on ${node}: ${state}${state === 'cancelled' && finishedAt === undefined ? ', and its pods are ending' : ''}; ${counts.join(', ')}`,
    ...(rows.length > 0 ? [tableText(['POD', 'RESULT', 'CONTAINERS', 'NOTE'], rows)] : []),
    ...warnings.map((warning) => `warning: ${warning}`),
    ...results.flatMap(({ pod }) => logLines(nameOf(pod), logs.get(pod.uid))),
  ].join('\n');
}

export const logLines = (name: string, logs: Readonly<Record<string, string>> = {}): string[] =>
  Object.entries(logs).flatMap(([container, text]) => [`--- ${name} ${container}`, ...(text === '' ? [] : [text.replace(/\n$/, '')])]);

/** @param logs go with the results, by container */
export const runJson = (summary: RunSummary, logs: LogsByPod = new Map()): object => ({
  ...summary,
  results: summary.results.map((result) => {
    const own = logs.get(result.pod.uid);
    return own ? { ...result, logs: own } : result;
  }),
});

/** One suite, a case for each pod: pipelines read it. */
export function junitText(summary: RunSummary, logs: LogsByPod = new Map()): string {
  const { runId, results, openPods, startedAt, finishedAt } = summary;
  const seconds = finishedAt === undefined ? 0 : (Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000;
  const failures = results.filter(({ error }) => error !== undefined).length;
  const skipped = results.filter(({ error, rejected }) => error === undefined && rejected).length;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites><testsuite name="${xml(runId)}" tests="${results.length + openPods.length}" failures="${failures}" errors="${openPods.length}" skipped="${skipped}" time="${seconds.toFixed(3)}" timestamp="${xml(startedAt)}">`,
    ...results.map((result) => caseText(result, logs.get(result.pod.uid))),
    ...openPods.map(openCaseText),
    '</testsuite></testsuites>',
  ].join('\n');
}

function caseText(result: RunPodResult, logs: Readonly<Record<string, string>> = {}): string {
  const { pod, error, rejected } = result;
  const output = Object.values(logs).join('');
  const parts = [
    ...(error === undefined ? [] : [`<failure message="${xml(error)}">${xml(result.containers.map(containerText).join(', '))}</failure>`]),
    ...(error === undefined && rejected ? [`<skipped message="${xml(noteText(result))}"/>`] : []),
    ...(output === '' ? [] : [`<system-out>${xml(output)}</system-out>`]),
  ];
  return `  <testcase classname="${xml(pod.namespace)}" name="${xml(pod.name)}">${parts.join('')}</testcase>`;
}

/** A pipeline must not take a run that goes on for one that went well. */
const openCaseText = ({ pod, waitsFor }: OpenRunPod): string =>
  `  <testcase classname="${xml(pod.namespace)}" name="${xml(pod.name)}"><error message="${xml(`no outcome yet: waits for ${waitsFor}`)}"/></testcase>`;

const XML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\n': '&#10;' };

/** Characters that XML cannot hold become a question mark. */
const xml = (text: string): string =>
  text
    .toWellFormed()
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '?')
    .replaceAll(/[&<>"\n]/g, (character) => XML[character] ?? character);
