// Objects as large as etcd keeps them, in the words of an API server: calls on them are answered, a relay reads past them, and only what no
// bound holds is refused, as that object's own trouble.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { KubernetesCluster } from '../../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { EmbeddedQueue } from '../../../lib/adapters/embedded/queue.ts';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
import type { Job, Pod } from '../../../lib/objects/kubernetes.ts';
import { POD_READING } from '../../../lib/objects/pods/pod-facts.ts';
import { JOBS, PODS } from '../../../lib/objects/resources.ts';
import { deadlineIn } from '../../../lib/ports/clock.ts';
import { UNREADABLE, UnreadableObjectError } from '../../../lib/ports/errors.ts';
import { startRelay } from '../../../lib/relay/relay.ts';
import { decodeEvents } from '../../../lib/wire/events.ts';
import { failureOf } from '../../claims.ts';
import { goJson, oddJobs, oddPods } from './go-json.ts';
import type { ScriptedServer } from './scripted-server.ts';
import { says, startScriptedServer } from './scripted-server.ts';
import { podsIn } from '../../wire/told-children.ts';

const clock = new SystemClock();
const soon = () => deadlineIn(clock, 20_000);
const made = <Item>(odd: readonly [string, () => Item][]): Item => {
  const [first] = odd;
  if (!first) throw new Error('none');
  return first[1]();
};
const [ODD_POD, ODD_JOB] = [made(oddPods), made(oddJobs)];
const [POD_TEXT, JOB_TEXT] = [goJson(ODD_POD), goJson(ODD_JOB)];
const AIM = { namespace: 'default', name: 'odd' };

let server: ScriptedServer;
const ending: (() => Promise<void> | void)[] = [];
beforeAll(async () => {
  server = await startScriptedServer();
});
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});
afterAll(() => server.stop());

function open(answerBytesMax?: number): KubernetesCluster {
  const access = { server: server.url, caPem: server.caPem, auth: { kind: 'token' as const, token: 'secret' } };
  const cluster = new KubernetesCluster({ access, clock, ...(answerBytesMax !== undefined && { answerBytesMax }) });
  ending.push(() => cluster.close());
  return cluster;
}

test('pods are answered as far as they are wanted, whatever else they hold', async () => {
  const cluster = open(100_000);
  server.answer(says(200, POD_TEXT));
  const read = await cluster.get<Pod>(PODS, AIM, soon(), POD_READING);
  expect(read.object).toMatchObject({ metadata: { name: 'odd' }, status: { phase: 'Running' } });
  expect(JSON.stringify(read.object).length).toBeLessThan(2_000);
  const created = await cluster.create<Pod>(PODS, ODD_POD, soon(), POD_READING);
  expect(created.object).toEqual(read.object);
  const patched = await cluster.patch<Pod>(PODS, { ...AIM, uid: 'u' }, { type: 'merge', body: {} }, soon(), POD_READING);
  expect(patched.object).toEqual(read.object);
  server.answer(says(200, JSON.stringify({ kind: 'Status', metadata: {}, status: 'Success', details: { name: 'x'.repeat(300_000) } })));
  expect((await cluster.delete<Pod>(PODS, { ...AIM, uid: 'u' }, soon(), POD_READING)).object).toBeUndefined();
});

test('a Job is answered whole', async () => {
  server.answer(says(200, JOB_TEXT));
  const { object } = await open().get<Job>(JOBS, AIM, soon());
  expect(object.spec.template?.spec?.containers[0]?.args?.[0]?.length).toBe(1_420_000);
});

test('R13: what no bound holds is refused as that object’s own trouble', async () => {
  server.answer(says(200, JOB_TEXT));
  const failure = await failureOf(open(1_000_000).get<Job>(JOBS, AIM, soon()));
  expect(failure).toBeInstanceOf(UnreadableObjectError);
  expect(failure).toMatchObject({ reason: UNREADABLE, message: 'Job default/odd cannot be read: as JSON it is longer than 1000000 bytes' });
});

