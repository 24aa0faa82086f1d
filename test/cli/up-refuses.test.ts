// What keeps `farloop up` from starting: one sentence each, with what is wrong, where and what to do; and what does not keep it.
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { join } from 'node:path';
import { EmbeddedQueue } from '../../lib/adapters/embedded/queue.ts';
import { startSandbox } from '../../lib/sandbox/sandbox.ts';
import type { Sandbox } from '../../lib/sandbox/sandbox.ts';
import { until } from '../claims.ts';
import type { Ended } from './farloop-process.ts';
import { FarloopProcess, runFarloop, runWithin, temporaryFolder } from './farloop-process.ts';

// Some start a process of their own, or a sandbox.
jest.setTimeout(120_000);

// The heap of the process that runs tests stays as it is.
jest.unstable_mockModule('../../lib/cli/local/local-heap.ts', () => ({
  boundHeap: () => {},
  withoutGrowth: async <Result>(work: () => Promise<Result>): Promise<Result> => await work(),
}));

let folder: ReturnType<typeof temporaryFolder>;
let state: string;
const endings: (() => Promise<unknown>)[] = [];

beforeEach(() => {
  folder = temporaryFolder();
  state = join(folder.path, 'state');
});

afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
  folder.remove();
});

const run = async (...args: string[]): Promise<Ended> => await runWithin(['up', '--state', state, '--port', '0', ...args]);

async function listening(listener: RequestListener = (_request, response) => response.end()): Promise<{ server: Server; port: number }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  endings.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return { server, port: address.port };
}

async function aSandbox(): Promise<Sandbox> {
  const sandbox = await startSandbox();
  endings.push(() => sandbox.stop());
  return sandbox;
}

function kubeconfigWith(text: string): string {
  const file = join(folder.path, 'kubeconfig.yaml');
  writeFileSync(file, text);
  return file;
}

/** Nothing on standard output, one line on standard error. @param exitCode 1: failed; 2: what was given cannot be used */
const refusal = (sentence: RegExp, exitCode = 1): object => ({
  exitCode,
  stdout: '',
  stderr: expect.stringMatching(new RegExp(`^farloop: [^\\n]*${sentence.source}[^\\n]*\\n$`)),
});

const encoded = (pem: string): string => Buffer.from(pem).toString('base64');

