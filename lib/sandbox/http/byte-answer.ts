// An answer that is a stream of bytes. A client that reads slowly holds up its source, and nothing of it is kept here.
import { finished } from 'node:stream';
import type { Readable } from 'node:stream';
import type { ApiResponse } from './request.ts';

/** @param bytes not read before there is somebody to take them */
export const bytesAnswer = ({ status, headers }: { status: number; headers: Record<string, string> }, bytes: Readable): ApiResponse => ({
  status,
  headers,
  stream: ({ pipe, write, end }) => {
    if (pipe) pipe(bytes);
    else {
      // Callers in this process take texts.
      finished(bytes, () => end());
      bytes.setEncoding('utf8').on('data', write);
    }
    return () => void bytes.destroy();
  },
});
