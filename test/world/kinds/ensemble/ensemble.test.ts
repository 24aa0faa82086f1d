// The tests' own kind comes in by its rows alone: every table knows it.
import { expect, test } from '@jest/globals';
import { TEST_ROWS } from '../table.ts';
import { findFacts, kindNames } from '../../../../lib/kinds/facts.ts';
import { findKindNamed } from '../../../../lib/kinds/kind-names.ts';
import { planManifests } from '../../../../lib/kinds/planning/manifest-plan.ts';
import { findWord, managedKinds, USUAL_MANAGES } from '../../../../lib/kinds/settings.ts';
import { shownFor } from '../../../../lib/kinds/shown.ts';
import { allowedTo } from '../../../../lib/relay/commands/commands.ts';
import { ALL_FACTS } from '../../../../lib/kinds/facts.ts';
import { ensembleFacts } from './facts.ts';

test('a kind that the table of the tests brings is known by kind, name and word, and is nobody’s default', () => {
  expect(kindNames().at(-1)).toBe('Ensemble');
  expect(TEST_ROWS.map(({ plural }) => plural)).toEqual(['beacons', 'ensembles']);
  expect([findFacts('Ensemble'), findKindNamed('ENS'), findKindNamed('ensembles.example.com')]).toEqual(Array(3).fill(ensembleFacts));
  expect([findWord('ensembles'), USUAL_MANAGES]).toEqual(['ensembles', ['jobs']]);
  expect(shownFor('Ensemble').figuresOf(undefined)).toEqual([{ name: 'ready', value: 0 }]);
  expect(allowedTo(ALL_FACTS).find(({ resource }) => resource.plural === 'secrets')?.verbs).toEqual(['get']);
});

test('trap 8: a child that a cluster has not is no child there', () => {
  const childrenOf = (options: Record<string, string>) =>
    managedKinds(['ensembles'], ALL_FACTS, { options }).map(({ children }) => children.map(({ resource }) => resource.plural));
  expect(childrenOf({})).toEqual([['services', 'configmaps']]);
  expect(childrenOf({ 'ensemble-autoscaler': 'on' })).toEqual([['services', 'configmaps', 'horizontalpodautoscalers']]);
});

test('`plan` decides about one from its document, and refuses what no server would take', () => {
  const document = (spec: object) => [
    {
      document: { apiVersion: 'example.com/v1', kind: 'Ensemble', metadata: { name: 'quartet', namespace: 'default' }, spec },
      source: 'a.yaml',
    },
  ];
  const now = new Date(0);
  const { actions, outcome } = planManifests(document({ strings: 2, winds: 1 }), { now });
  expect(outcome).toBe('acted');
  expect(actions.map((action) => ('object' in action ? `${action.object.kind} ${action.object.metadata.name}` : action.verb))).toEqual([
    'Pod quartet-strings-0',
    'Pod quartet-strings-1',
    'Pod quartet-winds-0',
    'event',
    'event',
    'event',
    'Service quartet-strings-0',
    'Service quartet-strings-1',
    'Service quartet-winds-0',
    'ConfigMap quartet-order',
    'status',
  ]);
  expect(() => planManifests(document({ strings: -1 }), { now })).toThrow(
    'a.yaml: spec.strings: expected a whole number from 0 to 2147483647, found -1',
  );
  expect(() => planManifests(document({ strings: 'many' }), { now })).toThrow('spec.strings');
});
