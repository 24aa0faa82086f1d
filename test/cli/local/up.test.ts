// `farloop up` from its start to its end: a Job on the sandbox, the commands that look at it, restarts.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { accessFromKubeconfig } from '../../../lib/adapters/kubernetes/kubeconfig.ts';
import { KubernetesCluster } from '../../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
import type { Job, Pod } from '../../../lib/objects/kubernetes.ts';
import { JOBS, PODS } from '../../../lib/objects/resources.ts';
import { deadlineIn } from '../../../lib/ports/clock.ts';
import { startSandbox } from '../../../lib/sandbox/sandbox.ts';
import { until } from '../../claims.ts';
import { FarloopProcess, runWithin, temporaryFolder } from '../farloop-process.ts';

let folder: ReturnType<typeof temporaryFolder>;
const started: FarloopProcess[] = [];
const clock = new SystemClock();

const up = (...args: string[]): FarloopProcess => upIn({}, ...args);

const upIn = (environment: Record<string, string>, ...args: string[]): FarloopProcess => {
  const farloop = new FarloopProcess(['up', '--state', folder.path, '--port', '0', ...args], { environment });
  started.push(farloop);
  return farloop;
};

beforeEach(() => {
  folder = temporaryFolder();
});

afterEach(async () => {
  for (const farloop of started.splice(0)) await farloop.destroy();
  folder.remove();
});

/** The sandbox itself, entered by the printed kubeconfig. */
async function cluster(): Promise<KubernetesCluster> {
  return new KubernetesCluster({ access: await accessFromKubeconfig({ file: join(folder.path, 'kubeconfig') }), clock });
}

async function untilComplete(name: string, withinMs = 60_000): Promise<Job> {
  const api = await cluster();
  const untilMs = clock.monotonicMs() + withinMs;
  for (;;) {
    const { object: job } = await api.get<Job>(JOBS, { namespace: 'default', name }, deadlineIn(clock, 30_000));
    if (job.status?.conditions?.some(({ type, status }) => type === 'Complete' && status === 'True')) {
      api.close();
      return job;
    }
    if (clock.monotonicMs() > untilMs) throw new Error(`${name} is not complete: ${JSON.stringify(job.status)}`);
    await sleep(50);
  }
}

