// A command in a container that runs, with or without a terminal.
import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { TerminalError } from '../../../ports/errors.ts';
import type { ExecRequest } from '../../../ports/provider.ts';
import { execWords } from './machine/engine.ts';
import { problemOfLaunch, spawnIn, type Launch } from './shim/launch.ts';
import { quoted } from './machine/mount-script.ts';
import { allProcesses, EXEC_MARK, killAll, POD_MARK, type Marks } from './machine/process-tree.ts';
import { systemProgram } from './machine/system-program.ts';

const NOT_FOUND = 127;
/** A process that the command left behind may hold its output open: after so long without a byte nothing more is waited for. */
const SILENT_MS = 1_000;
const FIRST_SIZE_MS = 300;

type Size = { columns: number; rows: number };

export async function execIn(launch: Launch, wanted: ExecRequest, id: string, signal: AbortSignal): Promise<{ exitCode: number }> {
  const problem = problemOfLaunch(launch, wanted.command);
  if (problem !== undefined) {
    await (wanted.tty ? wanted.stdout : (wanted.stderr ?? wanted.stdout))?.(Buffer.from(`${problem}\n`));
    return { exitCode: NOT_FOUND };
  }
  const sizes = wanted.tty && wanted.sizes ? new Sizes(wanted.sizes) : undefined;
  const first = await sizes?.first(signal);
  const { command, environment } = wanted.tty
    ? withTerminal(launch, wanted.command, first, id)
    : { command: wanted.command, environment: launch.environment };
  // With a terminal the engine's command is what runs in it, on this machine.
  const around = wanted.tty && launch.place.engine ? onMachine(launch) : launch;
  const child = spawnIn({ ...around, environment }, command, {
    execId: id,
    // A terminal without input stays open: at the end of its input it would end.
    stdio: [
      wanted.stdin || wanted.tty ? 'pipe' : 'ignore',
      wanted.stdout ? 'pipe' : 'ignore',
      wanted.stderr && !wanted.tty ? 'pipe' : 'ignore',
    ],
  });
  const marks: Marks = {
    variables: [`${POD_MARK}=${launch.environment[POD_MARK]}`, `${EXEC_MARK}=${id}`],
    sessions: new Set(child.pid === undefined ? [] : [child.pid]),
  };
  const stop = (): void => void killAll(marks);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, name) => resolve(code ?? 128 + (name ? constants.signals[name] : 0)));
  });
  try {
    const activity = { atMs: performance.now(), isHeldUp: false };
    if (wanted.stdin) void feed(child, wanted.stdin);
    if (sizes && child.pid !== undefined) void resize(child.pid, sizes, ended);
    const pumps = Promise.all([pump(child.stdout, wanted.stdout, activity, stop), pump(child.stderr, wanted.stderr, activity, stop)]);
    const exitCode = await ended;
    activity.atMs = performance.now();
    await Promise.race([pumps, silence(activity, signal)]);
    return { exitCode };
  } finally {
    signal.removeEventListener('abort', stop);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  }
}

/** Nothing is read ahead of a reader: the pipe fills, and holds up the command. */
async function pump(
  from: Readable | null,
  to: ExecRequest['stdout'],
  activity: { atMs: number; isHeldUp: boolean },
  stop: () => void,
): Promise<void> {
  if (!from || !to) return;
  try {
    for await (const bytes of from) {
      activity.isHeldUp = true;
      await to(bytes as Buffer);
      activity.isHeldUp = false;
      activity.atMs = performance.now();
    }
  } catch {
    // The reader has gone.
    activity.isHeldUp = false;
    stop();
  }
}

async function silence(activity: { atMs: number; isHeldUp: boolean }, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (activity.isHeldUp || performance.now() - activity.atMs < SILENT_MS))
    await new Promise((resolve) => setTimeout(resolve, 50));
}

