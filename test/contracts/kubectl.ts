// What people do with kubectl on a cluster of a simulated node, command by command. kubectl asks more of an API server than any
// client of ours: discovery, OpenAPI, tables, patches computed from what it reads.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SimulatedNode } from '../../lib/simulated-node/simulated-node.ts';
import { startSimulatedNode } from '../../lib/simulated-node/simulated-node.ts';
import { freshName } from './api-server/objects.ts';
import type { JsonClient } from '../../lib/adapters/kubernetes/json-client.ts';
import { openNodeClient } from '../node-client.ts';

export interface KubectlTarget {
  url: string;
  caPem: string;
  token: string;
  /** Text of a kubeconfig that leads there. */
  kubeconfig: string;
  close: () => Promise<void>;
}

interface Ended {
  code: number;
  out: string;
  err: string;
}

const jobText = ({ name = 'demo', restartPolicy = 'Never', more = '' } = {}): string => `apiVersion: batch/v1
kind: Job
metadata:
  name: ${name}
spec:
  completions: 2
${more}
  template:
    spec:
      restartPolicy: ${restartPolicy}
      containers:
      - name: main
        image: busybox
        command: [sh, -c, "sleep 1"]
`;

/**
 * @param kubectlPath asked once, when the tests begin
 * @param open starts a cluster without a Job controller and without nodes
 */
