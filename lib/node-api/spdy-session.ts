// SPDY/3.1 as API servers and kubectl speak it for forwarded ports: streams of bytes in one connection, which the caller opens. Windows are not used:
// these clients ignore them, and the connection itself holds up whoever is too fast.
import { Duplex } from 'node:stream';
import { HeaderPacker, HeaderUnpacker, type Headers } from './spdy-headers.ts';

const [SYN_STREAM, SYN_REPLY, RST_STREAM, PING, GOAWAY, HEADERS] = [1, 2, 3, 6, 7, 8];
const CONTROL = 0x8003;
const FIN = 1;
const [REFUSED_STREAM, CANCEL] = [3, 5];
/** Frames of these clients have 32 KB. */
const FRAME_BYTES_MAX = 1024 * 1024;
const DATA_BYTES = 32 * 1024;
const MOST_STREAMS = 512;

export class SpdyStream extends Duplex {
  readonly id: number;
  readonly headers: Headers;
  readonly #session: SpdySession;
  #wake: (() => void) | undefined;
  hasEndedThere = false;
  hasEndedHere = false;

  constructor(id: number, headers: Headers, session: SpdySession) {
    super({ allowHalfOpen: true });
    this.id = id;
    this.headers = headers;
    this.#session = session;
  }

  /** Resolves once more may come. */
  async deliver(bytes: Buffer): Promise<void> {
    if (this.destroyed || this.push(bytes)) return;
    await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  endThere(): void {
    this.hasEndedThere = true;
    this.push(null);
    this.#session.forgetEnded(this);
  }

  override _read(): void {
    this.#goOn();
  }

  #goOn(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, then: (error?: Error | null) => void): void {
    this.#session.sendData(this.id, bytes).then(() => then(), then);
  }

  override _final(then: (error?: Error | null) => void): void {
    this.hasEndedHere = true;
    this.#session.sendData(this.id, Buffer.alloc(0), FIN).then(() => {
      this.#session.forgetEnded(this);
      then();
    }, then);
  }

  override _destroy(error: Error | null, then: (error?: Error | null) => void): void {
    this.#goOn();
    if (!this.hasEndedHere || !this.hasEndedThere) void this.#session.reset(this);
    then(error);
  }
}

export class SpdySession {
  readonly #connection: Duplex;
  readonly #packer = new HeaderPacker();
  readonly #unpacker = new HeaderUnpacker();
  readonly #streams = new Map<number, SpdyStream>();
  readonly #opened: (stream: SpdyStream) => void;

  /** @param opened called with each stream that the caller opens */
  constructor(connection: Duplex, opened: (stream: SpdyStream) => void) {
    this.#connection = connection;
    this.#opened = opened;
  }

  /** Resolves once the connection has ended, with all its streams. Never fails. */
  async run(): Promise<void> {
    let waiting: Buffer = Buffer.alloc(0);
    try {
      for await (const chunk of this.#connection) {
        waiting = waiting.length === 0 ? (chunk as Buffer) : Buffer.concat([waiting, chunk as Buffer]);
        while (waiting.length >= 8) {
          const length = waiting.readUIntBE(5, 3);
          if (length > FRAME_BYTES_MAX) throw new Error(`a frame of ${length} bytes`);
          if (waiting.length < 8 + length) break;
          await this.#take(waiting.readUInt32BE(0), waiting.readUInt8(4), waiting.subarray(8, 8 + length));
          waiting = waiting.subarray(8 + length);
        }
      }
    } catch {
      // Whoever speaks otherwise, or goes, is let go.
    }
    this.#connection.destroy();
    for (const stream of this.#streams.values()) {
      [stream.hasEndedHere, stream.hasEndedThere] = [true, true];
      stream.destroy();
    }
    this.#streams.clear();
    this.#packer.close();
    this.#unpacker.close();
  }

  async #take(head: number, flags: number, body: Buffer): Promise<void> {
    if (head < 0x80000000) {
      const stream = this.#streams.get(head);
      if (body.length > 0) await stream?.deliver(Buffer.from(body));
      if (flags & FIN) stream?.endThere();
      return;
    }
    if (head >>> 16 !== CONTROL) throw new Error('another version');
    switch (head & 0xffff) {
      case SYN_STREAM:
        return await this.#open(body.readUInt32BE(0) & 0x7fffffff, flags, body.subarray(10));
      case HEADERS:
        // They pack the next ones.
        return void (await this.#unpacker.unpack(body.subarray(4)));
      case RST_STREAM: {
        const stream = this.#streams.get(body.readUInt32BE(0));
        if (!stream) return;
        this.#streams.delete(stream.id);
        [stream.hasEndedHere, stream.hasEndedThere] = [true, true];
        return void stream.destroy();
      }
      case PING:
        // Answered as it came; one with an even number would be an answer.
        if (body.readUInt32BE(0) % 2 === 1) await this.#send(control(PING, 0, body));
        return;
      case GOAWAY:
        return void this.#connection.end();
    }
  }

  async #open(id: number, flags: number, packed: Uint8Array): Promise<void> {
    const headers = await this.#unpacker.unpack(packed);
    if (this.#streams.size >= MOST_STREAMS) return await this.#send(control(RST_STREAM, 0, numbers(id, REFUSED_STREAM)));
    const stream = new SpdyStream(id, headers, this);
    stream.on('error', () => {});
    this.#streams.set(id, stream);
    await this.#send(control(SYN_REPLY, 0, Buffer.concat([numbers(id), await this.#packer.pack({})])));
    if (flags & FIN) stream.endThere();
    this.#opened(stream);
  }

  async sendData(id: number, bytes: Buffer, flags = 0): Promise<void> {
    for (let at = 0; at === 0 || at < bytes.length; at += DATA_BYTES) {
      const part = bytes.subarray(at, at + DATA_BYTES);
      const head = Buffer.alloc(8);
      head.writeUInt32BE(id);
      head.writeUInt32BE(part.length, 4);
      head.writeUInt8(at + DATA_BYTES >= bytes.length ? flags : 0, 4);
      await this.#send(Buffer.concat([head, part]));
    }
  }

  /** It was broken off here. */
  async reset(stream: SpdyStream): Promise<void> {
    if (!this.#streams.delete(stream.id)) return;
    await this.#send(control(RST_STREAM, 0, numbers(stream.id, CANCEL))).catch(() => {});
  }

  forgetEnded({ id, hasEndedHere, hasEndedThere }: SpdyStream): void {
    if (hasEndedHere && hasEndedThere) this.#streams.delete(id);
  }

  /** Resolves once the caller has taken it. @throws Error the connection has ended */
  async #send(frame: Buffer): Promise<void> {
    await new Promise<void>((resolve, reject) => this.#connection.write(frame, (error) => (error ? reject(error) : resolve())));
  }
}

const numbers = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, at * 4);
  return bytes;
};

function control(type: number, flags: number, body: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16BE(CONTROL);
  head.writeUInt16BE(type, 2);
  head.writeUInt32BE(body.length, 4);
  head.writeUInt8(flags, 4);
  return Buffer.concat([head, body]);
}
