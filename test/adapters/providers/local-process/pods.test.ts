// Pods that run as processes: how their commands end, what they see, and what is left of them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { isolationHere } from '../../../../lib/adapters/providers/local-process/machine/place.ts';
import type { Container } from '../../../../lib/objects/kubernetes.ts';
import { TerminalError } from '../../../../lib/ports/errors.ts';
import { failureOf, until } from '../../../claims.ts';
import { FAR, LONG_MS, Opened, podOf, shell, taskOf } from './opened.ts';

process.env['SECRET_OF_THE_CALLER'] = 'hunter2';
const opened = new Opened({ firstBackoffMs: 100, images: new Map([['busybox', ['sh']]]) });
afterAll(async () => await opened.close());

const mainOf = async (uid: string, script: string, more: Partial<Container> = {}) =>
  (await opened.runs(podOf(uid, shell(script, more)))).status.containerStatuses?.[0]?.state?.terminated;

describe('how a command ends', () => {
  test.each([
    ['exit 0', 0, 'Completed'],
    ['exit 3', 3, 'Error'],
    ['kill -SEGV $$', 139, 'Error'],
    ['kill -TERM $$', 143, 'Error'],
  ])('%s', async (script, exitCode, reason) => {
    const uid = `end-${exitCode}`;
    const terminated = await mainOf(uid, script);
    expect(terminated).toMatchObject({ exitCode, reason });
    expect(Date.parse(terminated?.finishedAt ?? '')).toBeGreaterThan(0);
    const { status } = await opened.look(uid);
    expect(status.phase).toBe(exitCode === 0 ? 'Succeeded' : 'Failed');
    expect(status.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'False',
      reason: exitCode === 0 ? 'PodCompleted' : 'PodFailed',
    });
  });

  test('a command that does not exist, one that is no program, a working folder that is not there', async () => {
    const ends = await Promise.all([
      mainOf('absent', '', { command: ['no-such-command'] }),
      mainOf('no-program', '', { command: ['/etc/passwd'] }),
      mainOf('no-folder', 'true', { workingDir: '/no/such/folder' }),
    ]);
    expect(ends.map((end) => [end?.exitCode, end?.reason, end?.message])).toEqual([
      [128, 'StartError', 'exec: "no-such-command": executable file not found in $PATH'],
      [128, 'StartError', 'exec: "/etc/passwd": permission denied'],
      [128, 'StartError', 'the working folder /no/such/folder does not exist'],
    ]);
  });

  test('last words: of the file, at most 4 KB; of the log where that is asked for', async () => {
    const ends = await Promise.all([
      isolationHere() === 'none' ? undefined : mainOf('words', 'echo out; printf %5000s x > /dev/termination-log; exit 1'),
      mainOf('words-of-log', 'seq 1 200; exit 1', { terminationMessagePolicy: 'FallbackToLogsOnError' }),
      mainOf('no-words', 'echo out; exit 1'),
    ]);
    if (ends[0]) expect(ends[0].message).toHaveLength(4_096);
    expect(ends[1]?.message).toMatch(/\n199\n200\n$/);
    expect(ends[1]?.message?.split('\n')).toHaveLength(81);
    expect(ends[2]?.message).toBeUndefined();
  });

  test('a stop: SIGTERM, and after the grace SIGKILL to all', async () => {
    await opened.start(podOf('heeds', shell('trap "exit 7" TERM; echo ready; while :; do sleep 0.05; done')));
    await opened.start(podOf('ignores', shell('trap "" TERM; echo ready; while :; do sleep 0.05; done')));
    for (const uid of ['heeds', 'ignores']) {
      await opened.writes(uid, 'ready\n');
      await opened.node.stop(taskOf(uid), { graceSeconds: uid === 'heeds' ? 30 : 1 }, FAR);
    }
    expect((await opened.ended('heeds')).status.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 7, reason: 'Error' });
    expect((await opened.ended('ignores')).status.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(137);
  });

  test('a deadline ends the pod', async () => {
    const { status } = await opened.runs(podOf('late', shell('sleep 1000'), { activeDeadlineSeconds: 1 }));
    expect(status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
  });
});

