// The log of one run of a container: written by its shim, line by line with time and stream, in files of a bounded size and number.
import { closeSync, ftruncateSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

/** `2026-05-01T10:00:00.000Z stdout F `: each line begins with so many bytes, so that a reader finds its parts by their place. */
export const HEADER_BYTES = 34;
export const TIME_BYTES = 24;
/** `F`: the line is whole; `P`: it goes on in the next one of the same stream, or never had a line break. */
export const TAG_AT = 32;
/** A longer line is cut into pieces. */
const LONGEST_PIECE_BYTES = 16_384;

export type Stream = 'stdout' | 'stderr';

export interface LogBounds {
  /** Of one file. */
  fileBytes: number;
  /** Beside the one that is written. */
  olderFiles: number;
}

/** A quarter of a gigabyte for each run. */
export const USUAL_LOG_BOUNDS: LogBounds = { fileBytes: 32 << 20, olderFiles: 7 };

/** Older files have a number, the newest the highest. */
export const olderLog = (path: string, number: number): string => `${path}.${String(number).padStart(9, '0')}`;

/** A full disk costs lines of the log, never the container. */
export class LogFile {
  readonly #path: string;
  readonly #bounds: LogBounds;
  readonly #pending: Record<Stream, Buffer> = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  #file: number;
  #bytes = 0;
  #number = 0;

  constructor(path: string, bounds: LogBounds = USUAL_LOG_BOUNDS) {
    this.#path = path;
    this.#bounds = bounds;
    this.#file = openLog(path);
  }

  write(stream: Stream, chunk: Buffer, nowMs: number): void {
    const header = `${new Date(nowMs).toISOString()} ${stream} `;
    const whole = Buffer.from(`${header}F `);
    const part = Buffer.from(`${header}P `);
    const before = this.#pending[stream];
    const bytes = before.length > 0 ? Buffer.concat([before, chunk]) : chunk;
    const pieces: Buffer[] = [];
    let at = 0;
    for (;;) {
      const end = bytes.indexOf(10, at);
      const limit = at + LONGEST_PIECE_BYTES;
      if (end >= 0 && end <= limit) {
        pieces.push(whole, bytes.subarray(at, end + 1));
        at = end + 1;
      } else if (bytes.length > limit) {
        pieces.push(part, bytes.subarray(at, limit), LINE_BREAK);
        at = limit;
      } else break;
    }
    // A copy: otherwise a short rest would keep the whole chunk.
    this.#pending[stream] = Buffer.from(bytes.subarray(at));
    if (pieces.length > 0) this.#append(Buffer.concat(pieces));
  }

  /** The rest that had no line break is written, too. */
  close(nowMs: number): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      const rest = this.#pending[stream];
      if (rest.length > 0) this.#append(Buffer.concat([Buffer.from(`${new Date(nowMs).toISOString()} ${stream} P `), rest, LINE_BREAK]));
    }
    closeSync(this.#file);
  }

  #append(bytes: Buffer): void {
    try {
      if (this.#bytes > 0 && this.#bytes + bytes.length > this.#bounds.fileBytes) this.#rotate();
      for (let at = 0; at < bytes.length;) at += writeSync(this.#file, bytes, at);
      this.#bytes += bytes.length;
    } catch {
      // No room: the next line may find some. A line that was only begun would spoil that one.
      ftruncateSync(this.#file, this.#bytes);
    }
  }

  #rotate(): void {
    renameSync(this.#path, olderLog(this.#path, this.#number));
    closeSync(this.#file);
    this.#file = openLog(this.#path);
    this.#bytes = 0;
    rmSync(olderLog(this.#path, this.#number - this.#bounds.olderFiles), { force: true });
    this.#number += 1;
  }
}

/** Every write goes to its end, also after it was cut. */
function openLog(path: string): number {
  rmSync(path, { force: true });
  return openSync(path, 'ax', 0o600);
}

const LINE_BREAK = Buffer.from('\n');
