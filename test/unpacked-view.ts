// What the bytes of a view or of one of its items hold, so that a test sees what is packed.
import { unpackPart } from '../lib/wire/view-item.ts';

/** @throws UndecodableMessageError for other bytes: a search in them would see nothing */
export function unpackedView(bytes: Uint8Array): unknown {
  const { children, ...part } = unpackPart(bytes);
  return { ...part, children: [...children] };
}
