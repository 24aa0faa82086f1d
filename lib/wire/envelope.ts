// What messages and view items have in common: a version byte, a compressed part, the uids as they are.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { ByteReader, ByteWriter } from './bytes.ts';
import type { PackedPods } from './columns.ts';
import { UndecodableMessageError } from './messages.ts';

export interface Envelope {
  /** JSON. */
  header: string;
  pods: PackedPods;
}

export interface EnvelopeLimits {
  /** Of the envelope itself. */
  bytes: number;
  /** Of what it unpacks to. */
  unpackedBytes: number;
}

export const ENVELOPE_VERSION = 1;
/** The decoders by version: N and N − 1 are read side by side while a new one is rolled out. */
const DECODERS: Record<number, (reader: ByteReader, limits: EnvelopeLimits) => Envelope> = { 1: openFirst };

export function seal({ header, pods }: Envelope): Uint8Array {
  const inner = new ByteWriter();
  inner.text(header);
  inner.unsigned(pods.columns.length);
  inner.bytes(pods.columns);
  const packed = deflateRawSync(inner.done(), { level: 9 });
  const writer = new ByteWriter();
  writer.byte(ENVELOPE_VERSION);
  writer.unsigned(packed.length);
  writer.bytes(packed);
  writer.bytes(pods.uids);
  return writer.done();
}

/** @throws UndecodableMessageError larger than the limits, of an unknown version, truncated, or not what seal writes */
export function open(bytes: Uint8Array, limits: EnvelopeLimits): Envelope {
  if (bytes.length > limits.bytes) throw new UndecodableMessageError(`${bytes.length} bytes; at most ${limits.bytes} are read`);
  const reader = new ByteReader(bytes);
  const version = reader.byte();
  const decode = DECODERS[version];
  if (!decode) throw new UndecodableMessageError(`version ${version} is not known here; known are ${Object.keys(DECODERS).join(', ')}`);
  return decode(reader, limits);
}

function openFirst(reader: ByteReader, limits: EnvelopeLimits): Envelope {
  const packed = reader.bytes(reader.unsigned());
  let unpacked: Uint8Array;
  try {
    unpacked = inflateRawSync(packed, { maxOutputLength: limits.unpackedBytes });
  } catch (error) {
    const tooLarge = (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE';
    throw new UndecodableMessageError(
      tooLarge ? `it unpacks to more than ${limits.unpackedBytes} bytes` : 'its compressed part is broken',
      { cause: error },
    );
  }
  const inner = new ByteReader(unpacked);
  const header = inner.text(limits.unpackedBytes);
  const columns = inner.bytes(inner.unsigned());
  if (!inner.isAtEnd) throw new UndecodableMessageError('more bytes than the message holds');
  return { header, pods: { columns, uids: reader.bytes(reader.remaining) } };
}
