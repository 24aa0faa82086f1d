// A watch's answer → its events, as they are asked for.
import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream';
import type { KubernetesObject } from '../../objects/kubernetes.ts';
import type { WantedFields } from '../../objects/field-mask.ts';
import type { WatchEvent } from '../../ports/cluster.ts';
import { ExpiredError, TerminalError, ThrottledError, UnknownOutcomeError } from '../../ports/errors.ts';
import { explainConnectionFault } from './connection-faults.ts';
import type { WatchLine } from './json/event-reader.ts';
import { EventReader, NoEventError } from './json/event-reader.ts';
import type { Asked } from './refusals.ts';
import { errorOfStatus, isStatus } from './refusals.ts';

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
 * handling the event does.
 * @throws ExpiredError a 410; UnknownOutcomeError the stream broke or is not one of events; errors of `open`
 */
export class WatchStream<Item extends KubernetesObject> implements AsyncIterableIterator<WatchEvent<Item>, undefined> {
  readonly #setup: WatchStreamSetup;
  readonly #reader: EventReader;
  #response: IncomingMessage | undefined;
  #end: { fault?: unknown } | undefined;
  #wake: () => void = () => {};
  readonly #abort = (): void => {
    this.#response?.destroy();
    this.#wake();
  };

  constructor(setup: WatchStreamSetup) {
    this.#setup = setup;
    this.#reader = new EventReader(setup.fields);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<WatchEvent<Item>, undefined>> {
    const { open, signal } = this.#setup;
    this.#response ??= this.#listenTo(await open());
    try {
      while (!signal.aborted) {
        const line = this.#reader.next();
        if (line) {
          const value = this.#event(line);
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
      if (isOfPort(error)) throw error;
      throw this.#broken(error instanceof NoEventError ? error.message : explainConnectionFault(error), error);
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
        if (this.#reader.take(chunk) > WAITING_BYTES_MAX) response.pause();
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
  #event({ type, object }: WatchLine): WatchEvent<Item> | undefined {
    const { asked } = this.#setup;
    // As far as it was asked for, the object is of the kind that is watched.
    if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') return { type, object: object as Item };
    if (type === 'BOOKMARK') return { type, resourceVersion: object.metadata.resourceVersion ?? '0' };
    if (type !== 'ERROR') return undefined;
    throw isStatus(object) ? errorOfStatus(asked, object) : this.#broken('an error without a Status');
  }

  #broken(what: string, cause?: unknown): UnknownOutcomeError {
    const { plural, server } = this.#setup.asked;
    return new UnknownOutcomeError(`watch ${plural} at ${server}: ${what}`, { cause });
  }
}

const isOfPort = (error: unknown): boolean =>
  [ExpiredError, TerminalError, ThrottledError, UnknownOutcomeError].some((kind) => error instanceof kind);
