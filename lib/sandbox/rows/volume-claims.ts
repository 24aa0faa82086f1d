// Claims of storage. There is no storage here: controllers/claim-binding.ts takes every claim as met.
import type { FieldError } from '../../objects/field-error.ts';
import { validateClaimSpec } from '../../admission/volume/claim-template-validation.ts';
import { setClaimSpecDefaults } from '../../admission/volume/volume-defaults.ts';
import { forbidden } from '../../objects/refusals.ts';
import { fieldsOf } from '../../objects/values/untyped-fields.ts';
import { fieldsAt, isSame, textAt } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import { ageColumn, column, nameColumn, row, wide } from './row.ts';

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

export const volumeClaims = row({
  plural: 'persistentvolumeclaims',
  kind: 'PersistentVolumeClaim',
  shortNames: ['pvc'],
  answersDeleted: true,
  hasStatus: true,
  columns: [
    nameColumn,
    column('Status', ({ status }) => textAt(status, 'phase')),
    column('Volume', ({ spec }) => textAt(spec, 'volumeName')),
    column('Capacity', (claim) => (isBound(claim) ? textAt(fieldsAt(claim.status, 'capacity'), 'storage') : '')),
    column('Access Modes', (claim) => {
      const modes = isBound(claim) ? (claim.status?.['accessModes'] ?? []) : [];
      return (Array.isArray(modes) ? modes : []).map((mode) => MODES[String(mode)] ?? String(mode)).join(',');
    }),
    column('StorageClass', ({ spec }) => textAt(spec, 'storageClassName')),
    column('VolumeAttributesClass', ({ spec }) => textAt(spec, 'volumeAttributesClassName') || '<unset>'),
    ageColumn,
    column('VolumeMode', ({ spec }) => textAt(spec, 'volumeMode') || '<unset>', wide),
  ],
  rules: {
    defaults: withDefaults,
    create: (claim) => ({ ...withDefaults(claim), status: { phase: 'Pending' } }),
    validate: ({ spec = {} }) => validateClaimSpec(spec, 'spec'),
    validateUpdate: (next, previous) => [...validateClaimSpec(next.spec ?? {}, 'spec'), ...updateErrors(next, previous)],
  },
});