describe('what a command sees', () => {
  test('nothing of the caller but PATH', async () => {
    await mainOf('env', 'env; pwd; id -u', {
      env: [
        { name: 'ASKED', value: 'for' },
        { name: 'with.dot', value: '1' },
      ],
    });
    const lines = (await opened.log('env')).trimEnd().split('\n');
    const home = lines.at(-2);
    const names = lines.slice(0, -2).map((line) => line.split('=')[0]);
    // The shell adds the last three by itself, and drops names with a dot.
    const ofShell = new Set(['PWD', 'SHLVL', '_']);
    expect(new Set(names.filter((name) => !ofShell.has(name ?? '')))).toEqual(
      new Set(['ASKED', 'FARLOOP_CONTAINER', 'FARLOOP_POD', 'FARLOOP_POD_IP', 'HOME', 'HOSTNAME', 'PATH', 'TMPDIR']),
    );
    expect(lines).toContain(`HOME=${home}`);
    expect(lines).toContain('HOSTNAME=pod-env');
    await mainOf('dots', '', { command: ['env'], env: [{ name: 'with.dot', value: '1' }] });
    expect(await opened.log('dots')).toContain('with.dot=1\n');
  });

  test('volumes: files with their modes, a folder that containers share, a part of one', async () => {
    if (isolationHere() === 'none') return;
    const mounts = { volumeMounts: [{ name: 'scratch', mountPath: '/data/deep' }] };
    const reader = shell(
      'cat /etc/app/conf/a.txt; stat -Lc %a /etc/app/conf/a.txt /keys/sub/key; cat /only; ls /etc/hosts /usr/bin/env; cat /data/deep/out',
      {
        volumeMounts: [
          ...mounts.volumeMounts,
          { name: 'settings', mountPath: '/etc/app/conf', readOnly: true },
          { name: 'keys', mountPath: '/keys' },
          { name: 'keys', mountPath: '/only', subPath: 'sub/key' },
        ],
      },
    );
    const data = (text: string): string => Buffer.from(text).toString('base64');
    const pod = podOf(
      'volumes',
      reader,
      {
        initContainers: [shell('echo made > /data/deep/out', { name: 'init', ...mounts })],
        volumes: [
          { name: 'scratch', emptyDir: {} },
          { name: 'settings', configMap: { name: 'c' } },
          { name: 'keys', secret: { secretName: 's' } },
        ],
      },
      {
        volumeContents: [
          { name: 'settings', files: [{ path: 'a.txt', mode: 0o644, data: data('setting\n') }] },
          { name: 'keys', files: [{ path: 'sub/key', mode: 0o400, data: data('key\n') }] },
        ],
      },
    );
    await opened.runs(pod);
    expect(await opened.log('volumes')).toBe('setting\n644\n400\nkey\n/etc/hosts\n/usr/bin/env\nmade\n');
    expect(['/data', '/etc/app', '/keys', '/only'].filter((path) => existsSync(path))).toEqual([]);
  });

  test('mounts at relative paths lie in its home; nothing of a secret is left', async () => {
    const pod = podOf(
      'relative',
      shell('cat conf/a', { volumeMounts: [{ name: 'settings', mountPath: 'conf' }], env: [{ name: 'PASSWORD', value: 'hunter3' }] }),
      { volumes: [{ name: 'settings', secret: { secretName: 's' } }] },
      { volumeContents: [{ name: 'settings', files: [{ path: 'a', mode: 0o600, data: Buffer.from('hunter4\n').toString('base64') }] }] },
    );
    await opened.runs(pod);
    expect(await opened.log('relative')).toBe('hunter4\n');
    const folder = join(opened.folder, 'processes', 'here', 'relative-1');
    const texts = readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() && !entry.parentPath.includes('logs') ? [readFileSync(join(entry.parentPath, entry.name), 'utf8')] : [],
    );
    expect(texts.filter((text) => /hunter[34]/.test(text) || text.includes(Buffer.from('hunter4\n').toString('base64')))).toEqual([]);
    await opened.node.forget?.(taskOf('relative'), FAR);
    expect(existsSync(folder)).toBe(false);
  });

  test('two pods may listen on the same port of their own addresses', async () => {
    const serve = `const a = process.env.FARLOOP_POD_IP; require('http').createServer((q, s) => s.end(a)).listen(18765, a)`;
    const container: Container = {
      name: 'main',
      command: [process.execPath, '-e', serve],
      readinessProbe: { httpGet: { port: 18765 }, periodSeconds: 1 },
    };
    for (const uid of ['server-a', 'server-b']) await opened.start(podOf(uid, container));
    const answers: string[] = [];
    for (const uid of ['server-a', 'server-b']) {
      const { status } = await opened.becomes(
        uid,
        'ready',
        ({ status: { containerStatuses = [] } }) => containerStatuses[0]?.ready === true,
      );
      answers.push(await (await fetch(`http://${String(status['podIP'])}:18765/`)).text());
      expect(answers.at(-1)).toBe(status['podIP']);
      await opened.node.stop(taskOf(uid), { graceSeconds: 0 }, FAR);
    }
    expect(new Set(answers).size).toBe(2);
  });
});