const ask = async (...args: string[]): Promise<string> => {
  const { exitCode, stdout, stderr } = await runWithin([...args, '--state', folder.path]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout;
};

describe('up on the sandbox', () => {
  test('Ctrl-C while a pass runs says nothing of that pass, and the next start goes on from there', async () => {
    const hook = new URL('./late-commits.ts', import.meta.url).href;
    const farloop = upIn({ NODE_OPTIONS: `--import=${hook}` });
    await farloop.says('farloop ready\n');
    const api = await cluster();
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'demo', namespace: 'default' } };
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.com/none', command: ['true'] }] } };
    await api.create(JOBS, { ...job, spec: { template } }, deadlineIn(clock, 30_000));
    const hasPod = async (): Promise<boolean> =>
      (await api.list(PODS, { namespace: 'default' }, deadlineIn(clock, 30_000))).items.length > 0;
    await until('its pod is created', hasPod, 30_000);
    api.close();
    expect((await farloop.end('SIGINT')).exitCode).toBe(130);
    expect(farloop.stderr).toBe('');

    const again = up();
    await again.says('farloop ready\n');
    await untilComplete('demo');
    expect((await again.end('SIGINT')).exitCode).toBe(130);
    expect(again.stderr).toBe('');
  }, 120_000);

  test('a Job runs to Succeeded, the other commands tell of it, SIGTERM ends it within 2 s with 0', async () => {
    const farloop = up('--apply', 'examples/job.yaml');
    await farloop.says('farloop ready\n');
    expect(farloop.stdout).toMatch(/^console {5}http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{32}\nkubeconfig {2}\S+\nfarloop ready\n/);

    const job = await untilComplete('demo');
    expect(job.status).toMatchObject({ succeeded: 5, completedIndexes: '0-4' });
    await farloop.says('job/demo Succeeded: 5 of 5 succeeded');
    expect(farloop.stdout).toContain('job/demo created\n');
    const api = await cluster();
    const pods = async (): Promise<Pod[]> => (await api.list<Pod>(PODS, { namespace: 'default' }, deadlineIn(clock, 30_000))).items;
    // The write that ends a Job counts its last pods; what holds them comes off behind it.
    await until(
      'its pods are let go',
      async () => (await pods()).every(({ metadata }) => (metadata.finalizers ?? []).length === 0),
      30_000,
    );
    expect(await pods()).toHaveLength(5);
    api.close();

    expect(await ask('get', 'jobs')).toMatch(/NAMESPACE +NAME +KIND +STATE.*\ndefault +demo +Job +Succeeded +5\/5/);
    expect(JSON.parse(await ask('get', 'workloads', 'demo', '-o', 'json'))).toMatchObject({
      items: [{ name: 'demo', state: 'Succeeded', succeeded: 5 }],
    });
    expect(await ask('get', 'clusters', '-o', 'yaml')).toMatch(/name: local\n(?: {4}.*\n)*? {4}manages:\n {4,6}- all-jobs\n/);
    const explanation = await ask('explain', 'job/demo');
    expect(explanation).toMatch(/job\/demo in default on local: Succeeded/);
    expect(explanation).toMatch(/create demo-0-[a-z0-9]{5}/);
    expect(explanation).toMatch(/5 of 5 succeeded/);
    expect(explanation).toMatch(/Completed: it completed: 5 succeeded, 0 failed/);
    expect(JSON.parse(await ask('explain', 'job/demo', '-o', 'json'))).toMatchObject({ workload: { reasons: [{ code: 'Completed' }] } });
    for (const [, passId = ''] of explanation.matchAll(/acted, .*, pass (\S+)/g))
      expect(await ask('replay', passId)).toContain('decided again as it was');
    expect(await ask('dlq', 'list')).toBe('no dead letters\n');
    expect(await ask('dlq', 'redrive')).toBe('0 sent back\n');
    expect(await ask('get', 'job/demo', '-o', 'json')).toBe(await ask('get', 'jobs', 'demo', '-o', 'json'));
    const absent = async (...args: string[]): Promise<string> => {
      const { exitCode, stdout, stderr } = await runWithin([...args, '--state', folder.path]);
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      return stderr;
    };
    const similar = 'farloop: there is no Job dmeo (Did you mean demo?): "farloop get workloads" shows what there is\n';
    expect(await absent('get', 'jobs', 'dmeo')).toBe(similar);
    expect(await absent('explain', 'job/dmeo')).toBe(similar);
    expect(await absent('get', 'job/demo', '-n', 'prod')).toBe(
      'farloop: there is no Job demo in namespace prod: there is one in namespace default on cluster local\n',
    );
    expect(await absent('get', 'cluster', 'loacl')).toBe('farloop: there is no cluster loacl: there is local\n');
    expect(await absent('dlq', 'redrive', 'unknown')).toBe('farloop: no dead letter has the id unknown: there are none now\n');

    const ended = await farloop.end('SIGTERM');
    expect(ended.exitCode).toBe(0);
    expect(ended.tookMs).toBeLessThan(2_000);
    expect(existsSync(join(folder.path, 'instance.json'))).toBe(false);
    expect(farloop.stderr).toBe('');
  }, 120_000);

  test('what cannot run waits and says why: no room, no claim, no config map', async () => {
    const job = (name: string, pod: object): object => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name },
      spec: { template: { spec: { restartPolicy: 'Never', ...pod } } },
    });
    const container = { name: 'main', image: 'busybox', command: ['true'] };
    const needsMuch = { containers: [{ ...container, resources: { requests: { cpu: '3' } } }] };
    const needsDisk = { containers: [container], volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'disk' } }] };
    const needsSettings = { containers: [{ ...container, envFrom: [{ configMapRef: { name: 'settings' } }] }] };
    const needsFiles = { containers: [container], volumes: [{ name: 'v', secret: { secretName: 'files' } }] };
    const jobs = [job('much', needsMuch), job('disk', needsDisk), job('settings', needsSettings), job('files', needsFiles)];
    const file = join(folder.path, 'jobs.json');
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: jobs }));
    const farloop = up('--node-cpu', '2', '--apply', file);
    await farloop.says('farloop ready\n');
    const explains = async (name: string, why: string): Promise<void> =>
      await until(`${name}: ${why}`, async () => (await ask('explain', `job/${name}`)).includes(why), 30_000);
    await explains('much', '0/1 nodes are available: 1 Insufficient cpu.');
    await explains('disk', '0/1 nodes are available: persistentvolumeclaim "disk" not found.');
    await explains('settings', 'CreateContainerConfigError (container main): configmap "settings" not found');
    await explains('files', 'FailedMount (container main): MountVolume.SetUp failed for volume "v" : secret "files" not found');

    const { exitCode, stderr } = await runWithin(['up', '--kubeconfig', 'nowhere', '--node-cpu', '2']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--node-cpu and --node-memory are for the sandbox');
  }, 120_000);

  test('what lets others in is readable by its owner alone; one Ctrl-C ends it with 130, also when it arrives twice', async () => {
    const farloop = up();
    await farloop.says('farloop ready\n');
    const files = globSync('**', { cwd: folder.path });
    expect(files).toEqual(expect.arrayContaining(['instance.json', 'kubeconfig', 'store.db-wal', 'sandbox/objects.sqlite']));
    expect(files.filter((file) => (statSync(join(folder.path, file)).mode & 0o077) !== 0)).toEqual([]);
    farloop.child.kill('SIGINT');
    const ended = await farloop.end('SIGINT');
    expect(ended.exitCode).toBe(130);
    expect(ended.tookMs).toBeLessThan(2_000);
    // It ended in good order, not by force.
    expect(existsSync(join(folder.path, 'instance.json'))).toBe(false);
  }, 120_000);

  test('a manifest that is refused is told and stops nothing; killed in the middle of a Job and started again, it goes on', async () => {
    const killed = up('--apply', 'test/cli/refused-job.yaml', '--apply', 'examples/job.yaml');
    await killed.says('job/demo Running');
    expect(killed.stderr).toMatch(/^farloop: test\/cli\/refused-job\.yaml:2: job\/refused is not applied: .*restartPolicy.*\n$/);
    // The printed kubeconfig is still good.
    const kubeconfig = readFileSync(join(folder.path, 'kubeconfig'), 'utf8');
    await killed.end('SIGKILL');

    const again = up();
    await again.says('farloop ready\n');
    expect(readFileSync(join(folder.path, 'kubeconfig'), 'utf8')).toBe(kubeconfig);
    expect((await untilComplete('demo')).status).toMatchObject({ succeeded: 5, completedIndexes: '0-4' });
    await again.end('SIGTERM');
  }, 120_000);

  test('two Jobs of one name: explain wants to know which, and exits with 3', async () => {
    const farloop = up('--apply', 'test/cli/twins.yaml');
    await farloop.says(/(job\/twin Suspended.*\n){2}/);
    const { exitCode, stdout, stderr } = await runWithin(['explain', 'job/twin', '--state', folder.path]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
    expect(stderr).toMatch(/^farloop: job\/twin is in more than one place: .*; say which with --namespace or --cluster\n$/);
    expect(await ask('explain', 'job/twin', '-n', 'other')).toMatch(/job\/twin in other on local: Suspended/);
    expect(await ask('get', 'jobs', 'twin')).toMatch(/default .*\nother /);
    await farloop.end('SIGTERM');
  }, 120_000);

  test('a reader that goes away after the first lines does not end it', async () => {
    const farloop = up('--apply', 'test/cli/refused-job.yaml', '--apply', 'examples/job.yaml');
    // Nobody hears what is refused either.
    farloop.child.stderr?.destroy();
    await farloop.says('farloop ready\n');
    farloop.child.stdout?.destroy();
    await untilComplete('demo');
    expect((await farloop.end('SIGTERM')).exitCode).toBe(0);
  }, 120_000);

  test('what pods wait for is told where the Job is, and by explain in the words of scheduler and kubelet', async () => {
    const farloop = up('--apply', 'examples/jobs/image-pull.yaml', '--apply', 'examples/jobs/unschedulable.yaml');
    await farloop.says('job/unschedulable Waiting (Unschedulable): 0 of 1 succeeded, 1 active');
    expect(await ask('explain', 'job/unschedulable')).toMatch(
      /local: Waiting \(Unschedulable\)\n.*\n {2}PodsWaiting: Unschedulable: 0\/1 nodes are available: .* \(pod unschedulable-\w+, created \S+Z\)\n/,
    );
    await farloop.says('job/image-pull Waiting (ImagePullBackOff): 0 of 1 succeeded, 1 active');
    // A list has it from the pass that a change of a waiting pod brings within five seconds.
    await until(
      'the list says what the Job waits for',
      async () => /default +image-pull +Job +(?:Waiting \(ImagePullBackOff\)|Succeeded|Running)/.test(await ask('get', 'jobs')),
      30_000,
    );
    await farloop.says('job/image-pull Succeeded: 1 of 1 succeeded');
    await farloop.end('SIGTERM');
  }, 120_000);
});

