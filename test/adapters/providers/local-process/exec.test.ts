// Commands in containers that run: streams, exit codes, terminals, and their end.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemProgram } from '../../../../lib/adapters/providers/local-process/machine/system-program.ts';
import { NotFoundError } from '../../../../lib/ports/errors.ts';
import type { ExecRequest } from '../../../../lib/ports/provider.ts';
import { failureOf, until } from '../../../claims.ts';
import { FAR, LONG_MS, Opened, podOf, shell, taskOf } from './opened.ts';

const opened = new Opened();
const NEVER = new AbortController().signal;
beforeAll(async () => {
  await opened.start(podOf('host', shell('sleep 1000', { env: [{ name: 'ASKED', value: 'for' }] })));
  await opened.becomes('host', 'its run', ({ status }) => status.containerStatuses?.[0]?.state?.running !== undefined);
});
afterAll(async () => await opened.close());

interface Done {
  exitCode: number;
  stdout: string;
  stderr: string;
}

async function* inputOf(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function exec(command: readonly string[], more: Partial<ExecRequest> = {}, signal = NEVER, uid = 'host'): Promise<Done> {
  const out: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
  const { exitCode = -1 } =
    (await opened.node.exec?.(
      taskOf(uid),
      {
        container: 'main',
        command,
        tty: false,
        stdout: async (bytes) => void out.stdout.push(Buffer.from(bytes)),
        stderr: async (bytes) => void out.stderr.push(Buffer.from(bytes)),
        ...more,
      },
      signal,
    )) ?? {};
  return { exitCode, stdout: Buffer.concat(out.stdout).toString(), stderr: Buffer.concat(out.stderr).toString() };
}

describe('without a terminal', () => {
  test('streams are apart, the exit code is its own, environment and folder are the container’s', async () => {
    expect(await exec(['sh', '-c', 'cat; echo err >&2; exit 5'], { stdin: inputOf('a', 'b\n') })).toEqual({
      exitCode: 5,
      stdout: 'ab\n',
      stderr: 'err\n',
    });
    const { stdout } = await exec(['sh', '-c', 'echo $ASKED; test "$(pwd)" = "$HOME" && echo home; hostname']);
    expect(stdout.split('\n').slice(0, 2)).toEqual(['for', 'home']);
    expect((await exec(['sh', '-c', 'kill -KILL $$'])).exitCode).toBe(137);
  });

  test('a command that does not exist says so', async () => {
    const { exitCode, stderr } = await exec(['no-such-command']);
    expect([exitCode, stderr]).toEqual([127, 'exec: "no-such-command": executable file not found in $PATH\n']);
  });

  test('bytes go through as they are, in both directions', async () => {
    const bytes = Buffer.from(Array.from({ length: 1 << 20 }, (_, at) => (at * 7919) % 256));
    const back: Buffer[] = [];
    await exec(['cat'], {
      stdin: (async function* () {
        for (let at = 0; at < bytes.length; at += 30_000) yield bytes.subarray(at, at + 30_000);
      })(),
      stdout: async (piece) => void back.push(Buffer.from(piece)),
    });
    expect(Buffer.concat(back).equals(bytes)).toBe(true);
  });

  test('a slow reader holds up the command', async () => {
    let read = 0;
    let goOn = (): void => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const done = exec(['sh', '-c', 'head -c 50000000 /dev/zero; echo end >&2'], {
      stdout: async (bytes) => {
        read += bytes.length;
        await held;
      },
      stderr: async () => {},
    });
    await until('the first bytes', () => read > 0, LONG_MS);
    const before = process.memoryUsage().rss;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(read).toBeLessThan(200_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(20_000_000);
    goOn();
    expect((await done).exitCode).toBe(0);
    expect(read).toBe(50_000_000);
  });

  test('a process left behind does not hold up the answer', async () => {
    const { exitCode, stdout } = await exec(['sh', '-c', 'sleep 1000 & echo done']);
    expect([exitCode, stdout]).toEqual([0, 'done\n']);
  });

  test('an abort ends it with all that it started', async () => {
    const enough = new AbortController();
    let text = '';
    const done = exec(
      ['sh', '-c', 'setsid sleep 1234 & echo $!; wait'],
      { stdout: async (bytes) => void (text += Buffer.from(bytes).toString()) },
      enough.signal,
    );
    await until('its output', () => text.includes('\n'), LONG_MS);
    enough.abort();
    expect((await done).exitCode).toBe(137);
    await until(
      'the end of its child',
      async () => (await exec(['sh', '-c', 'ps -eo args | grep -c "^sleep 1234" || true'])).stdout === '0\n',
      LONG_MS,
    );
  });

  test('the end of the pod ends it; then nothing can be run', async () => {
    await opened.start(podOf('ends', shell('sleep 1000')));
    await opened.becomes('ends', 'its run', ({ status }) => status.containerStatuses?.[0]?.state?.running !== undefined);
    let text = '';
    const done = exec(
      ['sh', '-c', 'trap "" TERM; echo ready; while :; do sleep 0.1; done'],
      { stdout: async (bytes) => void (text += Buffer.from(bytes).toString()) },
      NEVER,
      'ends',
    );
    await until('its output', () => text !== '', LONG_MS);
    await opened.node.stop(taskOf('ends'), { graceSeconds: 0 }, FAR);
    expect((await done).exitCode).toBe(137);
    await opened.ended('ends');
    expect(await failureOf(exec(['true'], {}, NEVER, 'ends'))).toBeInstanceOf(NotFoundError);
  });
});

describe('with a terminal', () => {
  if (systemProgram('script') === undefined)
    return test('refused in a sentence', async () => expect(String(await failureOf(exec(['tty'], { tty: true })))).toContain('script'));

  test('it has one, of the caller’s size, and its exit code comes back', async () => {
    const { exitCode, stdout } = await exec(['sh', '-c', 'tty; stty size; exit 3'], {
      tty: true,
      sizes: (async function* () {
        yield { columns: 97, rows: 31 };
      })(),
    });
    expect(exitCode).toBe(3);
    expect(stdout).toMatch(/^\/.*pts\/\d+\r\n31 97\r\n$/);
  });

  test('a caller whose terminal has no size does not hold it up', async () => {
    const sizes = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
    const { exitCode, stdout } = await exec(['sh', '-c', 'tty; exit 3'], { tty: true, sizes });
    expect([exitCode, stdout]).toEqual([3, expect.stringMatching(/pts\/\d+\r\n$/)]);
  });

  test('input is typed, a new size is heard of, 0 columns are none', async () => {
    let text = '';
    let type = (_text: string): void => {};
    const typed = new Promise<string>((resolve) => (type = resolve));
    const done = exec(['sh', '-c', 'trap "stty size" WINCH; echo "trap set"; until read line; do :; done; echo "got $line"'], {
      tty: true,
      stdin: (async function* () {
        yield Buffer.from(await typed);
      })(),
      stdout: async (bytes) => void (text += Buffer.from(bytes).toString()),
      sizes: (async function* () {
        yield { columns: 0, rows: 0 };
        await until('the trap of the shell', () => text.includes('trap set'), LONG_MS);
        yield { columns: 120, rows: 40 };
      })(),
    });
    await until(
      'the new size',
      () => text.includes('40 120'),
      LONG_MS,
      async () => text,
    );
    type('words\n');
    expect((await done).exitCode).toBe(0);
    expect(text).toContain('got words');
  });
});
