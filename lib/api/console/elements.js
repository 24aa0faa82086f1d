// Building blocks of the pages. Insert texts as text, never as markup: names come from clusters.

/** Controls, bidirectional marks, line ends. Must match the characters that lib/objects/values/shown-text.ts escapes at a terminal. */
const ACTING = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
const SHORT = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** A text with an escape for each character that would act instead of being displayed. @param {string} text */
export const shownText = (text) =>
  text.replace(ACTING, (character) => SHORT.get(character) ?? `\\u${character.codePointAt(0).toString(16).padStart(4, '0')}`);

/**
 * An element with properties and children. `class`, `title`, `href`, `scope` and `aria-…` are attributes, functions are listeners.
 * @param {string} tag
 * @param {Record<string, string | number | undefined | ((event: Event) => void)>} [properties]
 * @param {...(Node | string | number | undefined | false)} children undefined and false are left out
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === 'function') made.addEventListener(name, value);
    else if (value !== undefined) made.setAttribute(name, shownText(String(value)));
  }
  for (const child of children) {
    if (child === undefined || child === false) continue;
    made.append(typeof child === 'object' ? child : shownText(String(child)));
  }
  return made;
}

/**
 * A table with a caption for screen readers.
 * @param {string} label
 * @param {{ title: string, number?: boolean }[]} columns
 * @param {(Node | string | number | undefined)[][]} rows
 * @param {string} empty shown instead when there are no rows
 */
export function table(label, columns, rows, empty) {
  if (rows.length === 0) return element('p', { class: 'soft' }, empty);
  const cellClass = (at) => (columns[at]?.number ? 'number' : undefined);
  const head = element('tr', {}, ...columns.map(({ title }, at) => element('th', { scope: 'col', class: cellClass(at) }, title)));
  const body = rows.map((row) => element('tr', {}, ...row.map((cell, at) => element('td', { class: cellClass(at) }, cell ?? '–'))));
  // Wide tables scroll on their own, also by keyboard.
  return element(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label },
    element('table', { 'aria-label': label }, element('thead', {}, head), element('tbody', {}, ...body)),
  );
}

const TONES = new Map(
  Object.entries({
    Succeeded: 'good',
    Watching: 'good',
    acted: 'good',
    converged: 'good',
    Failed: 'bad',
    Silent: 'bad',
    Parked: 'bad',
    parked: 'bad',
    failed: 'bad',
    unreachable: 'bad',
    Unreachable: 'bad',
    Refused: 'bad',
    RelayCutOff: 'bad',
    RelayTooNew: 'bad',
    WatchRefused: 'bad',
    WatchStuck: 'bad',
    Forbidden: 'bad',
    Unknown: 'warn',
    Waiting: 'warn',
    BackingOff: 'warn',
    Leaving: 'warn',
    Draining: 'warn',
    Throttled: 'warn',
    overtaken: 'warn',
    throttled: 'warn',
    putOff: 'warn',
  }),
);

/** A state's word. The colour adds nothing to it. */
export const tag = (word) => element('span', { class: `tag ${TONES.get(word) ?? ''}` }, word);

/** A list of names and values, without undefined values. @param {[string, Node | string | number | undefined][]} pairs */
export const facts = (pairs) =>
  element(
    'dl',
    { class: 'facts' },
    ...pairs
      .filter(([, value]) => value !== undefined && value !== '')
      .map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))),
  );

/** `12 s`, `3 min`, `2 h`, `5 d`. @param {number} seconds */
export function span(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 120) return `${whole} s`;
  if (whole < 7200) return `${Math.round(whole / 60)} min`;
  return whole < 172800 ? `${Math.round(whole / 3600)} h` : `${Math.round(whole / 86400)} d`;
}

/** A moment as a time element: how long ago, or in how long; the full time on hover. @param {string | undefined} time RFC 3339 */
export function moment(time) {
  if (!time) return undefined;
  const seconds = (Date.now() - Date.parse(time)) / 1000;
  return element('time', { datetime: time, title: time }, seconds >= 0 ? `${span(seconds)} ago` : `in ${span(-seconds)}`);
}

/** The time of day with milliseconds, for lists whose order matters. */
export const clock = (time) =>
  element('time', { datetime: time, title: time }, new Date(time).toLocaleTimeString([], { hour12: false }) + `.${time.slice(20, 23)}`);
