// Every resource of the server is one row of this table. Adding one: its shape in schema/, a row in rows/, its line here.
import { isOn } from './features.ts';
import type { ResourceRow } from './rows/resource-row.ts';
import { configMaps, secrets, serviceAccounts } from './rows/configuration.ts';
import { customResourceDefinitions } from './rows/custom-resource-definitions.ts';
import { disruptionBudgets } from './rows/disruption-budgets.ts';
import { events, eventsOfEventsGroup } from './rows/events.ts';
import { jobs } from './rows/jobs.ts';
import { leases } from './rows/leases.ts';
import { namespaces } from './rows/namespaces.ts';
import { nodes } from './rows/nodes.ts';
import { pods } from './rows/pods.ts';
import { reviews } from './rows/reviews.ts';
import { schedulingRows } from './rows/scheduling.ts';
import { services } from './rows/services.ts';

export const rows: readonly ResourceRow[] = [
  configMaps,
  events,
  namespaces,
  nodes,
  pods,
  secrets,
  serviceAccounts,
  services,
  jobs,
  leases,
  eventsOfEventsGroup,
  disruptionBudgets,
  ...reviews,
  customResourceDefinitions,
  ...(isOn('WorkloadWithJob') ? schedulingRows() : []),
];

const byPath = new Map(rows.map((row) => [`${row.group}/${row.version}/${row.plural}`, row]));

export const rowAt = (group: string, version: string, plural: string): ResourceRow | undefined =>
  byPath.get(`${group}/${version}/${plural}`);

/** The row of a kind, whatever its version: owner references name objects so. */
export function rowOfKind(apiVersion: string, kind: string): ResourceRow | undefined {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  return rows.find((row) => row.group === group && row.kind === kind);
}

/** The name under which a row's objects are stored. */
export const storageName = (row: ResourceRow): string => {
  const { group, plural } = row.stored?.as ?? row;
  return group ? `${plural}.${group}` : plural;
};

export const rowsStored = (): ResourceRow[] => rows.filter(({ stored, answer }) => !stored && !answer);

export const rowStoredAs = (name: string): ResourceRow | undefined => rowsStored().find((row) => storageName(row) === name);

export const apiVersionOf = ({ group, version }: { group: string; version: string }): string => (group ? `${group}/${version}` : version);
