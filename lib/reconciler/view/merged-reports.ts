// Merges the reports of one batch about a workload into as few as possible, because each is a write of its own.
import { isNewer } from '../../objects/values/resource-version.ts';
import type { Observation, OwnerObservation, WorkloadReport } from '../../wire/words/observations.ts';
import { keepLatest } from './view.ts';

/**
 * The order in which reports are applied makes no difference (R2). Whole lists are not merged: each proves absence in its own range (R19).
 */
export function mergedReports(reports: readonly WorkloadReport[]): WorkloadReport[] {
  const isWhole = ({ children }: WorkloadReport): boolean => children.some(({ whole }) => whole !== undefined);
  const wholes = reports.filter(isWhole);
  const others = reports.filter((report) => !isWhole(report));
  const [first] = others;
  if (!first || others.length === 1) return [...wholes, ...others];
  const latest = new Map<string, Map<string, Observation>>();
  let observed: OwnerObservation | undefined;
  for (const report of others) {
    if (report.observed && (!observed || isNewer(report.observed.heardAt, observed.heardAt))) observed = report.observed;
    for (const { resource, children } of report.children) {
      const known = latest.get(resource) ?? new Map<string, Observation>();
      latest.set(resource, known);
      for (const observation of children) keepLatest(known, observation);
    }
  }
  const children = [...latest].map(([resource, known]) => ({ resource, children: [...known.values()] }));
  return [...wholes, { owner: first.owner, ...(observed && { observed }), children }];
}
