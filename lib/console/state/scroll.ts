// Back lands where one was, though the page's rows come a moment later than the page.
import { keepHere, keptHere } from './address.ts';

const RESTORED_WITHIN_MS = 2_000;
const SETTLED_MS = 150;

export function watchScroll(): void {
  // The browser cannot know where one was: at first the page is short.
  history.scrollRestoration = 'manual';
  let restoring: { to: number; untilMs: number } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const step = (): void => {
    if (!restoring) return;
    scrollTo(0, restoring.to);
    if (Math.abs(scrollY - restoring.to) < 2 || performance.now() > restoring.untilMs) restoring = undefined;
    else requestAnimationFrame(step);
  };
  // Before the page changes: afterwards its place would be noted for the wrong one.
  addEventListener('popstate', () => {
    clearTimeout(timer);
    restoring = { to: keptHere().scroll ?? 0, untilMs: performance.now() + RESTORED_WITHIN_MS };
    requestAnimationFrame(step);
  });
  for (const event of ['wheel', 'touchstart', 'keydown', 'pointerdown'])
    addEventListener(event, () => (restoring = undefined), { passive: true, capture: true });
  addEventListener(
    'scroll',
    () => {
      clearTimeout(timer);
      if (!restoring) timer = setTimeout(() => keepHere({ scroll: Math.round(scrollY) }), SETTLED_MS);
    },
    { passive: true },
  );
}
