// From an empty account to Jobs on two clusters and back: a real `osls deploy`, functions that run from the zips it uploaded, called by
// the emulator's event sources under the roles of the stack; clusters added, drained and removed by the command. One stage and one story:
// each step names those that must have been before it.
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubernetesAdministration } from '../../lib/adapters/kubernetes/kubernetes-administration.ts';
import type { Job, Node, Pod } from '../../lib/objects/kubernetes.ts';
import { findOurs } from '../../lib/onboarding/ours.ts';
import { upstreamMetric } from '../../lib/objects/upstream-metrics.ts';
import { METRICS } from '../../lib/ports/metrics.ts';
import type { EksFront } from '../cluster/eks-front.ts';
import { STAND_IN, startEksFront } from '../cluster/eks-front.ts';
import { Deployment, EKS_CLUSTER, REGION, STAGE, until } from './deployment.ts';
import { FUNCTIONS, ROOT } from './packaged.ts';
import type { Template } from './packaged.ts';
import { openBrowser, View } from '../console/browser.ts';
import { startGuardedProvider, type GuardedProvider } from './guarded-provider.ts';
import { SENDER_STAND_IN } from './recorded-calls.ts';
import { relayOfCommand, relayOfDeployment } from './relays.ts';
import type { RemoteCluster } from './remote-cluster.ts';
import { realCluster, sandboxCluster } from './remote-cluster.ts';
import { rightsIn, rightsTo } from './rights.ts';
import type { Right } from './rights.ts';
import { step as stepOfStory, type Step } from './steps.ts';
import { UNUSED_RIGHTS } from './unused-rights.ts';

const PARAMETERS = { protection: 'off', allowLoopback: 'yes', eventsTimeoutSeconds: '5', eventsVisibilitySeconds: '5' };

const folder = mkdtempSync(join(tmpdir(), 'farloop-deploy-'));
let deployment: Deployment;
let eksFront: EksFront;
let sandbox: RemoteCluster;
let real: RemoteCluster;
let clusters: RemoteCluster[] = [];
/** A list follows within a minute, and a function of this emulator starts in seconds. */
const SHOWN_WITHIN_MS = 120_000;
/** Of the virtual node `edge-NAME` of each cluster, and of runs. */
let provider: GuardedProvider;
const PROVIDER_TOKEN = 'provider-token-which-nobody-else-has';
const parameters = (): Record<string, string> => ({ ...PARAMETERS, runProvider: `http:${provider.address}` });
const nodeOf = ({ name }: RemoteCluster): string => `edge-${name}`;
/** A node that the cluster is registered with, at each registration. */
const nodeFlags = (cluster: RemoteCluster): string[] => [
  '--virtual-node',
  `${nodeOf(cluster)}=http:${provider.address}`,
  '--provider-token-file',
  join(folder, 'provider-token'),
];
/** Whatever lets somebody in somewhere. */
const secrets: string[] = [];

beforeAll(async () => {
  deployment = await Deployment.start();
  await deployment.makeEksCluster();
  eksFront = await startEksFront({ name: EKS_CLUSTER, region: REGION, endpoint: deployment.endpoint, folder });
  sandbox = await sandboxCluster(folder);
  clusters.push(sandbox);
  real = await realCluster(folder, eksFront.apiServerFlags);
  clusters.push(real);
  provider = await startGuardedProvider(PROVIDER_TOKEN);
  writeFileSync(join(folder, 'provider-token'), `${PROVIDER_TOKEN}\n`);
  secrets.push(sandbox.token, real.token, PROVIDER_TOKEN);
}, 900_000);

afterAll(async () => {
  for (const cluster of clusters) await cluster.stop();
  await provider?.stop();
  await eksFront?.stop();
  await deployment?.stop();
  rmSync(folder, { recursive: true, force: true });
  rmSync(join(ROOT, '.serverless'), { recursive: true, force: true });
});

/** A step that tells, when it fails, what the functions said last. */
const step = (name: string, needs: readonly Step[], work: () => Promise<void>): Step =>
  stepOfStory(name, needs, async () => {
    try {
      await work();
    } catch (error) {
      for (const each of FUNCTIONS)
        console.log(`${each}, the last it said:\n${(await deployment.saidBy(each).catch(() => [])).slice(-10).join('\n')}`);
      throw error;
    }
  });

const templateOf = (): Template =>
  JSON.parse(readFileSync(join(ROOT, '.serverless', 'cloudformation-template-update-stack.json'), 'utf8')) as Template;

interface Directive {
  Namespace: string;
  Dimensions: string[][];
  Metrics: { Name: string; Unit: string }[];
}

const isComplete = ({ status }: Job): boolean =>
  (status?.conditions ?? []).some(({ type, status: holds }) => type === 'Complete' && holds === 'True');

const completed = async (name: string, withinMs = 240_000): Promise<Job[]> =>
  await Promise.all(
    clusters.map(async (cluster) => await until(`${name} on ${cluster.name}`, async () => await cluster.job(name), isComplete, withinMs)),
  );

