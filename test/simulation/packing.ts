// What was packed or unpacked once in this process, of the same bytes, is not packed again: plans of one story send nearly the same messages
// thousands of times, and packing is a function of its input alone. Every caller gets bytes of its own.
import { syncBuiltinESMExports } from 'node:module';
import zlib from 'node:zlib';

/** Of some kilobytes each. */
const MOST_KEPT = 20_000;

type Pack = typeof zlib.deflateRawSync;

function remembering(pack: Pack): Pack {
  const known = new Map<string, Buffer>();
  const dictionaries = new Map<unknown, number>();
  return (input, options = {}) => {
    if (!(input instanceof Uint8Array)) return pack(input, options);
    const { dictionary, ...numbers } = options;
    const nth = dictionaries.get(dictionary) ?? dictionaries.size;
    dictionaries.set(dictionary, nth);
    const key = `${nth} ${JSON.stringify(numbers)} ${Buffer.from(input.buffer, input.byteOffset, input.byteLength).toString('latin1')}`;
    const before = known.get(key);
    if (before) return Buffer.from(before);
    // Refusals are not kept.
    const packed = pack(input, options);
    if (known.size >= MOST_KEPT) known.clear();
    known.set(key, Buffer.from(packed));
    return packed;
  };
}

/** For the rest of this process. */
export function rememberPacking(): void {
  zlib.deflateRawSync = remembering(zlib.deflateRawSync);
  zlib.inflateRawSync = remembering(zlib.inflateRawSync);
  syncBuiltinESMExports();
}
