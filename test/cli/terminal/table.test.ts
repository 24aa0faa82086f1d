// Tables fit the terminal: at 80 columns nothing is wrapped, a state keeps its word, numbers and short names stay whole.
import { describe, expect, test } from '@jest/globals';
import { terminalWidth } from '../../../lib/cli/terminal/output.ts';
import { cutMiddle, layoutOf, lineOf, tableText, type TableLook } from '../../../lib/cli/terminal/table.ts';

const HEADER = ['NAMESPACE', 'NAME', 'KIND', 'STATE', 'SUCCEEDED', 'ACTIVE', 'FAILED', 'AGE', 'NEXT LOOK', 'CLUSTER', 'UID', 'LABELS'];
const ROWS = [
  ['default', 'demo', 'Job', 'Running', '3/5', '2', '0', '12s', '-', 'east', '0c6b', 'team=nlp'],
  [
    'research-and-development',
    'a-very-long-name-of-a-training-job-number-0171',
    'PyTorchJob',
    'Running (7 of 8: CrashLoopBackOff)',
    '9997/10000',
    '8',
    '12345',
    '119s',
    'in 600s',
    'east',
    '2c8f3a52-0d4e-4a0c-9b1f-6d6a0e7f9c11',
    'team=nlp,owner=somebody-with-a-long-name,stage=production,reviewed=yes',
  ],
  ['default', 'report', 'Job', 'Waiting (ImagePullBackOff)', '0/1', '1', '0', '3m', '-', 'east', '1d7c', '-'],
];
const LOOK: TableLook = {
  cut: ['NAMESPACE', 'NAME', 'KIND', 'CLUSTER', 'UID', 'LABELS'],
  state: 'STATE',
  spared: ['CLUSTER', 'NEXT LOOK'],
};
const at = (width: number | undefined, count = HEADER.length): string[] =>
  tableText(
    HEADER.slice(0, count),
    ROWS.map((row) => row.slice(0, count)),
    { ...LOOK, width },
  ).split('\n');

describe.each([60, 80, 100, 120, 200])('at %i columns', (width) => {
  test.each([10, 12])('a table of %i columns fits, and each state keeps its word', (count) => {
    const lines = at(width, count);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(lines.map((line) => /Running|Waiting|STATE/.exec(line)?.[0])).toEqual(['STATE', 'Running', 'Running', 'Waiting']);
    // A number that is cut would be another number.
    for (const [whole, part] of [
      ['9997/10000', '9997'],
      ['12345', '123'],
    ] as const)
      expect(lines[2]?.includes(part)).toBe(lines[2]?.includes(whole));
  });
});

test('80 columns: names are cut in the middle, and the bracket behind a state gives way before figures do', () => {
  expect(at(80, 10)).toEqual([
    'NAMESPACE    NAME          KIND        STATE    SUCCEEDED   ACTIVE  FAILED  AGE',
    'default      demo          Job         Running  3/5         2       0       12s',
    'resea…pment  a-very…-0171  PyTorchJob  Running  9997/10000  8       12345   119s',
    'default      report        Job         Waiting  0/1         1       0       3m',
  ]);
  expect(at(100, 10)[3]).toBe('default           report            Job         Waiting (Imag…Off)  0/1         1       0       3m');
});

test('where no terminal reads, all of it is there', () => {
  const lines = at(undefined);
  expect(lines[2]).toContain('a-very-long-name-of-a-training-job-number-0171   PyTorchJob   Running (7 of 8: CrashLoopBackOff)');
  expect(lines[2]).toContain('reviewed=yes');
  expect(lines.join('\n')).not.toContain('…');
});

test('colours are put on after a cell has its width', () => {
  const paint = (title: string, cell: string): string => (title === 'STATE' ? `<${cell}>` : cell);
  const look: TableLook = { state: 'STATE', paint };
  expect(
    tableText(
      ['STATE', 'AGE'],
      [
        ['Failed', '1s'],
        ['Running', '2s'],
      ],
      look,
    ),
  ).toBe('STATE     AGE\n<Failed>    1s\n<Running>   2s');
});

test('what yields is cut before anything else is left out', () => {
  const rows = [['default', 'demo', `a=${'b'.repeat(100)}`]];
  const look = { width: 50, cut: ['NAME', 'LABELS'], yielding: ['LABELS'], spared: ['NAMESPACE'] };
  const [header = ''] = tableText(['NAMESPACE', 'NAME', 'LABELS'], rows, look).split('\n');
  expect(header.split(/ +/)).toEqual(['NAMESPACE', 'NAME', 'LABELS']);
  const [without = ''] = tableText(['NAMESPACE', 'NAME', 'LABELS'], rows, { ...look, yielding: [] }).split('\n');
  expect(without.split(/ +/)).toEqual(['NAME', 'LABELS']);
});

test('a terminal that was never told its size is as wide as most', () => {
  const { isTTY, columns } = process.stdout;
  try {
    Object.assign(process.stdout, { isTTY: true, columns: 0 });
    expect(terminalWidth()).toBe(80);
  } finally {
    Object.assign(process.stdout, { isTTY, columns });
  }
});

test('columns of a watch grow only, so that its rows stand below one another', () => {
  const before = layoutOf(['NAME', 'AGE'], [['a-long-name', '1s']], {});
  const layout = layoutOf(['NAME', 'AGE'], [['b', '2s']], {}, before);
  expect(lineOf(layout, ['b', '2s'])).toBe('b             2s');
});

test.each([
  ['abcdef', 6, 'abcdef'],
  ['abcdef', 5, 'ab…ef'],
  ['abcdef', 4, 'ab…f'],
  ['abcdef', 1, '…'],
])('%s in %i characters is %s', (text, width, cut) => {
  expect(cutMiddle(text, width)).toBe(cut);
});