const refused = step('parameters that contradict each other stop the deployment before anything is made, by their names', [], async () => {
  const { code, said } = await deployment.tryOsls('deploy', { ...PARAMETERS, auth: 'jwt', protecton: 'off' });
  expect(code).not.toBe(0);
  expect(said).toContain('protecton: there is no such parameter');
  const contradicting = await deployment.tryOsls('deploy', { ...PARAMETERS, protection: 'on', jwtAudience: 'people' });
  expect(contradicting.code).not.toBe(0);
  for (const name of ['jwtAudience: it is for auth=jwt', 'allowLoopback: only a stage with protection=off'])
    expect(contradicting.said).toContain(name);
  expect(await deployment.made()).toEqual([]);
});

const deployed = step('deploys into an empty account', [refused], async () => {
  await deployment.osls('deploy', parameters());
  await deployment.readOutputs();
  const types = [...(await deployment.resources()).values()].map(({ type }) => type);
  expect(types.filter((type) => type === 'AWS::Lambda::Function')).toHaveLength(5);
  const granted = await deployment.grantBatches(rightsIn(templateOf()));
  console.log(
    `stand-in: the emulator asks for rights to SendMessageBatch and DeleteMessageBatch, which AWS does not know; ${granted} granted`,
  );
});

/** `farloop cluster add` of the real API server, at the address at which functions reach it. */
const addReal = async (...args: string[]): Promise<string> => {
  const { kubeconfigPath, server, tlsServerName } = real;
  const way = ['--kubeconfig', kubeconfigPath, '--server', server, '--tls-server-name', tlsServerName, '--image', 'farloop-relay:e2e'];
  return await deployment.cluster('add', 'real', ...way, ...nodeFlags(real), ...args);
};
const userOf = ({ name }: RemoteCluster): string => `farloop-${STAGE}-relay-${name}`;

const shownFirst = step('farloop cluster add: shows first what it would make, and makes nothing', [deployed], async () => {
  const shown = await addReal('--dry-run', '-o', 'yaml');
  for (const part of [`name: ${userOf(real)}`, 'kind: ClusterRole', 'kind: Deployment', 'sqs:SendMessage']) expect(shown).toContain(part);
  expect(await deployment.traces('real')).toEqual([]);
  expect(await oursOn(real)).toEqual([]);
});

const realAdded = step(
  'farloop cluster add: registers a real API server that functions dial; its relay runs as its Deployment says, with the rights that it was given',
  [shownFirst],
  async () => {
    console.log(SENDER_STAND_IN);
    await addReal();
    await deployment.grantBatchesTo(userOf(real));
    const { args, environment } = await relayOfDeployment(real, folder);
    await real.startRelay(args, { ...deployment.environment, ...environment });
    secrets.push(environment['AWS_SECRET_ACCESS_KEY'] ?? '', (await deployment.secretOf('real')) ?? '');
    expect(secrets.every((secret) => secret.length > 20)).toBe(true);
  },
);

const sandboxAdded = step(
  'farloop cluster add: registers the sandbox by relayed access: nothing dials it, and no credential of it is on AWS',
  [deployed],
  async () => {
    const args = ['--kubeconfig', sandbox.kubeconfigPath, '--access', 'relayed', '--no-relay', ...nodeFlags(sandbox)];
    const printed = await deployment.cluster('add', 'sandbox', ...args);
    const key = await deployment.keyOfUser(userOf(sandbox));
    secrets.push(key.secretAccessKey);
    await deployment.grantBatchesTo(userOf(sandbox));
    const relay = relayOfCommand(sandbox, printed, key);
    expect(await deployment.traces('sandbox')).toEqual([
      'queue farloop-e2e-relay-sandbox',
      'queue farloop-e2e-relay-sandbox-dead',
      'record sandbox',
      'secret farloop/e2e/clusters/sandbox/providers',
      'user farloop-e2e-relay-sandbox',
    ]);
    await sandbox.startRelay(relay.args, { ...deployment.environment, ...relay.environment });
  },
);

const oursOn = async (cluster: RemoteCluster): Promise<string[]> => {
  const administration = new KubernetesAdministration(cluster.access);
  try {
    return (await findOurs(administration, 'farloop')).map(({ resource, name }) => `${resource.kind} ${name}`);
  } finally {
    administration.close();
  }
};

const ran = step('Jobs run through the deployed functions to Complete, each index once', [realAdded, sandboxAdded], async () => {
  for (const cluster of clusters) await cluster.createJob('first', { completions: 4, parallelism: 2, runSeconds: 1 });
  for (const [at, job] of (await completed('first')).entries()) {
    expect(job.status).toMatchObject({ succeeded: 4, completedIndexes: '0-3' });
    expect(job.status?.failed ?? 0).toBe(0);
    // The write that ends a Job counts its last pods; what holds them comes off behind it.
    const pods = await until(
      `pods of first let go on ${clusters[at]?.name}`,
      async () => (await clusters[at]?.podsOf('first')) ?? [],
      (found) => found.every(({ metadata }) => (metadata.finalizers ?? []).length === 0),
      90_000,
    );
    expect(pods).toHaveLength(4);
  }
});

const isReady = (node: Node | undefined): boolean =>
  ((node?.status?.['conditions'] ?? []) as { type: string; status: string }[]).some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );
/** A provider knows pods by their names, and both clusters have the same one. */
const endsOn = ({ name }: RemoteCluster): string => `ends-${name}`;
const staysOn = ({ name }: RemoteCluster): string => `stays-${name}`;
const sleeps = (seconds: number): string[] => ['sleep', String(seconds)];
const phaseOf = (pod: Pod | undefined): string | undefined => pod?.status?.phase;

