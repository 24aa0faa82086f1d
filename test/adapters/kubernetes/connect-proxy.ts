// A small HTTP proxy that does CONNECT and nothing else.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';

export interface ConnectProxy {
  host: string;
  /** What was asked of it, as `host:port`. */
  targets: string[];
  /** The credentials of each ask. */
  authorizations: (string | undefined)[];
  /** How the next asks are answered; it lets everybody through at first. */
  answer: (status: number | 'silence') => void;
  stop: () => Promise<void>;
}

/** @param route where a target leads, so that names need no DNS */
export async function startConnectProxy(route: (target: string) => number): Promise<ConnectProxy> {
  const targets: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const sockets = new Set<Duplex>();
  let next: number | 'silence' = 200;
  const server = createServer((_request, response) => {
    response.writeHead(405).end();
  });
  const keep = (socket: Duplex): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  };
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    const target = request.url ?? '';
    targets.push(target);
    authorizations.push(request.headers['proxy-authorization']);
    keep(socket);
    if (next === 'silence') return;
    if (next !== 200) return void socket.end(`HTTP/1.1 ${next} No\r\nContent-Length: 0\r\n\r\n`);
    const upstream = connect(route(target), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(upstream).pipe(socket);
    });
    keep(upstream);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    targets,
    authorizations,
    answer: (status) => {
      next = status;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
