// Keys: letters that lead somewhere, unless somebody is typing text.
import { signal } from '@preact/signals';
import { address, go, hashOf } from './address.ts';
import { keptChoice } from './kept.ts';
import { togglePause } from './resource.ts';

export const isHelpOpen = signal(false);
/** Some speak to their browser, and each word would be a row of commands. */
export const hasLetterKeys = keptChoice('letter-keys', true, (value): value is boolean => typeof value === 'boolean');

export const KEYS: readonly (readonly [string, string])[] = [
  ['/', 'search'],
  ['g o', 'overview'],
  ['g w', 'workloads'],
  ['g c', 'clusters'],
  ['g l', 'letters'],
  ['g m', 'who am I'],
  ['j k or ↓ ↑', 'next and previous row'],
  ['Enter', 'open the row'],
  ['Esc', 'up, or close'],
  ['m p l e t', 'tabs of a workload: map, pods, logs, events, timeline'],
  ['x', 'choose the row'],
  ['.', 'to the actions on what is chosen'],
  ['n', 'show rows that came since'],
  ['z', 'pause: what is shown stays as it is; again: go on'],
  ['?', 'this help'],
];

const PAGES: ReadonlyMap<string, string> = new Map([
  ['o', '#/'],
  ['w', '#/workloads'],
  ['c', '#/clusters'],
  ['l', '#/letters'],
  ['m', '#/me'],
]);
const TABS: ReadonlyMap<string, string> = new Map([
  ['m', 'map'],
  ['e', 'events'],
  ['p', 'pods'],
  ['l', 'logs'],
  ['t', 'timeline'],
]);
/** The second key of `g o` comes soon. */
const SEQUENCE_MS = 1_200;

const isTyping = (target: EventTarget | null): boolean =>
  (target instanceof HTMLInputElement && target.type !== 'checkbox') ||
  target instanceof HTMLTextAreaElement ||
  target instanceof HTMLSelectElement;

/** Keys of the page that is shown, asked before those of every page. @returns whether it took the key */
export const pageKeys = signal<((event: KeyboardEvent) => boolean) | undefined>(undefined);

export function watchKeys(): void {
  let gAtMs = 0;
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.querySelector('dialog[open]')) return;
    if (isTyping(event.target)) {
      if (event.key === 'Escape' && event.target instanceof HTMLElement) event.target.blur();
      return;
    }
    const isLetter = /^[a-z]$/.test(event.key);
    if (isLetter && !hasLetterKeys.value) return;
    const isSecond = Date.now() - gAtMs < SEQUENCE_MS;
    gAtMs = event.key === 'g' ? Date.now() : 0;
    const page = isSecond ? PAGES.get(event.key) : undefined;
    if (page !== undefined) go(page);
    else if (event.key === '/') document.getElementById('search')?.focus();
    else if (event.key === '?') isHelpOpen.value = true;
    else if (event.key === 'z') togglePause();
    else if (pageKeys.value?.(event) !== true && !takeTab(event.key) && !takeEscape(event.key)) return;
    event.preventDefault();
  });
}

function takeTab(key: string): boolean {
  const { path } = address.value;
  const tab = TABS.get(key);
  if (path[0] !== 'workloads' || path.length < 5 || tab === undefined) return false;
  go(hashOf([...path.slice(0, 5), tab]));
  return true;
}

function takeEscape(key: string): boolean {
  if (key !== 'Escape') return false;
  const { path } = address.value;
  if (path.length <= 1) return false;
  go(hashOf(path[0] === 'workloads' ? ['workloads'] : path.slice(0, 1)));
  return true;
}
