// The lines of a watch's answer → its events.
import type { IncomingMessage } from 'node:http';
import type { KubernetesObject } from '../../objects/kubernetes.ts';
import type { WatchEvent } from '../../ports/cluster.ts';
import { ExpiredError, TerminalError, ThrottledError, UnknownOutcomeError } from '../../ports/errors.ts';
import { explainConnectionFault } from './connection-faults.ts';
import { leaveOutOfOne } from './leave-out.ts';
import type { Asked } from './refusals.ts';
import { errorOfStatus, isStatus } from './refusals.ts';

/** An object of etcd's largest size, with room to spare. */
const LINE_BYTES_MAX = 8 * 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * Ends when the server ends the answer or the signal fires.
 * @throws ExpiredError a 410; UnknownOutcomeError the stream broke or is not one of events
 */
export async function* eventsOf<Item extends KubernetesObject>(
  response: IncomingMessage,
  { asked, signal }: { asked: Asked; signal: AbortSignal },
): AsyncGenerator<WatchEvent<Item>, void> {
  const { server, plural } = asked;
  const abort = (): void => {
    response.destroy();
  };
  signal.addEventListener('abort', abort, { once: true });
  const lines = new Lines();
  try {
    for await (const chunk of response as AsyncIterable<Buffer>)
      for (const line of lines.of(chunk)) {
        let event: Line<Item> | null = null;
        try {
          event = JSON.parse(line.toString('utf8', 0, leaveOutOfOne(line)));
        } catch {
          // Said below, with what else is no event.
        }
        if (!event || !isLine(event))
          throw new UnknownOutcomeError(`watch ${plural} at ${server}: a line is not an event: ${line.toString('utf8', 0, 80)}`);
        const { type, object } = event;
        if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') yield { type, object };
        else if (type === 'BOOKMARK') yield { type, resourceVersion: object.metadata.resourceVersion ?? '0' };
        else if (type === 'ERROR') throw failureIn(event, asked);
        if (signal.aborted) return;
      }
  } catch (error) {
    if (signal.aborted) return;
    throw isOfPort(error)
      ? error
      : new UnknownOutcomeError(`watch ${plural} at ${server}: ${explainConnectionFault(error)}`, { cause: error });
  } finally {
    signal.removeEventListener('abort', abort);
    response.destroy();
  }
}

const isOfPort = (error: unknown): boolean =>
  [ExpiredError, TerminalError, ThrottledError, UnknownOutcomeError].some((kind) => error instanceof kind);

/** Cuts chunks into lines; each is good until the next chunk. */
class Lines {
  #rest: Buffer[] = [];
  #restBytes = 0;

  /** @throws Error a line is longer than any object could be */
  *of(chunk: Buffer): Generator<Buffer> {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      if (this.#restBytes > 0) {
        yield Buffer.concat([...this.#rest, chunk.subarray(from, end)]);
        this.#rest = [];
        this.#restBytes = 0;
      } else if (end > from) yield chunk.subarray(from, end);
      from = end + 1;
    }
    if (from === chunk.length) return;
    this.#rest.push(chunk.subarray(from));
    this.#restBytes += chunk.length - from;
    if (this.#restBytes > LINE_BYTES_MAX) throw new Error(`an event is longer than ${LINE_BYTES_MAX} bytes`);
  }
}

interface Line<Item> {
  type: string;
  object: Item;
}

const isLine = (line: Line<KubernetesObject> | null): line is Line<KubernetesObject> =>
  typeof line?.object === 'object' && line.object !== null;

/** @returns what an ERROR event means */
function failureIn({ object }: Line<KubernetesObject>, asked: Asked): Error {
  if (isStatus(object)) return errorOfStatus(asked, object);
  return new UnknownOutcomeError(`watch ${asked.plural} at ${asked.server}: an error without a Status`);
}
