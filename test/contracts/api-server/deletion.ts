// The end of an object: preconditions, finalizers, propagation policies, grace of pods, collections.
import { describe, expect, test } from '@jest/globals';
import type { Body } from './client.ts';
import { mergePatch } from './client.ts';
import { aConfigMap, aJob, aPod, aSecret, core, freshNamespace, jobs } from './objects.ts';
import type { Fields, Suite } from './objects.ts';

const held = { finalizers: ['farloop.dev/hold'] };
const otherUid = '00000000-0000-0000-0000-000000000000';

export function deletionContract({ api }: Suite): void {
  describe('deletion', () => {
    test('what nothing holds is gone at once', async () => {
      const namespace = await freshNamespace(api());
      const made = await api().create(core(namespace, 'configmaps'), aConfigMap('a'));
      const { status, body } = await api().delete(core(namespace, 'configmaps', 'a'));
      expect(status).toBe(200);
      expect(body).toMatchObject({ kind: 'Status', status: 'Success', details: { name: 'a', kind: 'configmaps', uid: made.metadata.uid } });
      const read = await api().get(core(namespace, 'configmaps', 'a'));
      expect(read.status).toBe(404);
    });

    test('a wrong uid or resourceVersion is a conflict', async () => {
      const namespace = await freshNamespace(api());
      const made = await api().create(core(namespace, 'configmaps'), aConfigMap('a'));
      for (const preconditions of [{ uid: otherUid }, { resourceVersion: '1' }, { uid: made.metadata.uid, resourceVersion: '1' }]) {
        const { status, body } = await api().delete(core(namespace, 'configmaps', 'a'), { preconditions });
        expect(status).toBe(409);
        expect(body.reason).toBe('Conflict');
      }
      const { uid, resourceVersion } = made.metadata;
      const right = await api().delete(core(namespace, 'configmaps', 'a'), { preconditions: { uid, resourceVersion } });
      expect(right.status).toBe(200);
    });

    test('a finalizer holds it, marked; the last one off lets it go', async () => {
      const namespace = await freshNamespace(api());
      const made = await api().create(core(namespace, 'configmaps'), aConfigMap('a', {}, held));
      const { status, body } = await api().delete(core(namespace, 'configmaps', 'a'));
      expect(status).toBe(200);
      expect(body.metadata).toMatchObject({
        uid: made.metadata.uid,
        finalizers: held.finalizers,
        deletionTimestamp: expect.stringMatching(/Z$/),
        deletionGracePeriodSeconds: 0,
      });
      const again = await api().delete(core(namespace, 'configmaps', 'a'));
      expect(again.status).toBe(200);
      expect(again.body.metadata.deletionTimestamp).toBe(body.metadata.deletionTimestamp);
      const added = await api().patch(core(namespace, 'configmaps', 'a'), mergePatch, {
        metadata: { finalizers: [...held.finalizers, 'farloop.dev/late'] },
      });
      expect(added.status).toBe(422);
      const freed = await api().patch(core(namespace, 'configmaps', 'a'), mergePatch, { metadata: { finalizers: null } });
      expect(freed.status).toBe(200);
      expect(freed.body.metadata.finalizers).toBeUndefined();
      const read = await api().get(core(namespace, 'configmaps', 'a'));
      expect(read.status).toBe(404);
    });

    test('the watch sees the mark as MODIFIED and the end as DELETED', async () => {
      const namespace = await freshNamespace(api());
      const made = await api().create(core(namespace, 'secrets'), aSecret('a', held));
      const watch = await api().watch(core(namespace, 'secrets'), { resourceVersion: made.metadata.resourceVersion ?? '' });
      await api().delete(core(namespace, 'secrets', 'a'));
      await api().patch(core(namespace, 'secrets', 'a'), mergePatch, { metadata: { finalizers: [] } });
      const events = await watch.take(2);
      expect(events.map(({ type }) => type)).toEqual(['MODIFIED', 'DELETED']);
      expect(events[0]?.object.metadata.deletionTimestamp).toBeDefined();
      watch.close();
    });

    // What the collector then does is another matter (see controllers.ts); these are the answers of the server alone.
    test.each([
      { policy: 'Foreground', finalizers: ['farloop.dev/hold', 'foregroundDeletion'] },
      { policy: 'Orphan', finalizers: ['farloop.dev/hold', 'orphan'] },
      { policy: 'Background', finalizers: ['farloop.dev/hold'] },
    ])('propagationPolicy $policy leaves finalizers $finalizers', async ({ policy, finalizers }) => {
      const namespace = await freshNamespace(api());
      await api().create(jobs(namespace), { ...aJob('a'), metadata: { name: 'a', ...held } });
      const { status, body } = await api().delete(jobs(namespace, 'a'), { propagationPolicy: policy });
      expect(status).toBe(200);
      expect(body.metadata.finalizers?.toSorted()).toEqual(finalizers);
    });

    test('the policy may stand in the query, and an unknown one is refused', async () => {
      const namespace = await freshNamespace(api());
      await api().create(jobs(namespace), { ...aJob('a'), metadata: { name: 'a', ...held } });
      const unknown = await api().delete(`${jobs(namespace, 'a')}?propagationPolicy=Sideways`);
      expect(unknown.status).toBe(422);
      const { body } = await api().delete(`${jobs(namespace, 'a')}?propagationPolicy=Foreground`);
      expect(body.metadata.finalizers).toContain('foregroundDeletion');
    });

    test('a body, even an empty object, is all that counts: the query is not read then', async () => {
      const namespace = await freshNamespace(api());
      await api().create(jobs(namespace), { ...aJob('a'), metadata: { name: 'a', ...held } });
      const job = await api().delete(`${jobs(namespace, 'a')}?propagationPolicy=Background`, {});
      expect(job.body.metadata.finalizers?.toSorted()).toEqual(['farloop.dev/hold', 'orphan']);
      await api().create(core(namespace, 'pods'), aPod('a', { spec: { nodeName: 'n' } }));
      const pod = await api().delete(`${core(namespace, 'pods', 'a')}?gracePeriodSeconds=7`, {});
      expect(pod.body.metadata.deletionGracePeriodSeconds).toBe(30);
      for (const name of ['a', 'b']) await api().create(core(namespace, 'secrets'), aSecret(name));
      await api().delete(`${core(namespace, 'secrets', 'a')}?dryRun=All`, {});
      expect((await api().get(core(namespace, 'secrets', 'a'))).status).toBe(404);
      await api().delete(`${core(namespace, 'secrets')}?dryRun=All`);
      expect((await api().get(core(namespace, 'secrets', 'b'))).status).toBe(200);
      await api().delete(`${core(namespace, 'secrets')}?dryRun=All`, {});
      expect((await api().get(core(namespace, 'secrets', 'b'))).status).toBe(404);
    });

    test('the name of an object that is held is taken, and the answer says why', async () => {
      const namespace = await freshNamespace(api());
      await api().create(jobs(namespace), { ...aJob('a'), metadata: { name: 'a', ...held } });
      await api().delete(jobs(namespace, 'a'));
      const { status, body } = await api().post(jobs(namespace), aJob('a'));
      expect([status, body.reason, body.message]).toEqual([409, 'AlreadyExists', 'object is being deleted: jobs.batch "a" already exists']);
    });

    test('a Job deleted without a policy orphans its pods, as batch/v1 always did', async () => {
      const namespace = await freshNamespace(api());
      await api().create(jobs(namespace), { ...aJob('a'), metadata: { name: 'a', ...held } });
      const { body } = await api().delete(jobs(namespace, 'a'));
      expect(body.metadata.finalizers?.toSorted()).toEqual(['farloop.dev/hold', 'orphan']);
    });

    test('a deleted object still takes other changes, and its generation was raised', async () => {
      const namespace = await freshNamespace(api());
      const made = await api().create(jobs(namespace), { ...aJob('a'), metadata: { name: 'a', ...held } });
      const { body } = await api().delete(jobs(namespace, 'a'), { propagationPolicy: 'Background' });
      expect([made.metadata.generation, body.metadata.generation]).toEqual([1, 2]);
      const labelled = await api().patch(jobs(namespace, 'a'), mergePatch, { metadata: { labels: { k: 'v' } } });
      expect(labelled.body.metadata).toMatchObject({ labels: { k: 'v' }, deletionTimestamp: body.metadata.deletionTimestamp });
    });

    test('a collection goes by its selector', async () => {
      const namespace = await freshNamespace(api());
      for (const name of ['a', 'b', 'c'])
        await api().create(core(namespace, 'secrets'), aSecret(name, { labels: { go: String(name !== 'c') } }));
      const { status } = await api().delete(`${core(namespace, 'secrets')}?labelSelector=go%3Dtrue`);
      expect(status).toBe(200);
      const { body } = await api().get(core(namespace, 'secrets'));
      expect(body.items?.map(({ metadata }) => metadata.name)).toEqual(['c']);
    });
  });

  describe('graceful deletion of pods', () => {
    const cases: { name: string; spec?: Fields; status?: Fields; body?: Fields; graceSeconds: number | 'gone' }[] = [
      { name: 'unbound: no grace', graceSeconds: 'gone' },
      { name: 'bound: its own grace', spec: { nodeName: 'n' }, graceSeconds: 30 },
      { name: 'bound, with a grace of 7 s: those', spec: { nodeName: 'n', terminationGracePeriodSeconds: 7 }, graceSeconds: 7 },
      { name: 'bound, 5 s asked for: those', spec: { nodeName: 'n' }, body: { gracePeriodSeconds: 5 }, graceSeconds: 5 },
      { name: 'bound, 0 asked for: gone', spec: { nodeName: 'n' }, body: { gracePeriodSeconds: 0 }, graceSeconds: 'gone' },
      { name: 'bound and succeeded: gone', spec: { nodeName: 'n' }, status: { phase: 'Succeeded' }, graceSeconds: 'gone' },
      { name: 'bound and failed: gone', spec: { nodeName: 'n' }, status: { phase: 'Failed' }, graceSeconds: 'gone' },
      { name: 'bound and running: its own grace', spec: { nodeName: 'n' }, status: { phase: 'Running' }, graceSeconds: 30 },
    ];
    const deletePod = async (namespace: string, { spec, status, body }: (typeof cases)[number], metadata: Fields): Promise<Body> => {
      const made = await api().create(core(namespace, 'pods'), aPod('a', { metadata, ...(spec === undefined ? {} : { spec }) }));
      if (status !== undefined) await api().put(core(namespace, 'pods', 'a/status'), { ...made, status });
      const answer = await api().delete(core(namespace, 'pods', 'a'), body);
      expect(answer.status).toBe(200);
      return answer.body;
    };

    test.each(cases)('$name', async (wanted) => {
      const namespace = await freshNamespace(api());
      const body = await deletePod(namespace, wanted, {});
      const { status, body: found } = await api().get(core(namespace, 'pods', 'a'));
      const graceSeconds = status === 404 ? 'gone' : found.metadata.deletionGracePeriodSeconds;
      expect(graceSeconds).toBe(wanted.graceSeconds);
      expect(found.metadata.deletionTimestamp).toBe(status === 404 ? undefined : body.metadata.deletionTimestamp);
    });

    test('the deletion timestamp lies the grace ahead', async () => {
      const namespace = await freshNamespace(api());
      await api().create(core(namespace, 'pods'), aPod('a', { spec: { nodeName: 'n' } }));
      const { headers, body } = await api().delete(core(namespace, 'pods', 'a'), { gracePeriodSeconds: 100 });
      const aheadMs = Date.parse(body.metadata.deletionTimestamp ?? '') - Date.parse(headers.date ?? '');
      expect(Math.abs(aheadMs - 100_000)).toBeLessThan(3000);
    });

    test.each(cases)('$name; held by a finalizer: marked, with that grace or 0', async (wanted) => {
      const namespace = await freshNamespace(api());
      await deletePod(namespace, wanted, held);
      const { status, body } = await api().get(core(namespace, 'pods', 'a'));
      expect(status).toBe(200);
      expect(body.metadata.deletionTimestamp).toBeDefined();
      expect(body.metadata.deletionGracePeriodSeconds).toBe(wanted.graceSeconds === 'gone' ? 0 : wanted.graceSeconds);
    });

    test('a terminating pod waits for its node: finalizers off do not end it, grace 0 does', async () => {
      const namespace = await freshNamespace(api());
      await api().create(core(namespace, 'pods'), aPod('a', { metadata: held, spec: { nodeName: 'n' } }));
      await api().delete(core(namespace, 'pods', 'a'));
      await api().patch(core(namespace, 'pods', 'a'), mergePatch, { metadata: { finalizers: null } });
      const waiting = await api().get(core(namespace, 'pods', 'a'));
      expect(waiting.status).toBe(200);
      await api().delete(core(namespace, 'pods', 'a'), { gracePeriodSeconds: 0 });
      const gone = await api().get(core(namespace, 'pods', 'a'));
      expect(gone.status).toBe(404);
    });

    test('grace 0 to a held terminating pod shortens its grace, and then the last finalizer ends it', async () => {
      const namespace = await freshNamespace(api());
      await api().create(core(namespace, 'pods'), aPod('a', { metadata: held, spec: { nodeName: 'n' } }));
      await api().delete(core(namespace, 'pods', 'a'));
      await api().delete(core(namespace, 'pods', 'a'), { gracePeriodSeconds: 0 });
      const marked = await api().get(core(namespace, 'pods', 'a'));
      expect(marked.body.metadata.deletionGracePeriodSeconds).toBe(0);
      await api().patch(core(namespace, 'pods', 'a'), mergePatch, { metadata: { finalizers: null } });
      const gone = await api().get(core(namespace, 'pods', 'a'));
      expect(gone.status).toBe(404);
    });

    test('a longer grace does not lengthen, a shorter one shortens', async () => {
      const namespace = await freshNamespace(api());
      await api().create(core(namespace, 'pods'), aPod('a', { spec: { nodeName: 'n' } }));
      await api().delete(core(namespace, 'pods', 'a'), { gracePeriodSeconds: 20 });
      const longer = await api().delete(core(namespace, 'pods', 'a'), { gracePeriodSeconds: 40 });
      expect(longer.body.metadata.deletionGracePeriodSeconds).toBe(20);
      const shorter = await api().delete(core(namespace, 'pods', 'a'), { gracePeriodSeconds: 10 });
      expect(shorter.body.metadata.deletionGracePeriodSeconds).toBe(10);
    });
  });
}
