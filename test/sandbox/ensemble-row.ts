// A made-up custom resource: any spec, a status of its own.
import { definitionIn, namesIn } from '../../lib/sandbox/definitions/definition.ts';
import { rowsOf } from '../../lib/sandbox/definitions/rows.ts';
import type { ResourceRow } from '../../lib/sandbox/rows/resource-row.ts';

const anything = { 'x-kubernetes-preserve-unknown-fields': true };

interface Change {
  plural?: string;
  namespaced?: boolean;
  hasStatus?: boolean;
  /** The schemas of its fields besides metadata. */
  fields?: object;
}

/** @throws Error where the definition serves nothing */
export function ensembles({ plural = 'ensembles', namespaced = true, hasStatus = true, fields }: Change = {}): ResourceRow {
  const properties = fields ?? { spec: { type: 'object', ...anything }, status: { type: 'object', ...anything } };
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: 'object', properties } },
    subresources: hasStatus ? { status: {} } : {},
    additionalPrinterColumns: [
      { name: 'Ready', type: 'integer', jsonPath: '.status.ready' },
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ],
  };
  const spec = { group: 'example.com', scope: namespaced ? 'Namespaced' : 'Cluster', versions: [version] };
  const names = namesIn({ plural, singular: 'ensemble', kind: 'Ensemble', listKind: 'EnsembleList', shortNames: ['ens'] });
  const [row] = rowsOf(definitionIn({ metadata: {}, spec }, names, () => false));
  if (!row) throw new Error('the definition of ensembles serves nothing');
  return row;
}
