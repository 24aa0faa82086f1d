// The price of an answer about cost.
import type { CostBy } from '../state/answers.ts';

export const dollarsText = (dollars: number): string => `$ ${dollars.toFixed(dollars < 0.1 ? 6 : 2)}`;

export function ScannedText({ cost: { scannedBytes, scannedDollars = 0 } }: { cost: Pick<CostBy, 'scannedBytes' | 'scannedDollars'> }) {
  if (scannedBytes === undefined) return null;
  return (
    <p class="soft">
      Summed up from {(scannedBytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB of logs, for {dollarsText(scannedDollars)}
      .
    </p>
  );
}
