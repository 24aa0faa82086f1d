// What people may do with a workload, put to an API server: each action is done once and told once for its token, asked twice at once, and again after an
// end of the process at any call in between. `test/reconciler/questions/person-action.test.ts` asks the sandbox, `test/cluster/actions.test.ts` a real one.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import { toldPasses } from '../../lib/api/passes.ts';
import type { Job, KubernetesObject } from '../../lib/objects/kubernetes.ts';
import { EVENTS, JOBS, NAMESPACES, PODS } from '../../lib/objects/resources.ts';
import { deadlineIn, type Deadline } from '../../lib/ports/clock.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';
import { NotFoundError, TerminalError } from '../../lib/ports/errors.ts';
import type { Ports } from '../../lib/ports/ports.ts';
import { answerAboutWorkload } from '../../lib/reconciler/questions/answer-about-workload.ts';
import type { ActionAnswer, EventsAnswer, WantedAction } from '../../lib/wire/words/action-words.ts';
import { embeddedPorts, type EmbeddedPorts } from '../api/embedded-ports.ts';
import { failureOf } from '../claims.ts';
import type { OpenCluster } from './cluster.ts';

const clock = new SystemClock();
const soon = (): Deadline => deadlineIn(clock, 20_000);
const OTHER_UID = '00000000-0000-4000-8000-000000000000';
const BY = 'ops@example.org';

/** The process ends at a call: before it is made, or once it has taken effect. */
export class Killed extends Error {}

export interface Calls {
  made: string[];
  killAt?: { call: number; when: 'before' | 'after' };
}

const WRITING = ['create', 'patch', 'delete', 'putAnswer', 'append'] as const;

/** The calls that change something, of cluster, store and recorder, are counted together. */
export function counted<Part extends object>(part: Part, calls: Calls): Part {
  return new Proxy(part, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      const call = async (...given: unknown[]): Promise<unknown> => {
        const at = calls.made.push(String(name)) - 1;
        if (calls.killAt?.call === at && calls.killAt.when === 'before') throw new Killed();
        const answer: unknown = await Reflect.apply(value, target, given);
        if (calls.killAt?.call === at && calls.killAt.when === 'after') throw new Killed();
        return answer;
      };
      return WRITING.includes(name as (typeof WRITING)[number]) ? call : value.bind(target);
    },
  });
}

