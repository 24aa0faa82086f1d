// Namespaces: made active, ended by emptying them first (namespace-lifecycle.ts).
import { problemsOfDnsLabel } from '../../objects/names.ts';
import { fieldsAt, textAt } from '../objects/api-object.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { ageColumn, column, nameColumn, row } from './row.ts';

const nameLabel = 'kubernetes.io/metadata.name';

const withNameLabel = ({ metadata, ...rest }: ApiObject): ApiObject => ({
  ...rest,
  metadata: { ...metadata, labels: { ...metadata.labels, [nameLabel]: metadata.name ?? '' } },
});

export const namespaces = row({
  plural: 'namespaces',
  kind: 'Namespace',
  shortNames: ['ns'],
  namespaced: false,
  answersDeleted: true,
  hasStatus: true,
  subresources: [{ name: 'finalize', kind: 'Namespace', verbs: ['update'] }],
  columns: [nameColumn, column('Status', (object) => textAt(object.status, 'phase')), ageColumn],
  fieldsOf: (object) => ({ 'status.phase': textAt(object.status, 'phase'), name: object.metadata.name ?? '' }),
  rules: {
    defaults: withNameLabel,
    create: (object) => ({ ...withNameLabel(object), spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } }),
    update: (next, previous) => ({
      ...withNameLabel(next),
      spec: { ...next.spec, ...('finalizers' in fieldsAt(previous, 'spec') && { finalizers: previous.spec?.['finalizers'] }) },
    }),
    updateStatus: (next, previous) => ({
      ...next,
      status: { ...next.status, phase: previous.metadata.deletionTimestamp === undefined ? 'Active' : 'Terminating' },
    }),
    nameProblems: problemsOfDnsLabel,
  },
});
