// A workload's figures as words and columns.
import type { WorkloadSummary } from '../../api/told-workload.ts';
import type { Figure } from '../../kinds/rows/kind-shown.ts';

/** An API of an earlier version sends none, or only those of a list. */
const listed = ({ figures = [] }: Partial<Pick<WorkloadSummary, 'figures'>>): Figure[] => figures.filter(({ isMinor }) => !isMinor);

/** The names of the figures that any of them has, in the order in which they are first met. */
export const figureColumns = (workloads: readonly WorkloadSummary[]): string[] => [
  ...new Set(workloads.flatMap((workload) => listed(workload).map(({ name }) => name))),
];

/** `3/5`, by column; `-` where its kind has no such figure. */
export function figureCells(workload: WorkloadSummary, columns: readonly string[]): string[] {
  const figures = new Map(listed(workload).map((figure) => [figure.name, figure]));
  return columns.map((name) => {
    const figure = figures.get(name);
    if (!figure) return '-';
    return figure.of === undefined ? String(figure.value) : `${figure.value}/${figure.of}`;
  });
}

const numberText = ({ value, of }: Figure): string => (of === undefined ? String(value) : `${value} of ${of}`);

/** `succeeded 3 of 5, active 2`; empty for a kind without figures. */
export const figuresText = (workload: WorkloadSummary): string =>
  listed(workload)
    .map((figure) => `${figure.name} ${numberText(figure)}`)
    .join(', ');

/** `3 of 5 succeeded, 2 active`. */
export const progressText = (workload: Pick<WorkloadSummary, 'figures'>): string =>
  listed(workload)
    .map((figure) => `${numberText(figure)} ${figure.name}`)
    .join(', ');
