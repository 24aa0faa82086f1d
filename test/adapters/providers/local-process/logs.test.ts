// Logs of containers: random output, written and read in random pieces, against a model; then those of pods that run.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LogFile } from '../../../../lib/adapters/providers/local-process/folder/log-file.ts';
import { readLog } from '../../../../lib/adapters/providers/local-process/folder/log-reader.ts';
import type { LogRequest } from '../../../../lib/objects/log-request.ts';
import { NotFoundError } from '../../../../lib/ports/errors.ts';
import { failureOf } from '../../../claims.ts';
import { FAR, Opened, podOf, shell, taskOf } from './opened.ts';

const folder = mkdtempSync(join(tmpdir(), 'farloop-logs-'));
const opened = new Opened();
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await opened.close();
});

const NEVER = new AbortController().signal;
const START_MS = Date.parse('2026-05-01T10:00:00Z');
const timeAt = (second: number): string => new Date(START_MS + second * 1000).toISOString();

async function read(path: string, wanted: Partial<LogRequest>, hasEnded = () => true, signal = NEVER): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of readLog(path, { container: 'main', ...wanted }, hasEnded, signal)) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString();
}

/** Lines of one stream, each written in a second of its own, and the bytes that a reader is to get. */
function expected(
  lines: readonly string[],
  isOpenEnded: boolean,
  { tailLines, sinceMs, limitBytes, timestamps }: Partial<LogRequest>,
): string {
  const all = lines.map((text, second) => ({ text: isOpenEnded && second === lines.length - 1 ? text : `${text}\n`, second }));
  const recent = sinceMs === undefined ? all : all.filter(({ second }) => START_MS + second * 1000 >= sinceMs);
  const chosen = tailLines === undefined ? recent : recent.slice(Math.max(0, recent.length - tailLines));
  const text = chosen.map((each) => (timestamps ? `${timeAt(each.second)} ${each.text}` : each.text)).join('');
  return Buffer.from(text).subarray(0, limitBytes).toString();
}

describe('the log of a run', () => {
  test('any part of it is what was written', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.stringMatching(/^[a-z ]{0,12}$/),
            fc.nat(40_000).map((length) => 'x'.repeat(length)),
          ),
          { maxLength: 30 },
        ),
        fc.boolean(),
        fc.record(
          {
            tailLines: fc.nat(35),
            sinceMs: fc.nat(35).map((second) => START_MS + second * 1000),
            limitBytes: fc.integer({ min: 1, max: 100_000 }),
            timestamps: fc.constant(true as const),
          },
          { requiredKeys: [] },
        ),
        async (lines, isOpenEnded, wanted) => {
          const ends = isOpenEnded && lines.at(-1) !== '';
          const path = join(folder, `model-${(run += 1)}.log`);
          // Rotated often, and nothing is removed.
          const log = new LogFile(path, { fileBytes: 50_000, olderFiles: 1_000 });
          lines.forEach((line, second) => {
            const isLast = second === lines.length - 1;
            log.write('stdout', Buffer.from(isLast && ends ? line : `${line}\n`), START_MS + second * 1000);
          });
          log.close(START_MS + (lines.length - 1) * 1000);
          expect(await read(path, wanted)).toBe(expected(lines, ends, wanted));
        },
      ),
      { numRuns: 150 },
    );
  });

  test('a line that comes in pieces is one line, with one time', async () => {
    const path = join(folder, 'pieces.log');
    const log = new LogFile(path);
    for (const [second, text] of ['on', 'e\ntw', 'o\n', 'three'].entries())
      log.write('stdout', Buffer.from(text), START_MS + second * 1000);
    log.write('stderr', Buffer.from('other\n'), START_MS + 4_000);
    log.close(START_MS + 5_000);
    expect(await read(path, { timestamps: true })).toBe(`${timeAt(1)} one\n${timeAt(2)} two\n${timeAt(4)} other\n${timeAt(5)} three`);
  });

  test('a follower gets all that is written while files are replaced, and ends with the run', async () => {
    const path = join(folder, 'followed.log');
    const log = new LogFile(path, { fileBytes: 2_000, olderFiles: 1_000 });
    let hasEnded = false;
    const text = read(path, { follow: true }, () => hasEnded);
    for (let line = 0; line < 2_000; line += 1) {
      log.write(line % 2 === 0 ? 'stdout' : 'stderr', Buffer.from(`line ${line}\n`), START_MS);
      if (line % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    log.close(START_MS);
    hasEnded = true;
    expect(await text).toBe(Array.from({ length: 2_000 }, (_, line) => `line ${line}\n`).join(''));
  });

  test('its files are bounded; a reader begins with the oldest that is left', async () => {
    const inner = mkdtempSync(join(folder, 'bounded-'));
    const path = join(inner, '0.log');
    const log = new LogFile(path, { fileBytes: 10_000, olderFiles: 3 });
    for (let line = 0; line < 10_000; line += 1) log.write('stdout', Buffer.from(`line ${line}\n`), START_MS);
    log.close(START_MS);
    const sizes = readdirSync(inner).map((name) => statSync(join(inner, name)).size);
    expect(sizes).toHaveLength(4);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(10_000);
    const lines = (await read(path, {})).trimEnd().split('\n');
    expect(lines.at(-1)).toBe('line 9999');
    expect(lines[0]).toBe(`line ${10_000 - lines.length}`);
    expect(await read(path, { tailLines: 1 })).toBe('line 9999\n');
  });
});

describe('the log of a pod', () => {
  test('followed from before its end to its end, whether or not anything is written', async () => {
    await opened.start(podOf('talks', shell('echo one; while ! test -e $HOME/go; do sleep 0.02; done; echo two >&2; printf three')));
    await opened.writes('talks', 'one\n');
    const followed = opened.log('talks', { follow: true });
    await opened.node.exec?.(taskOf('talks'), { container: 'main', command: ['touch', 'go'], tty: false }, NEVER);
    expect(await followed).toBe('one\ntwo\nthree');
  });

  test('a follower that has seen enough ends it', async () => {
    await opened.start(podOf('quiet', shell('echo one; sleep 1000')));
    await opened.writes('quiet', 'one\n');
    const enough = new AbortController();
    const pieces: string[] = [];
    for await (const piece of opened.node.logs?.(taskOf('quiet'), { container: 'main', follow: true }, enough.signal) ?? []) {
      pieces.push(Buffer.from(piece).toString());
      setTimeout(() => enough.abort(), 10);
    }
    expect(pieces).toEqual(['one\n']);
    await opened.node.stop(taskOf('quiet'), { graceSeconds: 0 }, FAR);
  });

  test('no such container, no run before this one, no such pod', async () => {
    await opened.runs(podOf('short', shell('echo one')));
    const of = async (uid: string, wanted: Partial<LogRequest>): Promise<unknown> => await failureOf(opened.log(uid, wanted));
    expect(await of('short', { container: 'other' })).toBeInstanceOf(NotFoundError);
    expect(await of('short', { previous: true })).toMatchObject({
      message: 'previous terminated container "main" in pod "pod-short" not found',
    });
    expect(await of('nobody', {})).toBeInstanceOf(NotFoundError);
  });
});
