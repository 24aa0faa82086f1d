// Pods as containers of an engine: the contract of a provider, and what images, users, limits, signals and kills come to.
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engineHere } from '../../lib/adapters/providers/local-process/machine/engine.ts';
import type { LocalProcessOptions } from '../../lib/adapters/providers/local-process/provider.ts';
import type { Container } from '../../lib/objects/kubernetes.ts';
import { FAR, LONG_MS, Opened, podOf, taskOf } from '../adapters/providers/local-process/opened.ts';
import { until } from '../claims.ts';
import { providerContract, type ProviderUnderTest } from '../contracts/provider.ts';
import { IMAGE } from './podman.ts';

class InPodman extends Opened {
  constructor(options: Partial<LocalProcessOptions> = {}) {
    super({ ways: new Set(['podman']), ...options });
  }

  override get node(): ReturnType<Opened['provider']['of']> {
    return this.provider.of('here', 'podman');
  }
}

const script = (text: string, more: Partial<Container> = {}): Container => ({
  name: 'main',
  image: IMAGE,
  command: ['/bin/sh', '-c', text],
  ...more,
});

/** Of pods below this folder. */
const containersOf = (folder: string): string[] =>
  execFileSync('podman', ['ps', '--all', '--format', '{{.Labels}}'], { encoding: 'utf8' })
    .split('\n')
    .filter((labels) => labels.includes(folder));

let opened: InPodman | undefined;
afterEach(async () => {
  const folder = opened?.folder ?? '';
  await opened?.close();
  if (opened && containersOf(folder).length > 0) throw new Error(`containers are left: ${containersOf(folder).join()}`);
  opened = undefined;
});
const open = (options: Partial<LocalProcessOptions> = {}): InPodman => (opened = new InPodman(options));
const ends = async (container: Container, spec: object = {}) => {
  const task = await (opened ?? open()).runs(podOf('a', container, spec));
  return task.status.containerStatuses?.[0]?.state?.terminated;
};

const closing: Promise<void>[] = [];
afterAll(async () => void (await Promise.all(closing)));

providerContract('podman', (): ProviderUnderTest => {
  const own = new InPodman();
  return {
    provider: own.node,
    other: own.provider.of('other', 'podman'),
    podOf: (uid) => podOf(uid, script('trap "exit 0" TERM; while true; do sleep 0.1; done')),
    until: async (condition) => await until('the condition', condition, LONG_MS),
    told: own.changes,
    close: () => void closing.push(own.close()),
  };
});

