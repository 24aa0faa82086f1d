// The lines of a watch's answer → its events.
import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream';
import type { KubernetesObject } from '../../objects/kubernetes.ts';
import { isResourceVersion } from '../../objects/resource-version.ts';
import { isFields, isObjectMetadata } from '../../objects/untyped-fields.ts';
import type { WantedFields } from '../../objects/wanted-fields.ts';
import type { WatchEvent } from '../../ports/cluster.ts';
import { ExpiredError, TerminalError, ThrottledError, UnknownOutcomeError } from '../../ports/errors.ts';
import { explainConnectionFault } from './connection-faults.ts';
import { JsonReader } from './json-reader.ts';
import type { Wanted } from './prepared-fields.ts';
import { prepare } from './prepared-fields.ts';
import type { Asked } from './refusals.ts';
import { errorOfStatus, isStatus } from './refusals.ts';
import { Window } from './window.ts';

/** An object of etcd's largest size, with room to spare. */
const LINE_BYTES_MAX = 8 * 1024 * 1024;
const NEWLINE = 0x0a;

/** No more is taken from the connection while so much waits. */
const WAITING_BYTES_MAX = 256 * 1024;

export interface WatchStreamSetup {
  /** Called once, when the first event is asked for. */
  open: () => Promise<IncomingMessage>;
  asked: Asked;
  fields: WantedFields;
  signal: AbortSignal;
}

/**
 * Ends when the server ends the answer or the signal fires. No generator: one and its promises for each event would cost as much as
 * what is done with the event.
 * @throws ExpiredError a 410; UnknownOutcomeError the stream broke or is not one of events; what `open` throws
 */
export class WatchStream<Item extends KubernetesObject> implements AsyncIterableIterator<WatchEvent<Item>, undefined> {
  readonly #setup: WatchStreamSetup;
  readonly #lines = new Lines();
  readonly #reader = new JsonReader();
  readonly #wanted: Wanted;
  #response: IncomingMessage | undefined;
  #end: { fault?: unknown } | undefined;
  #wake: () => void = () => {};
  readonly #abort = (): void => {
    this.#response?.destroy();
    this.#wake();
  };

  constructor(setup: WatchStreamSetup) {
    this.#setup = setup;
    this.#wanted = prepare({ type: true, object: setup.fields });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<WatchEvent<Item>, undefined>> {
    const { open, signal } = this.#setup;
    this.#response ??= this.#listenTo(await open());
    try {
      while (!signal.aborted) {
        if (this.#lines.next()) {
          const value = this.#event();
          if (value) return { value, done: false };
        } else if (this.#end) {
          if (this.#end.fault !== undefined) throw this.#end.fault;
          break;
        } else await this.#more(this.#response);
      }
      return await this.return();
    } catch (error) {
      await this.return();
      if (signal.aborted) return { value: undefined, done: true };
      throw isOfPort(error) ? error : this.#broken(explainConnectionFault(error), error);
    }
  }

  async return(): Promise<IteratorResult<WatchEvent<Item>, undefined>> {
    this.#setup.signal.removeEventListener('abort', this.#abort);
    this.#response?.destroy();
    this.#end ??= {};
    return { value: undefined, done: true };
  }

  #listenTo(response: IncomingMessage): IncomingMessage {
    this.#setup.signal.addEventListener('abort', this.#abort, { once: true });
    response.on('data', (chunk: Buffer) => {
      try {
        if (this.#lines.take(chunk) > WAITING_BYTES_MAX) response.pause();
      } catch (fault) {
        this.#end ??= { fault };
        response.destroy();
      }
      this.#wake();
    });
    finished(response, (fault) => {
      this.#end ??= fault ? { fault } : {};
      this.#wake();
    });
    return response;
  }

  async #more(response: IncomingMessage): Promise<void> {
    if (response.isPaused()) response.resume();
    await new Promise<void>((wake) => {
      this.#wake = wake;
    });
  }

  /** @returns undefined for one of an unknown type */
  #event(): WatchEvent<Item> | undefined {
    const { asked } = this.#setup;
    const line = lineIn<Item>(this.#lines, this.#reader, this.#wanted);
    if (!line) throw this.#broken(`a line is not an event: ${this.#lines.text().slice(0, 80)}`);
    const { type, object } = line;
    if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') return { type, object };
    if (type === 'BOOKMARK') return { type, resourceVersion: object.metadata.resourceVersion ?? '0' };
    if (type === 'ERROR') throw failureIn(this.#lines.text(), asked);
    return undefined;
  }

  #broken(what: string, cause?: unknown): UnknownOutcomeError {
    const { plural, server } = this.#setup.asked;
    return new UnknownOutcomeError(`watch ${plural} at ${server}: ${what}`, { cause });
  }
}

const isOfPort = (error: unknown): boolean =>
  [ExpiredError, TerminalError, ThrottledError, UnknownOutcomeError].some((kind) => error instanceof kind);

/** @returns undefined where the line is none */
function lineIn<Item>({ window, from, end }: Lines, reader: JsonReader, wanted: Wanted): Line<Item> | undefined {
  try {
    reader.begin(window, from, end);
    const line = reader.value(wanted);
    return reader.next() === 0 && reader.at === end && isLine<Item>(line) ? line : undefined;
  } catch {
    return undefined;
  }
}

/** Cuts chunks into lines. */
class Lines {
  readonly window = new Window();
  /** The line found last, behind which a zero byte stands; good until the next chunk. */
  from = 0;
  end = 0;

  text(): string {
    return this.window.bytes.toString('utf8', this.from, this.end);
  }

  /** @returns bytes that wait. @throws Error a line is longer than any object could be */
  take(chunk: Buffer): number {
    const { window } = this;
    if (window.end - window.from > LINE_BYTES_MAX) throw new Error(`an event is longer than ${LINE_BYTES_MAX} bytes`);
    window.take(chunk);
    return window.end - window.from;
  }

  /** @returns false when no whole line is left */
  next(): boolean {
    const { window } = this;
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

const isVersioned = (metadata: unknown): boolean => isObjectMetadata(metadata) && isResourceVersion(metadata['resourceVersion']);

/** @returns what an ERROR event means */
function failureIn(line: string, asked: Asked): Error {
  const { object }: Line<unknown> = JSON.parse(line);
  if (isStatus(object)) return errorOfStatus(asked, object);
  return new UnknownOutcomeError(`watch ${asked.plural} at ${asked.server}: an error without a Status`);
}
