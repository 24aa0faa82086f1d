// A cluster from its registration to its removal: by the command, on a real API server, with an account that an emulator plays.
import { ListAccessKeysCommand, ListUsersCommand } from '@aws-sdk/client-iam';
import { GetSecretValueCommand, ListSecretsCommand } from '@aws-sdk/client-secrets-manager';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { KubernetesAdministration } from '../../lib/adapters/kubernetes/kubernetes-administration.ts';
import { RenewedCredentials } from '../../lib/adapters/credentials/renewed-credentials.ts';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import type { KubernetesObject } from '../../lib/objects/kubernetes.ts';
import { JOBS, NAMESPACES, PODS } from '../../lib/objects/resources.ts';
import { OURS, findOurs, objectText, ourObject, resourceOf } from '../../lib/onboarding/ours.ts';
import type { Manifest } from '../../lib/onboarding/relay-manifests.ts';
import { managedKinds } from '../../lib/kinds/settings.ts';
import { functionRules, relayRules } from '../../lib/onboarding/rights.ts';
import { until } from '../claims.ts';
import type { Ended } from '../cli/farloop-process.ts';
import { kustomized, renderChart } from '../infra/rendered-chart.ts';
import { lostRegionCommands } from '../onboarding/lost-region.ts';
import { controlPlanePaths } from './build-control-plane.ts';
import type { ControlPlane } from './control-plane.ts';
import type { Stage } from './stage.ts';
import { STAGE, startStage } from './stage.ts';
import { openNodeClient } from '../node-client.ts';

let stage: Stage;
let controlPlane: ControlPlane;
let administration: KubernetesAdministration;
let sqs: SQSClient;

beforeAll(async () => {
  stage = await startStage();
  ({ controlPlane, administration } = stage);
  sqs = new SQSClient(stage.connection);
}, 900_000);

afterAll(async () => {
  sqs?.destroy();
  await stage?.stop();
}, 60_000);

/** Clusters are registered for these here. */
const JOBS_ALONE = managedKinds(['jobs']);

const add = async (name: string, ...args: string[]): Promise<Ended> =>
  await stage.cluster('add', name, '--kubeconfig', controlPlane.kubeconfigPath, '--image', 'farloop-relay:test', ...args);
const remove = async (name: string, ...args: string[]): Promise<Ended> =>
  await stage.cluster('remove', name, '--kubeconfig', controlPlane.kubeconfigPath, ...args);

/** Everything by name that a registration could leave, and every finalizer of a pod. */
async function everythingOn(): Promise<string[]> {
  const found: string[] = [];
  for (const resource of [...OURS, JOBS, PODS])
    for (const { metadata } of await administration.list(resource))
      if (!(resource.kind === 'Lease' && metadata.namespace === 'kube-system'))
        found.push(`${resource.kind} ${metadata.namespace ?? ''}/${metadata.name} ${(metadata.finalizers ?? []).join()}`);
  return found.toSorted();
}

const versionsOfOurs = async (): Promise<string[]> =>
  await Promise.all(
    (await findOurs(administration, 'farloop')).map(
      async (object) => `${objectText(object)} ${(await administration.get(object.resource, object))?.metadata.resourceVersion}`,
    ),
  );

async function secretToken(name: string): Promise<string> {
  const { SecretString } = await stage.secrets.send(new GetSecretValueCommand({ SecretId: `farloop/${STAGE}/clusters/${name}` }));
  return (JSON.parse(SecretString ?? '{}') as { token: string }).token;
}

/** A Job with a pod that is counted. @param managedBy undefined: the built-in controller looks after it */
async function runningJob(name: string, managedBy?: string): Promise<void> {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'work', image: 'busybox:1.37' }] } };
  const job = await create('/apis/batch/v1/namespaces/default/jobs', {
    metadata: { name },
    spec: { ...(managedBy !== undefined && { managedBy }), template },
  });
  await create('/api/v1/namespaces/default/pods', {
    metadata: {
      name: `${name}-0`,
      finalizers: ['batch.kubernetes.io/job-tracking'],
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name, uid: job.metadata.uid ?? '', controller: true }],
    },
    ...template,
  });
}

async function create(path: string, body: object): Promise<KubernetesObject> {
  const { url, caPem, token } = controlPlane;
  const client = openNodeClient({ url, caPem, token });
  try {
    const answer = await client.request({ method: 'POST', path, body });
    if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as KubernetesObject;
  } finally {
    client.close();
  }
}

