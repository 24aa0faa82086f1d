// The price of an answer about cost.
import type { CostBy } from '../state/answers.ts';

export const dollarsText = (dollars: number): string => `$ ${dollars.toFixed(dollars < 0.1 ? 6 : 2)}`;

/** As in lib/api/list-prices.ts, which a page does not load. */
const DOLLARS_A_GB = 0.005;

export function ScannedText({ cost: { scannedBytes } }: { cost: Pick<CostBy, 'scannedBytes'> }) {
  if (scannedBytes === undefined) return null;
  return (
    <p class="soft">
      Summed up from {(scannedBytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB of logs, for{' '}
      {dollarsText((scannedBytes / 1e9) * DOLLARS_A_GB)}.
    </p>
  );
}
