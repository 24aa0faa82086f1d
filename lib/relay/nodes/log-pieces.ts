// A log that is asked for piece by piece, each line once. Where lines are left out, a line says so.
import type { LogRequest } from '../../objects/log-request.ts';
import { linesIn, type LoggedLine } from '../../objects/logs/log-lines.ts';
import { BEGINNING, BEGINS_ANEW, freshFrom, positionAfter, type LogPosition } from '../../objects/logs/log-position.ts';

/** Of one piece: what a relay keeps at once of one log. */
export const PIECE_BYTES = 512 * 1024;

export interface PieceRequest {
  container: string;
  limitBytes: number;
  timestamps: true;
  previous?: true;
  tailLines?: number;
  sinceMs?: number;
}

export class LogPieces {
  readonly #wanted: LogRequest;
  readonly #pieceBytes: number;
  #position: LogPosition;
  #leftBytes: number;
  #isFirst = true;
  #isStuck = false;

  constructor(wanted: LogRequest, pieceBytes = PIECE_BYTES) {
    this.#wanted = wanted;
    this.#pieceBytes = pieceBytes;
    this.#position = wanted.sinceMs === undefined ? BEGINNING : { ...BEGINNING, sinceMs: wanted.sinceMs };
    this.#leftBytes = wanted.limitBytes ?? Number.POSITIVE_INFINITY;
  }

  /** Nothing more can be given: all that was wanted has been, or the log cannot be read further. */
  get isOver(): boolean {
    return this.#isStuck || this.#leftBytes <= 0;
  }

  next(): PieceRequest {
    const { container, previous } = this.#wanted;
    const { sinceMs } = this.#position;
    const tail = this.#tail();
    return {
      container,
      limitBytes: this.#pieceBytes,
      timestamps: true,
      ...(previous && { previous }),
      // Of none of the lines the last one still says where the log goes on.
      ...(tail !== undefined && { tailLines: Math.max(tail, 1) }),
      ...(sinceMs !== undefined && { sinceMs }),
    };
  }

  /**
   * @param isCut the piece ends where it was cut, maybe within a line
   * @param isLast the container wrote nothing after it
   * @returns what is new in it
   */
  take(text: string, { isCut, isLast }: { isCut: boolean; isLast: boolean }): Uint8Array {
    const tail = this.#tail();
    this.#isFirst = false;
    const whole = linesIn(text, { isWhole: isLast && !isCut });
    // A line that is longer than any piece is given as far as it goes.
    const isOneLine = isCut && whole.length === 0;
    const lines = isOneLine ? linesIn(`${text}\n`, { isWhole: true }) : whole;
    const { from: fresh, isLost } = freshFrom(this.#position, lines);
    const from = tail === 0 ? lines.length : fresh;
    const { position, gap, isStuck } = positionAfter(
      {
        position: this.#position,
        lines,
        from,
        upTo: lines.length,
        isCut,
        isFromEnd: tail !== undefined && lines.length >= Math.max(tail, 1),
      },
      { limitBytes: this.#pieceBytes, mostBytes: this.#pieceBytes, grainMs: 1 },
    );
    this.#position = position;
    this.#isStuck = isStuck === true;
    const notes = [
      ...(gap === undefined ? [] : [gap]),
      ...(isStuck ? ['the log is too long, and cannot be read from a moment on: the rest of it is left out here'] : []),
    ];
    const shown = [
      ...(isLost ? [this.#note(BEGINS_ANEW)] : []),
      ...lines.slice(from).map((line) => this.#shown(line)),
      ...notes.map((note) => this.#note(note)),
    ].join('');
    const bytes = Buffer.from(shown).subarray(0, this.#leftBytes);
    this.#leftBytes -= bytes.length;
    return bytes;
  }

  /** The last lines are chosen once: what comes later is wanted whole. */
  #tail(): number | undefined {
    return this.#isFirst ? this.#wanted.tailLines : undefined;
  }

  #shown({ whole, text, time }: LoggedLine): string {
    return this.#wanted.timestamps || time === undefined ? whole : `${text}${whole.endsWith('\n') ? '\n' : ''}`;
  }

  #note(text: string): string {
    const { time } = this.#position;
    return `${this.#wanted.timestamps && time !== undefined ? `${time} ` : ''}[farloop: ${text}]\n`;
  }
}
