// Nodes, as somebody registers them.
import { fieldsAt, listAt, textAt } from '../objects/api-object.ts';
import type { ApiObject } from '../objects/api-object.ts';
import type { Column } from './resource-row.ts';
import { ageColumn, column, nameColumn, row, wide } from './row.ts';

const roleLabel = 'node-role.kubernetes.io/';

function statusOf(node: ApiObject): string {
  const ready = listAt(node.status, 'conditions').find((condition) => condition['type'] === 'Ready');
  const word = ready ? (ready['status'] === 'True' ? 'Ready' : 'NotReady') : 'Unknown';
  return node.spec?.['unschedulable'] === true ? `${word},SchedulingDisabled` : word;
}

function rolesOf(node: ApiObject): string {
  const roles = Object.keys(node.metadata.labels ?? {}).filter((key) => key.startsWith(roleLabel) && key.length > roleLabel.length);
  return (
    roles
      .map((key) => key.slice(roleLabel.length))
      .toSorted()
      .join(',') || '<none>'
  );
}

const addressOf = (node: ApiObject, type: string): string =>
  textAt(
    listAt(node.status, 'addresses').find((address) => address['type'] === type),
    'address',
  ) || '<none>';

const infoColumn = (name: string, field: string, missing = '<unknown>'): Column =>
  column(name, (node) => textAt(fieldsAt(node.status, 'nodeInfo'), field) || missing, missing === '' ? {} : wide);

export const nodes = row({
  plural: 'nodes',
  kind: 'Node',
  shortNames: ['no'],
  namespaced: false,
  hasStatus: true,
  subresources: [{ name: 'proxy', kind: 'NodeProxyOptions', verbs: ['create', 'delete', 'get', 'patch', 'update'] }],
  columns: [
    nameColumn,
    column('Status', statusOf),
    column('Roles', rolesOf),
    ageColumn,
    infoColumn('Version', 'kubeletVersion', ''),
    column('Internal-IP', (node) => addressOf(node, 'InternalIP'), wide),
    column('External-IP', (node) => addressOf(node, 'ExternalIP'), wide),
    infoColumn('OS-Image', 'osImage'),
    infoColumn('Kernel-Version', 'kernelVersion'),
    infoColumn('Container-Runtime', 'containerRuntimeVersion'),
  ],
  fieldsOf: (node) => ({ 'spec.unschedulable': String(node.spec?.['unschedulable'] === true) }),
  rules: { create: (node) => node },
});