test('a list of a pass takes smaller pages, and reads each of them', async () => {
  const pod = goJson({ ...ODD_POD, spec: { containers: [{ name: 'main', args: ['<'.repeat(60_000)] }] } });
  const page = (continueToken?: string): string =>
    `{"metadata":{"resourceVersion":"9","continue":"${continueToken ?? ''}"},"items":[${pod}]}`;
  server.answer((request, response) => {
    const query = new URL(request.url ?? '', server.url).searchParams;
    if (Number(query.get('limit')) > 1) says(200, `${page().slice(0, -2)},${pod}]}`)(request, response);
    else says(200, page(query.get('continue') ? undefined : 'more'))(request, response);
  });
  const { items } = await open(500_000).list<Pod>(PODS, { namespace: 'default', ...POD_READING }, soon());
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['odd', 'odd']);
});

/** Lists and watches of Jobs and pods; what is pushed goes to the watch of that resource. */
function scriptWatches(): { push: (plural: string, type: string, object: object) => void; opened: Promise<void>; watches: () => string[] } {
  const answers = new Map<string, ServerResponse>();
  const opened = Promise.withResolvers<void>();
  server.requests.splice(0);
  server.answer((request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? '', server.url);
    const plural = pathname.split('/').at(-1) ?? '';
    if (plural === 'kube-system')
      return says(200, '{"kind":"Namespace","metadata":{"name":"kube-system","uid":"kube-system-uid"}}')(request, response);
    if (searchParams.get('watch') !== 'true') return says(200, '{"metadata":{"resourceVersion":"100"},"items":[]}')(request, response);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    answers.set(plural, response);
    if (answers.size === 2) opened.resolve();
  });
  return {
    push: (plural, type, object) => void answers.get(plural)?.write(`${goJson({ type, object })}\n`),
    opened: opened.promise,
    watches: () => server.requests.filter((path) => path.includes('watch=true')),
  };
}

test.each(oddJobs.map(([name, make], at): [string, () => Job, () => Pod] => [name, make, oddPods[at]?.[1] ?? (() => ODD_POD)]))(
  'R13: behind a Job and a pod with %s the next ones are told of at once, on the same watches',
  async (_name, oddJob, oddPod) => {
    const { push, opened, watches } = scriptWatches();
    const queue = EmbeddedQueue.open({ clock });
    ending.push(() => queue.close());
    const telemetry = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, count: () => {} };
    const relay = startRelay({ source: open(), queue, clock, telemetry, cluster: 'west', manages: ['all-jobs'], namespaces: [], era: 0 });
    ending.unshift(() => relay.stop());
    await Promise.all([relay.ready, opened]);
    const told = new Set<string>();
    const until = async (names: string[]): Promise<void> => {
      const endMs = Date.now() + 10_000;
      while (!names.every((each) => told.has(each)) && Date.now() < endMs)
        for (const { body } of await queue.receive('events', { max: 10, waitSeconds: 1, visibilitySeconds: 30 }))
          for (const report of decodeEvents(body).reports)
            for (const name of [report.observed?.object.metadata.name, ...podsIn(report).map(({ child: pod }) => pod.name)])
              told.add(name ?? '');
      expect([...told]).toEqual(expect.arrayContaining(names));
    };
    const at = (name: string, resourceVersion: string): Job['metadata'] => ({
      name,
      namespace: 'default',
      uid: `uid-${name}`,
      resourceVersion,
    });
    push('jobs', 'ADDED', oddJob());
    push('jobs', 'ADDED', { ...oddJob(), metadata: at('ordinary', '206'), spec: { template: { spec: { containers: [] } } } });
    push('pods', 'ADDED', oddPod());
    push('pods', 'ADDED', {
      ...oddPod(),
      metadata: { ...oddPod().metadata, ...at('ordinary-1', '208'), managedFields: [] },
      spec: { containers: [] },
    });
    await until(['odd', 'ordinary', 'ordinary-1']);
    expect(watches()).toHaveLength(2);
  },
);
