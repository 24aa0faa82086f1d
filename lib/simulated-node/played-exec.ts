// A command in a simulated container: there is no shell and no file, so a few words are played, and every other one is refused as a container
// without that program refuses it.
import { setTimeout as wait } from 'node:timers/promises';
import { stepsOf, type ScriptStep } from './script-steps.ts';

/** The streams of a command that are wanted. */
export interface PlayedStreams {
  command: readonly string[];
  /** Then all that is said comes on `stdout`. */
  tty?: boolean;
  stdin?: AsyncIterable<Uint8Array>;
  stdout?: (bytes: Uint8Array) => Promise<void>;
  stderr?: (bytes: Uint8Array) => Promise<void>;
}

/** A shell would make something else of such words. */
const UNPLAYED = /[|&<>$`()'"\\*?]/;
const NOT_FOUND = 127;
const MISUSED = 2;
const KILLED = 137;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** @returns the exit code */
export async function playedExec({ command, tty, stdin, stdout, stderr }: PlayedStreams, signal: AbortSignal): Promise<number> {
  const say = async (text: string, exitCode: number): Promise<number> => {
    await (tty ? stdout : stderr)?.(Buffer.from(`${text}\n`));
    return exitCode;
  };
  const { steps, isScript } = scriptOf(command);
  let exitCode = 0;
  for (const { before, words: step } of steps) {
    if (signal.aborted) return KILLED;
    if (before === '&&' && exitCode !== 0) continue;
    const [name = '', ...args] = isScript && step.some((word) => UNPLAYED.test(word)) ? [`sh: ${step.join(' ')}`] : step;
    switch (name) {
      case 'true':
        exitCode = 0;
        break;
      case 'false':
        exitCode = 1;
        break;
      case 'exit':
        return /^\d+$/.test(args[0] ?? '0') ? Number(args[0] ?? exitCode) % 256 : await say(`exit: bad number: ${args[0]}`, MISUSED);
      case 'echo':
        await stdout?.(Buffer.from(`${args.join(' ')}\n`));
        exitCode = 0;
        break;
      case 'sleep':
        exitCode = /^(\d+(\.\d+)?|infinity)$/.test(args[0] ?? '')
          ? await slept(args[0] === 'infinity' ? Infinity : Number(args[0]), signal)
          : await say(`sleep: bad number of seconds: ${args[0] ?? ''}`, 1);
        break;
      case 'cat':
        exitCode = args.length > 0 ? await say(`cat: ${args[0]}: a simulated container has no files`, 1) : 0;
        if (exitCode === 0) for await (const chunk of stdin ?? []) await stdout?.(chunk);
        break;
      default:
        exitCode = await say(
          `${name}: not found: a simulated container has true, false, exit, echo, sleep, cat and sh -c of these alone`,
          NOT_FOUND,
        );
    }
  }
  return signal.aborted ? KILLED : exitCode;
}

/** @returns the exit code. A timer that is longer than one can be ends at once, so the longest one is waited for. */
async function slept(seconds: number, signal: AbortSignal): Promise<number> {
  await wait(Math.min(seconds * 1_000, LONGEST_TIMER_MS), undefined, { signal }).catch(() => {});
  return signal.aborted ? KILLED : 0;
}

function scriptOf(command: readonly string[]): { isScript: boolean; steps: ScriptStep[] } {
  const [shell = '', option, script] = command;
  if (!/^(\/bin\/)?sh$/.test(shell) || option !== '-c' || script === undefined)
    return { isScript: false, steps: [{ before: '', words: [...command] }] };
  return { isScript: true, steps: stepsOf(script) };
}
