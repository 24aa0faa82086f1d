// What stands where something cannot be shown, or is not there.
import type { ComponentChildren } from 'preact';

/** Shown when the API refuses. */
export const Trouble = ({ children }: { children: ComponentChildren }) => (
  <p class="notice bad" role="alert">
    {children}
  </p>
);

/** A thin bar; nothing for the first moment. */
export const Loading = () => (
  <p class="loading" role="status">
    Loading …
  </p>
);

/** @param failed queues that did not answer. Each once */
export const failuresText = (failed: readonly { queue: string; reason: string }[]): string =>
  [...new Map(failed.map(({ queue, reason }) => [queue, `${queue} (${reason})`])).values()].join(', ');
