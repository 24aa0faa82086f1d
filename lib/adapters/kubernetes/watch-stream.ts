// The lines of a watch's answer → its events.
import type { IncomingMessage } from 'node:http';
import type { KubernetesObject } from '../../objects/kubernetes.ts';
import { isResourceVersion } from '../../objects/resource-version.ts';
import { isFields } from '../../objects/untyped-fields.ts';
import type { WantedFields } from '../../objects/wanted-fields.ts';
import type { WatchEvent } from '../../ports/cluster.ts';
import { ExpiredError, TerminalError, ThrottledError, UnknownOutcomeError } from '../../ports/errors.ts';
import { explainConnectionFault } from './connection-faults.ts';
import type { Wanted } from './json-reader.ts';
import { JsonReader, prepare } from './json-reader.ts';
import type { Asked } from './refusals.ts';
import { errorOfStatus, isStatus } from './refusals.ts';
import { Window } from './window.ts';

/** An object of etcd's largest size, with room to spare. */
const LINE_BYTES_MAX = 8 * 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * Ends when the server ends the answer or the signal fires.
 * @throws ExpiredError a 410; UnknownOutcomeError the stream broke or is not one of events
 */
export async function* eventsOf<Item extends KubernetesObject>(
  response: IncomingMessage,
  { asked, fields, signal }: { asked: Asked; fields: WantedFields; signal: AbortSignal },
): AsyncGenerator<WatchEvent<Item>, void> {
  const { server, plural } = asked;
  const abort = (): void => {
    response.destroy();
  };
  signal.addEventListener('abort', abort, { once: true });
  const lines = new Lines();
  const reader = new JsonReader();
  const wanted = prepare({ type: true, object: fields });
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      lines.take(chunk);
      while (lines.next()) {
        const event = eventIn<Item>(lines, reader, wanted);
        if (!event) throw new UnknownOutcomeError(`watch ${plural} at ${server}: a line is not an event: ${lines.text().slice(0, 80)}`);
        const { type, object } = event;
        if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') yield { type, object };
        else if (type === 'BOOKMARK') yield { type, resourceVersion: object.metadata.resourceVersion ?? '0' };
        else if (type === 'ERROR') throw failureIn(lines.text(), asked);
        if (signal.aborted) return;
      }
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

/** @returns undefined where the line is none */
function eventIn<Item>({ bytes, from, end }: Lines, reader: JsonReader, wanted: Wanted): Line<Item> | undefined {
  try {
    reader.begin(bytes, from, end);
    const event = reader.value(wanted);
    return reader.next() === 0 && reader.at === end && isLine<Item>(event) ? event : undefined;
  } catch {
    return undefined;
  }
}

/** Cuts chunks into lines. */
class Lines {
  readonly #window = new Window();
  /** The line found last, behind which a zero byte stands; good until the next chunk. */
  from = 0;
  end = 0;

  get bytes(): Buffer {
    return this.#window.bytes;
  }

  text(): string {
    return this.bytes.toString('utf8', this.from, this.end);
  }

  /** @throws Error a line is longer than any object could be */
  take(chunk: Buffer): void {
    const window = this.#window;
    if (window.end - window.from > LINE_BYTES_MAX) throw new Error(`an event is longer than ${LINE_BYTES_MAX} bytes`);
    window.take(chunk);
  }

  /** @returns false when no whole line is left */
  next(): boolean {
    const window = this.#window;
    for (;;) {
      const end = window.bytes.indexOf(NEWLINE, window.from);
      // Behind what has come lies what came long ago.
      if (end < 0 || end >= window.end) return false;
      this.from = window.from;
      this.end = end;
      window.bytes[end] = 0;
      window.from = end + 1;
      if (end > this.from) return true;
    }
  }
}

interface Line<Item> {
  type: string;
  object: Item;
}

/** An event without an object of Kubernetes is none; an ERROR brings a Status, which has no version. */
const isLine = <Item>(line: unknown): line is Line<Item> =>
  isFields(line) && isFields(line['object']) && (line['type'] === 'ERROR' || isVersioned(line['object']['metadata']));

const isVersioned = (metadata: unknown): boolean => isFields(metadata) && isResourceVersion(metadata['resourceVersion']);

/** @returns what an ERROR event means */
function failureIn(line: string, asked: Asked): Error {
  const { object }: Line<unknown> = JSON.parse(line);
  if (isStatus(object)) return errorOfStatus(asked, object);
  return new UnknownOutcomeError(`watch ${asked.plural} at ${asked.server}: an error without a Status`);
}