describe('does not start, and says why', () => {
  test('a used port', async () => {
    const { port } = await listening();
    const ended = await runFarloop(['up', '--state', state, '--port', String(port)]);
    expect(ended).toEqual(refusal(new RegExp(`port ${port} on 127\\.0\\.0\\.1 is used by another program: choose another with --port`)));
  });

  test('a state folder that another instance holds', async () => {
    const first = new FarloopProcess(['up', '--state', state, '--port', '0']);
    endings.push(() => first.destroy());
    await first.says('farloop ready\n');
    expect(await run()).toEqual(
      refusal(/another Farloop is running with the state folder .*state: stop it, or choose another folder with --state/),
    );
    // It does no harm to the one that runs.
    const { exitCode } = await runWithin(['get', 'clusters', '--state', state]);
    expect(exitCode).toBe(0);
    expect((await first.end('SIGTERM')).exitCode).toBe(0);
  });

  test('a state folder of a newer version', async () => {
    mkdirSync(state);
    writeFileSync(join(state, 'version'), '99\n');
    expect(await run()).toEqual(refusal(/was written by a newer Farloop \(version 99.*use that one, or another folder/));
  });

  test('a prepared state folder: a link in its place, or in the place of the file that will hold the token', async () => {
    const elsewhere = join(folder.path, 'elsewhere');
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, state);
    expect(await run()).toEqual(refusal(/state is a symbolic link, and nothing is written through one: remove it, or/));
    expect(readdirSync(elsewhere)).toEqual([]);
    rmSync(state);
    mkdirSync(state);
    writeFileSync(join(state, 'version'), '1\n');
    writeFileSync(join(elsewhere, 'instance'), '');
    symlinkSync(join(elsewhere, 'instance'), join(state, 'instance.json'));
    expect(await run()).toEqual(refusal(/instance\.json is a symbolic link/));
    expect(statSync(join(elsewhere, 'instance')).size).toBe(0);
  });

  test('a state folder that cannot be made', async () => {
    writeFileSync(state, 'a file');
    expect(await run()).toEqual(refusal(/cannot make the state folder .*choose another with --state/));
  });

  test.each([
    {
      flags: ['--manage', 'virtual-nodes'],
      says: /--manage virtual-nodes needs --virtual-node NAME=PROVIDER, such as edge=http:https:\/\/provider/,
    },
    {
      flags: ['--manage', 'jobs,virtual-nodes'],
      says: /--manage virtual-nodes needs --virtual-node NAME=PROVIDER, such as edge=http:https:\/\/provider/,
    },
    { flags: ['--virtual-node', 'edge=simulated', '--namespace', 'a'], says: /--virtual-node goes without --namespace: pods of every/ },
    { flags: ['--virtual-node', 'simulated-node=simulated'], says: /the sandbox's simulated node is called so; choose another name/ },
    { flags: ['--virtual-node', 'edge=simulated', '--virtual-node', 'edge=simulated'], says: /names edge twice/ },
    { flags: ['--virtual-node', 'Edge_1=simulated'], says: /"Edge_1" is no name of a Node/ },
    { flags: ['--virtual-node', 'edge=simulated', '--node-cpu', 'edge=lots'], says: /Expected a quantity above 0/ },
    {
      flags: ['--virtual-node', 'edge=simulated', '--node-taints', 'edge=a=b:Foo'],
      says: /Expected taints, as in edge=dedicated=batch:NoSchedule; the effect is one of NoSchedule, PreferNoSchedule, NoExecute/,
    },
    { flags: ['--virtual-node', 'edge=simulated', '--adopt-node', 'far'], says: /--adopt-node is about far, and no --virtual-node far=/ },
    {
      flags: ['--virtual-node', 'edge=simulated', '--node-cpu', 'egde=4'],
      says: /about egde, and no --virtual-node egde=… makes such a node/,
    },
  ])('a virtual node that cannot be: $flags', async ({ flags, says }) => expect(await run(...flags)).toEqual(refusal(says, 2)));

  test('a kubeconfig that is not there', async () => {
    expect(await run('--kubeconfig', join(folder.path, 'nowhere'))).toEqual(refusal(/nowhere/, 2));
    // Nothing is left that another command would take for a running instance.
    expect(existsSync(join(state, 'instance.json'))).toBe(false);
  });

  test('a kubeconfig that is none', async () => {
    expect(await run('--kubeconfig', kubeconfigWith('{ not: [yaml'))).toEqual(refusal(/kubeconfig\.yaml/, 2));
  });

  test('a context that is not in the kubeconfig', async () => {
    const { kubeconfig } = await aSandbox();
    expect(await run('--kubeconfig', kubeconfigWith(kubeconfig), '--context', 'staging')).toEqual(refusal(/staging/, 2));
  });

  test('a token that is refused or expired', async () => {
    const { kubeconfig, token } = await aSandbox();
    const ended = await run('--kubeconfig', kubeconfigWith(kubeconfig.replace(token, 'expired')));
    expect(ended).toEqual(refusal(/the token is refused or expired \(401\): renew the credentials/));
  });

  test('a certificate of another authority', async () => {
    const [one, other] = [await aSandbox(), await aSandbox()];
    const ended = await run('--kubeconfig', kubeconfigWith(one.kubeconfig.replace(encoded(one.caPem), encoded(other.caPem))));
    expect(ended).toEqual(refusal(/certificate/));
  });

  test('the simulated node neither, with a token that is refused', async () => {
    const { kubeconfig, token } = await aSandbox();
    const file = kubeconfigWith(kubeconfig.replace(token, 'expired'));
    expect(await runWithin(['node', '--simulated', '--kubeconfig', file])).toEqual(refusal(/the token is refused or expired \(401\)/));
  });

  for (const { name, url, environment, says } of [
    {
      name: 'a region',
      url: 'http://127.0.0.1:9/events',
      environment: {},
      says: /http:\/\/127\.0\.0\.1:9\/events names no AWS region, and AWS_REGION is not set/,
    },
    {
      name: 'credentials',
      url: 'https://sqs.eu-central-1.amazonaws.com/123456789012/events',
      environment: { AWS_EC2_METADATA_DISABLED: 'true', AWS_SHARED_CREDENTIALS_FILE: '/nowhere', AWS_CONFIG_FILE: '/nowhere' },
      says: /there are no AWS credentials: give the pod a role, or set/,
    },
  ])
    test(`the relay neither, without ${name}`, async () => {
      const file = kubeconfigWith((await aSandbox()).kubeconfig);
      const args = ['--cluster', 'one', '--events-queue-url', url, '--asks-queue-url', url, '--kubeconfig', file];
      const none = { AWS_REGION: '', AWS_DEFAULT_REGION: '', AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '', AWS_PROFILE: '' };
      expect(await runWithin(['relay', ...args], { environment: { ...none, ...environment } })).toEqual(refusal(says));
    });

  test('a namespace that cannot exist', async () => {
    const { exitCode, stderr } = await run('--namespace', 'Not_A_Name');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringMatching(/^farloop: .*'Not_A_Name'.*name of a namespace.*\n$/),
    });
  });

  test('a server that answers HTML', async () => {
    const { port } = await listening((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<!doctype html><title>Log in</title>');
    });
    const { kubeconfig, url } = await aSandbox();
    const ended = await run('--kubeconfig', kubeconfigWith(kubeconfig.replace(url, `http://127.0.0.1:${port}`)));
    expect(ended).toEqual(refusal(/answers HTML .*check that the address is that of an API server/));
  });

  test('a server that is not there', async () => {
    const { kubeconfig, stop } = await startSandbox();
    await stop();
    expect(await run('--kubeconfig', kubeconfigWith(kubeconfig))).toEqual(refusal(/nothing listens there/));
  });

  test('another cluster under the same name', async () => {
    const first = await aSandbox();
    const file = kubeconfigWith(first.kubeconfig);
    const farloop = new FarloopProcess(['up', '--state', state, '--port', '0', '--kubeconfig', file]);
    endings.push(() => farloop.destroy());
    await farloop.says('farloop ready\n');
    await farloop.end('SIGTERM');
    kubeconfigWith((await aSandbox()).kubeconfig);
    expect(await run('--kubeconfig', file)).toEqual(
      refusal(/the cluster behind "farloop" is another one than before .*state folder of its own/),
    );
  });
});

