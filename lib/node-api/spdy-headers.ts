// Header blocks of SPDY/3.1: names and values, packed against a dictionary that both ends know, each block by the ones before it.
// https://www.chromium.org/spdy/spdy-protocol/spdy-protocol-draft3-1/, section 2.6.10
import { constants, createDeflate, createInflate, type Deflate, type Inflate } from 'node:zlib';

export type Headers = Readonly<Record<string, string>>;

/** The protocol's: words with their lengths before them, then a text without. */
const WORDS = [
  'options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age',
  'allow authorization cache-control connection content-base content-encoding content-language content-length content-location content-md5 content-range content-type',
  'date etag expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified',
  'location max-forwards pragma proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding',
  'upgrade user-agent vary via warning www-authenticate method get status 200 OK version HTTP/1.1',
  'url public set-cookie keep-alive origin',
]
  .join(' ')
  .replace('200 OK', '200_OK')
  .split(' ')
  .map((word) => word.replace('_', ' '));
const TEXT = [
  '100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Authoritative Information204 No Content301',
  ' Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service Unavailab',
  'leJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,imag',
  'e/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1',
  ',utf-,*,enq=0.',
].join('');

const withLength = (text: string): Buffer => {
  const bytes = Buffer.from(text, 'latin1');
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

export const DICTIONARY = Buffer.concat([...WORDS.map(withLength), Buffer.from(TEXT, 'latin1')]);

/** Of a block as it is unpacked. */
const BLOCK_BYTES_MAX = 64 * 1024;

/** Packs the blocks of one direction of a connection, in their order. */
export class HeaderPacker {
  readonly #deflate: Deflate = createDeflate({ dictionary: DICTIONARY });

  async pack(headers: Headers): Promise<Buffer> {
    const entries = Object.entries(headers);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(entries.length);
    const block = Buffer.concat([count, ...entries.flatMap(([name, value]) => [withLength(name), withLength(value)])]);
    return await passed(this.#deflate, block, (then) => this.#deflate.flush(constants.Z_SYNC_FLUSH, then));
  }

  close(): void {
    this.#deflate.destroy();
  }
}

/** Unpacks those of the other direction. */
export class HeaderUnpacker {
  readonly #inflate: Inflate = createInflate({ dictionary: DICTIONARY, finishFlush: constants.Z_SYNC_FLUSH });

  /** Names in lower case; of several values of one name the first. @throws Error it is no such block */
  async unpack(packed: Uint8Array): Promise<Headers> {
    const block = await passed(this.#inflate, packed, (then) => then());
    let at = 0;
    const number = (): number => {
      const value = block.readUInt32BE(at);
      at += 4;
      return value;
    };
    const text = (): string => {
      const length = number();
      if (at + length > block.length) throw new Error('a header block is cut');
      at += length;
      return block.toString('latin1', at - length, at);
    };
    const headers: Record<string, string> = {};
    for (let left = number(); left > 0; left -= 1) {
      const name = text().toLowerCase();
      const [value = ''] = text().split('\0');
      headers[name] = value;
    }
    return headers;
  }

  close(): void {
    this.#inflate.destroy();
  }
}

/** All that comes out once this has gone in. @throws Error of the packing, or for more than a block may have */
async function passed(through: Deflate | Inflate, bytes: Uint8Array, flush: (then: () => void) => void): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  return await new Promise((resolve, reject) => {
    const end = (error?: Error | null): void => {
      through.off('data', take);
      through.off('error', end);
      if (error) reject(error);
      else resolve(Buffer.concat(chunks));
    };
    const take = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > BLOCK_BYTES_MAX) through.destroy(new Error(`a header block has more than ${BLOCK_BYTES_MAX} bytes`));
      else chunks.push(chunk);
    };
    through.on('data', take);
    through.once('error', end);
    through.write(bytes, (error) => (error ? end(error) : flush(() => end())));
  });
}
