// What the stylesheet knows of the window, for parts that need it as a number.
import { signal, type Signal } from '@preact/signals';

export function mediaSignal(query: string): Signal<boolean> {
  const list = matchMedia(query);
  const matches = signal(list.matches);
  list.addEventListener('change', () => (matches.value = list.matches));
  return matches;
}

export const isNarrow = mediaSignal('(max-width: 700px)');