async function feed({ stdin }: ChildProcess, from: AsyncIterable<Uint8Array>): Promise<void> {
  if (!stdin) return;
  // The command may end before it has read all.
  stdin.on('error', () => {});
  try {
    for await (const bytes of from) {
      if (stdin.destroyed) return;
      if (!stdin.write(bytes)) await new Promise<void>((resolve) => void stdin.once('drain', resolve).once('close', resolve));
    }
  } catch {
    // The caller has gone: its input ends here.
  }
  stdin.end();
}

/** Node knows no terminals; `script` makes one, and passes on the exit code. */
function withTerminal(
  launch: Launch,
  command: readonly string[],
  size: Size | undefined,
  execId: string,
): { command: string[]; environment: Record<string, string> } {
  const script = systemProgram('script');
  if (script === undefined)
    throw new TerminalError(
      'a terminal needs the program script of util-linux, which is not installed on this machine: run the command without -t',
    );
  const sized = size && isSize(size) ? `stty columns ${size.columns} rows ${size.rows} 2>/dev/null; ` : '';
  const { engine } = launch.place;
  const words = engine ? execWords(engine, { execId, hasTerminal: true, hasInput: true }, command) : command;
  return {
    command: [script, '-qefc', `${sized}exec ${words.map(quoted).join(' ')}`, '/dev/null'],
    environment: { TERM: 'xterm', ...(engine ? engine.environment : launch.environment), SHELL: '/bin/sh' },
  };
}

const onMachine = (launch: Launch): Launch => ({ ...launch, folder: '/', place: { prefix: [], view: '' } });

/** A terminal of 0 columns is one that the caller does not know: it keeps its size. */
const isSize = ({ columns, rows }: Size): boolean => columns > 0 && rows > 0;

/** Those that the caller tells, one after the other. */
class Sizes {
  readonly #sizes: AsyncIterator<Size>;
  /** Asked for, and not come yet. */
  #pending: Promise<IteratorResult<Size> | undefined> | undefined;

  constructor(sizes: AsyncIterable<Size>) {
    this.#sizes = sizes[Symbol.asyncIterator]();
  }

  /** A caller whose terminal has no size says nothing: the command does not wait for it. */
  async first(signal: AbortSignal): Promise<Size | undefined> {
    const late = pause(FIRST_SIZE_MS, undefined, { signal }).catch(() => undefined);
    const first = await Promise.race([this.#ask(), late]);
    if (first) this.#pending = undefined;
    return first && !first.done ? first.value : undefined;
  }

  async next(): Promise<IteratorResult<Size> | undefined> {
    const next = await this.#ask();
    this.#pending = undefined;
    return next;
  }

  #ask(): Promise<IteratorResult<Size> | undefined> {
    this.#pending ??= this.#sizes.next().catch(() => undefined);
    return this.#pending;
  }
}

async function resize(pid: number, sizes: Sizes, ended: Promise<unknown>): Promise<void> {
  const over = ended.then(
    () => undefined,
    () => undefined,
  );
  for (;;) {
    const next = await Promise.race([sizes.next(), over]);
    if (!next || next.done) return;
    const terminal = terminalBelow(pid);
    if (terminal !== undefined && isSize(next.value))
      spawn('stty', ['-F', terminal, 'columns', String(next.value.columns), 'rows', String(next.value.rows)], { stdio: 'ignore' }).on(
        'error',
        () => {},
      );
  }
}

/** The terminal of what `script` runs. */
function terminalBelow(pid: number): string | undefined {
  for (const child of allProcesses().values()) {
    if (child.parent !== pid) continue;
    try {
      for (const file of readdirSync(`/proc/${child.pid}/fd`)) {
        const [, number] = /\/pts\/(\d+)$/.exec(readlinkSync(`/proc/${child.pid}/fd/${file}`)) ?? [];
        if (number !== undefined) return `/dev/pts/${number}`;
      }
    } catch {
      // It has ended.
    }
  }
  return undefined;
}
