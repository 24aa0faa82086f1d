// A message made of bytes, since no encoder of ours writes what it holds.
import { deflateRawSync } from 'node:zlib';
import { ByteWriter } from '../../lib/wire/packing/bytes.ts';
import type { PackedChildren } from '../../lib/wire/packing/codec.ts';
import { packPods } from '../../lib/wire/packing/columns.ts';
import { BOILERPLATE } from '../../lib/wire/packing/envelope.ts';

const NO_PODS = packPods([]);

/** @returns the body of a message of version 1, packed as tightly as can be */
export function sealed(header: string, { columns, uids }: PackedChildren = NO_PODS): string {
  const inner = new ByteWriter();
  inner.text(header);
  inner.unsigned(columns.length);
  inner.bytes(columns);
  const packed = deflateRawSync(inner.done(), { level: 9, dictionary: BOILERPLATE });
  const writer = new ByteWriter();
  writer.byte(1);
  writer.unsigned(packed.length);
  writer.bytes(packed);
  writer.bytes(uids);
  return Buffer.from(writer.done()).toString('base64');
}
