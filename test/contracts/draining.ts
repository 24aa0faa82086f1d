// Draining a virtual node, put to an API server as the other actions of people are (actions.ts): done once and told once for its token, asked twice at once,
// and again after an end of the process at any call in between.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import { toldPasses } from '../../lib/api/passes.ts';
import type { KubernetesObject, Node, OwnerReference, Pod } from '../../lib/objects/kubernetes.ts';
import { NAMESPACES, NODES, PODS, type Resource } from '../../lib/objects/resources.ts';
import { deadlineIn, type Deadline } from '../../lib/ports/clock.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';
import { ThrottledError, type TerminalError } from '../../lib/ports/errors.ts';
import type { Ports } from '../../lib/ports/ports.ts';
import { answerAboutWorkload } from '../../lib/reconciler/questions/answer-about-workload.ts';
import type { ActionAnswer, WantedAction } from '../../lib/wire/words/action-words.ts';
import { embeddedPorts, type EmbeddedPorts } from '../api/embedded-ports.ts';
import { failureOf } from '../claims.ts';
import { counted, rethrown, type Calls } from './actions.ts';
import type { OpenCluster } from './cluster.ts';

const clock = new SystemClock();
const soon = (): Deadline => deadlineIn(clock, 20_000);
const BY = 'ops@example.org';
export const BUDGETS: Resource = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', plural: 'poddisruptionbudgets', namespaced: true };
const controlledBy = (kind: string): OwnerReference[] => [
  { apiVersion: 'apps/v1', kind, name: 'theirs', uid: '00000000-0000-4000-8000-000000000000', controller: true },
];

