// Children other than pods in passes: live reads, floors, refusals, what a person did to them.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { KubernetesObject } from '../../../lib/objects/kubernetes.ts';
import type { Plan } from '../../../lib/kinds/rows/plan.ts';
import { PODS } from '../../../lib/objects/resources.ts';
import { TerminalError } from '../../../lib/ports/errors.ts';
import { floorIn } from '../../../lib/reconciler/view/floors.ts';
import { AUTOSCALERS, CONFIG_MAPS, CONTINUES, ENSEMBLES, SECRETS, SERVICES, type Ensemble } from '../../world/kinds/ensemble/ensemble.ts';
import { allOf, anEnsemble, ensembleOf, eventsOf, openEnsembleWorld, playing, podNamed } from '../../world/kinds/ensemble/world.ts';
import { withPlans } from '../../world/planner-stand-in.ts';
import { expectQuiet } from '../../world/right.ts';
import type { World } from '../../world/world.ts';
import { toldOthers } from '../../wire/told-children.ts';

const AUTOSCALED = { 'ensemble-autoscaler': 'on' };
const TRIO = ['demo-strings-0', 'demo-strings-1', 'demo-winds-0'];

let world: World;
beforeEach(async () => {
  world = await openEnsembleWorld();
});
afterEach(() => world.close());

async function open(options: Parameters<typeof openEnsembleWorld>[0]): Promise<void> {
  world.close();
  world = await openEnsembleWorld(options);
}

const patchOwner = async (body: object, name = 'demo'): Promise<Ensemble> =>
  await world.as('PATCH', ENSEMBLES, { namespace: 'default', name, type: 'application/merge-patch+json', body });
const callsSince = (before: number): string[] => world.cluster.calls.slice(before).map(({ verb, plural }) => `${verb} ${plural}`);
const passesOf = (name = 'demo'): World['passes'] => world.passes.filter(({ key }) => key.name === name);
/** Its head counts as lost: the next pass lists all live (R1). */
async function invalidate(name = 'demo'): Promise<void> {
  await world.store.updateHead(await world.keyOf(name, 'Ensemble'), {}, { era: -1 });
  await world.reconciler.reconcile(await world.keyOf(name, 'Ensemble'));
}

describe('a resource that the API server does not serve', () => {
  const notServed = new TerminalError('LIST: the API server has no such resource', { code: 404, reason: 'NotFound' });

  test('keeps nothing else from going on; its children follow when it comes', async () => {
    await open({ options: AUTOSCALED });
    world.cluster.interference.before = ({ plural }) => {
      if (plural === AUTOSCALERS.plural) throw notServed;
    };
    await playing(world);
    expect((await ensembleOf(world)).status).toMatchObject({ phase: 'Playing', ready: { strings: 2, winds: 1 } });
    expect(await allOf(world)).toEqual({ pods: TRIO, services: TRIO, order: TRIO });
    world.cluster.interference = {};
    await world.elapse(70, { play: false });
    expect(await world.all(AUTOSCALERS)).toHaveLength(1);
    await expectQuiet(world, 2);
  });

  test('any more has no children any more', async () => {
    await open({ options: AUTOSCALED });
    await playing(world);
    world.cluster.interference.before = ({ plural }) => {
      if (plural === AUTOSCALERS.plural) throw notServed;
    };
    const seen: number[] = [];
    await withPlans(
      ({ children }, plan) => (seen.push(children?.get('horizontalpodautoscalers.autoscaling')?.length ?? -1), plan),
      () => invalidate(),
      {
        kind: 'Ensemble',
      },
    );
    expect(seen[0]).toBe(0);
  });
});

test('trap 8: a head without a floor for a used resource is unknown: nothing is decided before its live list', async () => {
  const owner = await playing(world);
  const { name = '', uid = '' } = owner.metadata;
  await world.as('POST', AUTOSCALERS, {
    namespace: 'default',
    body: {
      apiVersion: AUTOSCALERS.apiVersion,
      kind: AUTOSCALERS.kind,
      metadata: {
        name,
        labels: { 'example.com/ensemble': name },
        ownerReferences: [{ apiVersion: ENSEMBLES.apiVersion, kind: ENSEMBLES.kind, name, uid, controller: true }],
      },
      spec: { minReplicas: 1, maxReplicas: 1, scaleTargetRef: { apiVersion: 'example.com/v1', kind: 'Ensemble', name } },
    },
  });
  world.record = { ...world.record, options: AUTOSCALED };
  const before = world.cluster.calls.length;
  await world.reconciler.reconcile(await world.keyOf('demo', 'Ensemble'));
  expect(callsSince(before)).toEqual(['list horizontalpodautoscalers']);
  expect(passesOf().at(-1)?.outcome).toBe('converged');
  const again = world.cluster.calls.length;
  await world.reconciler.reconcile(await world.keyOf('demo', 'Ensemble'));
  expect(callsSince(again)).toEqual([]);
});

