// A small curve of a figure over time. The words beside it say the same.

const WIDTH = 120;
const HEIGHT = 24;

interface CurveProps {
  values: readonly (number | null)[];
  /** Of the steps from the first one that is known. */
  tone?: 'run' | 'good' | 'bad' | 'soft' | undefined;
}

/** @returns lines through the values; a gap where there is none */
export function curvePath(values: readonly (number | null)[], { width, height }: { width: number; height: number }): string {
  const most = Math.max(1e-9, ...values.map((value) => value ?? 0));
  const step = width / Math.max(values.length - 1, 1);
  const parts: string[] = [];
  let isDown = false;
  for (const [at, value] of values.entries()) {
    if (value === null) {
      isDown = false;
      continue;
    }
    const y = height - 1.5 - (value / most) * (height - 3);
    const isAlone = !isDown && (at + 1 >= values.length || values[at + 1] === null);
    parts.push(`${isDown ? 'L' : 'M'}${(at * step).toFixed(1)} ${y.toFixed(1)}${isAlone ? 'h1' : ''}`);
    isDown = true;
  }
  return parts.join('');
}

export const Curve = ({ values, tone = 'run' }: CurveProps) => (
  <svg
    class={`curve ${tone}`}
    viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
    width={WIDTH}
    height={HEIGHT}
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    <path d={`M0 ${HEIGHT - 0.5}h${WIDTH}`} fill="none" class="ground" />
    <path
      d={curvePath(values, { width: WIDTH, height: HEIGHT })}
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linejoin="round"
      stroke-linecap="round"
    />
  </svg>
);
