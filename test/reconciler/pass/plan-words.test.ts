// What a plan may ask of the loop: to see objects (`wants`), to keep state of its kind's own (`kept`), to have others look (`tells`), and to
// write objects that are no pods.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { readKeyOf, type Action, type Plan, type ReadWant } from '../../../lib/kinds/rows/plan.ts';
import { decodeState } from '../../../lib/reconciler/head/pass-state.ts';
import type { WorkloadKey } from '../../../lib/objects/workload.ts';
import { JOBS, type Resource } from '../../../lib/objects/resources.ts';
import { TerminalError } from '../../../lib/ports/errors.ts';
import { withPlans } from '../../world/planner-stand-in.ts';
import { aJob, CLUSTER, World } from '../../world/world.ts';

let world: World;
beforeEach(async () => {
  world = new World();
  await world.watch();
});
afterEach(() => world.close());

const LEASES: Resource = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', plural: 'leases', namespaced: true };
const leases = async (): Promise<{ metadata: { name: string; uid: string }; spec: object }[]> =>
  (await world.as<{ items: { metadata: { name: string; uid: string }; spec: object }[] }>('GET', LEASES, { namespace: 'default' })).items;
const aLease = (name: string): Action => ({
  verb: 'create',
  resource: LEASES,
  object: { apiVersion: LEASES.apiVersion, kind: LEASES.kind, metadata: { name, namespace: 'default' } },
  why: 'a test wants it',
});
const keyOf = async (name: string): Promise<WorkloadKey> => ({
  cluster: CLUSTER,
  kind: 'Job',
  namespace: 'default',
  name,
  uid: (await world.job(name)).metadata.uid ?? '',
});
const stateOf = async (name: string) => decodeState((await world.store.readHead(await keyOf(name)))?.state ?? '');
const passesOf = (name: string): World['passes'] => world.passes.filter(({ key }) => key.name === name);
const hasCreates = ({ actions }: Plan<object>): boolean => actions.some(({ verb }) => verb === 'create');
async function once(): Promise<void> {
  await world.report();
  await world.run();
}

describe('wants', () => {
  const other: ReadWant = { resource: JOBS, name: 'other' };
  const all: ReadWant = { resource: LEASES };

  test('are read live in the same pass, before anything is intended; what is not there, and what is not served, is told as such', async () => {
    const noSuch: ReadWant = { resource: { ...LEASES, plural: 'nothings' } };
    const seen: unknown[] = [];
    await world.apply(aJob('other', { suspend: true }));
    await once();
    await world.elapse(3);
    await withPlans(
      ({ owner, read }, plan) => {
        if (owner.metadata.name !== 'demo' || !hasCreates(plan)) return plan;
        const wants = [other, { resource: LEASES, name: 'missing' }, all, noSuch];
        const found = wants.map((want) => read?.get(readKeyOf(want, 'default')));
        if (found.every((one) => one)) seen.push(found.map((one) => one?.objects?.map(({ metadata }) => metadata.name)));
        return { ...plan, wants };
      },
      async () => {
        await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
        await world.report();
        const before = world.cluster.calls.length;
        await world.run();
        expect(seen[0]).toEqual([['other'], undefined, [], undefined]);
        const ofDemo = world.cluster.calls.slice(before).map(({ verb, plural, name }) => `${verb} ${plural} ${name ?? ''}`.trim());
        expect(ofDemo.filter((call) => call === 'get jobs other')).toHaveLength(1);
        expect(ofDemo.indexOf('get jobs other')).toBeLessThan(ofDemo.findIndex((call) => call.startsWith('create pods')));
        expect(passesOf('demo').filter(({ actions }) => actions.some(({ verb }) => verb === 'create'))).toHaveLength(1);
      },
    );
  });

  test('the owner whole: its template is there, which no view holds', async () => {
    const wholes: unknown[] = [];
    await world.apply(aJob('demo', { completions: 1, parallelism: 1, suspend: true }));
    await withPlans(({ isWhole, owner }, plan) => {
      wholes.push([isWhole, (owner.spec as { template?: { spec: { containers: unknown[] } } }).template?.spec.containers.length]);
      return { ...plan, wants: [{ owner: 'whole' }] };
    }, once);
    expect(wholes.at(-1)).toEqual([true, 1]);
  });

  test.each<[string, (round: number) => ReadWant[]]>([
    ['for a third round', (round) => [{ resource: LEASES, name: `lease-${round}` }]],
    ['for 65 objects', () => Array.from({ length: 65 }, (_, at) => ({ resource: LEASES, name: `lease-${at}` }))],
  ])('that ask %s park the workload, which nothing is done for', async (_, wantsOf) => {
    await withPlans(
      ({ read }, plan) => ({ ...plan, wants: wantsOf(read?.size ?? 0) }),
      async () => {
        await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
        await once();
        expect(passesOf('demo').at(-1)).toMatchObject({ outcome: 'parked', why: ['its planner wants more than 2 rounds or 64 reads'] });
        expect(await world.pods()).toEqual([]);
      },
    );
  });
});

