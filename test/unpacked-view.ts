// What the bytes of a view or of one of its items hold, so that a test sees what is packed.
import { unpackChildrenPart } from '../lib/wire/children-item.ts';
import { unpackPart } from '../lib/wire/view-item.ts';

/** @throws Error for bytes that are neither: a search in them would see nothing */
export function unpackedView(bytes: Uint8Array): unknown {
  const plain = (value: unknown): unknown => (value instanceof Map ? [...value.entries()] : value);
  for (const unpack of [unpackPart, unpackChildrenPart])
    try {
      return Object.fromEntries(Object.entries(unpack(bytes)).map(([key, value]) => [key, plain(value)]));
    } catch {
      // Packed in the other way.
    }
  throw new Error(`${bytes.length} bytes hold neither pods nor other children`);
}