export function kubectlContract(clusterName: string, kubectlPath: () => Promise<string>, open: () => Promise<KubectlTarget>): void {
  describe(`kubectl on ${clusterName}`, () => {
    let folder: string;
    let kubectlFile: string;
    let target: KubectlTarget;
    let nodeClient: JsonClient;
    let node: SimulatedNode;

    const kubectl = (...args: string[]): Promise<Ended> =>
      new Promise((done) => {
        const flags = [`--kubeconfig=${join(folder, 'kubeconfig')}`, `--cache-dir=${join(folder, 'cache')}`];
        execFile(kubectlFile, [...flags, ...args], { timeout: 30_000 }, (error, out, err) => {
          done({ code: error === null ? 0 : Number(error.code ?? 1), out, err });
        });
      });
    const fileOf = async (text: string): Promise<string> => {
      const path = join(folder, `${freshName('manifest')}.yaml`);
      await writeFile(path, text);
      return path;
    };
    const freshNamespace = async (): Promise<string> => {
      const name = freshName('kubectl');
      await kubectl('apply', '-f', await fileOf(`{apiVersion: v1, kind: Namespace, metadata: {name: ${name}}}`));
      return name;
    };

    beforeAll(async () => {
      kubectlFile = await kubectlPath();
      target = await open();
      folder = await mkdtemp(join(tmpdir(), 'farloop-kubectl-'));
      await writeFile(join(folder, 'kubeconfig'), target.kubeconfig, { mode: 0o600 });
      nodeClient = openNodeClient(target);
      node = startSimulatedNode({ client: nodeClient });
      await node.ready;
    }, 300_000);
    afterAll(async () => {
      await node.stop();
      nodeClient.close();
      await target.close();
      await rm(folder, { recursive: true, force: true });
    }, 30_000);

    test('version and api-resources know the server', async () => {
      const version = await kubectl('version');
      expect(version.out).toMatch(/Server Version: v1\.36\./);
      const resources = await kubectl('api-resources');
      for (const row of [/^jobs +batch\/v1 +true +Job$/m, /^pods +po +v1 +true +Pod$/m, /^leases +coordination/m])
        expect(resources.out).toMatch(row);
    });

    test('apply creates, leaves, changes, and says which', async () => {
      const namespace = await freshNamespace();
      const apply = async (text: string) => kubectl('apply', '-n', namespace, '-f', await fileOf(text));
      await expect(apply(jobText())).resolves.toEqual({ code: 0, out: 'job.batch/demo created\n', err: '' });
      await expect(apply(jobText())).resolves.toEqual({ code: 0, out: 'job.batch/demo unchanged\n', err: '' });
      await expect(apply(jobText({ more: '  parallelism: 2' }))).resolves.toEqual({ code: 0, out: 'job.batch/demo configured\n', err: '' });
      const read = await kubectl('get', 'job', 'demo', '-n', namespace, '-o', 'jsonpath={.spec.parallelism}');
      expect(read.out).toBe('2');
    });

    test('apply says what is wrong with a field and with a value', async () => {
      const namespace = await freshNamespace();
      const unknown = await kubectl('apply', '-n', namespace, '-f', await fileOf(jobText({ more: '  parallelismm: 2' })));
      expect(unknown.code).toBe(1);
      expect(unknown.err).toContain('unknown field "spec.parallelismm"');
      const invalid = await kubectl('apply', '-n', namespace, '-f', await fileOf(jobText({ restartPolicy: 'Always' })));
      expect(invalid.code).toBe(1);
      expect(invalid.err).toContain('spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"');
    });

    test('diff and dry runs change nothing', async () => {
      const namespace = await freshNamespace();
      await kubectl('apply', '-n', namespace, '-f', await fileOf(jobText()));
      const changed = await fileOf(jobText({ more: '  parallelism: 2' }));
      const diff = await kubectl('diff', '-n', namespace, '-f', changed);
      expect(diff.out).toMatch(/^\+ +parallelism: 2$/m);
      const dry = await kubectl('apply', '--dry-run=server', '-n', namespace, '-f', changed);
      expect(dry.out).toBe('job.batch/demo configured (server dry run)\n');
      const read = await kubectl('get', 'job', 'demo', '-n', namespace, '-o', 'jsonpath={.spec.parallelism}');
      expect(read.out).toBe('1');
    });

    test('run, wait, get, describe, label, delete of a pod', async () => {
      const namespace = await freshNamespace();
      const run = await kubectl('run', 'p', '-n', namespace, '--image=busybox', '--restart=Never', '--command', '--', 'true');
      expect(run.out).toBe('pod/p created\n');
      const wait = await kubectl('wait', '-n', namespace, '--for=jsonpath={.status.phase}=Succeeded', 'pod/p', '--timeout=20s');
      expect(wait.out).toBe('pod/p condition met\n');
      const get = await kubectl('get', 'pods', '-n', namespace, '-o', 'wide');
      expect(get.out).toMatch(/^NAME +READY +STATUS +RESTARTS +AGE +IP +NODE +NOMINATED NODE +READINESS GATES$/m);
      expect(get.out).toMatch(/^p +0\/1 +Completed +0 +\d+s +10\.[\d.]+ +simulated-node +<none> +<none>$/m);
      const described = await kubectl('describe', 'pod', 'p', '-n', namespace);
      expect(described.out).toMatch(/State: +Terminated\n +Reason: +Completed/);
      await kubectl('label', 'pod', 'p', 'a=b', '-n', namespace);
      await kubectl('annotate', 'pod', 'p', 'a=b', '-n', namespace);
      const selected = await kubectl(
        'get',
        'pods',
        '-n',
        namespace,
        '-l',
        'a=b',
        '--field-selector',
        'status.phase=Succeeded',
        '-o',
        'name',
      );
      expect(selected.out).toBe('pod/p\n');
      const gone = await kubectl('delete', 'pod', 'p', '-n', namespace);
      expect(gone).toMatchObject({ code: 0, out: expect.stringContaining('pod "p" deleted') });
    }, 60_000);

    test('a running pod is deleted, and kubectl waits for its end', async () => {
      const namespace = await freshNamespace();
      await kubectl('run', 'p', '-n', namespace, '--image=busybox');
      await kubectl('wait', '-n', namespace, '--for=condition=Ready', 'pod/p', '--timeout=20s');
      const gone = await kubectl('delete', 'pod', 'p', '-n', namespace, '--timeout=20s');
      expect(gone.code).toBe(0);
      const left = await kubectl('get', 'pods', '-n', namespace);
      expect(left.err).toContain('No resources found');
    }, 60_000);

    test('get -w shows what changes', async () => {
      const namespace = await freshNamespace();
      await kubectl('run', 'p', '-n', namespace, '--image=busybox', '--restart=Never', '--command', '--', 'true');
      await kubectl('wait', '-n', namespace, '--for=jsonpath={.status.phase}=Succeeded', 'pod/p', '--timeout=20s');
      const ended = new AbortController();
      const watch = kubectl('get', 'pods', '-n', namespace, '-w', '--output-watch-events', '--request-timeout=4s');
      const watched = watch.finally(() => ended.abort());
      // Nobody says when the watch has begun: something goes on changing until it ends.
      for (let tick = 0; !ended.signal.aborted; tick += 1)
        await kubectl('label', 'pod', 'p', '-n', namespace, `tick=${tick}`, '--overwrite');
      const { out } = await watched;
      expect(out).toMatch(/^ADDED +p +0\/1 +Completed/m);
      expect(out).toMatch(/^MODIFIED +p +0\/1 +Completed/m);
    }, 60_000);

    test('explain knows the fields of a Job', async () => {
      const { out } = await kubectl('explain', 'job.spec.parallelism');
      expect(out).toMatch(/GROUP: +batch\nKIND: +Job\nVERSION: +v1\n\nFIELD: parallelism <integer>/);
    });

    test('patch, replace and delete of a Job; a namespace goes with all in it', async () => {
      const namespace = await freshNamespace();
      await kubectl('create', '-n', namespace, '-f', await fileOf(jobText()));
      const patched = await kubectl('patch', 'job', 'demo', '-n', namespace, '-p', '{"spec":{"suspend":true}}');
      expect(patched.out).toBe('job.batch/demo patched\n');
      const twice = await kubectl('create', '-n', namespace, '-f', await fileOf(jobText()));
      expect(twice.err).toContain('jobs.batch "demo" already exists');
      const { out: json } = await kubectl('get', 'job', 'demo', '-n', namespace, '-o', 'json');
      const replaced = await kubectl('replace', '-f', await fileOf(json.replace('"suspend": true', '"suspend": false')));
      expect(replaced.out).toBe('job.batch/demo replaced\n');
      const table = await kubectl('get', 'jobs', '-n', namespace);
      expect(table.out).toMatch(/^NAME +STATUS +COMPLETIONS +DURATION +AGE\ndemo +Running +0\/2 +\d+s$/m);
      const gone = await kubectl('delete', 'job', 'demo', '-n', namespace, '--timeout=20s');
      expect(gone.out).toContain('job.batch "demo" deleted');
      await kubectl('create', '-n', namespace, '-f', await fileOf(jobText({ name: 'other' })));
      const ended = await kubectl('delete', 'namespace', namespace, '--timeout=25s');
      expect(ended).toMatchObject({ code: 0, out: expect.stringContaining('deleted') });
      const absent = await kubectl('get', 'namespace', namespace);
      expect(absent.err).toContain('not found');
    }, 90_000);
  });
}