describe('kept', () => {
  const schema = v.object({ stage: v.number() });

  test('R5: is stored before the first action, and given back to the next pass', async () => {
    const given: unknown[] = [];
    let storedAtCreate: unknown;
    world.cluster.interference.before = async ({ verb, plural }) => {
      if (verb === 'create' && plural === 'leases') storedAtCreate = (await stateOf('demo'))?.kept;
    };
    await withPlans(
      ({ kept }, plan) => {
        given.push(kept);
        const isFirst = kept === undefined;
        return { ...plan, ...(isFirst && { actions: [aLease('one')], outcome: 'acted' }), head: { ...plan.head, kept: { stage: 1 } } };
      },
      async () => {
        await world.apply(aJob('demo', { suspend: true }));
        await once();
        await world.elapse(3);
      },
      { kept: { schema } },
    );
    expect(storedAtCreate).toEqual({ stage: 1 });
    expect(given[0]).toBeUndefined();
    expect(given.at(-1)).toEqual({ stage: 1 });
    expect((await leases()).map(({ metadata }) => metadata.name)).toEqual(['one']);
  });

  test('what is larger than 16 KB parks the workload', async () => {
    await withPlans(
      (_, plan) => ({ ...plan, head: { ...plan.head, kept: { text: 'x'.repeat(16_384) } } }),
      async () => {
        await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
        await once();
        expect(passesOf('demo').at(-1)?.error).toBe('its kind keeps 16395 bytes in its head, expected 16384 at most');
        expect(passesOf('demo').at(-1)?.outcome).toBe('parked');
        expect(await world.pods()).toEqual([]);
      },
      { kept: { schema: v.object({ text: v.string() }) } },
    );
  });

  test('R1: what its kind cannot read counts as a missing head: the children are listed live', async () => {
    await world.apply(aJob('demo', { completions: 2, parallelism: 1 }));
    await once();
    const key = await keyOf('demo');
    const head = await world.store.readHead(key);
    await world.store.updateHead(
      key,
      {},
      { state: JSON.stringify({ ...JSON.parse(head?.state ?? ''), kept: { groupedGeneration: 'one' } }) },
    );
    const before = passesOf('demo').length;
    await world.reconciler.reconcile(key);
    expect(passesOf('demo')[before]?.outcome).toBe('unknown');
    await world.elapse(31);
    const [known] = passesOf('demo')
      .slice(before)
      .filter(({ outcome }) => outcome !== 'unknown');
    expect(known?.saw['listed']).toBe(true);
  });
});

test('R11: a wake is due within a year, however far ahead a plan looks', async () => {
  await withPlans(
    (_, plan) => ({ ...plan, requeueAfterSeconds: Number.MAX_SAFE_INTEGER }),
    async () => {
      await world.apply(aJob('demo', { suspend: true }));
      await once();
      const { wake } = (await world.store.readHead(await keyOf('demo'))) ?? {};
      expect((wake?.dueAtMs ?? 0) - world.clock.nowMs()).toBeLessThanOrEqual(365 * 86_400_000);
      expect(wake?.dueAtMs).toBeGreaterThan(world.clock.nowMs());
    },
  );
});

