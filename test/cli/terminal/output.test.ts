// How commands print: colour is for people at a terminal, and only repeats what the text says.
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { load } from 'js-yaml';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  coloured,
  paint,
  print,
  printLine,
  printProblem,
  spanText,
  tableText,
  type OutputFormat,
} from '../../../lib/cli/terminal/output.ts';

describe('colour', () => {
  const before = { isTTY: process.stdout.isTTY, noColor: process.env['NO_COLOR'], term: process.env['TERM'] };
  const setTo = (name: string, value: string | undefined): void => {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  };

  beforeEach(() => {
    process.stdout.isTTY = true;
    setTo('NO_COLOR', undefined);
    setTo('TERM', 'xterm');
  });

  afterEach(() => {
    process.stdout.isTTY = before.isTTY;
    setTo('NO_COLOR', before.noColor);
    setTo('TERM', before.term);
  });

  test('is there at a terminal', () => {
    expect(coloured('Failed', 'red')).toBe('\u001B[31mFailed\u001B[0m');
  });

  test('is left away where it is no terminal', () => {
    process.stdout.isTTY = false;
    expect(paint('Failed', 'red')).toBe('Failed');
  });

  for (const { name, value } of [
    { name: 'NO_COLOR', value: '1' },
    { name: 'TERM', value: 'dumb' },
  ])
    test(`is left away with ${name}=${value}`, () => {
      setTo(name, value);
      expect(paint('Failed', 'red')).toBe('Failed');
    });

  test('is there with an empty NO_COLOR, which says nothing', () => {
    setTo('NO_COLOR', '');
    expect(paint('Failed', 'red')).not.toBe('Failed');
  });
});

test('columns are as wide as their widest cell, and no line ends in blanks', () => {
  expect(
    tableText(
      ['NAME', 'STATE'],
      [
        ['a-long-name', ''],
        ['b', 'Complete'],
      ],
    ).split('\n'),
  ).toEqual(['NAME          STATE', 'a-long-name', 'b             Complete']);
});

test('spans are told in the unit that fits', () => {
  expect([-5, 119_000, 120_000, 7_200_000, 172_800_000].map(spanText)).toEqual(['0s', '119s', '2m', '2h', '2d']);
});

describe('text from a cluster', () => {
  const HOSTILE = 'a\u001B]0;pwned\u0007\u009B2J\u202Egpj\u2028b\nfarloop: all is well';
  const data = { items: [{ name: HOSTILE, fine: 'two\nlines', [HOSTILE]: 1 }] };
  // oxlint-disable-next-line no-control-regex
  const ACTING = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/;

  /** What is written to both streams. */
  async function written(write: () => void | Promise<void>): Promise<string> {
    const texts: string[] = [];
    const take = (text: unknown): boolean => texts.push(String(text)) > 0;
    const spies = [process.stdout, process.stderr].map((stream) => jest.spyOn(stream, 'write').mockImplementation(take));
    try {
      await write();
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
    return texts.join('');
  }

  const printed = async (format: OutputFormat): Promise<string> =>
    await written(async () => {
      await print(data, format, ({ items }) =>
        tableText(
          ['NAME', 'FINE'],
          items.map(({ name, fine }) => [name, fine]),
        ),
      );
    });

  test('is in a table on the line of its row, with escapes instead of what would act', async () => {
    const text = await printed('text');
    expect(text).not.toMatch(ACTING);
    expect(text.trimEnd().split('\n')).toHaveLength(2);
    expect(text).toContain('a\\u001b]0;pwned\\u0007\\u009b2J\\u202egpj\\u2028b\\nfarloop: all is well');
  });

  test('is exact in JSON and YAML, and does not act there either', async () => {
    for (const [format, read] of [
      ['json', JSON.parse],
      ['yaml', load],
    ] as const) {
      const text = await printed(format);
      expect(text).not.toMatch(ACTING);
      expect(read(text)).toEqual(data);
    }
    expect(await printed('yaml')).toContain('fine: |-');
  });

  test('that looks like the mark of our own for such texts stays what it is', async () => {
    const marks = { a: '\u202E', b: 'text-with-escapes-0;', c: 'text-with-escapes--0;' };
    expect(load(await written(async () => await print(marks, 'yaml', () => '')))).toEqual(marks);
  });

  test('even where a command composes a page of what it should not, only our colours pass', async () => {
    const text = await written(async () => {
      const before = process.stdout.isTTY;
      process.stdout.isTTY = true;
      try {
        await print({}, 'text', () => paint(`${HOSTILE}\u001B[32mgreen`, 'red'));
      } finally {
        process.stdout.isTTY = before;
      }
    });
    expect(text.replace('\u001B[31m', '').replace('\u001B[0m', '')).not.toMatch(ACTING);
    expect(text).toContain('\u001B[31ma');
    expect(text).toContain('\\u001b[32mgreen');
  });

  test('forges no line of its own, neither of data nor of problems', async () => {
    for (const write of [printLine, printProblem]) {
      const text = await written(() => write(HOSTILE));
      expect(text.split('\n')).toHaveLength(2);
      expect(text).not.toMatch(ACTING);
    }
  });
});

test('nothing but the outputs that show text safely writes to the terminal', () => {
  /** Each shows what it writes by lib/objects/values/shown-text.ts; completion scripts, definitions and help hold our own words only. */
  const outputs = [
    'adapters/telemetry/emf-telemetry.ts',
    'adapters/telemetry/line-telemetry.ts',
    'adapters/telemetry/log-recorder.ts',
    'cli/completion/completion.ts',
    'cli/manifests/crds.ts',
    'cli/queries/log-printer.ts',
    'cli/terminal/live-lines.ts',
    'cli/terminal/output.ts',
  ];
  const lib = join(import.meta.dirname, '../../../lib');
  const writers = globSync('**/*.ts', { cwd: lib }).filter((file) =>
    /\b(stdout|stderr)\s*\.write\(|\bconsole\.(log|error|warn|info)\(/.test(
      readFileSync(join(lib, file), 'utf8').replaceAll('process.stderr.write(program.helpInformation())', ''),
    ),
  );
  expect(writers.toSorted()).toEqual(outputs);
});
