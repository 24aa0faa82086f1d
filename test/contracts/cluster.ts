// What Cluster and ClusterSource promise, put to an API server: `test/adapters/kubernetes/kubernetes-cluster.test.ts` asks the sandbox,
// `test/cluster/cluster.test.ts` a real one.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import type { Job, KubernetesObject, LabelSelector, Pod } from '../../lib/objects/kubernetes.ts';
import { selectorTextOf } from '../../lib/objects/label-selector.ts';
import { POD_FIELDS, podFactsOf, TRACKING_FINALIZER } from '../../lib/objects/pods/pod-facts.ts';
import { compareResourceVersions, isNewer, isResourceVersion } from '../../lib/objects/values/resource-version.ts';
import { JOBS, NAMESPACES, PODS } from '../../lib/objects/resources.ts';
import { deadlineIn } from '../../lib/ports/clock.ts';
import type { Deadline } from '../../lib/ports/clock.ts';
import type { Cluster, ClusterSource, WatchEvent } from '../../lib/ports/cluster.ts';
import { ConflictError, ExpiredError, NotDoneError, NotFoundError, TerminalError, ThrottledError } from '../../lib/ports/errors.ts';
import { failureOf } from '../claims.ts';
import { preconditionedPatch } from '../../lib/reconciler/acting/preconditioned-patch.ts';

export interface OpenCluster {
  cluster: Cluster & ClusterSource;
  /** The same server with a token that it does not know. */
  stranger: Cluster;
  /** Makes it answer 410 to what asks for any version before this moment. */
  forgetHistory: () => Promise<void>;
  close: () => Promise<void>;
}

const clock = new SystemClock();
const soon = (): Deadline => deadlineIn(clock, 20_000);
const OTHER_UID = '00000000-0000-4000-8000-000000000000';

const aPod = (namespace: string, name: string, metadata: Pod['metadata'] = {}): Pod => ({
  metadata: { ...metadata, name, namespace },
  spec: { containers: [{ name: 'main', image: 'busybox' }], restartPolicy: 'Never' },
});

const aJob = (namespace: string, name: string): Job => ({
  metadata: { name, namespace },
  spec: { suspend: true, template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] } } },
});

const namesOf = (pods: readonly Pod[]): string[] => pods.map(({ metadata }) => metadata.name ?? '');

/** Events until `enough` of them have come; bounded by the test's own time-out. */
async function eventsUntil(
  watch: AsyncIterable<WatchEvent<KubernetesObject>>,
  enough: (events: WatchEvent<KubernetesObject>[]) => boolean,
) {
  const events: WatchEvent<KubernetesObject>[] = [];
  for await (const event of watch) {
    events.push(event);
    if (enough(events)) break;
  }
  return events;
}

