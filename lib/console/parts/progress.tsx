// How far a workload is: a bar of what succeeded, runs and failed, and the same in figures.
export interface Figure {
  name: string;
  value: number;
  of?: number;
  isMinor?: true;
}

const valueOf = (figures: readonly Figure[], ...names: string[]): number =>
  figures.filter(({ name }) => names.includes(name)).reduce((sum, { value }) => sum + value, 0);

interface Parts {
  done: number;
  running: number;
  failed: number;
  of: number;
}

/** Of kinds that count pods. @returns undefined where nothing is counted towards an end */
export function partsOf(figures: readonly Figure[]): Parts | undefined {
  const goal = figures.find(({ of }) => of !== undefined && of > 0);
  if (goal?.of === undefined) return undefined;
  const running = goal.name === 'succeeded' ? valueOf(figures, 'active', 'running') : 0;
  return { done: goal.value, running: Math.min(running, goal.of), failed: valueOf(figures, 'failed'), of: goal.of };
}

export function Progress({ figures }: { figures: readonly Figure[] }) {
  const parts = partsOf(figures);
  if (!parts) return null;
  const { done, running, failed, of } = parts;
  const share = (count: number): string => `${Math.min(100, (100 * count) / Math.max(of, done + running))}%`;
  return (
    <span
      class="progress"
      role="img"
      aria-label={`${done} of ${of}${running > 0 ? `, ${running} run` : ''}${failed > 0 ? `, ${failed} failed` : ''}`}
    >
      <span class="bar">
        <span class="done" style={{ width: share(done) }} />
        <span class="running" style={{ width: share(running) }} />
        {failed > 0 && <span class="failed" />}
      </span>
      <span class="count">
        {done}/{of}
      </span>
    </span>
  );
}

export const titled = (name: string): string => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
export const figureText = ({ value, of }: Figure): string => (of === undefined ? String(value) : `${value} of ${of}`);
export const countText = (count: number, thing: string): string => `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`;