const nodesWork = step(
  'pods run on virtual nodes of the deployed stack, dialled and relayed: functions make the Node, its relay keeps the lease, a provider asks for a token',
  [realAdded, sandboxAdded],
  async () => {
    for (const cluster of clusters) {
      const name = nodeOf(cluster);
      await until(`${name} is ready`, async () => await cluster.node(name), isReady, 180_000);
      const [first] = [(await cluster.nodeLease(name))?.spec?.renewTime];
      await until(
        `the lease of ${name} is renewed`,
        async () => (await cluster.nodeLease(name))?.spec?.renewTime,
        (time) => time !== undefined && time !== first,
        60_000,
      );
      await cluster.createPod(endsOn(cluster), { nodeName: name, command: sleeps(2) });
      await cluster.createPod(staysOn(cluster), { nodeName: name, command: ['sh', '-c', 'echo here it is; sleep 10000'] });
    }
    for (const cluster of clusters) {
      await until(
        `ends on ${cluster.name}`,
        async () => await cluster.pod(endsOn(cluster)),
        (pod) => phaseOf(pod) === 'Succeeded',
        120_000,
      );
      await until(
        `stays on ${cluster.name}`,
        async () => await cluster.pod(staysOn(cluster)),
        (pod) => phaseOf(pod) === 'Running',
        120_000,
      );
      await cluster.deletePod(endsOn(cluster));
      await until(
        `ends is gone from ${cluster.name}`,
        async () => await cluster.pod(endsOn(cluster)),
        (pod) => pod === undefined,
        120_000,
      );
    }
    expect(provider.refused()).toBe(0);
  },
);

const nodeLogged = step(
  'logs of a pod on a virtual node: a function asks its provider for farloop logs, and for the relay, which the API server asks',
  [nodesWork],
  async () => {
    const asked = ['logs', `pod/${staysOn(sandbox)}`, '--cluster', 'sandbox', '--endpoint', await deployment.endpointOfApi()];
    expect(await deployment.farloop(...asked)).toEqual({ exitCode: 0, stderr: '', stdout: 'here it is\n' });
    const asKubectl = await until(
      'its Node names its relay',
      async () => await sandbox.log(staysOn(sandbox)),
      ({ status }) => status === 200,
      120_000,
    );
    expect(asKubectl.text).toBe('here it is\n');
  },
);

const podThat = (name: string, command: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'i', command: ['sh', '-c', command] }] },
});
interface ToldRun {
  state: string;
  error?: string;
  results: { pod: { name: string }; error?: string; containers: { exitCode?: number }[] }[];
}
const runOf = async (id: string): Promise<ToldRun> => (await deployment.api('GET', `/v1/runs/${id}`)).json as ToldRun;