/** @param open starts the server; pods must stay as they were created: no scheduler, no Job controller */
export function clusterContract(name: string, open: () => Promise<OpenCluster>): void {
  describe(`cluster: ${name}`, () => {
    let opened: OpenCluster | undefined;
    const namespace = `cluster-contract-${process.pid}`;
    const its = (): OpenCluster => {
      if (!opened) throw new Error('the server is not open');
      return opened;
    };
    const pod = async (podName: string, metadata: Pod['metadata'] = {}): Promise<Pod> =>
      (await its().cluster.create<Pod>(PODS, aPod(namespace, podName, metadata), soon())).object;

    beforeAll(async () => {
      opened = await open();
      await opened.cluster.create(NAMESPACES, { metadata: { name: namespace } }, soon());
    }, 120_000);
    afterAll(async () => {
      await opened?.close();
    }, 30_000);

    test('what is created can be read, with the date of the server', async () => {
      const created = await its().cluster.create<Pod>(PODS, aPod(namespace, 'read'), soon());
      const read = await its().cluster.get<Pod>(PODS, { namespace, name: 'read' }, soon());
      expect(read.object.metadata.uid).toBe(created.object.metadata.uid);
      expect(read.object.metadata.managedFields?.[0]?.manager).toBe('farloop');
      expect(Math.abs(read.dateMs - Date.now())).toBeLessThan(60_000);
      expect(read.dateMs % 1000).toBe(0);
    });

    test('the largest number of 64 bits, which is none here, and the least go to the server as they came from there', async () => {
      const tolerations = [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: -(2 ** 63) }];
      const spec = { ...aPod(namespace, 'patient').spec, terminationGracePeriodSeconds: 2 ** 63, tolerations };
      const { object } = await its().cluster.create<Pod>(PODS, { ...aPod(namespace, 'patient'), spec }, soon());
      expect(object.spec).toMatchObject({ terminationGracePeriodSeconds: 2 ** 63, tolerations: expect.arrayContaining(tolerations) });
    });

    test('it shows that it lives', async () => {
      await expect(its().cluster.signOfLife(new AbortController().signal)).resolves.toBeUndefined();
    });

    test('R8: a name that is taken is a conflict of its own kind', async () => {
      await pod('taken');
      const failure = await failureOf(its().cluster.create(PODS, aPod(namespace, 'taken'), soon()));
      expect(failure).toBeInstanceOf(ConflictError);
      expect(failure).toMatchObject({ reason: 'alreadyExists' });
    });

    test('R19: an object that is not there is not found; a missing namespace or resource proves nothing', async () => {
      const missing = { namespace, name: 'missing' };
      expect(await failureOf(its().cluster.get(PODS, missing, soon()))).toBeInstanceOf(NotFoundError);
      expect(await failureOf(its().cluster.get(JOBS, missing, soon()))).toBeInstanceOf(NotFoundError);
      expect(await failureOf(its().cluster.delete(PODS, { ...missing, uid: OTHER_UID }, soon()))).toBeInstanceOf(NotFoundError);
      const patched = its().cluster.patch(PODS, { ...missing, uid: OTHER_UID }, { type: 'merge', body: {} }, soon());
      expect(await failureOf(patched)).toBeInstanceOf(NotFoundError);
      expect(await failureOf(its().cluster.create(PODS, aPod('no-such-namespace', 'missing'), soon()))).toBeInstanceOf(TerminalError);
      const unheardOf = { apiVersion: 'nothing.example.com/v1', kind: 'Thing', plural: 'things', namespaced: true };
      expect(await failureOf(its().cluster.get(unheardOf, missing, soon()))).toBeInstanceOf(TerminalError);
    });

    test('a list has all pages at one version', async () => {
      const names = Array.from({ length: 7 }, (_, at) => `page-${at}`);
      for (const each of names) await pod(each, { labels: { set: 'paged' } });
      const whole = await its().cluster.list<Pod>(PODS, { namespace, labelSelector: 'set=paged' }, soon());
      expect(whole.items.map(({ metadata }) => metadata.name ?? '').toSorted()).toEqual(names);
      expect(isResourceVersion(whole.resourceVersion)).toBe(true);

      const signal = new AbortController().signal;
      const pages: string[][] = [];
      let continueToken: string | undefined;
      do {
        const page = await its().cluster.listPage<Pod>(
          PODS,
          { namespace, labelSelector: 'set=paged', limit: 3, ...(continueToken !== undefined && { continueToken }) },
          signal,
        );
        pages.push(page.items.map(({ metadata }) => metadata.name ?? ''));
        continueToken = page.continueToken;
      } while (continueToken !== undefined);
      expect(pages.map(({ length }) => length)).toEqual([3, 3, 1]);
    });

    test('pods that are listed by what is read of them tell the same as whole ones', async () => {
      const annotations = { 'batch.kubernetes.io/job-completion-index': '3', 'example.com/note': 'nobody reads it' };
      const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'render', uid: OTHER_UID, controller: true };
      await pod('wanted', { labels: { set: 'wanted' }, annotations, ownerReferences: [owner], finalizers: [TRACKING_FINALIZER] });
      await pod('wanted-too', { labels: { set: 'wanted' } });
      const selection = { namespace, labelSelector: 'set=wanted' };
      const whole = await its().cluster.list<Pod>(PODS, selection, soon());
      const projected = await its().cluster.list<Pod>(PODS, { ...selection, fields: POD_FIELDS }, soon());
      expect(whole.items[0]?.spec?.containers[0]?.image).toBe('busybox');
      expect(projected.items.map(podFactsOf)).toEqual(whole.items.map(podFactsOf));
      expect(projected.items.map(({ metadata }) => metadata.ownerReferences)).toEqual([[owner], undefined]);
    });

    test.each<[selector: LabelSelector, names: string[]]>([
      [{ matchLabels: { kin: 'a' } }, ['kin-a']],
      [{ matchLabels: { set: 'kin' }, matchExpressions: [{ key: 'kin', operator: 'In', values: ['b', 'a', 'z'] }] }, ['kin-a', 'kin-b']],
      [{ matchLabels: { set: 'kin' }, matchExpressions: [{ key: 'kin', operator: 'In', values: ['', 'b'] }] }, ['kin-b', 'kin-none']],
      [{ matchLabels: { set: 'kin' }, matchExpressions: [{ key: 'kin', operator: 'NotIn', values: ['', 'b'] }] }, ['kin-a', 'no-kin']],
      [
        { matchLabels: { set: 'kin' }, matchExpressions: [{ key: 'kin', operator: 'NotIn', values: ['b'] }] },
        ['kin-a', 'kin-none', 'no-kin'],
      ],
      [{ matchExpressions: [{ key: 'kin', operator: 'Exists' }] }, ['kin-a', 'kin-b', 'kin-none']],
      [{ matchLabels: { set: 'kin' }, matchExpressions: [{ key: 'kin', operator: 'DoesNotExist' }] }, ['no-kin']],
      [{}, ['kin-a', 'kin-b', 'kin-none', 'no-kin']],
    ])('the pods that a Job chooses by %j are listed by its text', async (selector, names) => {
      const made = await its().cluster.list<Pod>(PODS, { namespace, labelSelector: 'set=kin' }, soon());
      if (made.items.length === 0) {
        for (const [podName, kin] of [
          ['kin-a', 'a'],
          ['kin-b', 'b'],
          ['kin-none', ''],
        ] as const)
          await pod(podName, { labels: { set: 'kin', kin } });
        await pod('no-kin', { labels: { set: 'kin' } });
      }
      const labelSelector = selectorTextOf(selector) ?? 'no text';
      const { items } = await its().cluster.list<Pod>(PODS, { namespace, labelSelector }, soon());
      const listed = namesOf(items);
      expect(names.filter((each) => !listed.includes(each))).toEqual([]);
      if (labelSelector !== '') expect(listed.toSorted()).toEqual(names);
    });

    test('a metadata-only list names uid and version of every object', async () => {
      const made = await pod('metadata-only', { labels: { set: 'metadata' } });
      const page = await its().cluster.listPage<Pod>(
        PODS,
        { namespace, labelSelector: 'set=metadata', limit: 500, metadataOnly: true },
        new AbortController().signal,
      );
      expect(page.items.map(({ metadata }) => [metadata.uid, metadata.resourceVersion])).toEqual([
        [made.metadata.uid, made.metadata.resourceVersion],
      ]);
    });

    test('R8: a patch of each kind carries the uid; another uid is a failed precondition', async () => {
      const { metadata } = await pod('patched');
      const target = { namespace, name: 'patched', uid: metadata.uid ?? '' };
      const patches = [
        { type: 'merge', body: { metadata: { labels: { merge: 'yes' } } } },
        { type: 'strategic', body: { metadata: { labels: { strategic: 'yes' } } } },
        { type: 'json', body: [{ op: 'add', path: '/metadata/labels/json', value: 'yes' }] },
      ] as const;
      for (const { type, body } of patches) {
        const { object } = await its().cluster.patch<Pod>(PODS, target, { type, body }, soon());
        expect(object.metadata.labels).toMatchObject({ [type]: 'yes' });
        const failure = await failureOf(its().cluster.patch(PODS, { ...target, uid: OTHER_UID }, { type, body }, soon()));
        expect(failure).toBeInstanceOf(ConflictError);
        expect(failure).toMatchObject({ reason: 'precondition' });
      }
    });

    test('R8: a patch with an old version is a failed precondition', async () => {
      const { metadata } = await pod('patched-late');
      const target = { namespace, name: 'patched-late', uid: metadata.uid ?? '' };
      await its().cluster.patch(PODS, target, { type: 'merge', body: { metadata: { labels: { first: 'yes' } } } }, soon());
      const body = { metadata: { resourceVersion: metadata.resourceVersion ?? '', labels: { second: 'yes' } } };
      expect(await failureOf(its().cluster.patch(PODS, target, { type: 'merge', body }, soon()))).toBeInstanceOf(ConflictError);
    });

    test('R8: a patch of each kind may carry the version; an old one is a failed precondition, and changes nothing', async () => {
      const { metadata } = await pod('patched-versioned');
      const target = { namespace, name: 'patched-versioned', uid: metadata.uid ?? '' };
      const patches = [
        { type: 'merge', patch: { metadata: { labels: { merge: 'yes' } } } },
        { type: 'strategic', patch: { metadata: { labels: { strategic: 'yes' } } } },
        { type: 'json', patch: [{ op: 'add', path: '/metadata/labels/json', value: 'yes' }] },
      ] as const;
      let version = metadata.resourceVersion;
      for (const { type, patch } of patches) {
        const { object } = await its().cluster.patch<Pod>(
          PODS,
          target,
          { type, body: preconditionedPatch(patch, { resourceVersion: version }) },
          soon(),
        );
        expect(object.metadata.labels).toMatchObject({ [type]: 'yes' });
        const late = its().cluster.patch(PODS, target, { type, body: preconditionedPatch(patch, { resourceVersion: version }) }, soon());
        expect(await failureOf(late)).toBeInstanceOf(ConflictError);
        version = object.metadata.resourceVersion;
      }
    });

    test('a patch that makes the object invalid is refused with its causes', async () => {
      const { metadata } = await pod('patched-badly');
      const target = { namespace, name: 'patched-badly', uid: metadata.uid ?? '' };
      const failure = await failureOf(
        its().cluster.patch(PODS, target, { type: 'merge', body: { metadata: { labels: { 'not a key': 'x' } } } }, soon()),
      );
      expect(failure).toBeInstanceOf(TerminalError);
      expect(failure).toMatchObject({ code: 422, reason: 'Invalid' });
      expect(failure instanceof TerminalError && failure.causes.map(({ field }) => field)).toContain('metadata.labels');
      expect(failure instanceof TerminalError && failure.said).toMatch(
        /^Pod "patched-badly" is invalid: metadata\.labels: Invalid value: /,
      );
    });

    test('R8: a status is patched at its version only', async () => {
      const { object } = await its().cluster.create<Job>(JOBS, aJob(namespace, 'status'), soon());
      const { uid = '', resourceVersion = '0' } = object.metadata;
      const target = { namespace, name: 'status', uid, subresource: 'status' };
      const patchOf = (status: object): { type: 'merge'; body: object } => ({
        type: 'merge',
        body: { metadata: { uid, resourceVersion }, status },
      });
      const { object: written } = await its().cluster.patch<Job>(JOBS, target, patchOf({ startTime: '2026-01-01T00:00:00Z' }), soon());
      expect(written.status?.startTime).toBe('2026-01-01T00:00:00Z');
      expect(isNewer(written.metadata.resourceVersion ?? '0', resourceVersion)).toBe(true);
      const failure = await failureOf(its().cluster.patch<Job>(JOBS, target, patchOf({ active: 0, ready: 0 }), soon()));
      expect(failure).toBeInstanceOf(ConflictError);
      expect(failure).toMatchObject({ reason: 'precondition' });
    });

    test('R8: a delete with another uid or version is a conflict, with the right ones the object is gone', async () => {
      const { metadata } = await pod('deleted');
      const target = { namespace, name: 'deleted', uid: metadata.uid ?? '' };
      expect(await failureOf(its().cluster.delete(PODS, { ...target, uid: OTHER_UID }, soon()))).toBeInstanceOf(ConflictError);
      expect(await failureOf(its().cluster.delete(PODS, { ...target, resourceVersion: '1' }, soon()))).toBeInstanceOf(ConflictError);
      const gone = await its().cluster.delete<Pod>(PODS, target, soon());
      expect(gone.object).toBeUndefined();
      expect(await failureOf(its().cluster.delete(PODS, target, soon()))).toBeInstanceOf(NotFoundError);
    });

    test('a deleted pod that has a finalizer is answered as it stands, until that comes off', async () => {
      const { metadata } = await pod('held', { finalizers: ['batch.kubernetes.io/job-tracking'] });
      const target = { namespace, name: 'held', uid: metadata.uid ?? '' };
      const { object } = await its().cluster.delete<Pod>(PODS, target, soon());
      expect(object?.metadata.deletionTimestamp).toBeDefined();
      const body = { metadata: { finalizers: null } };
      await its().cluster.patch<Pod>(PODS, target, { type: 'merge', body }, soon());
      expect(await failureOf(its().cluster.get(PODS, target, soon()))).toBeInstanceOf(NotFoundError);
    });

    test('a deleted Job that nothing holds is gone, whatever the answer looks like', async () => {
      const created = await its().cluster.create<Job>(JOBS, aJob(namespace, 'background'), soon());
      const target = { namespace, name: 'background', uid: created.object.metadata.uid ?? '' };
      const gone = await its().cluster.delete<Job>(JOBS, { ...target, propagationPolicy: 'Background' }, soon());
      expect(gone.object).toBeUndefined();
    });

    test('a watch tells what happens after its version, in order, and ends with its signal', async () => {
      const { resourceVersion } = await its().cluster.list<Pod>(PODS, { namespace }, soon());
      const stop = new AbortController();
      const watch = its().cluster.watch<Pod>(PODS, { namespace, resourceVersion, timeoutSeconds: 30 }, stop.signal);
      const collected = eventsUntil(watch, (events) => events.some(({ type }) => type === 'DELETED'));
      const { metadata } = await pod('watched');
      const target = { namespace, name: 'watched', uid: metadata.uid ?? '' };
      await its().cluster.patch(PODS, target, { type: 'merge', body: { metadata: { labels: { seen: 'yes' } } } }, soon());
      await its().cluster.delete(PODS, target, soon());
      const events = (await collected).filter((event) => event.type !== 'BOOKMARK');
      // A delete may first set the timestamp.
      expect([...new Set(events.map(({ type }) => type))]).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
      const versions = events.map(({ object }) => object.metadata.resourceVersion ?? '0');
      expect(versions).toEqual(versions.toSorted(compareResourceVersions));

      const endless = its().cluster.watch<Pod>(PODS, { namespace, resourceVersion, timeoutSeconds: 30 }, stop.signal);
      const all = eventsUntil(endless, (seen) => {
        if (seen.length >= 3) stop.abort();
        return false;
      });
      expect((await all).length).toBeGreaterThanOrEqual(3);
    });

    test('the server ends a watch when its time is over', async () => {
      const { resourceVersion } = await its().cluster.list<Pod>(PODS, { namespace }, soon());
      const signal = new AbortController().signal;
      const watch = its().cluster.watch<Pod>(PODS, { namespace, resourceVersion, timeoutSeconds: 1 }, signal);
      const events = await eventsUntil(watch, () => false);
      expect(events.every(({ type }) => type === 'BOOKMARK')).toBe(true);
    });

    test('the log of a pod that nobody started is empty, that of an absent pod is not found, and no other container has one', async () => {
      await pod('silent');
      const log = async (target: string, container: string): Promise<unknown> =>
        await its().cluster.log({ namespace, name: target }, { container, limitBytes: 10_000, tailLines: 5, timestamps: true }, soon());
      expect(await log('silent', 'main')).toEqual({ text: '', isCut: false });
      expect(await failureOf(log('nowhere', 'main'))).toBeInstanceOf(NotFoundError);
      const failure = await failureOf(log('silent', 'other'));
      expect(failure).toMatchObject({ code: 400, said: expect.stringContaining('container other is not valid for pod silent') });
    });

    test('R3: a list ahead of the server is asked for again later', async () => {
      const ahead = its().cluster.listPage(PODS, { namespace, limit: 500, resourceVersion: '999999999999' }, new AbortController().signal);
      expect(await failureOf(ahead)).toBeInstanceOf(ThrottledError);
    }, 30_000);

    test('R17: nothing is sent after the deadline', async () => {
      const late = deadlineIn(clock, -1);
      expect(await failureOf(its().cluster.create(PODS, aPod(namespace, 'late'), late))).toBeInstanceOf(NotDoneError);
      expect(await failureOf(its().cluster.get(PODS, { namespace, name: 'late' }, soon()))).toBeInstanceOf(NotFoundError);
    });

    test('a token that the server does not know is said to be refused', async () => {
      const failure = await failureOf(its().stranger.get(PODS, { namespace, name: 'read' }, soon()));
      expect(failure).toBeInstanceOf(TerminalError);
      expect(failure).toMatchObject({ code: 401 });
      expect(String(failure)).toMatch(/token is refused or expired/);
    });

    test('a watch from before what the server remembers is expired', async () => {
      const { metadata } = await pod('before');
      await its().cluster.patch(
        PODS,
        { namespace, name: 'before', uid: metadata.uid ?? '' },
        { type: 'merge', body: { metadata: { labels: { later: 'yes' } } } },
        soon(),
      );
      await its().forgetHistory();
      const resourceVersion = metadata.resourceVersion ?? '0';
      const watch = its().cluster.watch<Pod>(PODS, { namespace, resourceVersion, timeoutSeconds: 30 }, new AbortController().signal);
      expect(await failureOf(eventsUntil(watch, () => false))).toBeInstanceOf(ExpiredError);
    }, 60_000);
  });
}