const usersOf = async (): Promise<string[]> =>
  ((await stage.iam.send(new ListUsersCommand({}))).Users ?? []).map(({ UserName }) => UserName ?? '');
const queuesOf = async (): Promise<string[]> =>
  ((await sqs.send(new ListQueuesCommand({}))).QueueUrls ?? []).map((url) => url.split('/').at(-1) ?? '').toSorted();

describe('farloop cluster', () => {
  let before: string[];
  let shown: string[];

  test('--dry-run prints everything and makes nothing, on the cluster or on AWS', async () => {
    before = await everythingOn();
    const { exitCode, stdout, stderr } = await add('one', '--dry-run', '-o', 'yaml');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const [onAws, ...manifests] = stdout.split('\n---\n');
    expect(onAws).toContain('# aws:');
    expect(onAws).toContain('sqs:SendMessage');
    shown = manifests.map((text) => objectText(ourObject(load(text) as Manifest)));
    expect(new Set(shown).size).toBe(20);
    expect(await everythingOn()).toEqual(before);
    expect(await queuesOf()).toEqual([`farloop-${STAGE}-events`]);
    expect(await usersOf()).toEqual([]);
    expect(await stage.clusters().list()).toEqual([]);
  });

  test('add registers the cluster with its sender; the API server takes every manifest; a step is a line', async () => {
    const { exitCode, stdout, stderr } = await add('one');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout.split('\n').map((line) => line.split(' ')[0])).toEqual(
      expect.arrayContaining(['cluster', 'queue', 'identity', 'record', 'rights', 'credential', 'access', 'relay']),
    );
    expect((await findOurs(administration, 'farloop')).map(objectText).toSorted()).toEqual(shown.toSorted());
    const record = await stage.clusters().get('one');
    expect(record).toMatchObject({ name: 'one', manages: ['jobs'], namespaces: [], era: 0 });
    expect(record?.kubeSystemUid).toBe((await administration.get(NAMESPACES, { name: 'kube-system' }))?.metadata.uid);
    expect(record?.senders).toHaveLength(1);
    expect(record?.senders[0]).toMatch(/^AIDA/);
    expect(await queuesOf()).toEqual([`farloop-${STAGE}-events`, `farloop-${STAGE}-relay-one`, `farloop-${STAGE}-relay-one-dead`]);
    expect(stdout).not.toContain(await secretToken('one'));
  });

  test('R15: functions may do on the cluster what the kinds need, and nothing else; the relay may only read', async () => {
    const functions = await secretToken('one');
    const { token: relay } = await administration.tokenOf({ namespace: 'farloop', name: 'farloop-relay' }, 600);
    for (const [token, rules] of [
      [functions, functionRules(JOBS_ALONE)],
      [relay, relayRules(JOBS_ALONE)],
    ] as const)
      for (const { apiGroups, resources, verbs } of rules)
        for (const verb of verbs)
          expect([verb, resources[0], await stage.may(token, { verb, group: apiGroups[0] ?? '', resource: resources[0] ?? '' })]).toEqual([
            verb,
            resources[0],
            true,
          ]);
    const refused: [string, string, string][] = [
      ['get', '', 'secrets'],
      ['list', '', 'configmaps'],
      ['create', 'batch', 'jobs'],
      ['create', '', 'pods/exec'],
      ['create', '', 'serviceaccounts/token'],
      ['delete', '', 'namespaces'],
    ];
    for (const [verb, group, resource] of refused)
      for (const token of [functions, relay])
        expect([verb, resource, await stage.may(token, { verb, group, resource })]).toEqual([verb, resource, false]);
    for (const verb of ['create', 'patch', 'delete']) expect(await stage.may(relay, { verb, resource: 'pods' })).toBe(false);
    expect(await stage.may(relay, { verb: 'patch', group: 'coordination.k8s.io', resource: 'leases', namespace: 'kube-system' })).toBe(
      false,
    );
  });

  test('added again, nothing on the cluster changes, and the key stays the one that lies there', async () => {
    const keys = async (): Promise<unknown> =>
      (await stage.iam.send(new ListAccessKeysCommand({ UserName: `farloop-${STAGE}-relay-one` }))).AccessKeyMetadata?.map(
        ({ AccessKeyId }) => AccessKeyId,
      );
    const [versions, key] = [await versionsOfOurs(), await keys()];
    expect((await add('one')).exitCode).toBe(0);
    // What the controllers write of the Deployment's and the budget's status aside.
    const isSpecOnly = (text: string): boolean => !/^(Deployment|PodDisruptionBudget)/.test(text);
    expect((await versionsOfOurs()).filter(isSpecOnly)).toEqual(versions.filter(isSpecOnly));
    expect(await keys()).toEqual(key);
    expect(key).toHaveLength(1);
  });

  test('what was half finished is finished: a lost key is replaced, rights that went are there again', async () => {
    // By another generation a Deployment's pods begin anew: what they run with is read as they begin.
    const generation = async (): Promise<unknown> =>
      (await administration.get(resourceNamed('Deployment'), { namespace: 'farloop', name: 'farloop-relay' }))?.metadata.generation;
    const known = await generation();
    expect((await add('one')).exitCode).toBe(0);
    expect(await generation()).toBe(known);
    await administration.delete(resourceNamed('Secret'), { namespace: 'farloop', name: 'farloop-relay-aws' });
    await administration.delete(resourceNamed('ClusterRoleBinding'), { name: 'farloop-functions' });
    expect((await add('one')).exitCode).toBe(0);
    expect(await stage.may(await secretToken('one'), { verb: 'create', resource: 'pods' })).toBe(true);
    const { AccessKeyMetadata: keys = [] } = await stage.iam.send(new ListAccessKeysCommand({ UserName: `farloop-${STAGE}-relay-one` }));
    expect(keys).toHaveLength(1);
    const secret = await administration.get(resourceNamed('Secret'), { namespace: 'farloop', name: 'farloop-relay-aws' });
    expect(JSON.stringify(secret)).toContain(Buffer.from(keys[0]?.AccessKeyId ?? '').toString('base64'));
    expect(await generation()).toBe(Number(known) + 1);
  });

  test('before half of its life is over a token stays; then the account gets itself another one, and the old one lasts on', async () => {
    const clock = new SystemClock();
    let aheadMs = 0;
    const renewed = new RenewedCredentials({
      client: async () => stage.secrets,
      prefix: `farloop/${STAGE}/clusters/`,
      clock: {
        nowMs: () => clock.nowMs() + aheadMs,
        monotonicMs: () => clock.monotonicMs() + aheadMs,
        wait: async (ms, signal) => await clock.wait(ms, signal),
        randomId: () => clock.randomId(),
        random: () => clock.random(),
      },
      accessOf: () => ({ server: controlPlane.url, caPem: controlPlane.caPem }),
    });
    const first = await secretToken('one');
    expect(await renewed.renew({ name: 'one' })).toBe(false);
    expect(await secretToken('one')).toBe(first);
    aheadMs = 16 * 86_400_000;
    expect(await renewed.renew({ name: 'one' })).toBe(true);
    const second = await secretToken('one');
    expect(second).not.toBe(first);
    for (const token of [first, second]) expect(await stage.may(token, { verb: 'create', resource: 'pods' })).toBe(true);
    aheadMs += 40 * 86_400_000;
    await expect(renewed.renew({ name: 'one' })).rejects.toThrow('give farloop cluster add again');
  });

  test('drained, its record says so, and list too; undone, it does not', async () => {
    expect(await stage.cluster('drain', 'one', '--kubeconfig', controlPlane.kubeconfigPath)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('no Job is running'),
    });
    expect((await stage.clusters().get('one'))?.draining).toBe(true);
    expect((await stage.cluster('list')).stdout).toContain('Waiting, Draining');
    expect((await stage.cluster('drain', 'one', '--undo')).exitCode).toBe(0);
    expect((await stage.clusters().get('one'))?.draining).toBeUndefined();
  });

  test('groups of pods: refused where the API server does not serve them; not asked for any more, the record knows nothing of it', async () => {
    const { exitCode, stderr } = await add('one', '--workload-with-job');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining('serves no Workload of scheduling.k8s.io/v1beta1'),
    });
    const record = await stage.clusters().get('one');
    if (!record) throw new Error('it is not registered');
    await stage.clusters().put({ ...record, options: { 'workload-with-job': 'on' } }, record.version);
    expect(await add('one')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('registered with --workload-with-job: give it again'),
    });
    expect((await add('one', '--change')).exitCode).toBe(0);
    expect(await stage.clusters().get('one')).not.toHaveProperty('options');
  });

  test('relayed: no account for functions, no credential on AWS; the relay gets the rights instead', async () => {
    expect(await add('one', '--access', 'relayed')).toMatchObject({ exitCode: 0 });
    expect(await stage.clusters().get('one')).toMatchObject({ access: 'relayed' });
    expect((await stage.secrets.send(new ListSecretsCommand({}))).SecretList).toEqual([]);
    const { token } = await administration.tokenOf({ namespace: 'farloop', name: 'farloop-relay' }, 600);
    expect(await stage.may(token, { verb: 'create', resource: 'pods' })).toBe(true);
    await expect(administration.tokenOf({ namespace: 'farloop', name: 'farloop-functions' }, 600)).rejects.toThrow('not found');
    for (const forgotten of [await add('one'), await add('one', '--dry-run')])
      expect(forgotten).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('one is registered with --access relayed: give it again'),
      });
    expect((await stage.secrets.send(new ListSecretsCommand({}))).SecretList).toEqual([]);
    // What does not work changes nothing of what does.
    const unreachable = await add('one', '--access', 'direct', '--server', 'https://127.0.0.1:1');
    expect(unreachable).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('functions would not reach the cluster') });
    expect(await stage.clusters().get('one')).toMatchObject({ access: 'relayed' });
    expect(await add('one', '--access', 'direct')).toMatchObject({ exitCode: 0 });
    expect(await stage.may(await secretToken('one'), { verb: 'create', resource: 'pods' })).toBe(true);
  });

  test('with fewer namespaces, rights elsewhere are taken back; no unfinished Job is left there unasked', async () => {
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'work', image: 'busybox:1.37' }] } };
    await create('/apis/batch/v1/namespaces/kube-public/jobs', {
      metadata: { name: 'left' },
      spec: { managedBy: 'farloop.dev/job', template },
    });
    expect(await add('one', '--namespaces', 'default')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('1 Job is unfinished: kube-public/left, which --namespaces leaves out'),
    });
    expect((await stage.clusters().get('one'))?.namespaces).toEqual([]);
    await administration.delete(JOBS, { namespace: 'kube-public', name: 'left' });
    expect((await add('one', '--namespaces', 'default')).exitCode).toBe(0);
    const token = await secretToken('one');
    expect(await stage.may(token, { verb: 'create', resource: 'pods', namespace: 'default' })).toBe(true);
    expect(await stage.may(token, { verb: 'create', resource: 'pods', namespace: 'kube-public' })).toBe(false);
    expect((await stage.clusters().get('one'))?.namespaces).toEqual(['default']);
  });

  test('one cluster has one name, and one name one cluster', async () => {
    const twice = await add('two');
    expect(twice).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('this cluster is registered already, as one') });
    const record = await stage.clusters().get('one');
    if (!record) throw new Error('no record');
    const { version, ...rest } = record;
    const moved = await stage.clusters().put({ ...rest, kubeSystemUid: 'of-another' }, version);
    const refused = await add('one');
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('the name one belongs to another cluster') });
    expect(await remove('one')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('leads to another cluster than one') });
    await stage.clusters().put(rest, moved.version);
  });

  test('a relay is where it was put, and another stage does not take its place', async () => {
    const elsewhere = 'give --relay-namespace farloop';
    expect(await add('one', '--relay-namespace', 'elsewhere')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(elsewhere) });
    const removal = await remove('one', '--relay-namespace', 'elsewhere', '--force');
    expect(removal).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(elsewhere) });
    expect(await stage.clusters().get('one')).toBeDefined();
    const deployment = { namespace: 'farloop', name: 'farloop-relay' };
    const read = async (): Promise<string> => JSON.stringify(await administration.get(resourceNamed('Deployment'), deployment));
    const events = { op: 'replace', path: '/spec/template/spec/containers/0/args/2' };
    const own = /"(--events-queue-url=[^"]+)"/.exec(await read())?.[1] ?? '';
    await administration.patch(resourceNamed('Deployment'), deployment, [{ ...events, value: own.replace('farloop-t-', 'farloop-prod-') }]);
    for (const given of [await add('one'), await remove('one', '--force')])
      expect(given).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is that of farloop-prod, not of farloop-t') });
    expect(await read()).toContain('farloop-prod-events');
    // As if the region of that stage were lost: what the page says brings the cluster to this one, and ends the tokens of before.
    const old = await secretToken('one');
    const [, ...words] = lostRegionCommands().kubectl;
    const kubectl = (await controlPlanePaths(['kubectl'])).get('kubectl') ?? 'kubectl';
    await promisify(execFile)(
      kubectl,
      words.map((word) => (word === 'FILE' ? controlPlane.kubeconfigPath : word)),
    );
    expect(await administration.get(resourceNamed('Deployment'), deployment)).toBeUndefined();
    await until('the old token is good no more', async () => !(await stage.may(old, { verb: 'get', resource: 'pods' })), 60_000);
    expect(await add('one', '--namespaces', 'default')).toMatchObject({ exitCode: 0 });
    expect(await read()).toContain(own);
    expect(await stage.may(await secretToken('one'), { verb: 'create', resource: 'pods' })).toBe(true);
  });

  test('list tells of it before its relay has said a word', async () => {
    const { exitCode, stdout } = await stage.cluster('list');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^one +Waiting +jobs +default +- +0 +200\/200 \+100\/s$/m);
  });

  test('remove does nothing to unfinished Jobs unasked, and says what would happen', async () => {
    await runningJob('busy', 'farloop.dev/job');
    await runningJob('theirs');
    // What controllers make of the relay's Deployment, which was replaced a moment ago, comes and goes by itself.
    const lasting = async (): Promise<string[]> => (await everythingOn()).filter((text) => !text.startsWith('Pod farloop/'));
    const now = await lasting();
    const refused = await remove('one');
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('1 Job is unfinished: default/busy') });
    expect(refused.stderr).toContain('1 pods lose the finalizer');
    expect(await lasting()).toEqual(now);
    expect(await stage.clusters().get('one')).toBeDefined();
  });

  test('R15: removed by force, nothing of ours is left: on the cluster, finalizers included, and on AWS', async () => {
    const token = await secretToken('one');
    const { exitCode, stderr } = await remove('one', '--force');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    await until(
      'the relay’s namespace is gone',
      async () => (await administration.get(NAMESPACES, { name: 'farloop' })) === undefined,
      60_000,
    );
    const jobs = [
      'Job default/busy ',
      'Job default/theirs ',
      'Pod default/busy-0 ',
      'Pod default/theirs-0 batch.kubernetes.io/job-tracking',
    ];
    expect(await everythingOn()).toEqual([...before, ...jobs].toSorted());
    expect(await stage.may(token, { verb: 'get', resource: 'pods' })).toBe(false);
    expect(await queuesOf()).toEqual([`farloop-${STAGE}-events`]);
    expect(await usersOf()).toEqual([]);
    expect((await stage.secrets.send(new ListSecretsCommand({}))).SecretList).toEqual([]);
    expect(await stage.clusters().list()).toEqual([]);
    expect(await remove('one')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('no cluster one is registered') });
  });

  test('the API server takes the rendered chart and the kustomize base', async () => {
    await create('/api/v1/namespaces', { metadata: { name: 'charted' } });
    await create('/api/v1/namespaces', { metadata: { name: 'farloop' } });
    const url = 'https://sqs.us-east-1.amazonaws.com/123456789012/q';
    const values = {
      cluster: 'c',
      era: 0,
      image: 'i:1',
      region: 'us-east-1',
      eventsQueueUrl: url,
      asksQueueUrl: url,
      commander: '',
      manage: 'jobs',
    };
    const charts = ['direct', 'relayed'].map((access) => renderChart({ ...values, access }, 'charted'));
    expect(charts.map((chart) => chart.length)).toEqual([11, 13]);
    for (const manifest of [...charts.flat(), ...kustomized('relayed')])
      expect((await administration.apply(resourceOf(manifest), manifest, { dryRun: true })).metadata.name).toBe(manifest.metadata.name);
    for (const name of ['charted', 'farloop']) await administration.delete(NAMESPACES, { name });
    await until('the four namespaces of the beginning', async () => (await administration.list(NAMESPACES)).length === 4, 60_000);
  });

  test("a namespace that was there before is not ours: it stays, and what is somebody else's in it", async () => {
    await create('/api/v1/namespaces', { metadata: { name: 'shared' } });
    await create('/api/v1/namespaces/shared/configmaps', { metadata: { name: 'theirs' } });
    await until(
      'the account that every namespace gets',
      async () => (await everythingOn()).includes('ServiceAccount shared/default '),
      60_000,
    );
    const now = await everythingOn();
    expect(await add('one', '--relay-namespace', 'shared')).toMatchObject({ exitCode: 0 });
    // The record tells where: nobody has to.
    expect(await remove('one', '--force')).toMatchObject({ exitCode: 0, stderr: '' });
    await until('no more and no less than before', async () => (await everythingOn()).length === now.length, 60_000);
    expect(await everythingOn()).toEqual(now);
  });
});

const resourceNamed = (kind: string): (typeof OURS)[number] => {
  const found = OURS.find((resource) => resource.kind === kind);
  if (!found) throw new Error(kind);
  return found;
};