const ranOnce = step(
  'a run of pods is posted, signed: functions give each command to the provider of the deployment once, tell its end, and cancel another',
  [deployed],
  async () => {
    const secret = `farloop/${STAGE}/runs/providers`;
    await deployment.giveSecret(secret, { '': PROVIDER_TOKEN });
    const mark = join(folder, 'ran');
    const body = {
      runId: 'nightly',
      manifest: [podThat('good', `echo once >> ${mark}`), podThat('bad', 'sleep 1; exit 3')],
      options: { until: 'completed', logs: 5 },
    };
    // A caller may repeat the request.
    for (const _ of [1, 2]) expect((await deployment.api('POST', '/v1/runs', { body })).status).toBe(200);
    const elsewhere = await deployment.api('POST', '/v1/runs', { body: { ...body, provider: 'simulated' } });
    expect([elsewhere.status, elsewhere.json]).toMatchObject([400, { detail: expect.stringContaining('runProvider') }]);
    const beganMs = performance.now();
    const run = await until(
      'nightly is over',
      async () => await runOf('nightly'),
      ({ state }) => state === 'done',
      120_000,
    );
    console.log(`a run of two pods was over ${Math.round((performance.now() - beganMs) / 1000)} s after it had been posted`);
    const exits = run.results.map(({ pod, containers }) => [pod.name, containers.map(({ exitCode }) => exitCode)]);
    expect(Object.fromEntries(exits)).toEqual({ good: [0], bad: [3] });
    expect(run.error).toMatch(/^error running pods: \[bad_default\(/);
    expect(readFileSync(mark, 'utf8')).toBe('once\n');
    const other = { runId: 'long', manifest: [podThat('long', 'sleep 10000')] };
    expect(
      (await deployment.api('POST', '/v1/runs', { body: { ...other, options: { until: 'completed', cleanup: 'always' } } })).status,
    ).toBe(200);
    const phaseAtProvider = async (name: string): Promise<string | undefined> =>
      (await provider.pods()).find(({ metadata }) => metadata.name === name)?.status?.phase;
    await until(
      'long runs',
      async () => await phaseAtProvider('long'),
      (phase) => phase === 'Running',
      60_000,
    );
    expect((await deployment.api('POST', '/v1/runs/long/cancel')).json).toMatchObject({ state: 'cancelled' });
    await until(
      'long runs no more',
      async () => await phaseAtProvider('long'),
      (phase) => phase !== 'Running',
      60_000,
    );
    expect((await deployment.api('GET', '/v1/runs')).json).toMatchObject({ items: [{ runId: 'long' }, { runId: 'nightly' }] });
    expect((await deployment.api('GET', '/v1/runs/nowhere')).status).toBe(404);
    await deployment.takeSecret(secret);
  },
);

const signedAlone = step('the API: answers nobody who does not sign', [deployed], async () => {
  for (const path of ['/v1/clusters', '/v1/dead-letters', '/', '/healthz'])
    expect((await deployment.api('GET', path, { signed: false })).status).toBe(403);
});

const apiTold = step('the API: tells of both clusters and of their work, and never of a secret', [ran], async () => {
  const { status, json } = await until(
    'both relays heard',
    async () => await deployment.api('GET', '/v1/clusters'),
    (answer) => JSON.stringify(answer.json).split('"states":[{"state":"Watching"').length === 3,
  );
  expect(status).toBe(200);
  expect(json).toMatchObject({ items: [{ name: 'real' }, { name: 'sandbox' }] });
  const workloads = await deployment.api('GET', '/v1/workloads');
  expect(workloads.status).toBe(200);
  const asked = [
    '/v1/workloads/sandbox/Job/default/first',
    '/v1/queues',
    '/v1/dead-letters',
    '/v1/workloads/sandbox/Job/default/first/passes',
  ];
  for (const path of asked) {
    const answer = await deployment.api('GET', path);
    expect({ path, status: answer.status, ...(answer.status !== 200 && { said: answer.json }) }).toEqual({ path, status: 200 });
  }
  const page = await deployment.api('GET', '/');
  expect(page.status).toBe(200);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  for (const secret of secrets)
    for (const answer of [json, workloads.json, page.json]) expect(JSON.stringify(answer)).not.toContain(secret);
});

const explained = step(
  'the API: farloop explain and replay read recorded passes of both clusters through it, signed; nobody else does',
  [ran],
  async () => {
    const endpoint = await deployment.endpointOfApi();
    for (const { name } of clusters) {
      const asked = ['explain', 'job/first', '--cluster', name, '--endpoint', endpoint];
      const { exitCode, stdout, stderr } = await deployment.farloop(...asked);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(stdout).toContain(`job/first in default on ${name}: Succeeded`);
      const { passes } = JSON.parse((await deployment.farloop(...asked, '-o', 'json')).stdout) as {
        passes: { passId: string; why: string[]; actions: { verb: string }[] }[];
      };
      expect(passes.flatMap(({ actions }) => actions.map(({ verb }) => verb))).toEqual(expect.arrayContaining(['create', 'status']));
      const created = passes.find(({ actions }) => actions.some(({ verb }) => verb === 'create'));
      expect(created?.why.length).toBeGreaterThan(0);
      const replayed = await deployment.farloop('replay', created?.passId ?? '', '--endpoint', endpoint);
      expect(replayed).toEqual({ exitCode: 0, stderr: '', stdout: expect.stringContaining('decided again as it was') });
    }
    const unsigned = await fetch(`${endpoint}/v1/workloads/real/Job/default/first/passes`);
    expect(unsigned.status).toBe(403);
  },
);

const logged = step(
  'farloop logs: of a pod of a relayed cluster, through the API, a function that may reach it, and its relay',
  [ran],
  async () => {
    const endpoint = await deployment.endpointOfApi();
    const pod = (await sandbox.podsOf('first')).find(
      ({ metadata }) => metadata.annotations?.['batch.kubernetes.io/job-completion-index'] === '2',
    );
    const asked = ['logs', 'job/first', '--cluster', 'sandbox', '--endpoint', endpoint];
    const one = await deployment.farloop(...asked, '--index', '2');
    expect(one).toEqual({
      exitCode: 0,
      stderr: '',
      stdout: expect.stringMatching(/^\S+ work started\n\S+ work ended with exit code 0\n$/),
    });
    const all = await deployment.farloop(...asked, '--tail', '1');
    expect(all.stdout.split('\n')).toContainEqual(expect.stringMatching(new RegExp(`^${pod?.metadata.name}  \\S+ work ended`)));
    expect(all.stdout.trim().split('\n')).toHaveLength(4);
    // Its node has no kubelet: a cluster that is dialled says so, and what is known is told.
    const none = await deployment.farloop('logs', 'job/first', '--cluster', 'real', '--index', '2', '--endpoint', endpoint);
    expect(none).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(/^farloop: .*; container work ended with exit code 0\n$/),
    });
  },
);