describe('names of other pods', () => {
  const wait = (name: string): Container => shell(`until nslookup ${name}; do sleep 0.05; done; getent hosts ${name}`);

  test('resolve to their addresses, also of pods that come later; those without a port or a subdomain are not named', async () => {
    if (isolationHere() === 'none') return;
    await opened.start(podOf('seeker', wait('job-1.ring.default.svc.cluster.local'), { hostname: 'job-0', subdomain: 'ring' }));
    await opened.becomes('seeker', 'its run', ({ status }) => status.phase === 'Running');
    await opened.start(podOf('nameless', shell('sleep 1000')));
    await opened.start(
      podOf('sought', shell('getent hosts job-1 pod-sought job-0.ring; sleep 1000'), { hostname: 'job-1', subdomain: 'ring' }),
    );
    await opened.ended('seeker');
    const { status } = await opened.look('sought');
    expect((await opened.log('seeker')).split('\n').at(-2)).toContain(String(status['podIP']));
    const itself = async (): Promise<boolean> => (await opened.log('sought').catch(() => '')).includes(String(status['podIP']));
    await until('it finds itself', itself, LONG_MS);
    const port = { ...shell('getent hosts pod-sought; getent hosts pod-nameless; true'), ports: [{ containerPort: 1 }] } as Container;
    await opened.runs(podOf('latecomer', port));
    expect(await opened.log('latecomer')).toMatch(new RegExp(`^${String(status['podIP'])} .*\n$`));
    for (const uid of ['nameless', 'sought']) await opened.node.stop(taskOf(uid), { graceSeconds: 0 }, FAR);
  });

  test('an event says where they do not', async () => {
    const bare = new Opened({ isolation: 'none' });
    const named = podOf('named', shell('true'), { subdomain: 'ring' });
    expect(bare.node.warningsOf?.(named)).toEqual([{ reason: 'PodNamesNotResolved', message: expect.stringContaining('FARLOOP_POD_IP') }]);
    expect(bare.node.warningsOf?.(podOf('plain', shell('true')))).toEqual([]);
    if (isolationHere() !== 'none') expect(opened.node.warningsOf?.(named)).toEqual([]);
    await bare.close();
  });
});

