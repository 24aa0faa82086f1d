// Nodes, as somebody registers them.
import { fieldsAt, listAt, textAt } from '../objects/api-object.ts';
import type { ApiObject } from '../objects/api-object.ts';
import type { Column } from './resource-row.ts';
import { ageColumn, nameColumn, readAndWrite, row } from './row.ts';

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

const infoColumn = (name: string, field: string, priority: number, description: string): Column => ({
  name,
  type: 'string',
  description,
  priority,
  cell: (node) => textAt(fieldsAt(node.status, 'nodeInfo'), field) || (priority === 1 ? '<unknown>' : ''),
});

export const nodes = row({
  plural: 'nodes',
  singular: 'node',
  kind: 'Node',
  shortNames: ['no'],
  namespaced: false,
  subresources: [{ name: 'status', kind: 'Node', verbs: readAndWrite }],
  columns: [
    nameColumn,
    { name: 'Status', type: 'string', description: 'Whether it is ready and takes new pods.', cell: statusOf },
    { name: 'Roles', type: 'string', description: 'Its roles, from its labels.', cell: rolesOf },
    ageColumn,
    infoColumn('Version', 'kubeletVersion', 0, 'The version that its kubelet reports.'),
    {
      name: 'Internal-IP',
      type: 'string',
      description: 'Its address within the cluster.',
      priority: 1,
      cell: (node) => addressOf(node, 'InternalIP'),
    },
    {
      name: 'External-IP',
      type: 'string',
      description: 'Its address from outside.',
      priority: 1,
      cell: (node) => addressOf(node, 'ExternalIP'),
    },
    infoColumn('OS-Image', 'osImage', 1, 'The operating system that it reports.'),
    infoColumn('Kernel-Version', 'kernelVersion', 1, 'The kernel that it reports.'),
    infoColumn('Container-Runtime', 'containerRuntimeVersion', 1, 'What runs its containers.'),
  ],
  selectable: ['spec.unschedulable'],
  fieldsOf: (node) => ({ 'spec.unschedulable': String(node.spec?.['unschedulable'] === true) }),
  rules: { update: (next, previous) => ({ ...next, ...(previous.status && { status: previous.status }) }) },
});