const consoleShown = step('the API: farloop console shows a browser what it may not ask for itself', [ran], async () => {
  const shown = deployment.start('console', '--port', '0', '--endpoint', await deployment.endpointOfApi());
  try {
    await shown.says(/#token=[\w-]+\n/);
    const [, url = '', token = ''] = /(http:\S+)\/#token=([\w-]+)\n/.exec(shown.stdout) ?? [];
    const answer = await fetch(`${url}/v1/clusters`, { headers: { authorization: `Bearer ${token}` } });
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({
      status: 200,
      body: { items: [{ name: 'real' }, { name: 'sandbox' }] },
    });
    const browser = await openBrowser();
    try {
      const view = await View.open(browser, { url: `${url}/#token=${token}` });
      for (const { name } of clusters) await view.shows(name, SHOWN_WITHIN_MS);
      await view.goTo('#/workloads?text=first&kind=Job');
      for (const { name } of clusters) await view.shows(new RegExp(`default/first on ${name}Succeeded[^J]*4/4`), SHOWN_WITHIN_MS);
      expect(view.complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  } finally {
    await shown.destroy();
  }
});

const freshness = step('farloop cluster list tells how fresh what is known of each is', [ran], async () => {
  const linesOf = clusters.map(({ name }) => new RegExp(`^${name} +Watching +jobs,virtual-nodes +all +\\S+ +0 `, 'm'));
  // A sweep wakes what a full list did not name, and then something waits for a moment.
  const areTold = (text: string): boolean => linesOf.every((line) => line.test(text));
  const listed = await until('both are watched, and nothing waits', async () => await deployment.cluster('list'), areTold);
  for (const line of linesOf) expect(listed).toMatch(line);
});

const deleted = step('a Job that is deleted is forgotten, and its pods with it', [apiTold, explained, logged], async () => {
  for (const cluster of clusters) await cluster.deleteJob('first');
  await until(
    'nothing known of it',
    async () => await deployment.api('GET', '/v1/workloads'),
    ({ json }) => !JSON.stringify(json).includes('"first"'),
  );
  for (const cluster of clusters)
    expect(
      await until(
        `pods of first gone from ${cluster.name}`,
        async () => await cluster.podsOf('first'),
        (pods) => pods.length === 0,
      ),
    ).toEqual([]);
});

const deadEvents = async (): Promise<number> => {
  const { Attributes: { ApproximateNumberOfMessages: visible, ApproximateNumberOfMessagesNotVisible: seen } = {} } =
    await deployment.sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: deployment.output('EventsDeadQueueUrl'), AttributeNames: ['All'] }),
    );
  return Number(visible) + Number(seen);
};

const timesUnreadable = async (): Promise<number> =>
  (await deployment.logsOf('ingest')).filter(({ message }) => String(message).startsWith('message cannot be read')).length;

// Before the cluster whose token it looks after becomes one of EKS, which has none.
const sweptAlone = step('sweep runs every minute by itself', [realAdded, sandboxAdded], async () => {
  // One that knows both clusters: the first may have come before them.
  const sweepsIn = (lines: readonly Record<string, unknown>[]): number => lines.filter(({ message }) => message === 'swept').length;
  const before = sweepsIn(await deployment.logsOf('sweep'));
  const lines = await until(
    'a sweep',
    async () => await deployment.logsOf('sweep'),
    (said) => sweepsIn(said) > before,
  );
  expect(lines.filter(({ level }) => level === 'ERROR')).toEqual([]);
});

const deadLetter = step(
  'R13: what cannot be read dies after its tries and stops nothing else; redriven by the API, it goes all the way again',
  [sandboxAdded],
  async () => {
    await deployment.sqs.send(
      new SendMessageCommand({
        QueueUrl: deployment.output('EventsQueueUrl'),
        MessageBody: 'not a message of ours',
        MessageGroupId: 'sandbox',
      }),
    );
    const list = async (): Promise<{ messageId: string; body: string }[]> => {
      const { json } = await deployment.api('GET', '/v1/dead-letters?queue=events');
      return (json as { items: { messageId: string; body: string }[] }).items ?? [];
    };
    const [letter] = await until('a dead letter', list, (items) => items.length > 0);
    expect(letter?.body).toBe('not a message of ours');
    const redriven = await deployment.api('POST', '/v1/dead-letters/redrive?queue=events', { body: { messageIds: [letter?.messageId] } });
    expect(redriven).toMatchObject({ status: 200, json: { redriven: 1 } });
    // It is dead again within a moment, so what it went through is looked at: each of its lives is told of once.
    await until('it is read once more, in vain', timesUnreadable, (times) => times === 2);
    await until('the same letter, dead again', deadEvents, (count) => count === 1);
    // Idempotent: it is there no more, but as another message.
    expect(
      (await deployment.api('POST', '/v1/dead-letters/redrive?queue=events', { body: { messageIds: [letter?.messageId] } })).json,
    ).toEqual({ redriven: 0 });
  },
);

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

const STATEFUL = ['Views', 'Clusters', 'Runs', 'Events', 'Wakes', 'Timers', 'EventsDead', 'WakesDead', 'TimersDead'];

const letIn = step(
  'registered anew as a cluster of EKS, its token is gone from AWS: functions show their role, which an access entry lets in',
  [deleted, sweptAlone, nodesWork, nodeLogged],
  async () => {
    console.log(STAND_IN);
    await addReal('--credential', 'eks', '--eks-cluster', EKS_CLUSTER);
    await deployment.grantBatchesTo(userOf(real));
    expect(await deployment.secretOf('real')).toBeUndefined();
    expect(await deployment.traces('real')).toContainEqual(`access entry ${deployment.output('ReconcileRoleArn')}`);
    await real.createJob('let-in', { completions: 1, parallelism: 1, runSeconds: 1 });
    await until('let-in on real', async () => await real.job('let-in'), isComplete, 240_000);
    expect(eksFront.verdicts).toContainEqual(expect.stringMatching(/ReconcileRole.*: farloop-functions$/));
    await real.deleteJob('let-in');
  },
);

