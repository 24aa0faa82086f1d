// Builders of actions: what is the same for all objects of a workload follows from its row.
import { describe, expect, test } from '@jest/globals';
import { childActions, createPodActions, inWaves, statusActions } from '../../../lib/kinds/rows/actions.ts';
import { childPartOf } from '../../../lib/kinds/rows/child.ts';
import { defineFacts } from '../../../lib/kinds/rows/define-facts.ts';
import { EMPTY_HEAD, nameKeyOf, type Snapshot } from '../../../lib/kinds/rows/plan.ts';
import { podReaderOf } from '../../../lib/kinds/rows/pod-reader.ts';
import { resourceKeyOf, type ChildState } from '../../../lib/objects/child-state.ts';
import type { Pod, WorkloadObject } from '../../../lib/objects/kubernetes.ts';
import { fieldsOf } from '../../../lib/objects/values/untyped-fields.ts';
import type { Resource } from '../../../lib/objects/resources.ts';

const LABEL = 'example.com/crew';
const SERVICES: Resource = { apiVersion: 'v1', kind: 'Service', plural: 'services', namespaced: true };

const facts = defineFacts({
  resource: { apiVersion: 'example.com/v1', kind: 'Crew', plural: 'crews', namespaced: true },
  labels: LABEL,
  faultOf: () => undefined,
  isFinished: () => false,
  children: [{ resource: SERVICES, partOf: (service) => ({ port: String(fieldsOf(fieldsOf(service)['spec'])['port']) }) }],
});

const owner: WorkloadObject = { metadata: { name: 'argo', namespace: 'sea', uid: 'u1' } };
const reference = { apiVersion: 'example.com/v1', kind: 'Crew', name: 'argo', uid: 'u1', controller: true, blockOwnerDeletion: true };

describe('a pod', () => {
  const [create, event] = createPodActions(facts, owner, { slot: 3, number: 7 }, { spec: { containers: [] } }, 'a seat is free');
  const object = create?.verb === 'create' ? (create.object as Pod) : undefined;

  test('has the name of its slot, the labels that find it, and its owner', () => {
    expect(object?.metadata).toMatchObject({ name: 'argo-3', namespace: 'sea', labels: { [LABEL]: 'argo' }, ownerReferences: [reference] });
    expect(event).toMatchObject({ reason: 'SuccessfulCreatePod', about: 'argo-3', regarding: { kind: 'Crew', uid: 'u1' } });
  });

  test('is known by slot and number again: without them a repeated create would meet its own pod for ever (R5)', () => {
    const met = podReaderOf(facts).factsOf({ ...object, metadata: { ...object?.metadata, uid: 'p', resourceVersion: '9' } } as Pod);
    expect([facts.pods.slotOf?.(met), met.number]).toEqual([3, 7]);
    expect(create).toMatchObject({ child: { slot: 3, number: 7 } });
    expect(facts.pods.nameOf(owner, { slot: 3, number: 7 })).toBe(met.name);
    expect(facts.pods.concerns({ cluster: 'c', kind: 'Crew', namespace: 'sea', name: 'argo', uid: 'u1' }, met)).toBe(true);
    expect(facts.pods.isCountedIn(owner)(met)).toBe(true);
    expect(facts.pods.membershipOf(object?.metadata ?? {})).toMatchObject({ name: 'argo', uid: 'u1' });
  });
});

describe('children', () => {
  const [row] = facts.children;
  const service = (name: string, port: number) => ({ metadata: { name }, spec: { port } });
  const child = (name: string, port: number, more: Partial<ChildState> = {}): ChildState => ({
    resource: 'services',
    uid: `uid-${name}`,
    namespace: 'sea',
    name,
    resourceVersion: '1',
    labels: { [LABEL]: 'argo' },
    part: childPartOf(row!, service(name, port)),
    ...more,
  });
  const actionsFor = (present: readonly ChildState[] | undefined, held?: Snapshot<WorkloadObject>['held']): string[] =>
    childActions(
      facts,
      {
        owner,
        pods: [],
        head: EMPTY_HEAD,
        manages: ['crews'],
        ...(present && { children: new Map([[resourceKeyOf(SERVICES), present]]) }),
        ...(held && { held }),
      },
      SERVICES,
      [service('a', 1)],
    ).map((action) => `${action.verb} ${action.verb === 'create' ? action.object.metadata.name : 'name' in action ? action.name : ''}`);

  test.each<[string, readonly ChildState[] | undefined, string[]]>([
    ['a missing one is made', [], ['create a']],
    ['one that is right is left', [child('a', 1)], []],
    ['one that differs is put right', [child('a', 2)], ['patch a']],
    ['trap 1: one that lost its label gets it back', [child('a', 1, { labels: {} })], ['patch a']],
    ['one that is being deleted is waited for', [child('a', 2, { terminating: true })], []],
    ['one that nothing needs goes', [child('a', 1), child('b', 1)], ['delete b']],
    ['one that nothing needs and that goes already is left', [child('a', 1), child('b', 1, { terminating: true })], []],
    ['trap 8: nothing where the cluster has no such children', undefined, []],
  ])('%s', (_, present, wanted) => {
    expect(actionsFor(present)).toEqual(wanted);
  });

  test('trap 6: the place of a name that somebody else has waits', () => {
    expect(actionsFor([], new Map([[nameKeyOf(SERVICES, 'a'), { uid: 'x', isTerminating: false }]]))).toEqual([]);
  });

  test('deleted for one kind of owners, they are found by its label in lists and watches', () => {
    expect(row).toMatchObject({ watch: { labelSelector: LABEL }, refusedReasons: { create: 'FailedCreateService' } });
    const key = { cluster: 'c', kind: 'Crew', namespace: 'sea', name: 'argo', uid: 'u1' };
    expect([row?.selection(key, undefined), facts.pods.selection(key, undefined)]).toEqual([
      { labelSelector: `${LABEL}=argo` },
      { labelSelector: `${LABEL}=argo` },
    ]);
  });
});

test('a status is written if it differs, whatever the order of its fields', () => {
  const written: WorkloadObject = { ...owner, status: { b: 1, a: { d: 2, c: 3 } } };
  expect(statusActions(written, { a: { c: 3, d: 2 }, b: 1, absent: undefined }, 'why')).toEqual([]);
  expect(statusActions(written, { a: {}, b: 1 }, 'why', true)).toEqual([
    { verb: 'status', status: { a: {}, b: 1 }, isFinal: true, why: 'why' },
  ]);
});

test('in waves, writes are neighbours: an event about one of them comes after all, any other before', () => {
  const actions = ['x', 'y'].flatMap((name) => [
    { verb: 'status', status: { name }, why: '' } as const,
    {
      verb: 'event',
      type: 'Normal',
      reason: name,
      message: '',
      regarding: { ...reference, namespace: 'sea' },
      about: name,
      why: '',
    } as const,
  ]);
  expect(inWaves(actions).map(({ verb }) => verb)).toEqual(['status', 'status', 'event', 'event']);
});
