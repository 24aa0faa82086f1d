// The route by which a caller learns who it is to Farloop, and what it may do.
import { consoleDigest } from '../../files/console-files.ts';
import { ALL_FACTS } from '../../kinds/facts.ts';
import type { KindFacts } from '../../kinds/rows/kind.ts';
import { present } from '../../kinds/rows/owner-facts.ts';
import { missingHere, missingRight, type MissingRight } from '../../reconciler/questions/action-rights.ts';
import type { ActionName } from '../../wire/words/action-words.ts';
import { Me } from '../answers/me.ts';
import { route } from './route.ts';

export const meRoutes = [
  route('GET /v1/me', {
    summary: 'Who asks, on workloads of which clusters they may act, and if not, what is missing',
    answer: Me,
    handle: async (ports, { by }) => ({
      name: by,
      ...present({ console: await consoleDigest() }),
      ...rightsOf(missingHere(ports)),
      clusters: (await ports.clusters.list())
        .toSorted((one, other) => (one.name < other.name ? -1 : 1))
        .map((record) => ({ cluster: record.name, ...rightsOf(missingRight(ports, record)) })),
      kinds: ALL_FACTS.map((facts) => ({ kind: facts.kind, actions: actionsOf(facts) })),
    }),
  }),
] as const;

const rightsOf = (missing: MissingRight | undefined): { mayAct: boolean } & Partial<MissingRight> => ({ mayAct: !missing, ...missing });

function actionsOf({ actions, nodes }: KindFacts): ActionName[] {
  if (!actions) return nodes ? ['drain'] : [];
  return [
    ...(actions.suspension ? (['suspend', 'resume'] as const) : []),
    ...(actions.scalingOf ? (['scale'] as const) : []),
    'retry',
    'delete',
  ];
}