const relayed = step(
  'registered anew with relayed access, its relay has every right that passes need, and no more than its own: a Job runs to its end',
  [letIn],
  async () => {
    await real.stopRelay();
    const args = ['--kubeconfig', real.kubeconfigPath, '--image', 'farloop-relay:e2e', '--access', 'relayed', ...nodeFlags(real)];
    await deployment.cluster('add', 'real', ...args);
    await deployment.grantBatchesTo(userOf(real));
    // Neither a credential nor an access entry of EKS; of its Jobs there are views.
    expect((await deployment.traces('real')).filter((text) => !text.startsWith('view '))).toEqual([
      'queue farloop-e2e-relay-real',
      'queue farloop-e2e-relay-real-dead',
      'record real',
      'secret farloop/e2e/clusters/real/providers',
      'user farloop-e2e-relay-real',
    ]);
    const relay = await relayOfDeployment(real, folder);
    expect(relay.args).toContain('--access=relayed');
    await real.startRelay(relay.args, { ...deployment.environment, ...relay.environment });
    await real.createJob('relayed', { completions: 3, parallelism: 2, runSeconds: 1 });
    const job = await until('relayed on real', async () => await real.job('relayed'), isComplete, 240_000);
    expect(job.status).toMatchObject({ succeeded: 3, completedIndexes: '0-2' });
    await real.deleteJob('relayed');
    const isRunning = (pod: Pod | undefined): boolean => phaseOf(pod) === 'Running';
    await real.createPod('relayed', { nodeName: nodeOf(real), command: sleeps(10_000) });
    await until('the pod relayed runs on its virtual node', async () => await real.pod('relayed'), isRunning, 120_000);
    await real.deletePod('relayed');
    await until(
      'the pod relayed is gone',
      async () => await real.pod('relayed'),
      (pod) => pod === undefined,
      120_000,
    );
    await until(
      'pods of relayed let go and gone',
      async () => await real.podsOf('relayed'),
      (pods) => pods.length === 0,
    );
  },
);

const deployedAgain = step(
  'a second deployment while Jobs run replaces nothing that holds state, and the Jobs complete',
  [relayed],
  async () => {
    const before = await deployment.resources();
    const bornOf = async (): Promise<(Date | undefined)[]> =>
      await Promise.all(
        ['ViewsTable', 'ClustersTable', 'RunsTable'].map(
          async (output) =>
            (await deployment.dynamodb.send(new DescribeTableCommand({ TableName: deployment.output(output) }))).Table?.CreationDateTime,
        ),
      );
    const bornBefore = await bornOf();
    for (const cluster of clusters) await cluster.createJob('second', { completions: 4, parallelism: 2, runSeconds: 25 });
    for (const cluster of clusters)
      await until(
        `second at work on ${cluster.name}`,
        async () => await cluster.job('second'),
        ({ status }) => (status?.active ?? 0) > 0,
      );
    await deployment.osls('deploy', { ...parameters(), logLevel: 'debug', reconcileConcurrency: '20' });
    const stillRunning = await Promise.all(clusters.map(async (cluster) => !isComplete(await cluster.job('second'))));
    console.log(`Jobs in flight when the second deployment was done: ${stillRunning.filter(Boolean).length} of ${clusters.length}`);
    const after = await deployment.resources();
    for (const name of STATEFUL) expect(after.get(name)).toEqual(before.get(name));
    expect(await bornOf()).toEqual(bornBefore);
    for (const job of await completed('second')) expect(job.status).toMatchObject({ succeeded: 4, completedIndexes: '0-3' });
  },
);

/** What a function counts at each call, what Jobs that ran leave behind, and what sweep tells each minute of every cluster. */
const METRICS_OF_A_RUN = [
  'LeaseLateness',
  'ReconcileDuration',
  'EventToWakeLag',
  'EventToPassLag',
  'EventToActionLag',
  'WritesSent',
  'UnreadableMessages',
  'WatchAge',
  'ClockOffset',
  'SweepsFinished',
  'AwsRequests',
  'WriteUnits',
  'ReadUnits',
  'ColdStarts',
  'job_controller_job_syncs_total',
  'job_controller_job_sync_duration_seconds',
  'job_controller_jobs_finished_total',
  'job_controller_job_pods_finished_total',
  'job_controller_terminated_pods_tracking_finalizer_total',
  'job_controller_job_pods_creation_total',
];

/** @returns the names of those that stand in the logs; each is checked against the table of metrics */
async function metricsInLogs(): Promise<Set<string>> {
  const seen = new Set<string>();
  for (const name of FUNCTIONS)
    for (const line of await deployment.logsOf(name)) {
      if (!('_aws' in line)) continue;
      const { CloudWatchMetrics: directives } = line['_aws'] as { CloudWatchMetrics: Directive[] };
      for (const { Namespace, Dimensions, Metrics } of directives)
        for (const { Name, Unit } of Metrics) {
          const reference = upstreamMetric(Name);
          expect({ Name, Namespace, Unit, Dimensions }).toEqual({
            Name,
            Namespace: `Farloop/${STAGE}`,
            Unit: reference ? (reference.type === 'counter' ? 'Count' : 'Seconds') : METRICS[Name]?.unit,
            Dimensions: reference ? [reference.labels] : METRICS[Name]?.sets,
          });
          const values = Object.fromEntries(Dimensions.flat().map((dimension) => [dimension, line[dimension]]));
          for (const [dimension, value] of Object.entries(values))
            // That a workload is unknown is an outcome of its pass.
            if ((value === 'unknown' && dimension !== 'outcome') || value === '' || typeof value !== 'string')
              throw new Error(`${name} told ${Name} with ${JSON.stringify(values)}`);
          expect(line[Name]).toBeDefined();
          seen.add(Name);
        }
    }
  return seen;
}

