// The answer to what cannot be read as a request: a head that is too long, or no HTTP at all.
import type { Duplex } from 'node:stream';

/** What still comes is taken and dropped for so long: a connection that is cut while its caller writes loses the answer. */
const TAKEN_MS = 1_000;

const ANSWERS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** A handler of `clientError`, which comes again with each further piece. */
export function refusesUnread(): (error: NodeJS.ErrnoException, socket: Duplex) => void {
  const answered = new WeakSet<Duplex>();
  return (error, socket) => {
    if (answered.has(socket)) return;
    answered.add(socket);
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const answer = ANSWERS[error.code ?? ''] ?? '400 Bad Request';
    socket.end(
      `HTTP/1.1 ${answer}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${answer.length}\r\nConnection: close\r\n\r\n${answer}`,
    );
    setTimeout(() => socket.destroy(), TAKEN_MS).unref();
  };
}