describe('the order of containers', () => {
  test('init containers in turn, a sidecar beside the others until they have ended', async () => {
    const order = shell('cat $HOME/order; test -e $HOME/sidecar-runs');
    const { status } = await opened.runs(
      podOf('order', order, {
        initContainers: [
          shell('echo one >> $HOME/order', { name: 'one' }),
          shell('touch $HOME/sidecar-runs; trap "echo bye; exit 0" TERM; while :; do sleep 0.05; done', {
            name: 'sidecar',
            restartPolicy: 'Always',
            startupProbe: { exec: { command: ['sh', '-c', 'test -e $HOME/sidecar-runs'] }, periodSeconds: 1 },
          }),
          shell('echo two >> $HOME/order', { name: 'two' }),
        ],
      }),
    );
    expect(status.phase).toBe('Succeeded');
    expect(await opened.log('order')).toBe('one\ntwo\n');
    expect(await opened.log('order', { container: 'sidecar' })).toContain('bye\n');
    expect(status.initContainerStatuses?.map(({ state }) => state?.terminated?.exitCode)).toEqual([0, 0, 0]);
  });

  test('an init container that fails ends a pod that is never restarted', async () => {
    const { status } = await opened.runs(podOf('init-fails', shell('true'), { initContainers: [shell('exit 4', { name: 'init' })] }));
    expect(status).toMatchObject({ phase: 'Failed', containerStatuses: [{ state: { waiting: { reason: 'PodInitializing' } } }] });
  });

  test('a container that crashes twice and then succeeds, with the log of the run before', async () => {
    const { status } = await opened.runs(
      podOf('crashes', shell('n=$(cat $HOME/n 2>/dev/null || echo 0); echo run $n; echo $((n + 1)) > $HOME/n; test $n = 2'), {
        restartPolicy: 'OnFailure',
      }),
    );
    expect(status).toMatchObject({
      phase: 'Succeeded',
      containerStatuses: [{ restartCount: 2, lastState: { terminated: { exitCode: 1 } }, state: { terminated: { exitCode: 0 } } }],
    });
    expect(await opened.log('crashes')).toBe('run 2\n');
    expect(await opened.log('crashes', { previous: true })).toBe('run 1\n');
  });

  test('a restart that waits says so, and is given up by a stop', async () => {
    const slow = new Opened();
    await slow.start(podOf('loops', shell('exit 1'), { restartPolicy: 'Always' }));
    const { status } = await slow.becomes(
      'loops',
      'a wait',
      (task) => task.status.containerStatuses?.[0]?.state?.waiting?.reason === 'CrashLoopBackOff',
    );
    expect(status.containerStatuses?.[0]?.state?.waiting?.message).toBe(
      'back-off 10s restarting failed container=main pod=pod-loops_default(loops)',
    );
    expect(status.phase).toBe('Running');
    await slow.node.stop(taskOf('loops'), { graceSeconds: 30 }, FAR);
    expect((await slow.ended('loops')).status.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(1);
    await slow.close();
  });
});

describe('probes and hooks', () => {
  test('a liveness probe that fails ends the container, which starts again', async () => {
    await opened.start(
      podOf(
        'unwell',
        shell('test -e $HOME/again && exit 0; touch $HOME/again; sleep 1000', {
          livenessProbe: { tcpSocket: { port: 1 }, periodSeconds: 1, failureThreshold: 1 },
        }),
        {
          restartPolicy: 'OnFailure',
        },
      ),
    );
    const { status } = await opened.ended('unwell');
    // A slow machine may have the probe meet the second run, too.
    expect(status.containerStatuses?.[0]?.restartCount).toBeGreaterThanOrEqual(1);
    expect(status.containerStatuses?.[0]).toMatchObject({ lastState: { terminated: { exitCode: 143 } } });
    expect(status.containerStatuses?.[0]?.lastState?.terminated?.message).toContain('failed liveness probe');
  });

  test('hooks run in the container: after its start, and before SIGTERM', async () => {
    const asked: string[] = [];
    const server = createServer((request, answer) => {
      asked.push(request.url ?? '');
      answer.end();
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const container = shell('trap "test -e $HOME/started && exit 5" TERM; while :; do sleep 0.05; done', {
      lifecycle: {
        postStart: { exec: { command: ['sh', '-c', 'touch $HOME/started'] } },
        preStop: { httpGet: { host: '127.0.0.1', port, path: '/bye' } },
      },
    });
    await opened.start(podOf('hooks', container));
    await opened.becomes('hooks', 'readiness', ({ status }) => status.containerStatuses?.[0]?.ready === true);
    await opened.node.stop(taskOf('hooks'), { graceSeconds: 30 }, FAR);
    expect((await opened.ended('hooks')).status.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(5);
    expect(asked).toEqual(['/bye']);
    server.close();
  });
});

describe('pods that are refused', () => {
  test.each([
    ['no-command', podOf('no-command', { name: 'main', image: 'nginx' }), 'spec.containers[0].command: the node has no images'],
    ['other-user', podOf('other-user', shell('true'), { securityContext: { runAsUser: 4242 } }), 'spec.securityContext.runAsUser: '],
    ['nfs', podOf('nfs', shell('true'), { volumes: [{ name: 'v', nfs: { server: 'a', path: '/' } }] }), 'spec.volumes[0].nfs: '],
  ])('%s', async (_name, pod, text) => {
    const error = await failureOf(opened.start(pod));
    expect(error).toBeInstanceOf(TerminalError);
    expect((error as Error).message).toContain(text);
  });

  test('pods of other namespaces than those that are allowed', async () => {
    const mine = new Opened({ allowedNamespaces: new Set(['me']) });
    expect(String(await failureOf(mine.start(podOf('foreign', shell('true')))))).toContain(
      'metadata.namespace: pods of default do not run here, as farloop up was given no --allow-namespace default',
    );
    const pod = podOf('mine', shell('true'));
    expect((await mine.runs({ ...pod, metadata: { ...pod.metadata, namespace: 'me' } })).status.phase).toBe('Succeeded');
    expect(mine.provider.describe()[0]).toContain('runs the commands of pods of me as processes of this machine');
    await mine.close();
  });

  test('an image that is mapped gives the command', async () => {
    const { status } = await opened.runs(podOf('mapped', { name: 'main', image: 'busybox', args: ['-c', 'echo $0 mapped'] }));
    expect(status.phase).toBe('Succeeded');
    expect(await opened.log('mapped')).toBe('sh mapped\n');
  });

  test('absolute mounts where the system gives no namespaces', async () => {
    const bare = new Opened({ isolation: 'none' });
    const container = shell('cat conf/a', { volumeMounts: [{ name: 'v', mountPath: '/conf' }] });
    const volumes = [{ name: 'v', configMap: { name: 'c' } }];
    const error = await failureOf(bare.start(podOf('absolute', container, { volumes })));
    expect(String(error)).toContain('spec.containers[0].volumeMounts[0].mountPath: ');
    const contents = { volumeContents: [{ name: 'v', files: [{ path: 'a', mode: 0o644, data: Buffer.from('x\n').toString('base64') }] }] };
    await bare.runs(podOf('relative', shell('cat conf/a', { volumeMounts: [{ name: 'v', mountPath: 'conf' }] }), { volumes }, contents));
    expect(await bare.log('relative')).toBe('x\n');
    await bare.close();
  });
});