describe('R3: versions of a child’s resource', () => {
  const olderServices = (times: number): void => {
    let left = times;
    world.cluster.rewrite = ({ verb, plural }, answer) => {
      if (verb !== 'list' || plural !== 'services' || left-- <= 0) return answer;
      return { ...(answer as object), items: [], metadata: { resourceVersion: '1' } };
    };
  };

  test('one list that is behind is asked once more', async () => {
    await playing(world);
    olderServices(1);
    await invalidate();
    expect(world.record.era).toBe(0);
    expect(passesOf().at(-1)?.outcome).toBe('converged');
  });

  test('a list that is behind twice shows a restored server: the era rises, and nothing is made twice', async () => {
    await playing(world);
    const writes = world.cluster.writes.length;
    olderServices(2);
    await invalidate();
    expect(world.record.era).toBe(1);
    await world.elapse(70, { play: false });
    expect(world.cluster.writes.slice(writes)).toEqual([]);
    expect(passesOf().at(-1)?.outcome).toBe('converged');
    const head = await world.store.readHead(await world.keyOf('demo', 'Ensemble'));
    expect(['services', 'configmaps'].map((resource) => head && floorIn(head, resource, 1) !== undefined)).toEqual([true, true]);
  });
});

describe('trap 13, R10: before a child is made or deleted the owner is read live', () => {
  test('a create', async () => {
    await playing(world);
    await world.as('DELETE', SERVICES, { namespace: 'default', name: 'demo-winds-0' });
    await patchOwner({ spec: { winds: 0 } });
    world.keepBack('Ensemble');
    const writes = world.cluster.writes.length;
    // The view says that there are winds, and that their service is gone.
    await world.elapse(3, { play: false });
    expect(world.cluster.writes.slice(writes).map(({ verb, plural, name }) => `${verb} ${plural} ${name}`)).not.toContain(
      'create services demo-winds-0',
    );
  });

  test('a delete, whatever its kind says of it', async () => {
    await playing(world);
    await patchOwner({ spec: { suspend: true } });
    await world.until(async () => (await allOf(world)).pods.length === 0);
    // Only a service is too many now.
    await patchOwner({ spec: { winds: 0 } });
    await world.report();
    world.keepBack('Ensemble');
    await patchOwner({ spec: { winds: 1 } });
    const writes = world.cluster.writes.length;
    await world.elapse(3, { play: false });
    expect(world.cluster.writes.slice(writes).filter(({ verb }) => verb === 'delete')).toEqual([]);
    expect((await allOf(world)).services).toEqual(TRIO);
  });
});

