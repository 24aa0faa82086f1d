// The address: its fragment names the page, and its query is the API's, word for word. Scroll and opened folds are kept beside it.
import { computed, signal } from '@preact/signals';
import { takeToken } from './token.ts';

const fragment = signal(location.hash);

export interface Address {
  /** Decoded parts. */
  path: readonly string[];
  query: URLSearchParams;
}

function addressIn(hash: string): Address {
  const [way, query] = splitOnce(hash.replace(/^#/, ''), '?');
  const path = way
    .split('/')
    .filter((part) => part !== '')
    .map((part) => decoded(part));
  return { path, query: new URLSearchParams(query) };
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const address = computed(() => addressIn(fragment.value));

export interface Kept {
  scroll?: number;
  [name: string]: unknown;
}

export const keptHere = (): Kept => (history.state as Kept | null) ?? {};

/** Beside the address, for Back and Forward. */
export const keepHere = (kept: Kept): void => history.replaceState({ ...keptHere(), ...kept }, '');

export function hashOf(path: readonly string[], query?: URLSearchParams | Record<string, string>): string {
  const text = new URLSearchParams(query).toString().replaceAll('%2C', ',');
  return `#/${path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
}

/** @param isReplaced the step before is not one that anybody wants back: a filter while it is typed */
export function go(hash: string, { isReplaced = false } = {}): void {
  if (hash === location.hash) return;
  if (isReplaced) {
    history.replaceState(keptHere(), '', hash);
    fragment.value = hash;
  } else location.hash = hash;
}

/** The same page with some parameters changed; an empty one goes. */
export function withQuery(changes: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams(address.value.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') query.delete(name);
    else query.set(name, value);
  }
  return hashOf(address.value.path, query);
}

/** As in paths of the API: a dash stands for no namespace. */
export interface Named {
  cluster: string;
  kind: string;
  namespace: string;
  name: string;
}

export const pathOf = ({ cluster, kind, namespace, name }: Named): string[] => ['workloads', cluster, kind, namespace || '-', name];
export const linkTo = (key: Named, tab: readonly string[] = [], query?: Record<string, string>): string =>
  hashOf([...pathOf(key), ...tab], query);
/** Of the API, without a leading slash. */
export const apiPathOf = (key: Named): string => `v1/${pathOf(key).map(encodeURIComponent).join('/')}`;
export const titleOf = ({ kind, namespace, name }: Omit<Named, 'cluster'>): string =>
  `${kind} ${namespace === '' || namespace === '-' ? '' : `${namespace}/`}${name}`;

/** The page shown, without what only narrows it: another one begins at its top. */
export const pageKey = computed(() => address.value.path.join('/'));

export function watchAddress(): void {
  takeToken();
  fragment.value = location.hash;
  addEventListener('hashchange', () => {
    takeToken();
    fragment.value = location.hash;
  });
}
