// Links that ask for a shorter or a longer time.
import { withQuery } from '../state/address.ts';

export const SPANS = ['1h', '24h', '7d'] as const;

export function SpanLinks({ since }: { since: string }) {
  return (
    <>
      {SPANS.map((span) => (
        <a key={span} href={withQuery({ since: span })} aria-current={span === since ? 'true' : undefined}>
          last {span}
        </a>
      ))}
    </>
  );
}
