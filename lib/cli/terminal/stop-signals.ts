// How commands end: SIGTERM and SIGHUP are an order (0), Ctrl-C an interruption (130).
const INTERRUPTED = 130;
/** One Ctrl-C may arrive twice, from the terminal and from the process that started us; only a later one is meant as force. */
const SAME_KEYSTROKE_MS = 1_000;

const endAtOnce = (): void => process.exit(INTERRUPTED);

/** For commands with nothing to put away. */
export function endOnInterrupt(): void {
  process.removeListener('SIGINT', endAtOnce);
  process.on('SIGINT', endAtOnce);
}

export interface StopRequest {
  /** Fires when the process is told to end. */
  signal: AbortSignal;
  /** Resolves then, with the exit code that goes with it. */
  asked: Promise<number>;
}

/** For commands that run until they are told to end. */
export function listenForStop(): StopRequest {
  const stopping = new AbortController();
  const { promise: asked, resolve } = Promise.withResolvers<number>();
  let firstAtMs = 0;
  const stop = (exitCode: number): void => {
    if (!stopping.signal.aborted) {
      firstAtMs = performance.now();
      stopping.abort();
      resolve(exitCode);
    } else if (exitCode === INTERRUPTED && performance.now() - firstAtMs > SAME_KEYSTROKE_MS) process.exit(INTERRUPTED);
  };
  // A reader that took the first lines and went away did not ask it to end.
  process.stdout.removeAllListeners('error').on('error', () => {});
  process.removeListener('SIGINT', endAtOnce);
  process.on('SIGINT', () => stop(INTERRUPTED));
  // bin/farloop.js has ended it at once so far. Its listener goes last: without any, a signal on its way would be lost.
  const former = process.listenerCount('SIGTERM');
  process.on('SIGTERM', () => stop(0));
  for (const listener of process.listeners('SIGTERM').slice(0, former)) process.removeListener('SIGTERM', listener);
  process.on('SIGHUP', () => stop(0));
  return { signal: stopping.signal, asked };
}