describe('tells', () => {
  async function two(): Promise<{ uid: string }> {
    await world.apply(aJob('other', { suspend: true }));
    await world.apply(aJob('demo', { suspend: true }));
    await once();
    await world.elapse(10);
    return await keyOf('other');
  }
  const telling = (uid: string, plan: Plan<object>): Plan<object> => ({
    ...plan,
    tells: [{ kind: 'Job', namespace: 'default', name: 'other', uid }],
  });

  test('other workloads are woken before the pass is done, and the note of it goes', async () => {
    const { uid } = await two();
    const before = passesOf('other').length;
    await withPlans(
      ({ owner }, plan) => (owner.metadata.name === 'demo' ? telling(uid, plan) : plan),
      async () => {
        await world.reconciler.reconcile(await keyOf('demo'));
        await world.run();
      },
    );
    expect(passesOf('other').length).toBe(before + 1);
    expect((await stateOf('demo'))?.tells).toBeUndefined();
  });

  test('what a crash left unsent the next pass sends', async () => {
    const { uid } = await two();
    const before = passesOf('other').length;
    let crashes = 0;
    world.cluster.interference.after = ({ verb, plural }) => {
      if (verb === 'create' && plural === 'leases' && ++crashes === 1) throw new Error('the process dies here');
    };
    await withPlans(
      ({ owner }, plan) =>
        owner.metadata.name === 'demo' && crashes === 0 ? { ...telling(uid, plan), actions: [aLease('one')], outcome: 'acted' } : plan,
      async () => {
        await world.reconciler.reconcile(await keyOf('demo')).catch(() => {});
        expect((await stateOf('demo'))?.tells).toHaveLength(1);
        expect(passesOf('other').length).toBe(before);
        await world.reconciler.reconcile(await keyOf('demo'));
        await world.run();
      },
    );
    expect(crashes).toBe(1);
    expect(passesOf('other').length).toBe(before + 1);
    expect((await stateOf('demo'))?.tells).toBeUndefined();
  });
});

