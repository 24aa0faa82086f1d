// The server's stream of changes: one for the tab, however many answers follow it, since browsers allow six connections to an origin.
import { ApiProblem } from '../../api-client/problems.ts';
import { client } from './call.ts';
import { isStreaming, noteStreamSilent } from './freshness.ts';

interface Follower {
  tell: () => void;
  end: (error: unknown) => void;
}

const followers = new Set<Follower>();
let ending: AbortController | undefined;

/**
 * Yields when the stream is open, and then when something has changed. Ends at once in a hidden tab, which asks now and then instead.
 * @throws ApiProblem as `Client.changes`
 */
export async function* sharedChanges(stop: AbortSignal): AsyncGenerator<void> {
  if (document.hidden || stop.aborted) return;
  let next = Promise.withResolvers<boolean>();
  let [hasChanged, isOver] = [isStreaming.value, false];
  let failure: unknown;
  const follower: Follower = {
    tell() {
      hasChanged = true;
      next.resolve(true);
    },
    end(error) {
      [isOver, failure] = [true, error];
      next.resolve(false);
    },
  };
  const leave = (): void => follower.end(undefined);
  stop.addEventListener('abort', leave, { once: true });
  followers.add(follower);
  listen();
  try {
    for (;;) {
      if (!hasChanged && !isOver) await next.promise;
      if (isOver) {
        if (failure !== undefined) throw failure;
        return;
      }
      hasChanged = false;
      next = Promise.withResolvers();
      yield;
    }
  } finally {
    stop.removeEventListener('abort', leave);
    followers.delete(follower);
    if (followers.size === 0) ending?.abort();
  }
}

function listen(): void {
  if (ending && !ending.signal.aborted) return;
  const own = new AbortController();
  ending = own;
  void listenUntil(own).finally(() => {
    if (ending !== own) return;
    ending = undefined;
    isStreaming.value = false;
  });
}

async function listenUntil(own: AbortController): Promise<void> {
  let failure: unknown;
  try {
    for await (const _ of client.changes(own.signal)) {
      isStreaming.value = true;
      for (const follower of followers) follower.tell();
    }
  } catch (error) {
    failure = error;
    if (error instanceof ApiProblem && error.kind === 'silent') noteStreamSilent();
  }
  if (ending === own) for (const follower of followers) follower.end(failure);
}

/** Hidden tabs let go of their connection. */
export function closeStream(): void {
  ending?.abort();
}
