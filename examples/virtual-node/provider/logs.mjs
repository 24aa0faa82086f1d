// Logs of the example provider's containers: a file for each run, in which each line has its time; and what a run uses.
import { createReadStream, createWriteStream, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';

const folder = mkdtempSync(join(tmpdir(), 'provider-logs-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
let runs = 0;

/** Keeps what a process writes; a disk that is slow holds it up. */
export function keepLog(child) {
  const log = { file: join(folder, String((runs += 1))), size: 0, hasEnded: false };
  const file = createWriteStream(log.file);
  for (const output of [child.stdout, child.stderr]) {
    const lines = createInterface({ input: output });
    lines.on('line', (line) => {
      const bytes = Buffer.from(`${new Date().toISOString()} ${line}\n`);
      if (!file.write(bytes, () => (log.size += bytes.length))) output.pause();
    });
    file.on('drain', () => output.resume());
  }
  child.on('close', () => file.end(() => (log.hasEnded = true)));
  child.on('error', () => (log.hasEnded = true));
  return log;
}

/** The lines that a query asks for, as a kubelet takes it. */
export async function* linesOf(log, query) {
  const [tail, limit] = ['tailLines', 'limitBytes'].map((name) => Number(query.get(name) ?? Infinity));
  const shown = (line) => (query.get('timestamps') === 'true' ? line : line.slice(line.indexOf(' ') + 1));
  let [from, left, last] = [0, limit, []];
  for (let isFirst = true; ; isFirst = false) {
    const { size, hasEnded } = log;
    const news = size > from ? createInterface({ input: createReadStream(log.file, { start: from, end: size - 1 }) }) : [];
    for await (const line of news) {
      if (line.slice(0, 24) < (query.get('sinceTime') ?? '')) continue;
      if (!isFirst || tail === Infinity) yield cut(shown(line));
      // Now and then, for each time takes as long as there are lines.
      else if (last.push(line) > 2 * tail + 1000) last = last.slice(last.length - tail);
      if (left <= 0) return;
    }
    for (const line of last.slice(Math.max(last.length - tail, 0))) yield cut(shown(line));
    [from, last] = [size, []];
    if (query.get('follow') !== 'true' || (hasEnded && log.size === size)) return;
    await wait(100);
  }
  function cut(line) {
    const bytes = Buffer.from(`${line}\n`).subarray(0, Math.max(left, 0));
    left -= bytes.length;
    return bytes;
  }
}

/** Of a process and its children, on Linux: all that is in its group. */
export function usageOf(group) {
  const usage = { cpuSeconds: 0, memoryBytes: 0 };
  for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      const fields = readFileSync(`/proc/${id}/stat`, 'utf8').split(') ').at(-1).split(' ');
      if (Number(fields[2]) !== group) continue;
      usage.cpuSeconds += (Number(fields[11]) + Number(fields[12])) / 100;
      usage.memoryBytes += Number(fields[21]) * 4096;
    } catch {} // it has ended meanwhile
  return usage;
}
