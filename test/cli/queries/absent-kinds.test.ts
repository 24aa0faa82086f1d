// Managed kinds without a definition are named, with the command that installs them.
import { expect, test } from '@jest/globals';
import { absentKindTexts } from '../../../lib/cli/queries/absent-kinds.ts';

const watch = (resource: string) => ({ resource, ageSeconds: 1, resourceVersion: '1' });
const clusterWith = (manages: string[], ...resources: string[]): Parameters<typeof absentKindTexts>[0][number] => ({
  name: 'west',
  manages,
  manage: 'own',
  relay: { session: 's', heardTime: '', silentForSeconds: 1, clockOffsetMs: 0, watches: resources.map(watch) } as never,
});
const ALL = ['tfjobs', 'pytorchjobs', 'mpijobs', 'xgboostjobs', 'paddlejobs', 'mxjobs', 'jaxjobs'];

test('a kind that no watch is for is absent; nothing is said before the first list, nor of kinds that are not managed', () => {
  const some = clusterWith(['training-jobs'], 'pods', ...ALL.filter((plural) => plural !== 'mpijobs' && plural !== 'jaxjobs'));
  expect(absentKindTexts([some])).toEqual([
    'cluster west has no definition of MPIJob, JAXJob: farloop crds | kubectl apply --server-side -f -',
  ]);
  expect(absentKindTexts([some], 'MPIJob')).toHaveLength(1);
  expect(absentKindTexts([some], 'TFJob')).toEqual([]);
  expect(absentKindTexts([clusterWith(['training-jobs'])])).toEqual([]);
  expect(absentKindTexts([clusterWith(['jobs'], 'jobs', 'pods')])).toEqual([]);
  expect(absentKindTexts([clusterWith(['training-jobs'], ...ALL)])).toEqual([]);
});

test('a kind of which some objects alone are watched, by their names, is not absent', () => {
  const watched = { ...clusterWith(['virtual-nodes'], 'nodes-metadata.name-edge', 'pods'), options: { 'virtual-node': 'edge=simulated' } };
  expect(absentKindTexts([watched], 'VirtualNode')).toEqual([]);
});