test('up on a kubeconfig: takes the Jobs that ask for it, and no others', async () => {
  const sandbox = await startSandbox();
  const file = join(folder.path, 'cluster.yaml');
  writeFileSync(file, sandbox.kubeconfig);
  const node = new FarloopProcess(['node', '--simulated', '--kubeconfig', file, '--name', 'pretender']);
  started.push(node);
  await node.says('node pretender ready\n');
  const odd = join(folder.path, 'odd.yaml');
  writeFileSync(
    odd,
    readFileSync('examples/managed-by.yaml', 'utf8').replace('handed-over', 'odd').replace('spec:', 'spec:\n  paralellism: 3'),
  );
  const farloop = up('--kubeconfig', file, '--apply', 'examples/job.yaml', '--apply', 'examples/managed-by.yaml', '--apply', odd);
  await farloop.says('job/handed-over Succeeded: 4 of 4 succeeded');
  await farloop.says('job/odd Succeeded: 4 of 4 succeeded');
  const why = 'it names no manager, so the built-in Job controller has it. Give it "managedBy: farloop.dev/job" in its spec';
  expect(farloop.stderr).toBe(
    `farloop: examples/job.yaml:2: job/demo is not managed by Farloop: ${why} and create it anew, since that field cannot be changed; or, where that controller is off, let Farloop take all Jobs: --manage all-jobs\nWarning: unknown field "spec.paralellism" (${odd}:7)\n`,
  );
  expect(farloop.stdout).not.toMatch(/job\/demo (?!created)/);
  const unknown = async (...args: string[]): Promise<string> => {
    const { exitCode, stderr } = await runWithin([...args, '--state', folder.path]);
    expect(exitCode).toBe(1);
    return stderr;
  };
  for (const args of [
    ['explain', 'job/demo'],
    ['get', 'job/demo', '-n', 'default'],
  ])
    expect(await unknown(...args)).toContain(
      `farloop: Job demo is in namespace default on cluster farloop, and Farloop does not manage it: ${why}`,
    );
  expect(await unknown('explain', 'job/nobody')).toMatch(
    /^farloop: there is no Job nobody: "farloop get workloads" shows what there is\n$/,
  );
  expect(farloop.stdout).toContain(`kubeconfig  ${file}\n`);
  const api = new KubernetesCluster({ access: await accessFromKubeconfig({ file }), clock });
  const { object: untouched } = await api.get<Job>(JOBS, { namespace: 'default', name: 'demo' }, deadlineIn(clock, 30_000));
  expect(untouched.status).toEqual({});
  expect(await ask('get', 'clusters')).toMatch(/\nfarloop +Watching .* jobs +all$/m);
  for (const { exitCode } of [await farloop.end('SIGTERM'), await node.end('SIGTERM')]) expect(exitCode).toBe(0);
  api.close();
  await sandbox.stop();
}, 120_000);