const metered = step(
  'metrics stand in the logs, of the kinds and with the dimensions that the table of metrics tells',
  [deadLetter, deployedAgain],
  async () => {
    // Sweep tells its own once a minute, and the emulator hands out a log some time after it was written.
    const missing = async (): Promise<string[]> => {
      const seen = await metricsInLogs();
      return METRICS_OF_A_RUN.filter((name) => !seen.has(name));
    };
    expect(await until('all metrics of a run', missing, (names) => names.length === 0, 90_000)).toEqual([]);
  },
);

const keptSecret = step('no token and no key stands in a log line, nor in a table', [deployedAgain], async () => {
  const stored = await deployment.stored();
  for (const secret of secrets) expect(stored).not.toContain(secret);
  for (const name of FUNCTIONS) {
    const said = (await deployment.saidBy(name)).join('\n');
    for (const secret of [...secrets, 'k8s-aws-v1.', ...clusters.map(({ caPem }) => caPem.slice(100, 160))])
      expect(said).not.toContain(secret);
  }
});

const permitted = step(
  'rights: every call of every function is in its role; a right that none used is listed',
  [signedAlone, ranOnce, consoleShown, freshness, metered, keptSecret],
  async () => {
    const keys = await deployment.accessKeys();
    const resources = await deployment.resources();
    const nameOf = (resource: string): string =>
      resource
        .replace(/^\$\{(\w+)\.Arn\}/, (_whole, logical: string) => (resources.get(logical)?.id ?? logical).split('/').at(-1) ?? '')
        .replace(/^.*:secret:/, '')
        .replace(/^arn:.*:/, '');
    const rights = rightsIn(templateOf()).map((right) => ({ ...right, resource: nameOf(right.resource) }));
    const permits = (right: Right, { role, action, resource }: Right): boolean =>
      right.role === role && right.action === action && new RegExp(`^${right.resource.split('*').map(escaped).join('.*')}$`).test(resource);
    const made = deployment.recorder.calls.flatMap(({ accessKeyId, action, resource }) => {
      const name = keys.get(accessKeyId);
      return name ? [{ role: `${name.charAt(0).toUpperCase()}${name.slice(1)}Role`, action, resource }] : [];
    });
    expect(new Set(made.map(({ role }) => role)).size).toBe(5);
    expect([...new Set(made.filter((call) => !rights.some((right) => permits(right, call))).map((call) => JSON.stringify(call)))]).toEqual(
      [],
    );

    const unused = rights.filter((right) => !made.some((call) => permits(right, call)));
    const reasonFor = ({ role, action }: Right): string | undefined => UNUSED_RIGHTS[`${role} ${action}`] ?? UNUSED_RIGHTS[`* ${action}`];
    for (const right of unused)
      console.log(`right not used here: ${right.role} ${right.action} on ${right.resource}: ${reasonFor(right) ?? '?'}`);
    expect(unused.filter((right) => reasonFor(right) === undefined)).toEqual([]);
    console.log(
      `${made.length} calls of functions, ${new Set(made.map((call) => JSON.stringify(call))).size} different, ${rights.length} rights, ${unused.length} not used here`,
    );
  },
);

