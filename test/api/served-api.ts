// The HTTP API over a socket, for whoever knows a token.
import { createServer, type IncomingMessage } from 'node:http';
import { carriesToken, createApp } from '../../lib/api/app.ts';
import { answerRoute } from '../../lib/api/routes/route-table.ts';
import type { Ports } from '../../lib/ports/ports.ts';
import { listening, type Listening } from '../listening.ts';

/** @param hosts that it may be called by; any when absent. @param onRequest told of each before it is answered */
export async function serveApi(
  ports: Ports,
  token: string,
  { hosts, onRequest }: { hosts?: string[]; onRequest?: (request: IncomingMessage) => void } = {},
): Promise<Listening> {
  const app = createApp({
    answer: async (request) => await answerRoute(ports, request),
    authorize: (request) => carriesToken(request, token),
    ...(hosts && { hosts }),
  });
  return await listening(
    createServer((request, response) => {
      onRequest?.(request);
      void app(request, response);
    }),
  );
}
