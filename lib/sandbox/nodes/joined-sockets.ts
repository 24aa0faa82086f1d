// Two sockets joined: the bytes of each go to the other, as fast as that takes them. What ends one ends the other once it has all.
import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { pipeline, Writable } from 'node:stream';
import type { Duplex } from 'node:stream';
import { withoutMixedFrames } from './frame-boundaries.ts';
import type { Switched } from './node-dialer.ts';

/** Each side is read by one stream and written by another, with listeners for both. */
const mostListeners = 20;
/** So long a side may be silent once the other has ended. */
const partingMs = 30_000;
/** A machine that vanished is found out in minutes, not in hours. */
const aliveEveryMs = 30_000;

/** The head of an answer that switches protocols, as it was sent. */
function headText({ statusMessage = 'Switching Protocols', rawHeaders }: IncomingMessage): string {
  let text = `HTTP/1.1 101 ${statusMessage}\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2) text += `${rawHeaders[at]}: ${rawHeaders[at + 1]}\r\n`;
  return `${text}\r\n`;
}

/** Pieces that wait for a socket are not written as one. */
const oneByOne = (socket: Duplex): Writable => {
  const alone = new Writable({
    write: (piece, _encoding, done) => void socket.write(piece, done),
    final: (done) => void socket.end(done),
  });
  socket.on('close', () => alone.destroy());
  return alone;
};

/** @param early what the client has sent after its request already */
export function joinSockets(client: Duplex, early: Buffer, { answer, socket: node, head }: Switched): void {
  const sides = [client, node];
  for (const side of sides) {
    if (!(side instanceof Socket)) continue;
    side.setMaxListeners(mostListeners).setNoDelay(true).setKeepAlive(true, aliveEveryMs);
  }
  const part = (): void => {
    for (const side of sides) if (side instanceof Socket) side.setTimeout(partingMs, () => side.destroy());
  };
  if (early.length > 0) client.unshift(early);
  client.write(headText(answer), 'latin1');
  if (head.length > 0) node.unshift(head);
  // No pipeline: it would end the client with the node, before the client has all that the node has said.
  client.pipe(node);
  client.on('end', part).on('close', () => node.destroy());
  node.on('error', () => undefined).on('close', () => client.resume());
  pipeline(node, withoutMixedFrames, oneByOne(client), (error) => (error ? client.destroy() : part()));
}