describe('wants', () => {
  const secret = async (name: string, continues?: string): Promise<void> =>
    void (await world.as('POST', SECRETS, {
      namespace: 'default',
      body: {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, ...(continues !== undefined && { annotations: { [CONTINUES]: continues } }) },
      },
    }));
  const scored = async (score: NonNullable<Ensemble['spec']['score']>): Promise<void> => {
    await world.apply(anEnsemble('demo', { strings: 1, score }));
    await world.elapse(3, { play: false });
  };

  test('what is not there is waited for; what comes is read, and what it names too', async () => {
    await scored({ name: 'first' });
    expect((await allOf(world)).pods).toEqual([]);
    expect(passesOf().at(-1)?.why.join()).toContain('its score first is not there');
    await secret('second');
    await secret('first', 'second');
    await world.elapse(12, { play: false });
    expect((await allOf(world)).pods).toEqual(['demo-strings-0']);
  });

  test('a third round of reads parks the workload', async () => {
    for (const [name, continues] of [
      ['first', 'second'],
      ['second', 'third'],
      ['third', undefined],
    ] as const)
      await secret(name, continues);
    await scored({ name: 'first' });
    expect(passesOf().at(-1)).toMatchObject({ outcome: 'parked' });
    expect(passesOf().at(-1)?.why.join()).toContain('more than 2 rounds or 64 reads');
    expect((await allOf(world)).pods).toEqual([]);
  });

  test('a namespace that the cluster is not registered for parks it with one sentence, and no other', async () => {
    world.record = { ...world.record, namespaces: ['default'] };
    await world.apply(anEnsemble('other', { strings: 1 }));
    await scored({ name: 'first', namespace: 'elsewhere' });
    const sentence = 'it needs Secret objects of namespace elsewhere, which its cluster is not registered for';
    expect(passesOf().at(-1)).toMatchObject({ outcome: 'parked', why: [sentence] });
    expect((await eventsOf(world)).filter((event) => event.startsWith('Parked'))).toEqual([`Parked: ${sentence}`]);
    expect((await allOf(world)).pods).toEqual(['other-strings-0']);
  });

  test('a pass that leaves work behind comes back for it, although its reads are over by then', async () => {
    await secret('first');
    const oneAtATime = ({ actions, ...plan }: Plan<object>): Plan<object> => ({ ...plan, actions: actions.slice(0, 1) });
    await withPlans(
      (_, plan) => oneAtATime(plan),
      async () => {
        await world.apply(anEnsemble('demo', { strings: 2, score: { name: 'first' } }));
        await world.report();
        // Nothing that it does is told: only it knows what is left.
        for (const kind of ['Ensemble', 'Pod', 'Service', 'ConfigMap']) world.keepBack(kind);
        await world.elapse(10, { play: false });
        expect(await allOf(world)).toMatchObject({ pods: TRIO.slice(0, 2), services: TRIO.slice(0, 2), order: [] });
      },
      { kind: 'Ensemble' },
    );
  });

  test('with less than half of its time left a pass reads nothing more, and comes back', async () => {
    await secret('first');
    let isSlow = true;
    world.cluster.interference.before = async ({ verb, plural }) => {
      if (isSlow && verb === 'list' && plural === 'services') await world.clock.advance(11_000);
    };
    await world.apply(anEnsemble('demo', { strings: 1, score: { name: 'first' } }));
    await world.report();
    await world.run();
    expect(passesOf().at(-1)?.outcome).toBe('notDone');
    expect(world.cluster.calls.filter(({ plural }) => plural === 'secrets')).toEqual([]);
    isSlow = false;
    await world.elapse(3, { play: false });
    expect((await allOf(world)).pods).toEqual(['demo-strings-0']);
  });
});

test('tells: other workloads look, also after a crash between the note and the wakes', async () => {
  await playing(world, { strings: 1 });
  await world.apply(anEnsemble('friend', { strings: 1 }));
  await world.elapse(6, { play: false });
  const { cluster: _cluster, ...friend } = await world.keyOf('friend', 'Ensemble');
  let hasDied = false;
  await withPlans(
    ({ owner }, plan) => (owner.metadata.name === 'demo' && !hasDied ? { ...plan, tells: [friend] } : plan),
    async () => {
      const before = passesOf('friend').length;
      await patchOwner({ spec: { strings: 2 } });
      await world.report();
      world.interposer = ({ port, method, args, phase }, process) => {
        // It dies before it wakes anybody.
        hasDied ||= phase === 'before' && port === 'queue' && method === 'send' && args[0] === 'wakes';
        if (hasDied) process.kill();
      };
      await expect(world.run()).rejects.toThrow('killed');
      world.interposer = undefined;
      world.restart();
      await world.elapse(5, { play: false });
      expect(passesOf('friend').length).toBe(before + 1);
    },
    { kind: 'Ensemble' },
  );
});