const removedAtWork = step(
  'a cluster whose relay runs on, with a credential of its own, is removed in the middle of a Job: nothing is made anew there',
  [permitted],
  async () => {
    const { name, kubeconfigPath } = sandbox;
    await sandbox.createJob('unfinished', { completions: 4, parallelism: 2, runSeconds: 600 });
    const atWork = await until(
      'unfinished at work',
      async () => await sandbox.podsOf('unfinished'),
      (pods) => pods.length === 2 && pods.every(({ status }) => status?.phase === 'Running'),
    );
    const removed = await deployment.cluster('remove', name, '--kubeconfig', kubeconfigPath, '--force');
    expect(removed).toContain(`1 pod runs on virtual nodes: default/${staysOn(sandbox)}`);
    expect([await sandbox.pod(staysOn(sandbox)), await sandbox.node(nodeOf(sandbox)), await sandbox.nodeLease(nodeOf(sandbox))]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect((await provider.pods()).filter(({ spec, status }) => spec.nodeName === nodeOf(sandbox) && status?.phase === 'Running')).toEqual(
      [],
    );
    const heldBy = (pods: readonly Pod[]): Record<string, string[]> =>
      Object.fromEntries(pods.map(({ metadata }) => [metadata.name ?? '', metadata.finalizers ?? []]));
    const letGo = heldBy(atWork.map(({ metadata, ...pod }) => ({ ...pod, metadata: { ...metadata, finalizers: [] } })));
    expect(heldBy(await sandbox.podsOf('unfinished'))).toEqual(letGo);
    await sandbox.stopRelay();
    expect(await deployment.traces(name)).toEqual([]);
  },
);

const removedWhole = step(
  'a cluster is drained and removed: nothing is left of it, on AWS or on the cluster',
  [removedAtWork],
  async () => {
    const { name, kubeconfigPath } = real;
    // It has outlived two other ways of registration, and a deployment.
    expect(phaseOf(await real.pod(staysOn(real)))).toBe('Running');
    await real.deletePod(staysOn(real));
    await until(
      'stays is gone',
      async () => await real.pod(staysOn(real)),
      (pod) => pod === undefined,
      120_000,
    );
    const drained = await deployment.cluster('drain', name, '--kubeconfig', kubeconfigPath, '--wait-minutes', '1');
    expect(drained).toContain('no Job or VirtualPod is running');
    expect(await deployment.cluster('list')).toMatch(new RegExp(`^${name} +(?:\\S+, )?Draining `, 'm'));
    // As the kubelet does once its Deployment is gone.
    await real.stopRelay();
    await deployment.cluster('remove', name, '--kubeconfig', kubeconfigPath);
    expect([await real.node(nodeOf(real)), await real.nodeLease(nodeOf(real))]).toEqual([undefined, undefined]);
    for (const cluster of clusters) {
      expect(await deployment.traces(cluster.name)).toEqual([]);
      await until(
        `nothing of ours on ${cluster.name}`,
        async () => await oursOn(cluster),
        (left) => left.length === 0,
      );
      // Jobs and their pods are their owners'; only what held them is gone.
      const finalizers = (await cluster.podsOf('second')).flatMap(({ metadata }) => metadata.finalizers ?? []);
      expect({ status: (await cluster.job('second')).status?.succeeded, finalizers }).toEqual({ status: 4, finalizers: [] });
    }
    expect(await deployment.cluster('list')).toContain('no clusters');
  },
);

const wholeGone = step(
  'a sandbox is registered whole: functions dial it and its relay works with the rights that it was given, until it is removed',
  [removedWhole],
  async () => {
    const whole = await sandboxCluster(folder, 'whole');
    clusters = [...clusters, whole];
    const { kubeconfigPath, server, tlsServerName } = whole;
    const way = ['--kubeconfig', kubeconfigPath, '--server', server, '--tls-server-name', tlsServerName];
    await deployment.cluster('add', whole.name, ...way, '--image', 'farloop-relay:e2e');
    await deployment.grantBatchesTo(userOf(whole));
    // Of an account: it may do what its roles say, and no more.
    const secret = (await deployment.secretOf(whole.name)) ?? '';
    expect(secret).toMatch(/eyJ[\w-]+\.[\w-]+\.[\w-]+/);
    expect(secret).not.toContain(whole.token);
    const { args, environment } = await relayOfDeployment(whole, folder);
    await whole.startRelay(args, { ...deployment.environment, ...environment });
    await whole.createJob('first', { completions: 3, parallelism: 2, runSeconds: 1 });
    const job = await until('first on whole', async () => await whole.job('first'), isComplete, 240_000);
    expect(job.status).toMatchObject({ succeeded: 3, completedIndexes: '0-2' });
    await until(
      'pods of first let go on whole',
      async () => await whole.podsOf('first'),
      (pods) => pods.length === 3 && pods.every(({ metadata }) => (metadata.finalizers ?? []).length === 0),
      90_000,
    );
    await whole.stopRelay();
    await deployment.cluster('remove', whole.name, '--kubeconfig', kubeconfigPath);
    expect(await deployment.traces(whole.name)).toEqual([]);
    await until(
      'nothing of ours on whole',
      async () => await oursOn(whole),
      (left) => left.length === 0,
    );
    expect(await deployment.secretOf(whole.name)).toBeUndefined();
  },
);

step('removal leaves nothing, of any kind', [wholeGone], async () => {
  const kindsIn = (names: Record<string, string[]>): string[] => Object.keys(names).filter((kind) => (names[kind] ?? []).length > 0);
  const before = await deployment.namesOfStage();
  // Of the clusters nothing is left, so every other kind is one of the stack's, and is seen.
  expect(Object.keys(before).filter((kind) => !kindsIn(before).includes(kind))).toEqual(['secrets', 'users']);
  // On AWS what an invocation under way still says goes nowhere once its log group is gone, for no role may make one. The emulator asks
  // for no right there and makes the group again: a stand-in leaves out those of functions that it made since.
  expect(rightsTo('logs:CreateLogGroup', templateOf())).toEqual([]);
  const ofFunctions = new Set(FUNCTIONS.map((name) => `/aws/lambda/farloop-${STAGE}-${name}`));
  const removedFromMs = Date.now();
  await deployment.osls('remove', parameters());
  const after = await deployment.namesOfStage();
  const madeAgain = (await deployment.logGroupsMadeSince(removedFromMs)).filter((name) => ofFunctions.has(name));
  if (madeAgain.length > 0) console.log(`stand-in: log groups that the emulator made again are left out: ${madeAgain.join(', ')}`);
  after['logGroups'] = (after['logGroups'] ?? []).filter((name) => !madeAgain.includes(name));
  expect(kindsIn(after).map((kind) => [kind, after[kind]])).toEqual([]);
  expect(await deployment.made()).toEqual([]);
});