describe('objects that are no pods', () => {
  test('are made, patched and deleted by their own resource; one that is there already is met, and planned from', async () => {
    const steps: string[] = [];
    await world.as('POST', LEASES, {
      namespace: 'default',
      body: { apiVersion: LEASES.apiVersion, kind: 'Lease', metadata: { name: 'taken' } },
    });
    await withPlans(
      ({ read }, plan) => {
        const found = read?.get(readKeyOf({ resource: LEASES }, 'default'))?.objects;
        const base: Plan<object> = { ...plan, actions: [], outcome: 'acted', wants: [{ resource: LEASES }] };
        if (!found) return base;
        const [step] = [...steps.slice(-1), 'none'];
        const uid = found[0]?.metadata.uid ?? '';
        const target = { resource: LEASES, apiVersion: LEASES.apiVersion, kind: 'Lease', namespace: 'default', name: 'taken', uid };
        if (step === 'none') {
          steps.push('create');
          return { ...base, actions: [aLease('taken')], continues: true };
        }
        if (step === 'create') {
          steps.push('patch');
          const patch = { spec: { holderIdentity: 'us' } };
          const action: Action = { verb: 'patch', ...target, purpose: 'hold', canBeTakenBack: true, type: 'merge', patch, why: 'held' };
          return { ...base, actions: [action], continues: true };
        }
        if (step === 'patch') {
          steps.push('delete');
          expect(found).toMatchObject([{ spec: { holderIdentity: 'us' } }]);
          return { ...base, actions: [{ verb: 'delete', ...target, active: false, why: 'over' }], continues: true };
        }
        return { ...base, outcome: 'converged', wants: [] };
      },
      async () => {
        await world.apply(aJob('demo', { suspend: true }));
        await once();
      },
    );
    expect(steps).toEqual(['create', 'patch', 'delete']);
    expect(await leases()).toEqual([]);
    expect(passesOf('demo')[0]?.actions.map(({ verb, target, result }) => `${verb} ${target} ${result}`)).toEqual([
      'create Lease taken refused',
      'hold Lease taken done',
      'delete Lease taken done',
    ]);
  });

  test('R10: before a patch that cannot be taken back, and before a create, the owner is read live', async () => {
    await world.apply(aJob('demo', { suspend: true }));
    await once();
    await world.elapse(3);
    for (const canBeTakenBack of [true, false]) {
      const before = world.cluster.calls.length;
      await world
        .as('POST', LEASES, { namespace: 'default', body: { apiVersion: LEASES.apiVersion, kind: 'Lease', metadata: { name: 'one' } } })
        .catch(() => {});
      const [lease] = await leases();
      const target = {
        resource: LEASES,
        apiVersion: LEASES.apiVersion,
        kind: 'Lease',
        namespace: 'default',
        name: 'one',
        uid: lease?.metadata.uid ?? '',
      };
      await withPlans(
        (_, plan) => ({
          ...plan,
          actions: [{ verb: 'patch', ...target, purpose: 'hold', canBeTakenBack, type: 'merge', patch: {}, why: '' }],
          outcome: 'acted',
        }),
        async () => void (await world.reconciler.reconcile(await keyOf('demo'))),
      );
      const calls = world.cluster.calls.slice(before).map(({ verb, plural }) => `${verb} ${plural}`);
      expect(calls.includes('get jobs')).toBe(!canBeTakenBack);
    }
  });

  test('a refusal of what all else rests on parks the workload with its own Event', async () => {
    world.cluster.interference.before = ({ verb, plural }) => {
      if (verb === 'create' && plural === 'leases') throw new TerminalError('exceeded quota', { code: 403, causes: [] });
    };
    const ifRefused = { problem: 'no lease', event: { reason: 'FailedLease', message: 'No lease for it' } };
    await withPlans(
      (_, plan) => ({ ...plan, actions: [{ ...aLease('one'), ifRefused } as Action], outcome: 'acted' }),
      async () => {
        await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
        await once();
      },
    );
    expect(passesOf('demo').at(-1)).toMatchObject({ outcome: 'parked' });
    expect(passesOf('demo').at(-1)?.why).toContain('no lease: exceeded quota');
    expect((await stateOf('demo'))?.hold).toBeUndefined();
  });

  test('a child of the owner’s kind is told from the owner by its uid', async () => {
    await world.apply(aJob('demo', { suspend: true }));
    await world.apply(aJob('child', { suspend: true }));
    await once();
    const { uid } = await keyOf('child');
    const target = { resource: JOBS, apiVersion: 'batch/v1', kind: 'Job', namespace: 'default', name: 'child', uid };
    await withPlans(
      ({ owner }, plan) =>
        owner.metadata.name === 'demo'
          ? {
              ...plan,
              actions: [{ verb: 'delete', ...target, active: true, propagationPolicy: 'Foreground', why: 'over' }],
              outcome: 'acted',
            }
          : plan,
      async () => void (await world.reconciler.reconcile(await keyOf('demo'))),
    );
    expect(await world.store.readHead(await keyOf('demo'))).toBeDefined();
    expect((await world.job('demo')).metadata.deletionTimestamp).toBeUndefined();
    expect(passesOf('demo').at(-1)?.actions).toMatchObject([{ verb: 'delete Job', target: 'child', result: 'done' }]);
  });
});

describe('heads of the build before', () => {
  test('what a Job kept as a field of the head itself is read, and written as what its kind keeps', async () => {
    const given: unknown[] = [];
    await world.apply(aJob('demo', { completions: 2, parallelism: 1 }));
    await once();
    const key = await keyOf('demo');
    const head = await world.store.readHead(key);
    await world.store.updateHead(key, {}, { state: JSON.stringify({ ...JSON.parse(head?.state ?? ''), groupedGeneration: 3 }) });
    await withPlans(
      ({ kept }, plan) => (given.push(kept), plan),
      async () => void (await world.reconciler.reconcile(key)),
    );
    expect(given[0]).toEqual({ groupedGeneration: 3 });
    expect(passesOf('demo').at(-1)?.saw['listed']).toBe(false);
    const state = JSON.parse((await world.store.readHead(key))?.state ?? '') as Record<string, unknown>;
    expect(state['kept']).toEqual({ groupedGeneration: 3 });
    expect(state['groupedGeneration']).toBeUndefined();
  });
});
