// Why pods do not run, behind the last of their columns: each text once, and for each pod that has any, which. Builds that do not know
// of it read the columns as far as they reach, and do without.
import * as v from 'valibot';
import { LONGEST_POD_REASON, wordsOf, type PodReason } from '../objects/pod-reasons.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';
import { parseGuarded } from './guarded-json.ts';
import { UndecodableMessageError } from './undecodable.ts';

type Reasons = readonly PodReason[];

/** Of all texts of one message or item: pods of a Job share theirs, and where they do not, the words alone are told, then nothing. */
const MOST_BYTES = 16_384;
/** What the words alone may take beside it. */
const MOST_BYTES_OF_WORDS = 4_096;
/** Of one pod. */
const LONGEST_TEXT = 8_192;

/** Three bytes a UTF-16 unit; readers take more than writers write. */
const text = (most: number): v.GenericSchema<unknown, string> => v.pipe(v.string(), v.maxLength(most * 2));
/** Word, message or nothing, and the container. */
const PodReasons = v.array(
  v.union([
    v.strictTuple([text(LONGEST_POD_REASON.reason), text(LONGEST_POD_REASON.message)]),
    v.strictTuple([text(LONGEST_POD_REASON.reason), text(LONGEST_POD_REASON.message), text(LONGEST_POD_REASON.container)]),
  ]),
);

const written = (reasons: Reasons): string =>
  JSON.stringify(
    reasons.map(({ reason, message = '', container }) => (container === undefined ? [reason, message] : [reason, message, container])),
  );

/** Collects what pods have. */
export class ReasonColumn {
  readonly #texts = new Map<string, number>();
  readonly #places: number[] = [];
  #bytes = 0;
  #last: { reasons: Reasons; place: number } | undefined;

  /** @param reasons of the next pod that has any */
  add(reasons: Reasons): void {
    if (this.#last?.reasons !== reasons) this.#last = { reasons, place: this.#placeOf(reasons) };
    this.#places.push(this.#last.place);
  }

  /** Nothing where no pod has any. */
  writeTo(writer: ByteWriter): void {
    if (this.#places.length === 0) return;
    writer.unsigned(this.#texts.size);
    for (const each of this.#texts.keys()) writer.text(each);
    for (const place of this.#places) writer.unsigned(place);
  }

  /** From 1; 0: nothing is told of it. */
  #placeOf(reasons: Reasons): number {
    return this.#place(written(reasons), MOST_BYTES) ?? this.#place(written(wordsOf(reasons)), MOST_BYTES + MOST_BYTES_OF_WORDS) ?? 0;
  }

  #place(each: string, mostBytes: number): number | undefined {
    const known = this.#texts.get(each);
    if (known !== undefined) return known;
    const bytes = Buffer.byteLength(each);
    if (this.#bytes + bytes > mostBytes || bytes > LONGEST_TEXT) return undefined;
    this.#bytes += bytes;
    this.#texts.set(each, this.#texts.size + 1);
    return this.#texts.size;
  }
}

/**
 * One for each pod that has any, in their order; alike ones are one object, to be read only.
 * @param count of those pods
 * @throws UndecodableMessageError anything that a column would not have written
 */
export function readReasons(reader: ByteReader, count: number): (Reasons | undefined)[] {
  if (count === 0) return [];
  const size = reader.unsigned();
  if (size > count) throw new UndecodableMessageError(`${size} reasons of ${count} pods`);
  let bytesLeft = MOST_BYTES + MOST_BYTES_OF_WORDS;
  const all: Reasons[] = [];
  for (let at = 0; at < size; at += 1) {
    const each = reader.text(Math.min(LONGEST_TEXT, bytesLeft));
    bytesLeft -= Buffer.byteLength(each);
    all.push(
      parseGuarded(each, PodReasons, 'reason of a pod').map(([reason, message, container]): PodReason => ({
        reason,
        ...(message !== '' && { message }),
        ...(container !== undefined && { container }),
      })),
    );
  }
  return Array.from({ length: count }, () => {
    const place = reader.unsigned();
    const reasons = all[place - 1];
    if (place > 0 && !reasons) throw new UndecodableMessageError('a reason that the message does not hold');
    return reasons;
  });
}
