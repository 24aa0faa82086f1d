// Services of others, installed into the cache folder once and run as plain processes for as long as a test file takes.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Peer {
  endpoint: string;
  stop: () => Promise<void>;
}

const INSTALL_MS = 300_000;
/** What a registry did not deliver, it may deliver at the next try. */
const INSTALL_TRIES = 2;
const START_MS = 60_000;
const STOP_MS = 5_000;

const ELASTICMQ = 'elasticmq-1.7.1';
const MINISTACK = 'ministack-1.5.33';
const CFN_LINT = 'cfn-lint-1.58.0';
const TRAINING_SDK = 'kubeflow-training-1.9.4';

const sourcesOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** @returns the peer's folder, filled; one that was cut off is filled anew */
function installed(name: string, fill: (folder: string) => void): string {
  const folder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'farloop', 'peers', name);
  const whole = join(folder, 'installed');
  if (existsSync(whole)) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  fill(folder);
  writeFileSync(whole, '');
  return folder;
}

function run(command: string, args: string[], tries = INSTALL_TRIES): void {
  const { status, error, stderr, stdout } = spawnSync(command, args, { encoding: 'utf8', timeout: INSTALL_MS });
  if (status !== 0 && tries > 1) run(command, args, tries - 1);
  else if (error || status !== 0)
    throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? `exit ${status}`}\n${stdout ?? ''}\n${stderr ?? ''}`);
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => (typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port'))));
    });
  });

/** ElasticMQ, for SQS. Needs Java 17 and Maven. */
export async function startElasticMq(): Promise<Peer> {
  const folder = installed(ELASTICMQ, (target) =>
    run('mvn', [
      '-q',
      '-B',
      '-f',
      sourcesOf('infra/test/sqs-peer/pom.xml'),
      'dependency:copy-dependencies',
      `-DoutputDirectory=${join(target, 'lib')}`,
    ]),
  );
  const port = await freePort();
  const child = spawn(
    'java',
    [
      '-Xmx256m',
      `-Dconfig.file=${sourcesOf('infra/test/sqs-peer/emq.conf')}`,
      `-Dnode-address.port=${port}`,
      `-Drest-sqs.bind-port=${port}`,
      '-cp',
      join(folder, 'lib', '*'),
      'org.elasticmq.server.Main',
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  return started(child, ELASTICMQ, `http://127.0.0.1:${port}`, '/?Action=ListQueues&Version=2012-11-05');
}

/**
 * ministack, for DynamoDB and for FIFO queues that deduplicate per group. Needs Python 3.10.
 * @param more variables of its process; functions deployed into it inherit them. With another BIND_HOST it still calls itself 127.0.0.1
 */
export async function startMinistack(more: Record<string, string> = {}): Promise<Peer> {
  const folder = installed(MINISTACK, (target) => {
    run('python3', ['-m', 'venv', join(target, 'venv')]);
    run(join(target, 'venv', 'bin', 'pip'), ['install', '-q', '--disable-pip-version-check', 'ministack==1.5.33']);
  });
  const port = await freePort();
  const scratch = mkdtempSync(join(tmpdir(), 'farloop-ministack-'));
  const { AWS_ENDPOINT_URL: _endpoint, ...environment } = process.env;
  const child = spawn(join(folder, 'venv', 'bin', 'ministack'), [], {
    cwd: scratch,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...environment,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      BIND_HOST: '127.0.0.1',
      MINISTACK_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      TMPDIR: scratch,
      ...more,
    },
  });
  const peer = await started(child, MINISTACK, `http://${more['BIND_HOST'] ?? '127.0.0.1'}:${port}`, '/_ministack/health');
  return {
    ...peer,
    stop: async () => {
      await peer.stop();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

/** The official SDK of training jobs. Needs Python 3.10. @returns the path of a Python that has it */
export function installTrainingSdk(): string {
  const folder = installed(TRAINING_SDK, (target) => {
    run('python3', ['-m', 'venv', join(target, 'venv')]);
    run(join(target, 'venv', 'bin', 'pip'), [
      'install',
      '-q',
      '--disable-pip-version-check',
      TRAINING_SDK.replace('training-', 'training=='),
    ]);
  });
  return join(folder, 'venv', 'bin', 'python');
}

/** What AWS's own linter says of a CloudFormation template; empty when nothing. Needs Python 3.10. */
export function lintTemplate(file: string): string {
  const folder = installed(CFN_LINT, (target) => {
    run('python3', ['-m', 'venv', join(target, 'venv')]);
    run(join(target, 'venv', 'bin', 'pip'), ['install', '-q', '--disable-pip-version-check', CFN_LINT.replace('lint-', 'lint==')]);
  });
  const { stdout, stderr, error } = spawnSync(join(folder, 'venv', 'bin', 'cfn-lint'), ['-t', file, '-r', 'eu-central-1'], {
    encoding: 'utf8',
    cwd: sourcesOf('.'),
    timeout: INSTALL_MS,
  });
  return `${stdout}${stderr}${error?.message ?? ''}`.trim();
}

/** Until the path answers well; what the process said is told when it does not. */
async function started(child: ChildProcess, name: string, endpoint: string, path: string): Promise<Peer> {
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4_000);
    });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const end = (): void => {
    child.kill('SIGKILL');
  };
  process.once('exit', end);
  const stop = async (): Promise<void> => {
    process.removeListener('exit', end);
    child.kill('SIGTERM');
    const timer = setTimeout(end, STOP_MS);
    await exited;
    clearTimeout(timer);
  };
  for (const endMs = performance.now() + START_MS; performance.now() < endMs;) {
    if (child.exitCode !== null || child.pid === undefined) break;
    const healthy = await fetch(endpoint + path, { signal: AbortSignal.timeout(2_000) }).then(
      (answer) => answer.ok,
      () => false,
    );
    if (healthy) return { endpoint, stop };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await stop();
  throw new Error(`${name} did not start:\n${said}`);
}
