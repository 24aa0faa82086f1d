// A place outlives moves of its file and changes beside it; one that is lost, or could be two, says what is to be done.
import { describe, expect, test } from '@jest/globals';
import { declarationsOf, edited, placeOf } from './places.ts';

const FILES = [
  [
    'lib/relay/pump.ts',
    `
/** Litres a second. */
export const RATE = 4;
const STEPS = [
  'open',
  'close',
];

export async function fill(tank: Tank): Promise<void> {
  if (tank.level > RATE) return;

  await pour(tank, {
    from: 'above',
  });
}

export class Pump extends Machine {
  readonly #hose = new Hose('short');

  start(): void {
    this.#hose.open('start');
  }

  async #stop(
    why: string,
  ): Promise<void> {
    this.#hose.close(why);
  }
}
`,
  ],
  ['lib/wire/fill.ts', "const fill = (form: Form): void => {\n  if (form.isFull) return;\n  write(form, { from: 'left' });\n};\n"],
] as const;
const declarations = declarationsOf(FILES);

describe('a text', () => {
  test.each([
    { name: 'of a const on one line', within: 'RATE', search: '4', file: 'lib/relay/pump.ts' },
    { name: 'of a const on many lines', within: 'STEPS', search: "'close'", file: 'lib/relay/pump.ts' },
    { name: 'of the only function of that name that says it', within: 'fill', search: 'form.isFull', file: 'lib/wire/fill.ts' },
    { name: 'behind an empty line', within: 'fill', search: 'pour(tank', file: 'lib/relay/pump.ts' },
    { name: 'of a method', within: 'Pump.start', search: "'start'", file: 'lib/relay/pump.ts' },
    {
      name: 'of a private method whose arguments have lines of their own',
      within: 'Pump.#stop',
      search: 'close(why)',
      file: 'lib/relay/pump.ts',
    },
    { name: 'of a field', within: 'Pump.#hose', search: "'short'", file: 'lib/relay/pump.ts' },
    { name: 'of a class', within: 'Pump', search: 'extends Machine', file: 'lib/relay/pump.ts' },
    { name: 'that two of a name say, beside what one says', within: 'fill', search: 'from:', beside: 'tank', file: 'lib/relay/pump.ts' },
    { name: 'broken into lines elsewhere', within: 'fill', search: "pour(tank, { from: 'above', });", file: 'lib/relay/pump.ts' },
  ])('$name is found', ({ file, ...edit }) => {
    const place = placeOf(declarations, { ...edit, replacement: '' });
    expect(place.file).toBe(file);
    const text = FILES.find(([path]) => path === file)?.[1] ?? '';
    expect(text.slice(place.from, place.to).replaceAll(/\s+/g, ' ')).toBe(edit.search);
  });

  test.each([
    { name: 'in a declaration that is gone', within: 'empty', search: 'x', says: 'nothing in lib is called empty: name the function' },
    {
      name: 'that stands in another method',
      within: 'Pump.start',
      search: 'close',
      says: 'Pump.start (lib/relay/pump.ts) no longer says close: find',
    },
    { name: 'that stands twice', within: 'STEPS', search: "',", says: "STEPS (lib/relay/pump.ts) says ', 2 times: take more of the text" },
    {
      name: 'that two of a name say',
      within: 'fill',
      search: 'return;',
      says: 'fill (lib/relay/pump.ts and lib/wire/fill.ts) says return; 2 times',
    },
    { name: 'beside what is gone', within: 'fill', search: 'return;', beside: 'jar', says: 'no longer says jar: take another text' },
  ])('$name fails with a sentence', ({ says, ...edit }) => {
    expect(() => placeOf(declarations, { ...edit, replacement: '' })).toThrow(says);
  });
});

test('several edits of one text each strike their own place', () => {
  const edits = [
    { within: 'RATE', search: '4', replacement: '40' },
    { within: 'Pump.start', search: "'start'", replacement: '' },
  ].map((edit) => ({ ...edit, ...placeOf(declarations, edit) }));
  const [, text] = FILES[0];
  expect(edited(text, edits)).toBe(text.replace('RATE = 4', 'RATE = 40').replace("open('start')", 'open()'));
});
