// What a relay watches, lists and may do follows from the rows of the kinds.
import { describe, expect, test } from '@jest/globals';
import { jobFacts } from '../../../lib/kinds/job/facts.ts';
import { orphanPodFacts } from '../../../lib/kinds/orphan-pod/facts.ts';
import type { ChildFacts, KindFacts } from '../../../lib/kinds/rows/kind.ts';
import { watchesOf } from '../../../lib/kinds/rows/watches.ts';
import { JOB_FIELDS } from '../../../lib/kinds/job/terms/owner-facts.ts';
import { POD_FIELDS } from '../../../lib/objects/pods/pod-facts.ts';
import { JOBS, type Resource } from '../../../lib/objects/resources.ts';
import { allowedTo } from '../../../lib/relay/commands/commands.ts';
import { ensembleFacts } from '../../relay/ensemble.ts';

const SERVICES: Resource = { apiVersion: 'v1', kind: 'Service', plural: 'services', namespaced: true };
const groups = (apiVersion: string): Resource => ({ apiVersion, kind: 'PodGroup', plural: 'podgroups', namespaced: true });

const child = (resource: Resource, more: Partial<ChildFacts> = {}): ChildFacts => ({
  resource,
  fields: { metadata: true },
  membershipOf: () => undefined,
  selection: () => ({ labelSelector: 'a=b' }),
  partOf: () => null,
  revision: 1,
  ...more,
});
const withChildren = (...children: ChildFacts[]): KindFacts => ({ ...ensembleFacts, children });
const namesOf = (...kinds: KindFacts[]): string[] => watchesOf(kinds).map(({ name }) => name);

describe('watches', () => {
  test('of Jobs alone: Jobs, then pods, each with the fields of its rows', () => {
    const watches = watchesOf([jobFacts, orphanPodFacts]);
    expect(watches.map(({ name, fields, after }) => ({ name, fields, after: [...after].map((each) => each.name) }))).toEqual([
      { name: 'jobs', fields: JOB_FIELDS, after: [] },
      { name: 'pods', fields: POD_FIELDS, after: ['jobs'] },
    ]);
  });

  test('are shared by kinds, and told apart by group and selection (trap 7, trap 9)', () => {
    const labelled = child(SERVICES, { watch: { labelSelector: 'example.com/ensemble' } });
    expect(
      namesOf(jobFacts, withChildren(labelled, child(SERVICES), child(groups('scheduling.x-k8s.io/v1')), child(groups('volcano.sh/v1')))),
    ).toEqual([
      'jobs',
      'ensembles.example.com',
      'pods',
      'services-example.com-ensemble',
      'services',
      'podgroups.scheduling.x-k8s.io',
      'podgroups.volcano.sh',
    ]);
  });

  test('of a resource that is one kind of owner and another one’s child: one, listed after the owners of both (trap 14)', () => {
    const [set, jobs, pods] = ['ensembles.example.com', 'jobs', 'pods'].map((name) =>
      watchesOf([withChildren(child(JOBS, { fields: { spec: { size: true } } })), jobFacts]).find((each) => each.name === name),
    );
    const before = [jobs, pods].map((watch) => [...(watch?.after ?? [])].map(({ name }) => name));
    expect(set?.after.size).toBe(0);
    expect(before).toEqual([['ensembles.example.com'], ['ensembles.example.com', 'jobs']]);
    expect(jobs).toMatchObject({ owner: jobFacts, children: [{ child: { resource: JOBS } }] });
    expect(jobs?.fields).toMatchObject({ spec: { '*': true, size: true, template: { spec: { restartPolicy: true } } } });
  });
});

describe('commands that a relay carries out', () => {
  const verbsOf = (...kinds: KindFacts[]): Record<string, string> =>
    Object.fromEntries(allowedTo(kinds).map(({ resource, verbs }) => [`${resource.plural} ${resource.apiVersion}`, verbs.join(' ')]));

  test('follow from owners, children and further rights', () => {
    expect(verbsOf(withChildren(child(SERVICES)))).toEqual({
      'ensembles example.com/v1': 'get delete patch create',
      'pods v1': 'get list create delete patch',
      'services v1': 'get list create delete patch',
      'events v1': 'create list',
      'pods.log v1': 'get',
    });
    expect(verbsOf({ ...ensembleFacts, furtherRights: [{ resource: groups('volcano.sh/v1'), verbs: ['get'] }] })).toMatchObject({
      'podgroups volcano.sh/v1': 'get',
    });
  });

  test('are the union of what the kinds may (trap 14)', () => {
    expect(verbsOf(withChildren(child(JOBS)), jobFacts)).toMatchObject({ 'jobs batch/v1': 'get delete patch create list' });
  });
});
