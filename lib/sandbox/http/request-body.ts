// Bodies of requests as they come in: never more of one than its limit, and an answer to what is refused that the client gets to read.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tooLarge, type ApiError } from '../objects/api-error.ts';
import { largestBody } from './body.ts';

/** So long a client that is still sending has to read why nobody listens. A real server gives it half a second. */
const partingMs = 250;
/** And so much of what it sends is taken meanwhile, and thrown away. */
const largestParting = 4 * 1024 * 1024;

/** Whether something of the request is still to come. */
const isUnread = (incoming: IncomingMessage): boolean =>
  !incoming.complete && (incoming.headers['transfer-encoding'] !== undefined || Number(incoming.headers['content-length'] ?? 0) > 0);

/**
 * A request's body, whole.
 * @param ask says to a client that waits for it (`Expect: 100-continue`) that it may send
 * @throws ApiError 413 where it is larger than the limit, or says that it will be: then nothing of it is read
 */
export async function bodyOf(incoming: IncomingMessage, ask: () => void): Promise<Buffer> {
  // Made where it is needed only: an error takes as long as the rest of this.
  const refusal = (): ApiError => tooLarge(`limit is ${largestBody}`);
  if (Number(incoming.headers['content-length'] ?? 0) > largestBody) throw refusal();
  if (isUnread(incoming)) ask();
  return await new Promise((done, failed) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= largestBody) return void chunks.push(chunk);
      incoming.removeAllListeners('data').pause();
      chunks.length = 0;
      failed(refusal());
    });
    incoming.on('end', () => done(Buffer.concat(chunks)));
    incoming.on('error', failed);
  });
}

/**
 * Ends an answer that is written. Where the client has not sent all of its request, the connection ends with it, but not at once: who is
 * cut off while sending may never see the answer.
 */
export function endAnswer(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (!isUnread(incoming)) {
    outgoing.end();
    return;
  }
  let taken = 0;
  const timer = setTimeout(() => outgoing.end(), partingMs);
  const end = (): void => {
    clearTimeout(timer);
    outgoing.end();
  };
  incoming.on('data', (chunk: Buffer) => {
    taken += chunk.length;
    if (taken > largestParting) incoming.pause();
  });
  incoming.on('end', end).on('error', end).on('close', end).resume();
}

/** The headers of an answer to a request of which something is unread. */
export const partingHeaders = (incoming: IncomingMessage): Record<string, string> => (isUnread(incoming) ? { Connection: 'close' } : {});
