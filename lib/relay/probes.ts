// Answers the kubelet's probes: whether the relay works, and whether it is ready, so that a rollout may stop the other replica.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Probes {
  /** The port in use. */
  port: number;
  stop: () => Promise<void>;
}

export interface ProbeAnswers {
  /** Undefined while the relay works; otherwise the reason why a new process would do better. */
  fault: () => string | undefined;
  /** Whether its lists are complete. Only then could it take over. */
  isReady: () => boolean;
}

/**
 * Serves `/healthz` and `/readyz` without TLS: they reveal nothing else.
 * @param port 0: any free one
 * @throws Error the port is taken
 */
export async function startProbes(port: number, { fault, isReady }: ProbeAnswers): Promise<Probes> {
  const server = createServer((request, response) => {
    // Anybody on the cluster's network can send a request. `//` is an invalid URL and must not end the relay.
    const pathname = URL.parse(request.url ?? '/', 'http://probes')?.pathname;
    const answer = (code: number, text: string): void => {
      response.writeHead(code, { 'content-type': 'text/plain', 'x-content-type-options': 'nosniff' }).end(`${text}\n`);
    };
    if (request.method !== 'GET') answer(405, 'only GET');
    else if (pathname === '/healthz') answer(fault() === undefined ? 200 : 503, fault() ?? 'ok');
    else if (pathname === '/readyz') answer(isReady() ? 200 : 503, isReady() ? 'ok' : 'lists are under way');
    else answer(404, 'only /healthz and /readyz');
  });
  server.requestTimeout = 5_000;
  server.maxConnections = 32;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}
