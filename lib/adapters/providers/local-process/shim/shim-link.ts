// The connection of a pod's runner to Farloop: open while Farloop runs, so that its end needs no watching; a line in either direction says that
// a file has changed.
import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { basename, dirname } from 'node:path';

const CALL_AGAIN_MS = 500;
/** Both sides say nothing but this and, the runner, first its folder. */
const LOOK = 'look\n';

/** A socket's path may have 107 bytes: through the descriptor of its folder any folder will do. */
function shortened(path: string): { path: string; close: () => void } {
  const folder = openSync(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);
  return { path: `/proc/self/fd/${folder}/${basename(path)}`, close: () => closeSync(folder) };
}

export class ShimLink {
  readonly #folder: string;
  readonly #path: string;
  readonly #goneMs: number;
  readonly #on: { look: () => void; gone: () => void };
  #socket: Socket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #goneAtMs = performance.now();
  #isClosed = false;
  #wasMissed = false;

  /** @param on.gone called once Farloop has been away for so long */
  constructor({ folder, socket, goneMs }: { folder: string; socket: string; goneMs: number }, on: { look: () => void; gone: () => void }) {
    this.#folder = folder;
    this.#path = socket;
    this.#goneMs = goneMs;
    this.#on = on;
    this.#call();
  }

  changed(): void {
    this.#socket?.write(LOOK);
  }

  /** Resolves once all was sent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const socket = this.#socket;
    if (socket) await new Promise<void>((resolve) => void socket.end(() => resolve()).once('close', () => resolve()));
  }

  #call(): void {
    let place: ReturnType<typeof shortened>;
    try {
      place = shortened(this.#path);
    } catch {
      return this.#callAgain(); // its folder is gone
    }
    const socket = connect(place.path);
    socket.once('connect', () => {
      this.#socket = socket;
      socket.write(`${this.#folder}\n`);
      // Words may have been written while nobody was connected.
      this.#on.look();
    });
    socket.on('data', () => this.#on.look());
    socket.on('error', () => {});
    socket.once('close', () => {
      place.close();
      if (this.#socket) this.#goneAtMs = performance.now();
      this.#socket = undefined;
      this.#callAgain();
    });
  }

  #callAgain(): void {
    if (this.#isClosed) return;
    if (!this.#wasMissed && performance.now() - this.#goneAtMs > this.#goneMs) {
      this.#wasMissed = true;
      this.#on.gone();
    }
    this.#timer = setTimeout(() => this.#call(), CALL_AGAIN_MS);
  }
}

/** Farloop's side: all runners of one folder. */
export class ShimListener {
  readonly #server: Server;
  readonly #sockets = new Map<string, Socket>();
  readonly #close: () => void;

  private constructor(server: Server, close: () => void) {
    this.#server = server;
    this.#close = close;
  }

  /** @param on.changed a runner says that it has written something @param on.gone its connection has ended */
  static async open(path: string, on: { changed: (folder: string) => void; gone: (folder: string) => void }): Promise<ShimListener> {
    // Of a process that was killed: the lock of the state folder says that nobody listens there.
    rmSync(path, { force: true });
    const place = shortened(path);
    const server = createServer();
    const listener = new ShimListener(server, place.close);
    server.on('connection', (socket) => listener.#serve(socket, on));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(place.path, resolve);
    });
    // A process that has nothing else to do may end.
    server.unref();
    return listener;
  }

  /** Whether the pod's runner is connected: then its end will show. */
  has(folder: string): boolean {
    return this.#sockets.has(folder);
  }

  /** Asks the runner of a pod to read its files. */
  poke(folder: string): void {
    this.#sockets.get(folder)?.write(LOOK);
  }

  close(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
    this.#server.close(this.#close);
  }

  #serve(socket: Socket, on: { changed: (folder: string) => void; gone: (folder: string) => void }): void {
    let folder: string | undefined;
    let text = '';
    socket.unref();
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      text += bytes.toString();
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      if (lines.length > 0 && folder === undefined) {
        folder = lines.shift() ?? '';
        this.#sockets.set(folder, socket);
        // An order that came before could not be told to it, and it may have read its files before that.
        socket.write(LOOK);
      }
      if (folder !== undefined) on.changed(folder);
    });
    socket.once('close', () => {
      if (folder === undefined || this.#sockets.get(folder) !== socket) return;
      this.#sockets.delete(folder);
      on.gone(folder);
    });
  }
}
