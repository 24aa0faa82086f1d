// Where WebSocket frames end. A frame that is written alone is a TLS record of its own: the Python client waits on the socket alone, and would
// not see a second frame that came in the record of the first.

/** The length of the frame that begins here, its head included; undefined while too little of it is there. */
function lengthOf(bytes: Buffer): number | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes.readUInt8(1) & 0x7f;
  const mask = bytes.readUInt8(1) & 0x80 ? 4 : 0;
  if (short < 126) return 2 + mask + short;
  if (short === 126) return bytes.length < 4 ? undefined : 4 + mask + bytes.readUInt16BE(2);
  return bytes.length < 10 ? undefined : 10 + mask + Number(bytes.readBigUInt64BE(2));
}

/** The same bytes, in pieces of which none holds parts of two frames. */
export async function* withoutMixedFrames(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let begun: Buffer = Buffer.alloc(0);
  let missing = 0;
  for await (const chunk of source) {
    let rest = begun.length > 0 ? Buffer.concat([begun, chunk]) : chunk;
    begun = Buffer.alloc(0);
    while (rest.length > 0) {
      if (missing === 0) missing = lengthOf(rest) ?? 0;
      if (missing === 0) {
        begun = rest;
        break;
      }
      const piece = rest.subarray(0, missing);
      missing -= piece.length;
      rest = rest.subarray(piece.length);
      yield piece;
    }
  }
  if (begun.length > 0) yield begun;
}
