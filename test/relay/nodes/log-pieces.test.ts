// A log that comes in pieces: each line once, in its order, whatever the pieces cut.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { logShaper, type LogLine } from '../../../lib/objects/log-request.ts';
import { LogPieces, type PieceRequest } from '../../../lib/relay/nodes/log-pieces.ts';

const PIECE_BYTES = 400;
const NOW_MS = Date.parse('2026-01-02T03:04:05.000Z');
const at = (ms: number): string => new Date(NOW_MS + ms).toISOString();

/** As the functions answer: what is there now, cut at the limit. */
function answer(lines: readonly LogLine[], wanted: PieceRequest): { text: string; isCut: boolean } {
  const { limitBytes, ...rest } = wanted;
  const all = Buffer.from(logShaper(rest)(lines));
  return { text: all.subarray(0, limitBytes).toString(), isCut: all.length >= limitBytes };
}

/** Asks until all that is there has come. */
function readAll(pieces: LogPieces, lines: readonly LogLine[], { isLast = true }: { isLast?: boolean } = {}): string {
  let text = '';
  for (let asked = 0; asked < 1_000; asked += 1) {
    const piece = answer(lines, pieces.next());
    text += Buffer.from(pieces.take(piece.text, { isCut: piece.isCut, isLast })).toString();
    if (!piece.isCut || pieces.isOver) return text;
  }
  throw new Error('it never ends');
}

/** At most so many of one time that they fit into a piece. */
const growingLogs = fc
  .array(fc.record({ afterMs: fc.constantFrom(0, 1, 1, 7, 1_000), text: fc.stringMatching(/^[a-z ]{0,20}$/) }), { maxLength: 80 })
  .map((steps) => {
    let ms = 0;
    let sameTime = 0;
    return steps.map(({ afterMs, text }): LogLine => {
      sameTime = afterMs === 0 ? sameTime + 1 : 0;
      ms += sameTime > 4 ? 1 : afterMs;
      if (sameTime > 4) sameTime = 0;
      return { time: at(ms), text: `${text}\n` };
    });
  });

const textOf = (lines: readonly LogLine[], wanted = {}): string =>
  Buffer.from(logShaper({ container: 'main', ...wanted })(lines)).toString();

