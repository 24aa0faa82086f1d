// A child process that cannot outlive its parent. A shell between the two holds a pipe to the parent: when the pipe closes,
// because of kill() or because the parent is gone (SIGKILL included), the child is killed.
import { spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { Socket } from 'node:net';

export interface TetheredProcess {
  hasEnded(): boolean;
  /** SIGKILL, and wait until it is gone. */
  kill(): Promise<void>;
  /** To the process itself, not to what keeps it. @throws when it is not there */
  signal(name: 'SIGSTOP' | 'SIGCONT'): Promise<void>;
  /** The end of its log. */
  lastWords(): Promise<string>;
}

const keeper = `
"$@" &
child=$!
echo $child >&3
{ cat <&3 >/dev/null; kill -KILL $child 2>/dev/null; } &
wait $child
`;

/** Starts `command`, its output going to the end of `logPath`. */
export async function endedTogether(command: string, logPath: string, args: readonly string[]): Promise<TetheredProcess> {
  const log = await open(logPath, 'a');
  const child = spawn('/bin/sh', ['-c', keeper, 'keeper', command, ...args], {
    stdio: ['ignore', log.fd, log.fd, 'pipe'],
    // These are Go programs with small heaps: collecting less often costs some memory and saves a fifth of their time, which
    // they share with the tests on few cores.
    env: { GOGC: '400', ...process.env },
    detached: true, // a Ctrl-C at the terminal reaches the parent alone, which then stops things in its own order
  });
  const tether = child.stdio[3];
  const gone = new Promise<void>((done) => {
    const end = (): void => {
      tether?.destroy();
      done();
    };
    child.on('exit', end).on('error', end);
  });
  const pid = new Promise<number>((told) => {
    if (tether instanceof Socket) tether.once('data', (line) => told(Number(line.toString())));
  });
  await log.close();
  // A test runner that is through need not wait for what ends with it.
  child.unref();
  if (tether instanceof Socket) tether.unref();
  return {
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    async kill() {
      child.ref();
      tether?.destroy();
      await gone;
    },
    async signal(name) {
      process.kill(await Promise.race([pid, gone.then(() => NaN)]), name);
    },
    async lastWords() {
      return (await readFile(logPath, 'utf8')).slice(-2000);
    },
  };
}
