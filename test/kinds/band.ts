// A kind that no build knows, for tests of what asks the tables: a band with players of two roles.
import type { KindFacts } from '../../lib/kinds/rows/kind.ts';
import { defineFacts } from '../../lib/kinds/rows/define-facts.ts';
import { defineShown, type KindShown } from '../../lib/kinds/rows/kind-shown.ts';
import type { WorkloadObject } from '../../lib/objects/kubernetes.ts';

export interface Band extends WorkloadObject {
  spec: { players: number; manager?: string };
  status?: { playing?: number; state?: 'Tuning' | 'Playing' | 'Over' };
}

export function aMadeUpKind(): { facts: KindFacts; shown: KindShown } {
  const facts = defineFacts<Band>({
    resource: { apiVersion: 'music.example.com/v1alpha1', kind: 'Band', plural: 'bands', namespaced: true },
    shortNames: ['bd'],
    labels: 'example.com/band',
    faultOf: () => undefined,
    settings: [{ word: 'bands', takes: 'bands' }],
    isManaged: ({ spec }) => spec.manager === 'farloop',
    managerOf: ({ spec }) => spec.manager,
    isFinished: ({ status }) => status?.state === 'Over',
    expectedChildren: ({ spec }) => spec.players,
  });
  const shown = defineShown<Band>(facts, {
    reasons: { OutOfTune: 'Waiting' },
    reasonsOf: () => [{ code: 'OutOfTune', text: 'a player is out of tune' }],
    lettingGoText: () => 'the band has split up',
    standingOf: ({ status }) => (status?.state === 'Over' ? { state: 'Succeeded' } : undefined),
    isUnderWay: ({ status }) => (status?.playing ?? 0) > 0,
    fields: [{ name: 'players', in: 'spec', is: 'count' }],
    figuresOf: (band) => [
      { name: 'playing', value: band?.status?.playing ?? 0, ...(band && { of: band.spec.players }) },
      { name: 'encores', value: 2, isMinor: true },
    ],
    purposes: { tune: { does: 'tune', refusedTo: (target) => `let ${target} be tuned` } },
    unmanagedText: ({ managedBy }) => `${managedBy ?? 'nobody'} manages this band`,
  });
  return { facts, shown };
}
