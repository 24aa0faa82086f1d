// The compressor's dictionary for snapshots: texts that nearly every snapshot of a kind holds, from the kind's row. If you change a text,
// give it a new mark and keep the old text, to read what was written with it.
import type { SnapshotSubject, SnapshotTexts } from '../objects/values/frequent-texts.ts';
import { ByteWriter, type ByteReader } from './packing/bytes.ts';
import { uuidBytesOf, uuidOf } from './packing/uuid-bytes.ts';
import { BOILERPLATE, openWith, sealWith, type Decoder, type Envelope } from './packing/envelope.ts';

/** In the version's place: above any version that a later build may write. */
const FIRST_MARK = 65;
const MARK = 66;
/** With children other than pods; a build that does not know it says that it cannot read such a snapshot. */
const MARK_WITH_CHILDREN = 67;
/** Of a kind without texts of its own. It may get some later, so these have marks of their own. */
const PLAIN_MARK = 68;
const PLAIN_MARK_WITH_CHILDREN = 69;

/** Characters of a name or a uid; and bytes at most of one character. */
const LONGEST = 253;
const BYTES_PER_CHARACTER = 3;
const LATEST_MS = 8.64e15;

/** Texts that a snapshot repeats, and that differ between snapshots. They are written first, so that the dictionary can contain them. */
interface Subject {
  name: string;
  uid: string;
  /** Of the owner's creation and of the pass. */
  createdAtSeconds: number;
  nowMs: number;
}

/** @param texts of the kind whose snapshots are read; a kind without any never had some */
export function snapshotDecoders(texts: SnapshotTexts | undefined): Record<number, Decoder> {
  const plain: Record<number, Decoder> = {
    [PLAIN_MARK]: (reader, limits) => openWith(BOILERPLATE, reader, limits),
    [PLAIN_MARK_WITH_CHILDREN]: (reader, limits) => openWith(BOILERPLATE, reader, limits, true),
  };
  if (!texts) return plain;
  return {
    [FIRST_MARK]: (reader, limits) => openWith(wordsOf(texts), reader, limits),
    [MARK]: (reader, limits) => openWith(wordsAbout(readSubject(reader), texts), reader, limits),
    [MARK_WITH_CHILDREN]: (reader, limits) => openWith(wordsAbout(readSubject(reader), texts), reader, limits, true),
    ...plain,
  };
}

/** @param about the owner's metadata, and the time of the pass in Unix milliseconds */
export function sealSnapshot(
  envelope: Envelope,
  { name = '', uid = '', creationTimestamp = '', nowMs }: { name?: string; uid?: string; creationTimestamp?: string; nowMs: number },
  texts: SnapshotTexts | undefined,
): Uint8Array {
  const writer = new ByteWriter();
  if (!texts) {
    writer.byte(envelope.children ? PLAIN_MARK_WITH_CHILDREN : PLAIN_MARK);
    sealWith(BOILERPLATE, envelope, writer);
    return writer.done();
  }
  const subject = {
    name: name.slice(0, LONGEST),
    uid: uid.slice(0, LONGEST),
    createdAtSeconds: Math.floor(timeOrZero(Date.parse(creationTimestamp)) / 1000),
    nowMs: timeOrZero(nowMs),
  };
  writer.byte(envelope.children ? MARK_WITH_CHILDREN : MARK);
  writeSubject(subject, writer);
  sealWith(wordsAbout(subject, texts), envelope, writer);
  return writer.done();
}

/** Times before 1970 are written as 0: no dictionary is worth it for them. */
const timeOrZero = (ms: number): number => (ms >= 0 && ms <= LATEST_MS ? Math.floor(ms) : 0);
const timeText = (ms: number): string => new Date(timeOrZero(ms)).toISOString().replace(/\.\d+/, '');

function writeSubject({ name, uid, createdAtSeconds, nowMs }: Subject, writer: ByteWriter): void {
  const uuid = uuidBytesOf(uid);
  writer.text(name);
  writer.byte(uuid ? 1 : 0);
  if (uuid) writer.bytes(uuid);
  else writer.text(uid);
  writer.unsigned(createdAtSeconds);
  writer.unsigned(nowMs);
}

function readSubject(reader: ByteReader): Subject {
  const name = reader.text(LONGEST * BYTES_PER_CHARACTER);
  const uid = reader.byte() === 1 ? uuidOf(reader.bytes(16)) : reader.text(LONGEST * BYTES_PER_CHARACTER);
  return { name, uid, createdAtSeconds: reader.unsigned(), nowMs: reader.unsigned() };
}

const wordsOf = ({ always }: SnapshotTexts, about = ''): Buffer => Buffer.concat([BOILERPLATE, Buffer.from(always + about)]);

function wordsAbout({ name, uid, createdAtSeconds, nowMs }: Subject, texts: SnapshotTexts): Buffer {
  const subject: SnapshotSubject = { name, uid, createdAt: timeText(createdAtSeconds * 1000), now: timeText(nowMs), nowMs };
  return wordsOf(texts, texts.about(subject));
}