test('told to end while it waits for a server that does not answer, it ends within 2 s with 0', async () => {
  const asked = Promise.withResolvers<void>();
  const { port } = await listening(() => asked.resolve());
  const { kubeconfig, url } = await aSandbox();
  const file = kubeconfigWith(kubeconfig.replace(url, `http://127.0.0.1:${port}`));
  const farloop = new FarloopProcess(['up', '--state', state, '--port', '0', '--kubeconfig', file]);
  endings.push(() => farloop.destroy());
  await asked.promise;
  const ended = await farloop.end('SIGTERM');
  expect(ended.exitCode).toBe(0);
  expect(ended.tookMs).toBeLessThan(2_000);
});

test('R13: a poisoned message ends as a dead letter, is shown, and goes back', async () => {
  mkdirSync(state);
  const queue = EmbeddedQueue.open({ folder: state, senderId: 'local' });
  await queue.send('events', [{ body: 'eyJub3QiOiJvdXJzIn0', groupId: 'local' }]);
  queue.close();

  const farloop = new FarloopProcess(['up', '--state', state, '--port', '0', '--apply', 'examples/job.yaml']);
  endings.push(() => farloop.destroy());
  await farloop.says('job/demo Succeeded');
  expect(farloop.stderr).toMatch(/message cannot be read: it goes to the dead letters, .*version 123 is not known here/);
  let listed: Ended = { exitCode: null, stdout: '', stderr: '' };
  // It is dead after its tries, not after the first.
  const isDead = async (): Promise<boolean> => {
    listed = await runWithin(['dlq', 'list', '--state', state]);
    return listed.stdout.includes('\nevents ');
  };
  await until('a dead letter', isDead, 60_000);
  expect(listed.stdout).toMatch(
    /QUEUE +MESSAGE ID .*\nevents +\S+ +\S+ +19 +version 123 is not known here; known are 1, 2 +eyJub3QiOiJvdXJzIn0\n/,
  );
  const [, id = ''] = /\nevents +(\S+)/.exec(listed.stdout) ?? [];
  expect(await runWithin(['dlq', 'redrive', 'unknown', '--state', state])).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: `farloop: no dead letter has the id unknown: there is ${id}; see farloop dlq list\n`,
  });
  const redriven = await runWithin(['dlq', 'redrive', id, '--queue', 'events', '--state', state]);
  expect(redriven).toEqual({ exitCode: 0, stdout: '1 sent back\n', stderr: '' });
});

