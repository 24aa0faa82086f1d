// Chunks of a watch's answer → its events, a line each. A short line is read in place; a long one is condensed as it comes, so that no
// object is too large for a watch, and none fills the memory.
import type { KubernetesObject } from '../../../objects/kubernetes.ts';
import { isResourceVersion } from '../../../objects/values/resource-version.ts';
import { markUnreadable, metadataOf } from '../../../objects/unreadable.ts';
import { isFields, isObjectMetadata } from '../../../objects/values/untyped-fields.ts';
import type { WantedFields } from '../../../objects/field-mask.ts';
import { JsonCondenser, withLeftOut } from './json-condenser.ts';
import { JsonReader } from './json-reader.ts';
import type { Wanted } from './prepared-fields.ts';
import { prepare } from './prepared-fields.ts';
import { LONG_VALUE_BYTES, Window } from './window.ts';

const [TAB, NEWLINE, RETURN, SPACE] = [9, 10, 13, 32];
/** Of a line the fields of `metadata` and the like: `object.metadata.labels`. */
const FIELD_DEPTH = 3;
const OBJECT_PATH = 'object.';

export interface WatchLine {
  type: string;
  object: KubernetesObject;
}

/** A line that is not an event; `beginning` shows how it began. */
export class NoEventError extends Error {
  readonly beginning: string;
  constructor(beginning: string) {
    super(`a line is not an event: ${beginning}`);
    this.beginning = beginning;
  }
}

/** How many bytes of a line are shown if it is not an event. */
const SHOWN_BYTES = 80;

export class EventReader {
  readonly #window = new Window();
  readonly #reader = new JsonReader();
  readonly #condenser = new JsonCondenser(FIELD_DEPTH);
  readonly #wanted: Wanted;
  readonly #wantedOfUnreadable: Wanted;
  /** Bytes of the line under way in which no line's end is. */
  #searched = 0;
  /** How the line under way began, where it is a long one. */
  #long: string | undefined;

  constructor(fields: WantedFields) {
    this.#wanted = prepare({ type: true, object: fields });
    this.#wantedOfUnreadable = prepare({ type: true, object: metadataOf(fields) });
  }

  /** Bytes that it holds on to. */
  get heldBytes(): number {
    return this.#window.bytes.length + this.#condenser.heldBytes;
  }

  /** @returns bytes that wait to be read */
  take(chunk: Buffer): number {
    this.#window.take(chunk);
    return this.#window.end - this.#window.from;
  }

  /** @returns undefined until more has come. @throws NoEventError */
  next(): WatchLine | undefined {
    for (;;) {
      const line = this.#long === undefined ? this.#shortLine() : this.#longLine(this.#long);
      if (line !== 'empty') return line;
    }
  }

  #shortLine(): WatchLine | 'empty' | undefined {
    const window = this.#window;
    const { bytes, from } = window;
    const end = bytes.indexOf(NEWLINE, from + this.#searched);
    // Behind what has come lies what came long ago.
    if (end < 0 || end >= window.end) {
      this.#searched = window.end - from;
      if (this.#searched <= LONG_VALUE_BYTES) return undefined;
      this.#long = this.#textAt(from, window.end);
      this.#condenser.begin(this.#wanted);
      return 'empty';
    }
    this.#searched = 0;
    window.from = end + 1;
    if (end === from) return 'empty';
    bytes[end] = 0;
    const line = this.#read(window, from, end) ?? this.#readMetadata(from, end);
    if (!line) throw new NoEventError(this.#textAt(from, end));
    // A Status has other fields than the objects that are watched.
    return line.type === 'ERROR' ? (this.#read(window, from, end, 'whole') ?? line) : line;
  }

  #longLine(beginning: string): WatchLine | 'empty' | undefined {
    const window = this.#window;
    const condenser = this.#condenser;
    try {
      if (!condenser.isDone) window.from = condenser.take(window.bytes, window.from, window.end);
    } catch (error) {
      throw error instanceof SyntaxError ? new NoEventError(beginning) : error;
    }
    if (!condenser.isDone) return undefined;
    while (window.from < window.end) {
      const byte = window.bytes[window.from];
      window.from += 1;
      if (byte === NEWLINE) {
        this.#long = undefined;
        this.#searched = 0;
        const line = this.#read(condenser.json, 0, condenser.json.length);
        if (!line) throw new NoEventError(beginning);
        return { ...line, object: withLeftOut(line.object, condenser, OBJECT_PATH) };
      }
      if (byte !== SPACE && byte !== TAB && byte !== RETURN) throw new NoEventError(beginning);
    }
    return undefined;
  }

  #read(source: Pick<Window, 'bytes' | 'words'>, from: number, end: number, wanted = this.#wanted): WatchLine | undefined {
    const reader = this.#reader;
    try {
      reader.begin(source, from, end);
      const line = reader.value(wanted);
      return reader.next() === 0 && reader.at === end && isLine(line) ? line : undefined;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return undefined;
    }
  }

  /** Of what cannot be read all the same, whose it is. */
  #readMetadata(from: number, end: number): WatchLine | undefined {
    const line = this.#read(this.#window, from, end, this.#wantedOfUnreadable);
    if (!line || (line.type !== 'ADDED' && line.type !== 'MODIFIED' && line.type !== 'DELETED')) return undefined;
    return { ...line, object: markUnreadable(line.object, 'its JSON cannot be read') };
  }

  #textAt(from: number, end: number): string {
    return this.#window.bytes.toString('utf8', from, Math.min(end, from + SHOWN_BYTES));
  }
}

/** An event needs an object of Kubernetes; an ERROR brings a Status, which has no version. */
const isLine = (line: unknown): line is WatchLine =>
  isFields(line) &&
  typeof line['type'] === 'string' &&
  isFields(line['object']) &&
  (line['type'] === 'ERROR' || isVersioned(line['object']['metadata']));

const isVersioned = (metadata: unknown): boolean => isObjectMetadata(metadata) && isResourceVersion(metadata['resourceVersion']);
