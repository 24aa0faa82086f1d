// A second address for a server on 127.0.0.1: the emulator's Lambda takes TLS off every call to 127.0.0.1 and localhost.
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

export interface Door {
  /** https://127.0.0.2:port */
  url: string;
  close: () => Promise<void>;
}

export async function openDoor(url: string): Promise<Door> {
  const port = Number(new URL(url).port);
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.pipe(other);
      socket.once('error', () => other.destroy());
      socket.once('close', () => {
        open.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve));
  return {
    url: `https://127.0.0.2:${(server.address() as AddressInfo).port}`,
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
