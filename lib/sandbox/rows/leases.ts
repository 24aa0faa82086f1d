// Leases: who holds what, until when.
import { fieldsAt, textAt } from '../api-object.ts';
import { ageColumn, nameColumn, row } from './row.ts';

export const leases = row({
  group: 'coordination.k8s.io',
  plural: 'leases',
  singular: 'lease',
  kind: 'Lease',
  createsOnUpdate: true,
  needsVersion: true,
  columns: [
    nameColumn,
    {
      name: 'Holder',
      type: 'string',
      description: 'Who holds it now.',
      cell: (object) => textAt(fieldsAt(object, 'spec'), 'holderIdentity'),
    },
    ageColumn,
  ],
});