export function drainingContract(name: string, open: () => Promise<OpenCluster>): void {
  describe(`draining: ${name}`, () => {
    let opened: OpenCluster | undefined;
    let ports: EmbeddedPorts | undefined;
    const namespace = `draining-contract-${process.pid}`;
    const its = (): { cluster: Cluster; ports: EmbeddedPorts } => {
      if (!opened || !ports) throw new Error('the server is not open');
      return { cluster: opened.cluster, ports };
    };

    beforeAll(async () => {
      opened = await open();
      ports = await embeddedPorts('local');
      await opened.cluster.create(NAMESPACES, { metadata: { name: namespace } }, soon());
    }, 120_000);
    afterAll(async () => {
      ports?.close();
      await opened?.close();
    });

    /** A node of Farloop, with pods on it: their names, each with the kind of its controller. */
    async function node(nodeName: string, pods: Record<string, string | undefined> = {}, annotations = true): Promise<string> {
      const { cluster, ports: embedded } = its();
      const record = await embedded.clusters.get('local');
      if (!record) throw new Error('it is not registered');
      const { version, options, ...rest } = record;
      const named = [options?.['virtual-node'] ?? '', `${nodeName}=simulated`].join(' ').trim();
      await embedded.clusters.put({ ...rest, actions: true, options: { ...options, 'virtual-node': named } }, version);
      const made = { metadata: { name: nodeName, ...(annotations && { annotations: { 'farloop.dev/virtual-node': 'simulated' } }) } };
      const { object } = await cluster.create<Node>(NODES, made, soon());
      for (const [podName, controller] of Object.entries(pods)) await pod(nodeName, podName, controller);
      return object.metadata.uid ?? '';
    }

    async function pod(nodeName: string, podName: string, controller: string | undefined): Promise<Pod> {
      const spec = { nodeName, containers: [{ name: 'main', image: 'busybox' }], tolerations: [{ operator: 'Exists' }] };
      const metadata = {
        name: podName,
        namespace,
        labels: { of: podName },
        ...(controller !== undefined && { ownerReferences: controlledBy(controller) }),
      };
      return (await its().cluster.create<Pod>(PODS, { metadata, spec }, soon())).object;
    }

    async function drain(
      nodeName: string,
      more: Partial<Extract<WantedAction, { action: 'drain' }>> = {},
      { token, uid, calls = { made: [] } }: { token?: string; uid?: string; calls?: Calls } = {},
    ): Promise<ActionAnswer> {
      const { cluster, ports: embedded } = its();
      const those: Ports = {
        ...embedded,
        actions: 'on',
        store: counted(embedded.store, calls),
        recorder: counted(embedded.recorder, calls),
        connect: () => counted(cluster, calls),
      };
      const record = await embedded.clusters.get('local');
      if (!record) throw new Error('it is not registered');
      const question = {
        about: 'action' as const,
        kind: 'VirtualNode',
        namespace: '',
        name: nodeName,
        wanted: { action: 'drain' as const, ...more },
        ...(token !== undefined && { token }),
        ...(uid !== undefined && { uid }),
        isDryRun: token === undefined,
        by: BY,
      };
      return (await answerAboutWorkload(those, { record, question, deadline: soon() })) as ActionAnswer;
    }

    const told = async (nodeName: string): Promise<string[]> =>
      toldPasses(await its().ports.recorder.passes({ cluster: 'local', kind: 'VirtualNode', namespace: '', name: nodeName }, 100)).flatMap(
        ({ by, why }) => (by === undefined ? [] : why),
      );

    const isCordoned = async (nodeName: string): Promise<boolean> => {
      const { object } = await its().cluster.get<Node>(NODES, { namespace: '', name: nodeName }, soon());
      return object.spec?.['unschedulable'] === true;
    };
    /** Names of the pods that are on it and do not go. */
    const left = async (nodeName: string): Promise<string[]> => {
      const { items } = await its().cluster.list<Pod>(PODS, { namespace, fieldSelector: `spec.nodeName=${nodeName}` }, soon());
      return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(({ metadata }) => metadata.name ?? '');
    };

    test('a dry run says what would happen, and does nothing', async () => {
      await node('dry', { 'dry-1': 'ReplicaSet', 'dry-2': 'Job', 'dry-daemon': 'DaemonSet' });
      const calls: Calls = { made: [] };
      const answer = await drain('dry', {}, { calls });
      expect([answer.result, answer.endingPods, answer.button, calls.made]).toEqual(['planned', 2, 'Drain dry', []]);
      expect(answer.text).toEqual([
        'virtualnode/dry takes no new pods from then on.',
        '2 pods are evicted, 2 of them not ended; what they have not saved is lost. Disruption budgets are kept.',
        '1 pod of DaemonSets or of the node itself stays.',
      ]);
      expect([await isCordoned('dry'), await left('dry'), await told('dry')]).toEqual([false, ['dry-1', 'dry-2', 'dry-daemon'], []]);
    });

    test('asked twice at once, and once more, it is done once and told once (R5, R8)', async () => {
      const uid = await node('twice', { 'twice-1': 'Job', 'twice-daemon': 'DaemonSet' });
      const asked = { token: 'token-drain-1', uid };
      const answers = await Promise.all([drain('twice', {}, asked), drain('twice', {}, asked)]);
      const again = await drain('twice', {}, asked);
      expect([...answers, again].map(({ result }) => result)).toEqual(['done', 'done', 'done']);
      expect([await isCordoned('twice'), await left('twice'), await told('twice')]).toEqual([true, ['twice-daemon'], [`${BY} drained it`]]);
    }, 30_000);

    test('a process that ends at any call leaves what the same token completes (R5, R6)', async () => {
      const calls: Calls = { made: [] };
      const first = await node('kill', { 'kill-1': 'Job' });
      await drain('kill', {}, { token: 'token-of-first', uid: first, calls });
      expect(calls.made).toEqual(['putAnswer', 'patch', 'create', 'patch', 'append', 'putAnswer']);
      for (const call of calls.made.keys())
        for (const when of ['before', 'after'] as const) {
          const killed = `kill-${call}-${when}`;
          const uid = await node(killed, { [`${killed}-pod`]: 'Job' });
          const asked = { token: 'token-drain-2', uid };
          await expect(drain(killed, {}, { ...asked, calls: { made: [], killAt: { call, when } } }).catch(rethrown)).resolves.toBeDefined();
          const { result } = await drain(killed, {}, asked);
          expect([call, when, result, await isCordoned(killed), await left(killed), await told(killed)]).toEqual([
            call,
            when,
            'done',
            true,
            [],
            [`${BY} drained it`],
          ]);
        }
    }, 60_000);

    test('drained before by the same token, and let take pods again since, it is not drained again (R8)', async () => {
      const uid = await node('undone', { 'undone-1': 'Job' });
      await drain('undone', {}, { token: 'token-drain-3', uid });
      expect((await drain('undone', { undo: true }, { token: 'token-undo', uid })).text).toEqual([
        'virtualnode/undone takes new pods again.',
      ]);
      // An hour later, when nothing but the object remembers.
      its().ports.store.readAnswer = async () => undefined;
      expect((await drain('undone', {}, { token: 'token-drain-3', uid })).result).toBe('done');
      delete (its().ports.store as { readAnswer?: unknown }).readAnswer;
      expect(await isCordoned('undone')).toBe(false);
      expect(new Set(await told('undone'))).toEqual(new Set([`${BY} drained it`, `${BY} let it take pods again`]));
    });

    test('a pod that no controller makes anew goes only where that is asked for', async () => {
      const uid = await node('alone', { 'alone-1': undefined });
      const refused = (await failureOf(drain('alone', {}, { token: 'token-alone', uid }))) as TerminalError;
      expect([refused.code, refused.message]).toEqual([
        409,
        `virtualnode/alone cannot be drained so: 1 pod on it has no controller, so nothing makes it anew (${namespace}/alone-1): end it first, or drain with --force ("force": true)`,
      ]);
      expect([await isCordoned('alone'), await left('alone')]).toEqual([false, ['alone-1']]);
      expect((await drain('alone', { force: true }, { token: 'token-alone', uid })).result).toBe('done');
      expect(await left('alone')).toEqual([]);
    });

    test('a pod that a disruption budget keeps stays, and the others go; the same token goes on with it later', async () => {
      const uid = await node('kept', { 'kept-1': 'ReplicaSet', 'kept-2': 'Job' });
      const { cluster } = its();
      const { object: kept } = await cluster.get<Pod>(PODS, { namespace, name: 'kept-1' }, soon());
      const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
      await cluster.patch(
        PODS,
        { namespace, name: 'kept-1', uid: kept.metadata.uid ?? '', subresource: 'status' },
        { type: 'merge', body: { status } },
        soon(),
      );
      const budget = await cluster.create(
        BUDGETS,
        {
          metadata: { name: 'kept', namespace },
          spec: { minAvailable: 1, selector: { matchLabels: { of: 'kept-1' } } },
        } as KubernetesObject,
        soon(),
      );
      const asked = { token: 'token-kept', uid };
      const refused = await failureOf(drain('kept', {}, asked));
      expect(refused).toBeInstanceOf(ThrottledError);
      expect((refused as Error).message).toMatch(
        /^virtualnode\/kept takes no new pods; 1 of 2 pods is not evicted yet: .*disruption budget.*; ask again/,
      );
      expect([await isCordoned('kept'), await left('kept'), await told('kept')]).toEqual([true, ['kept-1'], [`${BY} drained it`]]);
      await cluster.delete(BUDGETS, { namespace, name: 'kept', uid: budget.object.metadata.uid ?? '' }, soon());
      expect((await drain('kept', {}, asked)).result).toBe('done');
      expect([await left('kept'), await told('kept')]).toEqual([[], [`${BY} drained it`]]);
    });

    test('a Node that Farloop does not serve is left alone', async () => {
      const uid = await node('foreign', {}, false);
      const refused = (await failureOf(drain('foreign', {}, { token: 'token-foreign', uid }))) as Error;
      expect(refused.message).toBe('virtualnode/foreign is no virtual node that Farloop serves on local: drain it with kubectl');
      expect(await isCordoned('foreign')).toBe(false);
    });
  });
}
