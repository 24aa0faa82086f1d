// Console and API on this machine: on the loopback, for holders of the token.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { userInfo } from 'node:os';
import { carriesToken, createApp, type AppOptions } from '../../api/app.ts';
import { FailedError } from '../terminal/exit.ts';

const HOST = '127.0.0.1';

export interface LocalApi {
  url: string;
  token: string;
  /** Of the console, with the token, which lets its holder in. */
  consoleUrl: string;
  close: () => Promise<void>;
}

/**
 * @param options.token a new one when absent
 * @throws FailedError when the port is taken or not allowed
 */
export async function serveApi({
  port,
  answer,
  token = newToken(),
}: { port: number; token?: string } & Pick<AppOptions, 'answer'>): Promise<LocalApi> {
  const app = createApp({
    answer,
    authorize: (request) => carriesToken(request, token),
    // The token stands in a file that this user alone can read.
    callerOf: userName,
    hosts: [HOST, 'localhost'],
  });
  const server = createServer((request, response) => void app(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new FailedError(sentenceOf(error, port), { cause: error })));
    server.listen(port, HOST, resolve);
  });
  const address = server.address();
  const url = `http://${HOST}:${typeof address === 'object' ? (address?.port ?? port) : port}`;
  return {
    url,
    token,
    consoleUrl: `${url}/#token=${token}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const newToken = (): string => randomBytes(24).toString('base64url');

/** Of the process; where the system knows no name, its number. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

function sentenceOf({ code, message }: NodeJS.ErrnoException, port: number): string {
  if (code === 'EADDRINUSE')
    return `port ${port} on ${HOST} is used by another program: choose another with --port, or --port 0 for any free one`;
  if (code === 'EACCES') return `port ${port} on ${HOST} is not allowed for this user: choose one above 1023 with --port`;
  return `cannot listen on port ${port} of ${HOST}: ${message}`;
}
