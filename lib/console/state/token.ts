// The token that lets this browser in: in the fragment of the printed address once, then kept by the browser for this origin.
import { signal } from '@preact/signals';

const KEPT_AS = 'farloop-token';

/** Whether somebody must sign in before anything else can be shown. */
export const isSignInNeeded = signal(false);

/** The fragment is never sent to a server; the token leaves the address bar at once. */
export function takeToken(): void {
  const [, given, route] = /^#token=([\w-]+)(\/.*)?$/.exec(location.hash) ?? [];
  if (given === undefined) return;
  keepToken(given);
  history.replaceState(history.state, '', `#${route ?? '/'}`);
}

/** A browser that keeps nothing (a private window, storage switched off) asks again for each tab. */
let here = '';

export function keepToken(token: string): void {
  here = token;
  isSignInNeeded.value = token === '';
  try {
    localStorage.setItem(KEPT_AS, token);
  } catch {
    return;
  }
}

export function keptToken(): string {
  try {
    return localStorage.getItem(KEPT_AS) ?? here;
  } catch {
    return here;
  }
}

/** Another tab was given a token, which is this one's, too. */
export function watchToken(): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key === KEPT_AS && newValue) isSignInNeeded.value = false;
  });
}

/** @param text the token, or the whole address that carries it */
export const tokenIn = (text: string): string | undefined => /(?:^|#token=)([\w-]{8,})(?:\/.*)?$/.exec(text.trim())?.[1];
