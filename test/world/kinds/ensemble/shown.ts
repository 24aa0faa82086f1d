// How ensembles are shown, read from documents, and made known to a cluster.
import { AGE, defineDefinition } from '../../../../lib/kinds/rows/kind-definition.ts';
import { defineManifests } from '../../../../lib/kinds/rows/kind-manifests.ts';
import { defineShown } from '../../../../lib/kinds/rows/kind-shown.ts';
import { ensembleFacts } from './facts.ts';
import { seatsOf, type Ensemble } from './ensemble.ts';

const readyOf = ({ status: { ready = {} } = {} }: Ensemble): number => (ready.strings ?? 0) + (ready.winds ?? 0);

export const ensembleShown = defineShown<Ensemble>(ensembleFacts, {
  figuresOf: (owner) => [{ name: 'ready', value: owner ? readyOf(owner) : 0, ...(owner && { of: seatsOf(owner).length }) }],
});

export const ensembleManifests = defineManifests<Ensemble>(ensembleFacts);

export const ensembleDefinition = defineDefinition(ensembleFacts, {
  columns: [{ name: 'Phase', type: 'string', jsonPath: '.status.phase' }, AGE],
});
