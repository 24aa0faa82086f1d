// The API server's rules for a pod that names the operating system it is for: nothing in it is another system's.
import type { FieldError } from '../../objects/field-error.ts';
import type { PodSpec } from '../../objects/kubernetes.ts';
import { placedContainers } from './placed-containers.ts';
import { forbidden, requiredValue, unsupportedValue } from '../../objects/refusals.ts';
import type { Fields } from '../../objects/values/untyped-fields.ts';
import { fieldsOf, isFields, listOf, textOf } from '../../objects/values/untyped-fields.ts';

const notForWindows = {
  pod: ['hostUsers', 'shareProcessNamespace'],
  podWhenTrue: ['hostPID', 'hostIPC'],
  podContext: [
    'appArmorProfile',
    'seLinuxOptions',
    'seccompProfile',
    'fsGroup',
    'fsGroupChangePolicy',
    'sysctls',
    'runAsUser',
    'runAsGroup',
    'supplementalGroups',
    'supplementalGroupsPolicy',
    'seLinuxChangePolicy',
  ],
  containerContext: [
    'appArmorProfile',
    'seLinuxOptions',
    'seccompProfile',
    'capabilities',
    'readOnlyRootFilesystem',
    'privileged',
    'allowPrivilegeEscalation',
    'procMount',
    'runAsUser',
    'runAsGroup',
  ],
};

/** The refusals of `os`, and of what the spec at `field` may not hold for its sake. */
export function validateOperatingSystem(spec: PodSpec, field: string): FieldError[] {
  if (!isFields(spec['os'])) return [];
  const name = textOf(spec['os']['name']);
  const contexts = [
    { context: fieldsOf(spec['securityContext']), path: `${field}.securityContext`, unfit: notForWindows.podContext },
    ...placedContainers(spec, field).map(({ container, path }) => ({
      context: fieldsOf(container['securityContext']),
      path: `${path}.securityContext`,
      unfit: notForWindows.containerContext,
    })),
  ];
  switch (name) {
    case '':
      return [requiredValue(`${field}.os.name`)];
    case 'linux':
      return contexts.flatMap(({ context, path }) =>
        ofFields(context, ['windowsOptions'], path, 'windows options cannot be set for a linux pod'),
      );
    case 'windows': {
      const detail = 'cannot be set for a windows pod';
      const shared = notForWindows.podWhenTrue.filter((key) => spec[key] === true);
      return [
        ...ofFields(spec, [...notForWindows.pod, ...shared], field, detail),
        ...contexts.flatMap(({ context, path, unfit }) => ofFields(context, unfit, path, detail)),
      ];
    }
    default:
      return [unsupportedValue(`${field}.os`, name, ['linux', 'windows'])];
  }
}

function ofFields(fields: Fields, names: readonly string[], path: string, detail: string): FieldError[] {
  return names.filter((name) => isGiven(name, fields[name])).map((name) => forbidden(`${path}.${name}`, detail));
}

/** An empty list is one that was given, but for sysctls. */
const isGiven = (name: string, value: unknown): boolean =>
  value !== undefined && value !== null && !(name === 'sysctls' && listOf(value).length === 0);
