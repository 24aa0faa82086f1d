// Commands in simulated containers: their output, their exit codes, and what is said of those that are not played.
import { describe, expect, test } from '@jest/globals';
import { playedExec } from '../../lib/simulated-node/played-exec.ts';

interface Ended {
  exitCode: number;
  out: string;
  err: string;
}

async function run(
  command: readonly string[],
  { input = [] as string[], tty = false, signal = new AbortController().signal } = {},
): Promise<Ended> {
  const said = { out: '', err: '' };
  const stdin = (async function* () {
    for (const text of input) yield Buffer.from(text);
  })();
  const exitCode = await playedExec(
    {
      command,
      tty,
      stdin,
      stdout: async (bytes) => void (said.out += Buffer.from(bytes).toString()),
      ...(!tty && { stderr: async (bytes: Uint8Array) => void (said.err += Buffer.from(bytes).toString()) }),
    },
    signal,
  );
  return { exitCode, ...said };
}
const script = (text: string): string[] => ['sh', '-c', text];

describe('what is played', () => {
  test.each([
    [['true'], 0, '', ''],
    [['false'], 1, '', ''],
    [['echo', 'hello', 'there'], 0, 'hello there\n', ''],
    // No shell reads these words.
    [['echo', '$HOME', '"a"'], 0, '$HOME "a"\n', ''],
    [script('echo one; echo two && exit 3'), 3, 'one\ntwo\n', ''],
    [script('false && echo no; echo yes'), 0, 'yes\n', ''],
    [script('false; exit'), 1, '', ''],
    [script('exit 256'), 0, '', ''],
    [script('exit 300'), 44, '', ''],
    [script('exit no'), 2, '', 'exit: bad number: no\n'],
    [script('sleep 0 && echo awake'), 0, 'awake\n', ''],
    [['sleep', '1h'], 1, '', 'sleep: bad number of seconds: 1h\n'],
    [['sleep'], 1, '', 'sleep: bad number of seconds: \n'],
    [['cat', '/etc/passwd'], 1, '', 'cat: /etc/passwd: a simulated container has no files\n'],
  ])('%j', async (command, exitCode, out, err) => expect(await run(command)).toEqual({ exitCode, out, err }));

  test('cat gives back what it gets', async () => {
    expect(await run(['cat'], { input: ['one', 'two'] })).toEqual({ exitCode: 0, out: 'onetwo', err: '' });
  });
});

test.each([
  [['ls']],
  [['bash', '-c', 'true']],
  [script('ls -l')],
  [script('echo $HOME')],
  [script('echo a | cat')],
  [script('true || false')],
])('what is not played is not there: %j', async (command) => {
  const { exitCode, out, err } = await run(command);
  expect([exitCode, out]).toEqual([127, '']);
  expect(err).toContain(': not found: a simulated container has true, false, exit, echo, sleep, cat and sh -c of these alone');
});

test('at a terminal all of it comes on one stream', async () => {
  expect((await run(['ls'], { tty: true })).out).toMatch(/^ls: not found/);
});

test('a caller that goes ends what sleeps, and what comes after it', async () => {
  const going = new AbortController();
  const ended = run(script('sleep infinity; echo no'), { signal: going.signal });
  going.abort();
  expect(await ended).toEqual({ exitCode: 137, out: '', err: '' });
});