export function actionsContract(name: string, open: () => Promise<OpenCluster>): void {
  describe(`actions: ${name}`, () => {
    let opened: OpenCluster | undefined;
    let ports: EmbeddedPorts | undefined;
    const namespace = `actions-contract-${process.pid}`;
    const its = (): { cluster: Cluster; ports: EmbeddedPorts } => {
      if (!opened || !ports) throw new Error('the server is not open');
      return { cluster: opened.cluster, ports };
    };

    beforeAll(async () => {
      opened = await open();
      ports = await embeddedPorts('local');
      const record = await ports.clusters.get('local');
      if (record) await ports.clusters.put({ ...record, actions: true }, record.version);
      await opened.cluster.create(NAMESPACES, { metadata: { name: namespace } }, soon());
    }, 120_000);
    afterAll(async () => {
      ports?.close();
      await opened?.close();
    });

    async function job(jobName: string, spec: Partial<Job['spec']> = {}, status?: Job['status']): Promise<Job> {
      const { cluster } = its();
      const template = {
        metadata: { labels: { team: 'a' } },
        spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox', env: [{ name: 'KEY', value: 'hunter2' }] }] },
      };
      const made: Job = { metadata: { name: jobName, namespace, labels: { team: 'a' } }, spec: { parallelism: 2, ...spec, template } };
      const { object } = await cluster.create<Job>(JOBS, made, soon());
      if (!status) return object;
      const { uid = '' } = object.metadata;
      const target = { namespace, name: jobName, uid, subresource: 'status' };
      return (await cluster.patch<Job>(JOBS, target, { type: 'merge', body: { status } }, soon())).object;
    }

    const failed = (completedIndexes: string, succeeded: number): Job['status'] => ({
      startTime: '2026-05-01T10:00:00Z',
      succeeded,
      failed: 1,
      ready: 0,
      terminating: 0,
      uncountedTerminatedPods: {},
      completedIndexes,
      conditions: ['FailureTarget', 'Failed'].map((type) => ({
        type,
        status: 'True',
        reason: 'BackoffLimitExceeded',
        message: '',
        lastProbeTime: '2026-05-01T10:01:00Z',
        lastTransitionTime: '2026-05-01T10:01:00Z',
      })),
    });

    const read = async (jobName: string): Promise<Job> => (await its().cluster.get<Job>(JOBS, { namespace, name: jobName }, soon())).object;

    interface Asked {
      token?: string;
      uid?: string;
      isDryRun?: boolean;
      calls?: Calls;
      mayAct?: boolean;
    }

    async function act(
      jobName: string,
      wanted: WantedAction,
      { token, uid, isDryRun = false, calls = { made: [] }, mayAct = true }: Asked = {},
    ) {
      const { cluster, ports: embedded } = its();
      const those: Ports = {
        ...embedded,
        store: counted(embedded.store, calls),
        recorder: counted(embedded.recorder, calls),
        connect: () => counted(cluster, calls),
        ...(mayAct && { actions: 'on' as const }),
      };
      const record = await embedded.clusters.get('local');
      if (!record) throw new Error('it is not registered');
      const question = {
        about: 'action' as const,
        kind: 'Job',
        namespace,
        name: jobName,
        wanted,
        ...(token !== undefined && { token }),
        ...(uid !== undefined && { uid }),
        isDryRun,
        by: BY,
      };
      return (await answerAboutWorkload(those, { record, question, deadline: soon() })) as ActionAnswer;
    }

    const told = async (jobName: string): Promise<string[]> =>
      toldPasses(await its().ports.recorder.passes({ cluster: 'local', kind: 'Job', namespace, name: jobName }, 100)).flatMap(
        ({ by, why }) => (by === undefined ? [] : why),
      );

    /** Everything that an action may have changed about Jobs whose name begins so. */
    async function standing(prefix: string): Promise<object[]> {
      const { items } = await its().cluster.list<Job>(JOBS, { namespace }, soon());
      return items
        .filter(({ metadata }) => metadata.name?.startsWith(prefix))
        .map(({ metadata, spec, status }) => ({
          name: metadata.name?.replace(/-retry-[0-9a-f]{6}$/, '-retry'),
          suspend: spec.suspend ?? false,
          parallelism: spec.parallelism,
          completed: status?.completedIndexes,
          isGoing: metadata.deletionTimestamp !== undefined,
        }))
        .toSorted((a, b) => (a.name ?? '').localeCompare(b.name ?? ''));
    }

    const INDEXED = { completionMode: 'Indexed', completions: 5, backoffLimit: 0 };
    interface Case {
      wanted: WantedAction;
      spec?: Partial<Job['spec']>;
      status?: Job['status'];
      becomes: (jobName: string) => object[];
      told: string;
    }
    const same = { suspend: false, parallelism: 2, completed: undefined, isGoing: false };
    const ended = { ...same, completed: '0,2,3' };
    const CASES: Record<string, Case> = {
      suspend: { wanted: { action: 'suspend' }, becomes: (of) => [{ ...same, name: of, suspend: true }], told: `${BY} suspended it` },
      resume: { wanted: { action: 'resume' }, spec: { suspend: true }, becomes: (of) => [{ ...same, name: of }], told: `${BY} resumed it` },
      scale: {
        wanted: { action: 'scale', replicas: 7 },
        becomes: (of) => [{ ...same, name: of, parallelism: 7 }],
        told: `${BY} scaled it`,
      },
      delete: { wanted: { action: 'delete' }, becomes: () => [], told: `${BY} deleted it` },
      retry: {
        wanted: { action: 'retry' },
        spec: INDEXED,
        status: failed('0,2,3', 3),
        becomes: (of) => [
          { ...ended, name: of },
          { ...same, name: `${of}-retry` },
        ],
        told: `${BY} retried it`,
      },
      'retry-part': {
        wanted: { action: 'retry', indexes: 'failed' },
        spec: INDEXED,
        status: failed('0,2,3', 3),
        becomes: (of) => [
          { ...ended, name: of },
          { ...ended, name: `${of}-retry` },
        ],
        told: `${BY} retried it`,
      },
    };

    for (const [word, { wanted, spec, status, becomes, told: note }] of Object.entries(CASES)) {
      test(`${word}: a dry run says what would happen, and does nothing`, async () => {
        const jobName = `dry-${word}`;
        const { metadata } = await job(jobName, spec, status);
        const before = await standing(jobName);
        const calls: Calls = { made: [] };
        const answer = await act(jobName, wanted, { isDryRun: true, calls });
        expect([answer.result, answer.uid, calls.made]).toEqual(['planned', metadata.uid, []]);
        expect(answer.text.join(' ')).toMatch(/[a-z].*\.$/);
        expect(await standing(jobName)).toEqual(before);
        expect(await told(jobName)).toEqual([]);
      });

      test(`${word}: asked twice at once, and once more, it is done once and told once (R5, R8)`, async () => {
        const jobName = `twice-${word}`;
        const { uid = '' } = (await job(jobName, spec, status)).metadata;
        const asked = { token: `token-${word}-1`, uid };
        const answers = await Promise.all([act(jobName, wanted, asked), act(jobName, wanted, asked)]);
        const again = await act(jobName, wanted, asked);
        expect([...answers, again].map(({ result }) => result)).toEqual(['done', 'done', 'done']);
        expect(await standing(jobName)).toEqual(becomes(jobName));
        expect(await told(jobName)).toEqual([note]);
      }, 30_000);

      test(`${word}: a process that ends at any call leaves what the same token completes (R5, R6)`, async () => {
        const calls: Calls = { made: [] };
        const { uid: first = '' } = (await job(`kill-${word}`, spec, status)).metadata;
        await act(`kill-${word}`, wanted, { token: 'token-of-first', uid: first, calls });
        expect(calls.made.length).toBeGreaterThan(2);
        for (const call of calls.made.keys())
          for (const when of ['before', 'after'] as const) {
            const jobName = `kill-${word}-${call}-${when}`;
            const { uid = '' } = (await job(jobName, spec, status)).metadata;
            const asked = { token: `token-${word}-2`, uid };
            await expect(
              act(jobName, wanted, { ...asked, calls: { made: [], killAt: { call, when } } }).catch(rethrown),
            ).resolves.toBeDefined();
            const answer = await act(jobName, wanted, asked);
            expect([call, when, answer.result]).toEqual([call, when, 'done']);
            expect(await standing(jobName)).toEqual(becomes(jobName));
            expect(await told(jobName)).toEqual([note]);
          }
      }, 60_000);
    }

    test('done before by the same token, and undone since by somebody else, it is not done again (R8)', async () => {
      const { uid = '' } = (await job('undone')).metadata;
      await act('undone', { action: 'suspend' }, { token: 'token-suspend', uid });
      await act('undone', { action: 'resume' }, { token: 'token-resume', uid });
      // An hour later, when nothing but the object remembers.
      its().ports.store.readAnswer = async () => undefined;
      const late = await act('undone', { action: 'suspend' }, { token: 'token-suspend', uid });
      expect(late.result).toBe('done');
      expect((await read('undone')).spec.suspend).toBe(false);
      delete (its().ports.store as { readAnswer?: unknown }).readAnswer;
    });

    test('a later workload of the same name is never hit (R8)', async () => {
      await job('namesake');
      for (const wanted of [{ action: 'suspend' }, { action: 'delete' }] as const) {
        const refused = await failureOf(act('namesake', wanted, { token: 'token-namesake', uid: OTHER_UID }));
        expect(refused).toBeInstanceOf(TerminalError);
        expect((refused as Error).message).toMatch(/^job\/namesake is another one than was asked about/);
      }
      expect(await standing('namesake')).toEqual([{ ...same, name: 'namesake' }]);
    });

    test('what cannot be done is refused in one sentence', async () => {
      const { uid = '' } = (await job('running')).metadata;
      const { uid: over = '' } = (await job('over', INDEXED, failed('0', 1))).metadata;
      const refusals = await Promise.all(
        (
          [
            ['running', { action: 'retry' }, uid],
            ['running', { action: 'scale', replicas: 3, type: 'Worker' }, uid],
            ['over', { action: 'suspend' }, over],
            ['over', { action: 'scale', replicas: 9 }, over],
          ] as const
        ).map(async ([of, wanted, ofUid]) => ((await failureOf(act(of, wanted, { token: 'token-refused', uid: ofUid }))) as Error).message),
      );
      expect(refusals).toEqual([
        'job/running has not ended: retry makes a new one beside an ended one, so wait, or delete it',
        'job/running cannot be scaled so: a Job has pods of one type only: leave out the type',
        'job/over has ended: there is nothing to suspend',
        'job/over has ended: there is nothing to scale',
      ]);
      expect(await failureOf(act('absent', { action: 'delete' }, { token: 'token-absent', uid: OTHER_UID }))).toBeInstanceOf(NotFoundError);
    });

    test('a scaling says how many pods start or end by it, as far as the Job has work for them', async () => {
      await job('scaled', { completionMode: 'Indexed', completions: 6, parallelism: 3, backoffLimitPerIndex: 0 });
      const { uid = '' } = (await read('scaled')).metadata;
      const stand = async (status: object): Promise<unknown> =>
        await its().cluster.patch(
          JOBS,
          { namespace, name: 'scaled', uid, subresource: 'status' },
          { type: 'merge', body: { status: { startTime: '2026-05-01T10:00:00Z', ...status } } },
          soon(),
        );
      const said = async (replicas: number): Promise<unknown[]> => {
        const { text, endingPods } = await act('scaled', { action: 'scale', replicas }, { isDryRun: true });
        return [...text, endingPods];
      };
      await stand({ active: 3 });
      expect(await said(5)).toEqual(['Pods at a time 3 → 5: 2 more may run.', undefined]);
      expect(await said(100_000)).toEqual(['Pods at a time 3 → 100000: 3 more may run: 6 completions are left.', undefined]);
      expect(await said(2)).toEqual(['Pods at a time 3 → 2: 1 of them ends; what was not saved is lost.', 1]);
      await stand({ active: 1, succeeded: 4, completedIndexes: '0-3', failedIndexes: '4' });
      expect(await said(9)).toEqual(['Pods at a time 3 → 9: no more run: 1 completion is left.', undefined]);
      expect(await said(1)).toEqual(['Pods at a time 3 → 1: none that runs ends.', undefined]);
      expect(await said(0)).toEqual(['Pods at a time 3 → 0: 1 of them ends; what was not saved is lost.', 1]);
      await act('scaled', { action: 'suspend' }, { token: 'token-suspended', uid });
      expect(await said(9)).toEqual(['Pods at a time 3 → 9: it is suspended, so no pod starts or ends now.', undefined]);
      await job('open', { parallelism: 2 }, { startTime: '2026-05-01T10:00:00Z', active: 1, succeeded: 1 });
      expect((await act('open', { action: 'scale', replicas: 4 }, { isDryRun: true })).text).toEqual([
        'Pods at a time 2 → 4: no more run: one has succeeded already.',
      ]);
    });

    test('without actions=on nothing is done, nor told what would be', async () => {
      const { uid = '' } = (await job('without')).metadata;
      for (const asked of [{ isDryRun: true }, { token: 'token-without', uid }]) {
        const refused = (await failureOf(act('without', { action: 'delete' }, { ...asked, mayAct: false }))) as TerminalError;
        expect([refused.code, refused.reason]).toEqual([403, 'actions=on']);
      }
      expect(await standing('without')).toEqual([{ ...same, name: 'without' }]);
    });

    test('events of a workload and its pods are folded, those of others left out', async () => {
      const { cluster, ports: embedded } = its();
      const { uid = '' } = (await job('eventful')).metadata;
      const reference = { apiVersion: 'batch/v1', kind: 'Job', name: 'eventful', uid, controller: true };
      const labels = { 'batch.kubernetes.io/controller-uid': uid };
      const spec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] };
      const made = await cluster.create<KubernetesObject>(
        PODS,
        { metadata: { name: 'eventful-x', namespace, labels, ownerReferences: [reference] }, spec } as KubernetesObject,
        soon(),
      );
      const event = async (of: { kind: string; name: string; uid: string }, at: number, message: string): Promise<unknown> =>
        await cluster.create(
          EVENTS,
          {
            metadata: { name: `eventful.${at}`, namespace },
            involvedObject: { ...of, namespace },
            type: 'Warning',
            reason: 'BackOff',
            message,
            count: at,
            firstTimestamp: `2026-05-01T10:00:0${at}Z`,
            lastTimestamp: `2026-05-01T10:01:0${at}Z`,
            source: { component: 'kubelet' },
          } as KubernetesObject,
          soon(),
        );
      const pod = { kind: 'Pod', name: 'eventful-x', uid: made.object.metadata.uid ?? '' };
      await event(pod, 1, 'restarting');
      await event(pod, 2, 'restarting');
      await event({ kind: 'Pod', name: 'eventful-y', uid: OTHER_UID }, 3, 'another one');
      await event({ kind: 'Job', name: 'eventful', uid }, 4, 'of the job');
      const record = await embedded.clusters.get('local');
      if (!record) throw new Error('it is not registered');
      const question = { about: 'events' as const, kind: 'Job', namespace, name: 'eventful' };
      const answer = (await answerAboutWorkload(
        { ...embedded, connect: () => cluster },
        { record, question, deadline: soon() },
      )) as EventsAnswer;
      expect(answer.events.map(({ object, text, count, first, last }) => [object.name, text, count, first, last])).toEqual([
        ['eventful-x', 'restarting', 3, '2026-05-01T10:00:01Z', '2026-05-01T10:01:02Z'],
        ['eventful', 'of the job', 4, '2026-05-01T10:00:04Z', '2026-05-01T10:01:04Z'],
      ]);
    });

    test('a manifest is shown without values of the environment, to those who may not act with none at all', async () => {
      const { cluster, ports: embedded } = its();
      const { uid = '' } = (await job('shown')).metadata;
      const original = JSON.stringify({ spec: { template: { spec: { containers: [{ env: [{ name: 'KEY', value: 'hunter2' }] }] } } } });
      const annotations = {
        'kapp.k14s.io/original': original,
        'example.org/wrapped': JSON.stringify({ original }),
        'objectset.rio.cattle.io/applied': 'H4sIAAAAAAAA/6tWKlGyUqpWygAA',
        'example.org/team': 'environment: a',
      };
      await cluster.patch(JOBS, { namespace, name: 'shown', uid }, { type: 'merge', body: { metadata: { annotations } } }, soon());
      const record = await embedded.clusters.get('local');
      if (!record) throw new Error('it is not registered');
      const ask = async (values: 'shown' | 'masked', more: object = {}): Promise<string> =>
        JSON.stringify(
          await answerAboutWorkload(
            { ...embedded, connect: () => cluster, ...more },
            { record, question: { about: 'manifest', kind: 'Job', namespace, name: 'shown', values }, deadline: soon() },
          ),
        );
      const masked = await ask('masked');
      expect(masked).toContain('"name":"KEY","value":"***"');
      expect(masked).not.toMatch(/hunter2|managedFields|H4sI/);
      expect(JSON.parse(masked)).toMatchObject({
        maskedValues: 4,
        manifest: { metadata: { annotations: { 'example.org/team': 'environment: a', 'kapp.k14s.io/original': '***' } } },
      });
      expect(((await failureOf(ask('shown'))) as TerminalError).code).toBe(403);
      expect(await ask('shown', { actions: 'on' })).toContain('hunter2');
    });
  });
}

export const rethrown = (error: unknown): Killed => {
  if (error instanceof Killed) return error;
  throw error;
};
