// Text from a cluster on its way to a terminal, a log or a page. Its author may be anybody, and some characters act instead of
// showing: controls move a cursor or rename a window, bidirectional marks reorder what follows, line ends forge a line.
// Such a character is shown as an escape, spelled as in JSON and JavaScript: ESC as \u001b.

/** Controls (C0, DEL, C1), bidirectional marks, and the two line ends beyond ASCII. */
const ACTING = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
const ACTING_WITHIN_LINES = /[^\n\P{Cc}]|[\p{Bidi_Control}\u2028\u2029]/gu;

const SHORT: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

const escapeOf = (character: string): string =>
  SHORT.get(character) ?? `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

/** One line without a character that acts. Shown twice, it stays the same. */
export const shownText = (text: string): string => text.replace(ACTING, escapeOf);

/** The same for lines that we composed: `\n` stays. JSON stays equal JSON, since such characters stand in its strings only. */
export const shownLines = (text: string): string => text.replace(ACTING_WITHIN_LINES, escapeOf);

/** Plain data with every text in it, keys too, shown on one line. */
export function shownData<Data>(data: Data): Data;
export function shownData(data: unknown): unknown {
  if (typeof data === 'string') return shownText(data);
  if (Array.isArray(data)) return data.map((item: unknown) => shownData(item));
  if (typeof data !== 'object' || data === null || Object.prototype.toString.call(data) !== '[object Object]') return data;
  return Object.fromEntries(Object.entries(data).map(([key, value]: [string, unknown]) => [shownText(key), shownData(value)]));
}

/** Whether a text holds a character that acts. */
export const isActing = (text: string): boolean => text.search(ACTING) >= 0;

/** An absolute file path, here or on Windows. The path of a URL follows a host and does not match. */
const FILE_PATH = /(?<![\w.:/\]])(?:[A-Za-z]:)?(?:[/\\][^\s/\\:'"`,;()]+)+/g;

/** For a failure that a remote caller sees: the layout of this machine must not leak. */
export const withoutFilePaths = (message: string): string => message.replaceAll(FILE_PATH, '…');
