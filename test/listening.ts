// A server of node's own on a free port of this machine.
import type { Server } from 'node:http';

export interface Listening {
  /** `http://127.0.0.1:1234` */
  url: string;
  /** Breaks off what is still being answered. */
  stop: () => Promise<void>;
}

export async function listening(server: Server): Promise<Listening> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