describe('pieces of a log', () => {
  test('give each line once, however the log grows between them', () => {
    fc.assert(
      fc.property(growingLogs, fc.nat(80), fc.boolean(), (lines, early, timestamps) => {
        const wanted = { container: 'main', ...(timestamps && { timestamps }) } as const;
        const pieces = new LogPieces({ ...wanted, follow: true }, PIECE_BYTES);
        const text = readAll(pieces, lines.slice(0, early)) + readAll(pieces, lines);
        expect(text).toBe(textOf(lines, wanted));
      }),
    );
  });

  test('of the last lines give these and what comes after', () => {
    fc.assert(
      fc.property(growingLogs, fc.nat(80), fc.nat(10), (lines, early, tailLines) => {
        const [before, after] = [lines.slice(0, early), lines.slice(early).map((line, place) => ({ ...line, time: at(200_000 + place) }))];
        const pieces = new LogPieces({ container: 'main', tailLines, follow: true }, PIECE_BYTES);
        const text = readAll(pieces, before) + readAll(pieces, [...before, ...after]);
        expect(text).toBe(textOf(before, { tailLines }) + textOf(after));
      }),
    );
  });

  test('end with the bytes that were wanted', () => {
    const lines = Array.from({ length: 100 }, (_, place) => ({ time: at(place), text: `line ${place}\n` }));
    for (const limitBytes of [1, 7, 500]) {
      const pieces = new LogPieces({ container: 'main', limitBytes }, PIECE_BYTES);
      expect(readAll(pieces, lines)).toBe(textOf(lines).slice(0, limitBytes));
      expect(pieces.isOver).toBe(true);
    }
  });

  test('say what is left out where more lines have one time than a piece holds, and go on', () => {
    const lines = [
      ...Array.from({ length: 50 }, (_, place) => ({ time: at(0), text: `same ${place}\n` })),
      { time: at(5), text: 'later\n' },
    ];
    const text = readAll(new LogPieces({ container: 'main' }, PIECE_BYTES), lines);
    expect(text).toMatch(/^same 0\nsame 1\n/);
    expect(text).toMatch(/\n\[farloop: more than can be read was written at one time: the rest of it is left out here\]\nlater\n$/);
  });

  test('a line that is longer than a piece comes in part, and what follows comes', () => {
    const lines = [
      { time: at(0), text: `${'x'.repeat(1_000)}\n` },
      { time: at(1), text: 'next\n' },
    ];
    const text = readAll(new LogPieces({ container: 'main' }, PIECE_BYTES), lines);
    expect(text).toMatch(/^x{300,}/);
    expect(text).toMatch(/left out here.*\nnext\n$/);
  });

  test('a last line without its line break is given once it is whole, or once nothing follows', () => {
    const pieces = new LogPieces({ container: 'main', follow: true }, PIECE_BYTES);
    const begun = [
      { time: at(0), text: 'one\n' },
      { time: at(1), text: 'half' },
    ];
    const whole = [...begun.slice(0, 1), { time: at(1), text: 'half a line\r\n' }, { time: at(2), text: 'the end' }];
    expect(readAll(pieces, begun, { isLast: false })).toBe('one\n');
    expect(readAll(pieces, whole, { isLast: false })).toBe('half a line\r\n');
    expect(readAll(pieces, whole)).toBe('the end');
    expect(readAll(pieces, whole)).toBe('');
  });

  test('of no line that is there give all that comes after, whatever the clocks of relay and provider say', () => {
    for (const before of [[], [{ time: at(0), text: 'old\n' }]]) {
      const pieces = new LogPieces({ container: 'main', tailLines: 0, follow: true }, PIECE_BYTES);
      expect(readAll(pieces, before, { isLast: false })).toBe('');
      expect(readAll(pieces, [...before, { time: at(1), text: 'new\n' }])).toBe('new\n');
    }
  });

  test('give lines whose times go back', () => {
    const pieces = new LogPieces({ container: 'main', follow: true }, PIECE_BYTES);
    const lines = [5, 3, 4].map((ms) => ({ time: at(ms), text: `at ${ms}\n` }));
    expect(readAll(pieces, lines, { isLast: false })).toBe('at 5\nat 3\nat 4\n');
    expect(readAll(pieces, [...lines, { time: at(6), text: 'at 6\n' }])).toBe('at 6\n');
  });

  test('of a log that was started anew say so, and give what it holds', () => {
    const pieces = new LogPieces({ container: 'main', follow: true }, PIECE_BYTES);
    readAll(pieces, [{ time: at(0), text: 'first run\n' }], { isLast: false });
    expect(readAll(pieces, [{ time: at(9), text: 'second run\n' }])).toBe(
      '[farloop: the log begins anew here: lines before may be missing]\nsecond run\n',
    );
  });
});

describe('pieces of a log without times', () => {
  const take = (pieces: LogPieces, text: string, isLast = false): string => {
    const bytes = Buffer.from(text);
    const piece = { isCut: bytes.length >= PIECE_BYTES, isLast };
    return Buffer.from(pieces.take(bytes.subarray(0, PIECE_BYTES).toString(), piece)).toString();
  };

  test('give its lines whole, each once', () => {
    for (const timestamps of [{}, { timestamps: true }] as const) {
      const pieces = new LogPieces({ container: 'main', follow: true, ...timestamps }, PIECE_BYTES);
      expect(take(pieces, 'first words are kept\n')).toBe('first words are kept\n');
      expect(take(pieces, 'first words are kept\nsecond line\n')).toBe('second line\n');
      expect(take(pieces, 'first words are kept\nsecond line\n', true)).toBe('');
    }
  });

  test.each([
    ['has no times', (place: number) => `line ${place}\n`],
    ['has times that its provider does not go by', (place: number) => `${at(place)} line ${place}\n`],
  ])('end with a sentence where it is longer than a piece and %s', (_which, lineAt) => {
    const pieces = new LogPieces({ container: 'main', follow: true }, PIECE_BYTES);
    const log = Array.from({ length: 100 }, (_, place) => lineAt(place)).join('');
    let text = '';
    for (let asked = 0; asked < 10 && !pieces.isOver; asked += 1) text += take(pieces, log);
    expect(pieces.isOver).toBe(true);
    expect(text).toMatch(/^line 0\nline 1\n/);
    expect(text.match(/line 1\n/g)).toHaveLength(1);
    expect(text).toMatch(/\[farloop: the log is too long, and cannot be read from a moment on: the rest of it is left out here\]\n$/);
  });
});
