// How ensembles are shown, and read from documents.
import * as v from 'valibot';
import { defineManifests, UNSTORED_UID } from '../../../../lib/kinds/rows/kind-manifests.ts';
import { defineShown } from '../../../../lib/kinds/rows/kind-shown.ts';
import { int32, metadata, object, optional, problemIn } from '../../../../lib/kinds/rows/manifest-shapes.ts';
import { ensembleFacts } from './facts.ts';
import { seatsOf, type Ensemble } from './ensemble.ts';

const readyOf = ({ status: { ready = {} } = {} }: Ensemble): number => Object.values(ready).reduce((sum, count) => sum + count, 0);

export const ensembleShown = defineShown<Ensemble>({
  reasons: { Rehearsing: 'Pending', OnStage: 'Running' },
  reasonsOf: ({ owner }) => [
    readyOf(owner) > 0 ? { code: 'OnStage', text: `${readyOf(owner)} play` } : { code: 'Rehearsing', text: 'nobody plays yet' },
  ],
  knownBackoff: ({ failures }) => ({ failures }),
  lettingGoText: (held) => `the ensemble is gone: ${held.length} pods of it go`,
  standingOf: ({ status }) => (status?.phase === 'Complete' || status?.phase === 'Failed' ? { state: status.phase } : undefined),
  isUnderWay: (owner) => readyOf(owner) > 0,
  fields: [],
  figuresOf: (owner) => [{ name: 'ready', value: owner ? readyOf(owner) : 0, ...(owner && { of: seatsOf(owner).length }) }],
  purposes: { correct: { does: 'correct', refusedTo: (target) => `correct ${target}` } },
  eventsPerPod: new Set(),
  hiddenStatus: new Set(),
  unmanagedText: () => 'somebody else manages it',
  ownOnlyText: () => undefined,
});

const shape = object({ metadata, spec: object({ strings: optional(int32), winds: optional(int32) }) });

export const ensembleManifests = defineManifests<Ensemble>({
  besides: () => [],
  read(document, { namespace }) {
    if (!v.is(shape, document)) return { problem: problemIn(shape, document) };
    const [role, count] = Object.entries(document.spec).find(([, value]) => typeof value === 'number' && value < 0) ?? [];
    if (role !== undefined) return { refusals: [{ field: `spec.${role}`, message: `must be at least 0, found ${String(count)}` }] };
    const owner = document as unknown as Ensemble;
    return { owner: ensembleFacts.factsOf({ ...owner, metadata: { uid: UNSTORED_UID, ...owner.metadata, namespace } }) as Ensemble };
  },
});
