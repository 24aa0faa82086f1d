// The stream of changes: that something has changed, and that the server is there. What has changed is asked for.
import type { Ports } from '../../ports/ports.ts';
import { RefusedRequestError } from '../routed-request.ts';
import { eventsRoute } from './route.ts';

/** Changes are looked for so often: that costs microseconds. */
const LOOK_EVERY_MS = 250;
/** A caller learns of one change a second, and hears of the server once a second. */
const CHANGE_EVERY_MS = 1_000;

/** A comment, which says that the server is there. */
const BEAT = ': \n\n';

export const streamRoutes = [
  eventsRoute('GET /v1/stream', {
    summary:
      'Server-sent events: `changed` once at first and then when something has changed, at most once a second; a comment each second says that the server is there',
    errors: { 501: 'this installation has no stream: ask again, with the ETag of the answer before', 503: 'too many streams are open' },
    events: changesOf,
  }),
] as const;

async function* changesOf({ changes, clock }: Ports, signal: AbortSignal): AsyncGenerator<string> {
  if (!changes)
    throw new RefusedRequestError(501, 'this installation has no stream of changes: ask again, with the ETag of the answer before');
  let [told, toldAtMs, beatAtMs] = [Number.NaN, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  while (!signal.aborted) {
    const nowMs = clock.monotonicMs();
    const now = changes();
    if (now !== told && nowMs - toldAtMs >= CHANGE_EVERY_MS) {
      yield `event: changed\ndata: ${now}\n\n`;
      [told, toldAtMs, beatAtMs] = [now, nowMs, nowMs];
    } else if (nowMs - beatAtMs >= CHANGE_EVERY_MS) {
      yield BEAT;
      beatAtMs = nowMs;
    }
    await clock.wait(LOOK_EVERY_MS, signal);
  }
}
