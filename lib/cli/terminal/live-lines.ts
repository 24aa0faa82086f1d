// A line for each of some things that go on. On a terminal the lines stand below all else that is printed, and each is written over when it
// changes; elsewhere a line is printed whenever one has changed.
import { shownText } from '../../objects/values/shown-text.ts';
import { coloured, printLine, terminalWidth, type Colour } from './output.ts';
import { cutMiddle } from './table.ts';

export interface LiveLine {
  text: string;
  colour?: Colour | undefined;
  /** It does not change any more: on a terminal it goes up among what has been printed. */
  isLast: boolean;
}

type Write = typeof process.stdout.write;

/** Of more lines the first ones are shown, and how many others there are. */
const ROWS_LEFT_FREE = 3;
const USUAL_ROWS = 24;

export class LiveLines {
  readonly #isTerminal = LiveLines.areRedrawn();
  /** By key, in the order in which they came. */
  readonly #lines = new Map<string, LiveLine>();
  readonly #told = new Map<string, string>();
  /** Of lines that stand below. */
  #drawn = 0;
  #restore = (): void => {};

  /** Whether standard output is a terminal that can be written over. */
  static areRedrawn(): boolean {
    return terminalWidth() !== undefined && process.env['TERM'] !== 'dumb';
  }

  constructor() {
    if (!this.#isTerminal) return;
    // A problem that is printed meanwhile, by whatever part, must neither tear the lines nor be written over.
    const streams = [process.stdout, process.stderr].map((stream) => ({ stream, write: stream.write.bind(stream) }));
    for (const { stream, write } of streams)
      stream.write = ((...given: Parameters<Write>): boolean => {
        if (this.#isDrawing) return write(...given);
        this.#redraw(() => write(...given));
        return true;
      }) as Write;
    this.#restore = () => {
      for (const { stream, write } of streams) stream.write = write;
    };
  }

  #isDrawing = false;

  set(key: string, line: LiveLine): void {
    if (this.#told.get(key) === line.text) return;
    this.#told.set(key, line.text);
    if (!this.#isTerminal) return printLine(line.text);
    if (line.isLast) this.#lines.delete(key);
    else this.#lines.set(key, line);
    this.#redraw(() => {
      if (line.isLast) process.stdout.write(`${coloured(shownText(line.text), line.colour)}\n`);
    });
  }

  /** Lines that stand there remain. */
  end(): void {
    this.#restore();
    this.#restore = () => {};
  }

  /** Takes the lines away, prints, and puts them below again. */
  #redraw(print: () => void): void {
    this.#isDrawing = true;
    try {
      if (this.#drawn > 0) process.stdout.write(`\u001B[${this.#drawn}A\u001B[J`);
      print();
      // A terminal that does not say its size says 0, or nothing.
      const columns = process.stdout.columns || 80;
      const most = Math.max((process.stdout.rows || USUAL_ROWS) - ROWS_LEFT_FREE, 1);
      const lines = [...this.#lines.values()];
      const shown = lines.slice(0, lines.length > most ? most - 1 : most);
      // One that is wrapped would count as two.
      for (const { text, colour } of shown) process.stdout.write(`${coloured(cutMiddle(shownText(text), columns - 1), colour)}\n`);
      const left = lines.length - shown.length;
      if (left > 0) process.stdout.write(`${coloured(`… and ${left} more`, 'dim')}\n`);
      this.#drawn = shown.length + (left > 0 ? 1 : 0);
    } finally {
      this.#isDrawing = false;
    }
  }
}