test('a namespace that does not exist yet is named, and the end says where the state is', async () => {
  const farloop = new FarloopProcess(['up', '--state', state, '--port', '0', '--namespace', 'nosuch', '--namespace', 'default']);
  endings.push(() => farloop.destroy());
  await farloop.says('farloop ready\n');
  expect(farloop.stderr).toBe('farloop: there is no namespace nosuch on local yet: Farloop works there as soon as there is one\n');
  expect((await farloop.end('SIGTERM')).exitCode).toBe(0);
  expect(farloop.stdout.endsWith(`farloop ready\nfarloop ended; its state is in ${state}, and the next start goes on from there\n`)).toBe(
    true,
  );
});

describe('pods as processes of this machine', () => {
  const HERE = ['--virtual-node', 'here=local-process'];
  test.each([
    {
      flags: [...HERE, '--kubeconfig', 'absent'],
      sentence: /here=local-process with --kubeconfig needs --allow-namespace NAMESPACE: everybody who/,
    },
    { flags: ['--share', '/tmp'], sentence: /--share needs --virtual-node NAME=local-process/ },
    { flags: ['--virtual-node', 'edge=simulated', '--image', 'busybox=sh'], sentence: /--image needs --virtual-node NAME=local-process/ },
    { flags: ['--allow-namespace', 'me'], sentence: /--allow-namespace needs --virtual-node NAME=local-process/ },
    { flags: [...HERE, '--share', '/no/such/folder'], sentence: /--share \/no\/such\/folder: expected a folder that is there/ },
    { flags: [...HERE, '--image', 'busybox'], sentence: /Expected the name of an image and a command, as in busybox=sh/ },
    { flags: [...HERE, '--image', 'busybox='], sentence: /Expected the name of an image and a command, as in busybox=sh/ },
    { flags: [...HERE, '--allow-namespace', 'Not_One'], sentence: /Expected the name of a namespace/ },
    { flags: ['--virtual-node', 'here=local-process:x'], sentence: /There is no provider "local-process:x"/ },
    {
      flags: ['--virtual-node', 'here=rocket'],
      sentence: /There is no provider "rocket". Expected simulated, local-process, podman, docker, or http: or interlink:/,
    },
  ])('$flags', async ({ flags, sentence }) => {
    expect(await run(...flags)).toEqual(refusal(sentence, 2));
  });

  test('the state folder has what another wrote there', async () => {
    mkdirSync(state, { mode: 0o700 });
    writeFileSync(join(state, 'processes'), '');
    expect(await run(...HERE)).toEqual(refusal(/pods cannot run on this machine: .*processes/));
  });
});