describe('bad children', () => {
  test('trap 10: a part that is too large parks its workload with one sentence, and no other', async () => {
    await playing(world);
    const selector = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`label-of-some-length-${at}`, 'x'.repeat(40)]));
    await world.as('PATCH', SERVICES, {
      namespace: 'default',
      name: 'demo-winds-0',
      type: 'application/merge-patch+json',
      body: { spec: { selector } },
    });
    world.loseHeard();
    await invalidate();
    const sentence = /^Service default\/demo-winds-0: what is compared of it takes \d+ bytes of JSON; at most 512 are kept$/;
    expect(passesOf().at(-1)).toMatchObject({ outcome: 'parked', why: [expect.stringMatching(sentence)] });
    await playing(world, { strings: 1 }, 'other');
    expect((await ensembleOf(world, 'other')).status?.phase).toBe('Playing');
  });

  test('a child in another namespace than its owner’s belongs to nobody: it is no child of that owner', async () => {
    const { metadata } = await playing(world);
    const before = passesOf().length;
    await world
      .as(
        'POST',
        { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false },
        {
          body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'elsewhere' } },
        },
      )
      .catch(() => {});
    await world.as('POST', SERVICES, {
      namespace: 'elsewhere',
      body: {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: {
          name: 'stray',
          labels: { 'example.com/ensemble': 'demo' },
          ownerReferences: [
            { apiVersion: ENSEMBLES.apiVersion, kind: ENSEMBLES.kind, name: 'demo', uid: metadata.uid ?? '', controller: true },
          ],
        },
        spec: { ports: [{ port: 80 }] },
      },
    });
    await world.elapse(5, { play: false });
    expect(passesOf().filter(({ key }) => key.namespace === 'default')).toHaveLength(before);
    expect(await allOf(world)).toEqual({ pods: TRIO, services: TRIO, order: TRIO });
    expect(passesOf().filter(({ outcome }) => outcome === 'parked' || outcome === 'failed')).toEqual([]);
  });

  test('of a resource that no row has: the child alone is refused, the rest of its report is taken', async () => {
    const owner = await playing(world);
    const [service] = await world.all(SERVICES);
    const { cluster: _cluster, ...name } = await world.keyOf('demo', 'Ensemble');
    const child = { ...stateOf(service), resource: 'stages.example.com' };
    const object = { ...owner, metadata: { ...owner.metadata, managedFields: [] }, spec: { ...owner.spec, encore: 3 } };
    await world.send([
      {
        owner: name,
        observed: { heardAt: '9000001', deleted: false, object },
        children: toldOthers([{ heardAt: '9000000', presence: 'there', child }]),
      },
    ]);
    await world.ingest();
    const head = await world.store.readHead(await world.keyOf('demo', 'Ensemble'));
    expect(head?.items.filter((item) => item.name.includes('stages'))).toEqual([]);
    expect(world.log.map(({ fields }) => fields['first'])).toContainEqual([
      { owner: name, field: 'children[0]', expected: 'a child of a resource of Ensemble, not of stages.example.com' },
    ]);
  });
});

const stateOf = (object: KubernetesObject | undefined) => ({
  uid: object?.metadata.uid ?? '',
  namespace: 'default',
  name: object?.metadata.name ?? '',
  resourceVersion: '9000000',
  part: { revision: 1, facts: null },
});

describe('the owner is gone', () => {
  test('what it left is looked at until it is gone too; then the workload is forgotten', async () => {
    await playing(world);
    const key = await world.keyOf('demo', 'Ensemble');
    const held = { metadata: { finalizers: ['example.com/held'] } };
    const target = { namespace: 'default', name: 'demo-winds-0', type: 'application/merge-patch+json' };
    await world.as('PATCH', PODS, { ...target, body: held });
    await world.as('DELETE', ENSEMBLES, { namespace: 'default', name: 'demo' });
    await world.elapse(5);
    expect(await allOf(world)).toEqual({ pods: ['demo-winds-0'], services: [], order: undefined });
    expect(await world.store.readHead(key)).toBeDefined();
    await world.as('PATCH', PODS, { ...target, body: { metadata: { finalizers: null } } });
    await world.elapse(5);
    expect(await world.store.readHead(key)).toBeUndefined();
    await expectQuiet(world, 2);
  });

  test('services that nobody collects are deleted', async () => {
    await playing(world, { strings: 1 });
    const key = await world.keyOf('demo', 'Ensemble');
    world.cluster.rewrite = (call, answer) => answer;
    const [service] = await world.all(SERVICES);
    await world.as('DELETE', ENSEMBLES, { namespace: 'default', name: 'demo', body: { propagationPolicy: 'Orphan' } });
    await world.elapse(5);
    expect(service).toBeDefined();
    expect(await world.store.readHead(key)).toBeUndefined();
    // Orphans are nobody's: they stay.
    expect((await allOf(world)).pods).toEqual(['demo-strings-0']);
    expect(await world.all(CONFIG_MAPS)).toHaveLength(1);
    expect((await podNamed(world, 'demo-strings-0')).metadata.ownerReferences).toBeUndefined();
  });
});
