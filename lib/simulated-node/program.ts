// The programs of a simulated pod's containers: how long they run, and how they end.
//
// Annotations of the pod come first, and then its commands are not looked at:
//
//   sim.farloop.dev/run-seconds   how long each run of each container lasts, e.g. `0`, `2.5`. Without it 0.
//   sim.farloop.dev/exit-codes    how the first container ends, the others end with 0. A comma list, of which the last entry
//                                 stands for all beyond it. Without it 0.
//       restartPolicy OnFailure or Always   the entry at the container's restart count: `1,0` fails once, then succeeds
//       Never, pod with a completion index  the entry at that index; within it, a slash list by attempt: `0,1/0,0` lets the
//                                           first pod of index 1 fail and its successor succeed
//       Never, other pods                   the entry at the attempt
//     An attempt is the number of failed pods of the same owner (and index) that this node has seen before this pod.
//   sim.farloop.dev/never-ready   `true`: runs, but never becomes ready
//
// Two more say what becomes of the pod as a whole, whatever its containers would do:
//
//   sim.farloop.dev/waiting       its containers cannot start, for this reason: `ImagePullBackOff: Back-off pulling image "nope"`.
//                                 For as long as `sim.farloop.dev/waiting-seconds` says; without it until the annotation goes.
//   sim.farloop.dev/evicted       when a run would end, the node ends the pod instead, with this message, and the reason `Evicted`
//
// Without the first two, each container does what its command (with its arguments) plainly says: `true`, `false`, `exit N`,
// `sleep N`, `echo …`, several of them joined by `;` or `&&`, bare or through `sh -c`. Everything else runs until it is deleted.
import type { Container, Pod } from '../objects/kubernetes.ts';
import { stepsOf } from './script-steps.ts';

const runSecondsAnnotation = 'sim.farloop.dev/run-seconds';
const exitCodesAnnotation = 'sim.farloop.dev/exit-codes';
const neverReadyAnnotation = 'sim.farloop.dev/never-ready';
const waitingAnnotation = 'sim.farloop.dev/waiting';
const waitingSecondsAnnotation = 'sim.farloop.dev/waiting-seconds';
const evictedAnnotation = 'sim.farloop.dev/evicted';

const indexAnnotation = 'batch.kubernetes.io/job-completion-index';

/** One run of a container. `runMs` is Infinity for one that ends only when it is stopped. */
export interface Run {
  runMs: number;
  exitCode: number;
}

const forEver: Run = { runMs: Infinity, exitCode: 0 };

/**
 * The run of one container.
 * @param which restartCount: of the container; attempt: of the pod, see above; both from 0
 */
export function runOf(pod: Pod, container: Container, which: { restartCount: number; attempt: number }): Run {
  const annotations = pod.metadata.annotations ?? {};
  const runSeconds = annotations[runSecondsAnnotation];
  const exitCodes = annotations[exitCodesAnnotation];
  if (runSeconds === undefined && exitCodes === undefined) return runOfCommand(container);
  const isFirst = pod.spec.containers[0]?.name === container.name;
  return {
    runMs: Math.max(0, Number(runSeconds ?? 0)) * 1000 || 0,
    exitCode: isFirst && exitCodes !== undefined ? exitCodeOf(pod, exitCodes, which) : 0,
  };
}

export const isNeverReady = (pod: Pod): boolean => pod.metadata.annotations?.[neverReadyAnnotation] === 'true';

/** Why the containers of a pod cannot start. */
export interface Wait {
  reason: string;
  message?: string;
  /** Counted from the pod's start on the node; Infinity without an end. */
  waitMs: number;
}

export function waitOf({ metadata: { annotations = {} } }: Pod): Wait | undefined {
  const [, reason, message] = /^\s*([^:\s]+)\s*(?::\s*(.*))?$/s.exec(annotations[waitingAnnotation] ?? '') ?? [];
  if (reason === undefined) return undefined;
  const seconds = annotations[waitingSecondsAnnotation];
  return {
    reason,
    ...(message !== undefined && { message }),
    waitMs: seconds === undefined ? Infinity : Math.max(0, Number(seconds)) * 1000 || 0,
  };
}

/** The message with which the node evicts a pod after its run; undefined: it does not. */
export const evictionOf = ({ metadata }: Pod): string | undefined => metadata.annotations?.[evictedAnnotation];

/** How long the run of an evicted pod lasts, as its annotations say. */
export const evictedAfterMs = ({ metadata }: Pod): number =>
  Math.max(0, Number(metadata.annotations?.[runSecondsAnnotation] ?? 0)) * 1000 || 0;

/** The completion index of a pod of an Indexed Job. */
export function completionIndexOf(pod: Pod): number | undefined {
  const text = pod.metadata.annotations?.[indexAnnotation];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

function exitCodeOf(pod: Pod, list: string, { restartCount, attempt }: { restartCount: number; attempt: number }): number {
  const entries = list.split(',');
  if (pod.spec.restartPolicy !== 'Never') return codeAt(entries, restartCount);
  const index = completionIndexOf(pod);
  if (index === undefined) return codeAt(entries, attempt);
  return codeAt((entries[Math.min(index, entries.length - 1)] ?? '').split('/'), attempt);
}

function codeAt(entries: readonly string[], position: number): number {
  const code = Number(entries[Math.min(position, entries.length - 1)]);
  return Number.isInteger(code) && code >= 0 && code <= 255 ? code : 0;
}

/** A command that is played as the container's own, with none of its words: they may hold values of an environment. */
export function playedCommand(container: Container): string[] {
  const { runMs, exitCode } = runOfCommand(container);
  return runMs === Infinity ? [] : ['sh', '-c', `sleep ${runMs / 1000}; exit ${exitCode}`];
}

function runOfCommand({ command = [], args = [] }: Container): Run {
  const words = [...command, ...args];
  const [first = '', ...rest] = words;
  const isShell = /^(\/bin\/|\/usr\/bin\/)?(sh|bash|ash|dash)$/.test(first);
  if (!isShell) return runOfWords(words);
  const option = rest[0] ?? '';
  return /^-[eux]*c$/.test(option) && rest.length === 2 ? runOfScript(rest[1] ?? '') : forEver;
}

function runOfScript(script: string): Run {
  let runMs = 0;
  let exitCode = 0;
  for (const { before, words } of stepsOf(script)) {
    if (before === '&&' && exitCode !== 0) continue;
    const run = runOfWords(words);
    if (run.runMs === Infinity) return forEver;
    runMs += run.runMs;
    exitCode = run.exitCode;
    if (words[0] === 'exit') break;
  }
  return { runMs, exitCode };
}

function runOfWords([name = '', ...args]: readonly string[]): Run {
  if (args.some((word) => /[|&<>$`()]/.test(word))) return forEver;
  switch (name.replace(/^(\/usr)?\/bin\//, '')) {
    case 'true':
    case 'echo':
      return { runMs: 0, exitCode: 0 };
    case 'false':
      return { runMs: 0, exitCode: 1 };
    case 'exit':
      return args.length <= 1 && /^\d+$/.test(args[0] ?? '0') ? { runMs: 0, exitCode: Number(args[0] ?? 0) % 256 } : forEver;
    case 'sleep':
      return sleepOf(args);
    default:
      return forEver;
  }
}

const unitSeconds: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 };

function sleepOf(args: readonly string[]): Run {
  const [, seconds, unit = ''] = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(args[0] ?? '') ?? [];
  const factor = unitSeconds[unit];
  if (args.length !== 1 || seconds === undefined || factor === undefined) return forEver;
  return { runMs: Number(seconds) * factor * 1000, exitCode: 0 };
}