describe('a container', () => {
  test('has what the pod asked for, and nothing of the caller; values stand in no list of processes', async () => {
    const share = mkdtempSync(join(tmpdir(), 'farloop-share-'));
    const env = [
      { name: 'PATH', value: '/bin' },
      { name: 'LINES_OF_IT', value: 'one\ntwo' },
    ];
    const volumes = [{ name: 'scratch', emptyDir: {} }];
    const text = 'env; pwd; hostname; echo written > /data/file; cat /data/file; echo $FARLOOP_POD_IP > $FARLOOP_SHARE/ip';
    const main = script(text, { env, workingDir: '/tmp', volumeMounts: [{ name: 'scratch', mountPath: '/data' }] });
    expect(await (open({ share }), ends(main, { volumes }))).toMatchObject({ exitCode: 0, reason: 'Completed' });
    const log = (await opened?.log('a')) ?? '';
    expect(log).toMatch(/^LINES_OF_IT=one\ntwo$/m);
    expect(log).toMatch(/^PATH=\/bin$/m);
    expect(log).toMatch(/\n\/tmp\npod-a\nwritten\n$/);
    for (const name of Object.keys(process.env).filter((each) => !['HOME', 'HOSTNAME', 'PATH', 'PWD', 'SHLVL', 'TERM', '_'].includes(each)))
      expect(log).not.toMatch(new RegExp(`^${name}=`, 'm'));
    expect(readFileSync(join(share, 'ip'), 'utf8')).toMatch(/^127\./);
    rmSync(share, { recursive: true });
  });

  test.each([
    ['the command of its image', { name: 'main', image: IMAGE, args: ['echo by the image; exit 3'] }, { exitCode: 3, reason: 'Error' }],
    ['another user', script('id -u; exit 0', { securityContext: { runAsUser: 1234 } }), { exitCode: 0 }],
    ['last words', script('echo the end > /dev/termination-log; exit 9'), { exitCode: 9, message: 'the end\n' }],
    [
      'a command that is not there',
      { ...script(''), command: ['/bin/nope'] },
      { exitCode: 128, reason: 'StartError', message: expect.stringContaining('/bin/nope') },
    ],
  ])('%s', async (_name, container, end) => {
    expect(await ends(container as Container)).toMatchObject(end);
  });

  test('that uses more memory than it may is ended for that', async () => {
    const limits = { memory: '16Mi' };
    // The shell keeps all of what it reads.
    const end = await ends(script('x=0123456789abcdef; while true; do x=$x$x; done', { resources: { limits } }));
    expect(end?.exitCode).not.toBe(0);
    expect(['OOMKilled', 'Error']).toContain(end?.reason);
  });

  test('hears of its end once, within its grace; one that does not listen is killed', async () => {
    const own = open();
    await own.start(
      podOf('a', script('trap "echo told; sleep 0.5; exit 5" TERM; echo up; while true; do sleep 0.1; done'), {
        terminationGracePeriodSeconds: 20,
      }),
    );
    await own.writes('a', 'up\n');
    await own.node.stop(taskOf('a'), { graceSeconds: 20 }, FAR);
    expect((await own.ended('a')).status.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 5 });
    expect(await own.log('a')).toBe('up\ntold\n');
    await own.start(podOf('b', script('trap "" TERM; echo up; while true; do sleep 0.1; done')));
    await own.becomes('b', 'it runs', ({ status }) => status.phase === 'Running');
    await own.node.stop(taskOf('b'), { graceSeconds: 1 }, FAR);
    expect((await own.ended('b')).status.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 137 });
  });

  test('of which commands are run, with and without input, by their own exit codes', async () => {
    const own = open();
    await own.start(podOf('a', script('sleep 1000')));
    await own.becomes('a', 'it runs', ({ status }) => status.phase === 'Running');
    const chunks: Buffer[] = [];
    const stdin = (async function* () {
      yield Buffer.from('given');
    })();
    const wanted = {
      container: 'main',
      command: ['/bin/sh', '-c', 'cat; exit 7'],
      stdin,
      stdout: async (bytes: Uint8Array) => void chunks.push(Buffer.from(bytes)),
    };
    expect(await own.node.exec?.(taskOf('a'), wanted as never, new AbortController().signal)).toEqual({ exitCode: 7 });
    expect(Buffer.concat(chunks).toString()).toBe('given');
  });

  test('whose image is not there waits for it, and says so', async () => {
    const own = open();
    await own.start(podOf('a', { ...script(''), image: 'localhost/none:1', imagePullPolicy: 'Never' }));
    const { status } = await own.becomes(
      'a',
      'it waits',
      ({ status: now }) => now.containerStatuses?.[0]?.state?.waiting?.reason === 'ErrImageNeverPull',
    );
    expect(status).toMatchObject({
      phase: 'Pending',
      containerStatuses: [
        { state: { waiting: { message: 'Container image "localhost/none:1" is not present with pull policy of Never' } } },
      ],
    });
    await own.node.stop(taskOf('a'), { graceSeconds: 0 }, FAR);
    await own.ended('a');
  });

  test('goes with its runner: nobody is left of a pod that nobody holds', async () => {
    const own = open();
    await own.start(podOf('a', script('sleep 1000')));
    await own.becomes('a', 'it runs', ({ status }) => status.phase === 'Running');
    const { pid } = JSON.parse(readFileSync(join(own.folder, 'processes', 'here', 'a-1', 'claim.json'), 'utf8')) as { pid: number };
    process.kill(pid, 'SIGKILL');
    expect((await own.ended('a')).status).toMatchObject({ phase: 'Failed', reason: 'NotFound' });
    expect(containersOf(own.folder)).toEqual([]);
  });
});

test('an engine that is not there is said in a sentence', () => {
  const { PATH } = process.env;
  process.env['PATH'] = '/nowhere';
  try {
    expect(() => engineHere('docker')).toThrow('docker is not installed');
  } finally {
    process.env['PATH'] = PATH;
  }
});
