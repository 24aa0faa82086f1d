// Claims of storage. There is no storage here: controllers/claim-binding.ts takes every claim as met.
import type { FieldError } from '../../objects/field-error.ts';
import { validateClaimSpec } from '../../admission/volume/claim-template-validation.ts';
import { setClaimSpecDefaults } from '../../admission/volume/volume-defaults.ts';
import { forbidden } from '../../objects/refusals.ts';
import { fieldsOf } from '../../objects/values/untyped-fields.ts';
import { fieldsAt, isSame, textAt } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import type { Column } from './resource-row.ts';
import { ageColumn, nameColumn, readAndWrite, row } from './row.ts';

const MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

const isBound = ({ spec }: ApiObject): boolean => textAt(spec, 'volumeName') !== '';

function withDefaults(claim: ApiObject): ApiObject {
  const spec = structuredClone(claim.spec ?? {});
  setClaimSpecDefaults(spec);
  return { ...claim, spec };
}

/** The fields of a claim that nobody changes: all but the amount, the class of attributes, and a volume that is absent so far. */
function fixedOf(spec: Fields): Fields {
  const { resources, volumeAttributesClassName: _class, volumeName: _volume, ...rest } = spec;
  return { ...rest, limits: fieldsAt(fieldsOf(resources), 'limits') };
}

function updateErrors({ spec = {} }: ApiObject, { spec: before = {} }: ApiObject): FieldError[] {
  const volume = textAt(before, 'volumeName');
  // A claim that names no class may get one later, once.
  const { storageClassName: _given, ...rest } = spec;
  const compared = before['storageClassName'] === undefined ? rest : spec;
  if (isSame(fixedOf(compared), fixedOf(before)) && (volume === '' || textAt(spec, 'volumeName') === volume)) return [];
  return [forbidden('spec', 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims')];
}

const column = (name: string, description: string, cell: (claim: ApiObject) => unknown, priority = 0): Column => ({
  name,
  type: 'string',
  description,
  ...(priority > 0 && { priority }),
  cell,
});

export const volumeClaims = row({
  plural: 'persistentvolumeclaims',
  singular: 'persistentvolumeclaim',
  kind: 'PersistentVolumeClaim',
  shortNames: ['pvc'],
  answersDeleted: true,
  subresources: [{ name: 'status', kind: 'PersistentVolumeClaim', verbs: readAndWrite }],
  columns: [
    nameColumn,
    column('Status', 'Whether it has its volume.', ({ status }) => textAt(status, 'phase')),
    column('Volume', 'The volume that it has.', ({ spec }) => textAt(spec, 'volumeName')),
    column('Capacity', 'What the volume holds.', (claim) => (isBound(claim) ? textAt(fieldsAt(claim.status, 'capacity'), 'storage') : '')),
    column('Access Modes', 'Who may mount it at the same time.', (claim) => {
      const modes = isBound(claim) ? (claim.status?.['accessModes'] ?? []) : [];
      return (Array.isArray(modes) ? modes : []).map((mode) => MODES[String(mode)] ?? String(mode)).join(',');
    }),
    column('StorageClass', 'The class that provides it.', ({ spec }) => textAt(spec, 'storageClassName')),
    column('VolumeAttributesClass', 'The class of its attributes.', ({ spec }) => textAt(spec, 'volumeAttributesClassName') || '<unset>'),
    ageColumn,
    column('VolumeMode', 'A file system, or a block device.', ({ spec }) => textAt(spec, 'volumeMode') || '<unset>', 1),
  ],
  rules: {
    defaults: withDefaults,
    create: (claim) => ({ ...withDefaults(claim), status: { phase: 'Pending' } }),
    validate: ({ spec = {} }) => validateClaimSpec(spec, 'spec'),
    update: (next, previous) => ({ ...withDefaults(next), status: previous.status ?? {} }),
    validateUpdate: (next, previous) => [...validateClaimSpec(next.spec ?? {}, 'spec'), ...updateErrors(next, previous)],
  },
});
