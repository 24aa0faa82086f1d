// The envelope of messages and view items: a version byte, a compressed part, the uids uncompressed.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { FREQUENT_TEXTS } from '../../objects/values/frequent-texts.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import type { PackedChildren } from './codec.ts';
import { NewerVersionError, TooMuchError, UndecodableMessageError } from '../words/undecodable.ts';

export interface Envelope {
  /** JSON. */
  header: string;
  pods: PackedChildren;
  /** Children other than pods. What has some is of version 2. */
  children?: PackedChildren;
}

export interface EnvelopeLimits {
  /** Of the envelope itself. */
  bytes: number;
  /** Of the unpacked envelope. */
  unpackedBytes: number;
  /** Of the header, which lies in the heap as a text and again as what it parses to; all of the above where it is not said. */
  headerBytes?: number;
}

/** Version 2 holds children other than pods too. It is written for kinds that have some, and for no other. */
const [PODS_ALONE, WITH_CHILDREN] = [1, 2];
const VERSIONS_AHEAD = 8;

/**
 * The compressor's dictionary: texts that nearly every message holds. Without it, a third of an item of 40 pods would be boilerplate.
 * It is part of version 1.
 */
export const BOILERPLATE = Buffer.from(FREQUENT_TEXTS);
/** Bytes. A buffer of that size is enough for most messages, and to allocate a larger one costs more than the packing. */
const SMALL = 4_096;
/** Reads the envelope behind its version byte. */
export type Decoder = (reader: ByteReader, limits: EnvelopeLimits) => Envelope;

/** The decoders by version: N and N − 1 are read side by side while a new one is rolled out. */
const DECODERS: Record<number, Decoder> = {
  [PODS_ALONE]: (reader, limits) => openWith(BOILERPLATE, reader, limits),
  [WITH_CHILDREN]: (reader, limits) => openWith(BOILERPLATE, reader, limits, true),
};

export function seal(envelope: Envelope): Uint8Array {
  const writer = new ByteWriter();
  writer.byte(envelope.children ? WITH_CHILDREN : PODS_ALONE);
  sealWith(BOILERPLATE, envelope, writer);
  return writer.done();
}

/** @param dictionary the compressor's; the reader needs the same */
export function sealWith(dictionary: Uint8Array, { header, pods, children }: Envelope, writer: ByteWriter): void {
  const inner = new ByteWriter();
  inner.text(header);
  inner.unsigned(pods.columns.length);
  inner.bytes(pods.columns);
  if (children) {
    inner.unsigned(children.columns.length);
    inner.bytes(children.columns);
  }
  const chunkSize = inner.length < SMALL ? SMALL : undefined;
  const packed = deflateRawSync(inner.done(), { level: 6, dictionary, chunkSize });
  writer.unsigned(packed.length);
  writer.bytes(packed);
  if (children) writer.unsigned(pods.uids.length);
  writer.bytes(pods.uids);
  if (children) writer.bytes(children.uids);
}

/**
 * @param others decoders of what is neither message nor view item, by their mark in the version's place. Marks are above any version that a
 *   later build may write
 * @throws UndecodableMessageError larger than the limits, of an unknown version, truncated, or not what seal writes
 */
export function open(bytes: Uint8Array, limits: EnvelopeLimits, others: Record<number, Decoder> = {}): Envelope {
  if (bytes.length > limits.bytes) throw new UndecodableMessageError(`${bytes.length} bytes; at most ${limits.bytes} are read`);
  const reader = new ByteReader(bytes);
  const version = reader.byte();
  const decode = others[version] ?? DECODERS[version];
  // The next few versions may be a later build's. Any other is damage.
  if (!decode && version > WITH_CHILDREN && version <= WITH_CHILDREN + VERSIONS_AHEAD)
    throw new NewerVersionError('what was packed is', version, WITH_CHILDREN);
  if (!decode)
    throw new UndecodableMessageError(
      `version ${version} is not known here; known are ${Object.keys({ ...DECODERS, ...others }).join(', ')}`,
    );
  return decode(reader, limits);
}

/** Reads what sealWith wrote, to the end. @throws UndecodableMessageError */
export function openWith(dictionary: Uint8Array, reader: ByteReader, limits: EnvelopeLimits, hasChildren = false): Envelope {
  const packed = reader.bytes(reader.unsigned());
  let unpacked: Uint8Array;
  try {
    unpacked = inflateRawSync(packed, {
      maxOutputLength: limits.unpackedBytes,
      dictionary,
      chunkSize: packed.length < SMALL / 4 ? SMALL : undefined,
    });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE')
      throw new TooMuchError(`it unpacks to more than ${limits.unpackedBytes} bytes`, { cause: error });
    throw new UndecodableMessageError('its compressed part is broken', { cause: error });
  }
  const inner = new ByteReader(unpacked);
  const header = inner.text(limits.headerBytes ?? limits.unpackedBytes);
  const columns = inner.bytes(inner.unsigned());
  const childColumns = hasChildren ? inner.bytes(inner.unsigned()) : undefined;
  if (!inner.isAtEnd) throw new UndecodableMessageError('more bytes than the message holds');
  const uids = reader.bytes(hasChildren ? reader.unsigned() : reader.remaining);
  return {
    header,
    pods: { columns, uids },
    ...(childColumns && { children: { columns: childColumns, uids: reader.bytes(reader.remaining) } }),
  };
}
