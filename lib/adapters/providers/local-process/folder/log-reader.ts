// The wanted part of a container's log, read from its files block by block, so that any length of log takes the same memory.
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { LogRequest } from '../../../../objects/log-request.ts';
import { HEADER_BYTES, TAG_AT, TIME_BYTES } from './log-file.ts';

const BLOCK_BYTES = 65_536;
/** A change of the file may go unnoticed where a file system tells of none. */
const LOOK_AGAIN_MS = 1_000;
const LINE_BREAK = 10;
const PARTIAL = 'P'.charCodeAt(0);

/** One file of the log, open: it can be read on after it was renamed or removed. */
interface Part {
  file: number;
  inode: number;
}

/**
 * @param hasEnded whether nothing will be written to it any more
 * @throws ENOENT there is no such log
 */
export async function* readLog(path: string, wanted: LogRequest, hasEnded: () => boolean, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const opened: Part[] = partsOf(path).map(openPart);
  const watched = wanted.follow ? watchFolder(dirname(path), signal) : undefined;
  const shape = shaper(wanted);
  try {
    let [at, position] = wanted.tailLines === undefined ? [0, 0] : tailOf(opened, wanted.tailLines);
    const block = Buffer.alloc(BLOCK_BYTES);
    for (;;) {
      const part = opened[at];
      if (!part || signal.aborted) return;
      // Asked before the rest is read: otherwise lines written between the two would be missed.
      const isOver = hasEnded() || !wanted.follow;
      const isRotated = at < opened.length - 1 || isReplaced(path, part);
      for (;;) {
        const length = readSync(part.file, block, 0, BLOCK_BYTES, position);
        const whole = block.subarray(0, length).lastIndexOf(LINE_BREAK) + 1;
        if (whole === 0) break;
        position += whole;
        const { bytes, isFull } = shape(block.subarray(0, whole));
        if (bytes.length > 0) yield bytes;
        if (isFull || signal.aborted) return;
      }
      if (isRotated) {
        if (at === opened.length - 1) opened.push(...partsAfter(path, part));
        closeSync(part.file);
        opened[at] = { ...part, file: -1 };
        at += 1;
        position = 0;
      } else if (isOver) return;
      else await watched?.next();
    }
  } finally {
    for (const { file } of opened) if (file >= 0) closeSync(file);
    watched?.close();
  }
}

/** Names of the files, oldest first. @throws ENOENT */
function partsOf(path: string): string[] {
  const name = basename(path);
  const older = readdirSync(dirname(path)).filter((each) => each.startsWith(`${name}.`));
  // The newest is absent for a moment while it is replaced.
  const all = [...older.toSorted().map((each) => join(dirname(path), each)), ...(existsSync(path) || older.length === 0 ? [path] : [])];
  return all;
}

function openPart(path: string): Part {
  const file = openSync(path, 'r');
  return { file, inode: fstatSync(file).ino };
}

function isReplaced(path: string, { inode }: Part): boolean {
  const newest = partsOf(path).at(-1);
  return newest !== undefined && inodeOf(newest) !== inode;
}

function inodeOf(path: string): number | undefined {
  try {
    const part = openPart(path);
    closeSync(part.file);
    return part.inode;
  } catch {
    return undefined;
  }
}

/** All that came since; from the oldest on, where the reader was so slow that its own was removed. */
function partsAfter(path: string, { inode }: Part): Part[] {
  const parts = partsOf(path).flatMap((each) => {
    try {
      return [openPart(each)];
    } catch {
      return []; // removed meanwhile
    }
  });
  const own = parts.findIndex((each) => each.inode === inode);
  for (const { file } of parts.slice(0, own + 1)) closeSync(file);
  return parts.slice(own + 1);
}

/** Where the last lines begin: the number of the file, and the place in it. */
function tailOf(parts: readonly Part[], lines: number): [part: number, position: number] {
  let start: [number, number] | undefined;
  let left = lines;
  for (let at = parts.length - 1; at >= 0; at -= 1)
    for (const record of recordsBackwards((parts[at] as Part).file)) {
      // A piece belongs to the line that a later record ends; after the last one nothing comes yet.
      const isEndOfLine = !record.isPart || start === undefined;
      start ??= [at, record.end];
      if (isEndOfLine && left === 0) return start;
      if (isEndOfLine) left -= 1;
      start = [at, record.start];
    }
  return start ?? [0, 0];
}

/** Whole ones alone, the last first. */
function* recordsBackwards(file: number): Generator<{ start: number; end: number; isPart: boolean }> {
  const buffer = Buffer.alloc(BLOCK_BYTES + HEADER_BYTES);
  let end: number | undefined;
  for (let from = fstatSync(file).size, begin = from; from > 0; from = begin) {
    begin = Math.max(0, from - BLOCK_BYTES);
    // With the header of a record that begins at the very end of the block.
    readSync(file, buffer, 0, from - begin + HEADER_BYTES, begin);
    for (let index = buffer.lastIndexOf(LINE_BREAK, from - begin - 1); index >= 0;) {
      const start = begin + index + 1;
      if (end !== undefined) yield { start, end, isPart: buffer[index + 1 + TAG_AT] === PARTIAL };
      end = start;
      index = index === 0 ? -1 : buffer.lastIndexOf(LINE_BREAK, index - 1);
    }
  }
  if (end !== undefined) yield { start: 0, end, isPart: buffer[TAG_AT] === PARTIAL };
}

/** Turns whole records into what the caller wanted of them. */
function shaper({ timestamps, sinceMs, limitBytes }: LogRequest): (records: Buffer) => { bytes: Buffer; isFull: boolean } {
  const since = sinceMs === undefined ? '' : new Date(Math.min(Math.max(sinceMs, 0), LATEST_MS)).toISOString();
  let leftBytes = limitBytes ?? Number.POSITIVE_INFINITY;
  /** Streams whose last record was a piece. */
  const begun = new Set<number>();
  return (records) => {
    const pieces: Buffer[] = [];
    for (let at = 0; at < records.length;) {
      const end = records.indexOf(LINE_BREAK, at) + 1;
      const stream = records[at + STREAM_LETTER_AT] ?? 0;
      const isPart = records[at + TAG_AT] === PARTIAL;
      if (since === '' || records.toString('latin1', at, at + TIME_BYTES) >= since) {
        if (timestamps && !begun.has(stream)) pieces.push(records.subarray(at, at + TIME_BYTES + 1));
        pieces.push(records.subarray(at + HEADER_BYTES, isPart ? end - 1 : end));
      }
      if (isPart) begun.add(stream);
      else begun.delete(stream);
      at = end;
    }
    const bytes = Buffer.concat(pieces).subarray(0, leftBytes);
    leftBytes -= bytes.length;
    return { bytes, isFull: leftBytes <= 0 };
  };
}

/** Later years have more digits, and would not compare as text. */
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');
/** `stdout` and `stderr` differ in their fourth letter. */
const STREAM_LETTER_AT = TIME_BYTES + 4;

/** The next change below a folder, or a while without one. */
function watchFolder(folder: string, signal: AbortSignal): { next(): Promise<void>; close(): void } {
  let hasChanged = false;
  let wake = (): void => {};
  const note = (): void => {
    hasChanged = true;
    wake();
  };
  const watcher = watch(folder, note);
  watcher.on('error', note);
  signal.addEventListener('abort', note);
  return {
    next: async () => {
      if (!hasChanged)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, LOOK_AGAIN_MS);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      hasChanged = false;
    },
    close: () => {
      watcher.close();
      signal.removeEventListener('abort', note);
    },
  };
}
