// A TCP proxy before an API server, as hostile as a network can be: it cuts, stalls, slows, goes mute and flips bits. It sees only
// what TLS shows on the wire, so what it does is what happens to everybody whose packets cross a bad line.
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** Bytes of a piece while the line is slow. */
const PIECE_BYTES = 1_024;

interface Link {
  client: Socket;
  server: Socket;
  /** Nothing comes through any more, and nobody is told. */
  mute: boolean;
  /** One bit of what is said next, by either side, is flipped. */
  corrupt: boolean;
}

export class HostileProxy {
  /** https://127.0.0.1:port: the server's certificate is good for it. */
  readonly url: string;
  readonly #server: Server;
  readonly #target: { host: string; port: number };
  readonly #random: () => number;
  readonly #links = new Set<Link>();
  #shut = false;
  #gate: PromiseWithResolvers<void> | undefined;
  #bytesPerSecond = Infinity;
  /** Bytes that a bad line touched: held back, delayed, swallowed or falsified; and connections cut or refused. */
  #touched = 0;

  private constructor(server: Server, port: number, options: { target: { host: string; port: number }; random: () => number }) {
    this.#server = server;
    this.url = `https://127.0.0.1:${port}`;
    this.#target = options.target;
    this.#random = options.random;
    server.on('connection', (client) => this.#accept(client));
  }

  /** @param options.random in [0, 1): which bit is flipped, how a connection is cut */
  static async start({ to, random }: { to: string; random: () => number }): Promise<HostileProxy> {
    const { hostname, port } = new URL(to);
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
    return new HostileProxy(server, address.port, { target: { host: hostname, port: Number(port) }, random });
  }

  get connections(): number {
    return this.#links.size;
  }

  /** How much was touched so far; grows only while the line is bad. */
  get touched(): number {
    return this.#touched;
  }

  /** Breaks every connection, some with a reset and some with a plain end. @returns how many */
  cut(): number {
    const cut = this.#links.size;
    for (const link of this.#links) {
      if (this.#random() < 0.5) link.client.resetAndDestroy();
      link.client.destroy();
      link.server.destroy();
    }
    this.#touched += cut;
    return cut;
  }

  /** Breaks every connection and refuses new ones until `open`. @returns how many were broken */
  shut(): number {
    this.#shut = true;
    return this.cut();
  }

  /** Accepts and passes nothing until `open`, then passes all of it. */
  stall(): void {
    this.#gate ??= Promise.withResolvers();
  }

  slow(bytesPerSecond: number): void {
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** The connections of now pass nothing for ever, as behind a router that forgot them. New ones work. @returns how many */
  mute(): number {
    for (const link of this.#links) link.mute = true;
    return this.#links.size;
  }

  /** Flips a bit in what passes next on each connection of now. */
  corrupt(): void {
    for (const link of this.#links) link.corrupt = true;
  }

  /** The line is good again; what was mute stays mute. */
  open(): void {
    this.#shut = false;
    this.#bytesPerSecond = Infinity;
    for (const link of this.#links) link.corrupt = false;
    this.#gate?.resolve();
    this.#gate = undefined;
  }

  async stop(): Promise<void> {
    this.shut();
    this.#gate?.resolve();
    this.#gate = undefined;
    const closed = once(this.#server, 'close');
    this.#server.close();
    await closed;
  }

  #accept(client: Socket): void {
    if (this.#shut) {
      this.#touched += 1;
      client.on('error', () => {});
      client.resetAndDestroy();
      return;
    }
    const server = connect(this.#target);
    const link: Link = { client, server, mute: false, corrupt: false };
    this.#links.add(link);
    const end = (): void => {
      client.destroy();
      server.destroy();
      this.#links.delete(link);
    };
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      // Whatever happens to one side is told to the other by `end`.
      socket.on('error', () => {});
      socket.on('close', end);
    }
    void this.#pass(link, client, server).finally(end);
    void this.#pass(link, server, client).finally(end);
  }

  async #pass(link: Link, from: Socket, to: Socket): Promise<void> {
    try {
      for await (const chunk of from as AsyncIterable<Buffer>) await this.#passOne(link, chunk, to);
    } catch {
      // The connection broke: its other side is ended too.
    }
  }

  async #passOne(link: Link, chunk: Buffer, to: Socket): Promise<void> {
    for (let at = 0; at < chunk.length;) {
      if (this.#gate) {
        this.#touched += 1;
        await this.#gate.promise;
      }
      if (link.mute) {
        this.#touched += chunk.length - at;
        return;
      }
      const isSlow = this.#bytesPerSecond < Infinity;
      const piece = chunk.subarray(at, isSlow ? at + PIECE_BYTES : chunk.length);
      at += piece.length;
      if (isSlow) {
        this.#touched += piece.length;
        await sleep((piece.length / this.#bytesPerSecond) * 1000);
      }
      if (link.corrupt) {
        link.corrupt = false;
        this.#touched += 1;
        const position = Math.floor(this.#random() * piece.length);
        piece[position] = (piece[position] ?? 0) ^ (1 << Math.floor(this.#random() * 8));
      }
      if (to.destroyed) return;
      if (!to.write(piece)) await Promise.race([once(to, 'drain'), once(to, 'close')]);
    }
  }
}
