// Loaded into a process before its own code (`node --import`): writes into a file what holds its memory, at its peak and now.
import { readFileSync, writeFileSync } from 'node:fs';
import { getHeapSpaceStatistics } from 'node:v8';

/** Megabytes by part. */
type Megabytes = Record<string, number>;

export interface MemoryReport {
  atPeak: Megabytes;
  latest: Megabytes;
}

const LOOK_EVERY_MS = 100;
const WRITE_EVERY_MS = 1_000;

/** Anonymous and file-backed pages as the kernel counts them: the program itself is file-backed. */
function pages(): { anonymous: number; files: number } {
  const status = readFileSync('/proc/self/status', 'utf8');
  const of = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1000;
  return { anonymous: of('RssAnon'), files: of('RssFile') };
}

function look(): Megabytes {
  const { rss, heapTotal, heapUsed, arrayBuffers, external } = process.memoryUsage();
  const spaces = new Map(getHeapSpaceStatistics().map((space) => [space.space_name, space.physical_space_size / 1e6]));
  const young = (spaces.get('new_space') ?? 0) + (spaces.get('new_large_object_space') ?? 0);
  const { anonymous, files } = pages();
  return {
    all: rss / 1e6,
    'program files': files,
    'V8 heap': heapTotal / 1e6,
    'in use of it': heapUsed / 1e6,
    'young generation of it': young,
    'code of it': spaces.get('code_space') ?? 0,
    'large objects of it': spaces.get('large_object_space') ?? 0,
    buffers: arrayBuffers / 1e6,
    'other external': (external - arrayBuffers) / 1e6,
    'rest (SQLite, TLS, allocator)': Math.max(0, anonymous - heapTotal / 1e6 - external / 1e6),
  };
}

const path = new URL(import.meta.url).searchParams.get('to');
if (path !== null) {
  let atPeak = look();
  let writtenAtMs = 0;
  setInterval(() => {
    const latest = look();
    if ((latest['all'] ?? 0) > (atPeak['all'] ?? 0)) atPeak = latest;
    if (performance.now() < writtenAtMs + WRITE_EVERY_MS) return;
    writtenAtMs = performance.now();
    const report: MemoryReport = { atPeak, latest };
    writeFileSync(path, JSON.stringify(report));
  }, LOOK_EVERY_MS).unref();
}
