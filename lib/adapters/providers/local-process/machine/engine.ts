// A container engine of this machine, through its command: the container is the child of the pod's runner all the same, as the command stays attached to it.
import { spawn, spawnSync } from 'node:child_process';
import type { Container } from '../../../../objects/kubernetes.ts';
import { isQuantity, parseQuantity } from '../../../../objects/values/quantity.ts';
import { fieldsOf, numberOf, textOf } from '../../../../objects/values/untyped-fields.ts';
import type { VolumeMount } from './mount-script.ts';
import { CONTAINER_MARK, EXEC_MARK, POD_MARK } from './process-tree.ts';

export const ENGINES = ['podman', 'docker'] as const;
export type EngineWord = (typeof ENGINES)[number];

export interface Engine {
  word: EngineWord;
  /** Of the caller's environment, as far as the engine's command needs it. No container sees it. */
  environment: Readonly<Record<string, string>>;
}

/** A container of it, by its name. */
export interface EngineContainer extends Engine {
  name: string;
}

const ITS_VARIABLES =
  /^(PATH|HOME|USER|XDG_.*|DBUS_SESSION_BUS_ADDRESS|CONTAINER_.*|CONTAINERS_.*|REGISTRY_AUTH_FILE|DOCKER_.*|TMPDIR|LANG)$/;
/** Values that the engine's own command would go by, if they stood in its environment. */
const ACTS_ON_IT =
  /^(PATH|HOME|USER|XDG_.*|DBUS_.*|CONTAINER.*|REGISTRY_.*|DOCKER_.*|TMPDIR|LANG|LC_.*|LD_.*|GO.*|HTTPS?_PROXY|NO_PROXY|https?_proxy|no_proxy|_.*|STORAGE_.*|SSL_.*)$/;
/** On each container, so that those of a pod are found without anybody's memory. */
const LABEL = 'farloop.dev/pod-folder';
const CALL_MS = 60_000;
const PULL_MS = 30 * 60_000;

/** @returns the engine and its version. @throws Error one sentence: it is not installed, or does not answer */
export function engineHere(word: EngineWord): { engine: Engine; version: string } {
  const kept = Object.entries(process.env).filter((each): each is [string, string] => ITS_VARIABLES.test(each[0]) && each[1] !== undefined);
  const environment = Object.fromEntries(kept);
  // `ps` asks the engine itself, where that is another process.
  for (const args of [['ps', '-q'], ['--version']]) {
    const { status, error, stdout, stderr } = spawnSync(word, args, { env: environment, encoding: 'utf8', timeout: CALL_MS });
    if (error)
      throw new Error(
        (error as NodeJS.ErrnoException).code === 'ENOENT' ? `${word} is not installed` : `${word} does not answer: ${error.message}`,
      );
    if (status !== 0) throw new Error(`${word} does not work here: ${lastLine(stderr) || `exit code ${status}`}`);
    if (args[0] === '--version')
      return { engine: { word, environment }, version: /\b\d{1,6}\.[.\d]{1,20}/.exec(stdout)?.[0] ?? stdout.trim() };
  }
  throw new Error(`${word} does not say its version`);
}

export interface ContainerWish {
  /** The pod's. */
  folder: string;
  container: Container;
  /** Of the pod. */
  securityContext: unknown;
  hostname: string;
  /** The file that is its /etc/hosts. */
  hosts: string;
  mounts: readonly VolumeMount[];
  mostProcesses: number;
}

/** Words before which nothing stands: they run the container and stay attached to it. Its variables follow by name: no list of processes shows values. */
export function runWords({ word, name }: EngineContainer, wish: ContainerWish, variables: Readonly<Record<string, string>>): string[] {
  const { folder, container, hostname, hosts, mounts, mostProcesses } = wish;
  const { command = [], args = [], image = '' } = container;
  const [entrypoint, ...rest] = command;
  const workingDir = textOf(container['workingDir']);
  const cores = nanosOf(container, 'cpu');
  const memory = nanosOf(container, 'memory');
  const user = userOf(container, wish.securityContext);
  return [
    word,
    'run',
    '--name',
    name,
    '--pull=never',
    '--label',
    `${LABEL}=${folder}`,
    // Pods have addresses of this machine: its network is theirs.
    '--network=host',
    '--hostname',
    hostname,
    '--security-opt',
    'label=disable',
    `--pids-limit=${mostProcesses}`,
    ...(memory === undefined ? [] : [`--memory=${memory / 10n ** 9n}`]),
    ...(cores === undefined ? [] : [`--cpus=${Number(cores) / 1e9}`]),
    ...(user === undefined ? [] : ['--user', user]),
    ...(workingDir === '' ? [] : ['--workdir', workingDir]),
    ...(fieldsOf(container['securityContext'])['readOnlyRootFilesystem'] === true ? ['--read-only'] : []),
    ...[{ source: hosts, target: '/etc/hosts', isReadOnly: false }, ...mounts].flatMap(({ source, target, isReadOnly }) => [
      '--mount',
      `type=bind,src=${source},dst=${target}${isReadOnly ? ',readonly' : ''}`,
    ]),
    ...variableWords(variables),
    ...(entrypoint === undefined ? [] : ['--entrypoint', entrypoint]),
    image,
    ...rest,
    ...args,
  ];
}

/** A command in a container that runs. */
export const execWords = (
  { word, name }: EngineContainer,
  { execId, hasTerminal, hasInput }: { execId?: string | undefined; hasTerminal: boolean; hasInput: boolean },
  command: readonly string[],
): string[] => [
  word,
  'exec',
  ...(hasInput ? ['--interactive'] : []),
  ...(hasTerminal ? ['--tty'] : []),
  ...(execId === undefined ? [] : ['--env', `${EXEC_MARK}=${execId}`]),
  name,
  ...command,
];

function variableWords(variables: Readonly<Record<string, string>>): string[] {
  return Object.entries(variables).flatMap(([name, value]) => ['--env', isShown(name) ? `${name}=${value}` : name]);
}

/** Marks are no secrets, and must not be found on the engine's own processes. */
const isShown = (name: string): boolean => ACTS_ON_IT.test(name) || name === POD_MARK || name === CONTAINER_MARK;

/** The environment of the engine's command, with the values that it hands on by name. */
export const clientEnvironment = ({ environment }: Engine, variables: Readonly<Record<string, string>>): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(variables).filter(([name]) => !isShown(name))),
  ...environment,
});

/** @param policy `imagePullPolicy`. @returns why it cannot be used; undefined once it is there */
export async function fetchImage(
  engine: Engine,
  { image = '', imagePullPolicy: policy = 'IfNotPresent' }: Container & { imagePullPolicy?: string },
  signal: AbortSignal,
): Promise<{ reason: string; message: string } | undefined> {
  const isThere = async (): Promise<boolean> => (await call(engine, ['image', 'inspect', image], { signal })).exitCode === 0;
  if (policy !== 'Always' && (await isThere())) return undefined;
  if (policy === 'Never')
    return { reason: 'ErrImageNeverPull', message: `Container image "${image}" is not present with pull policy of Never` };
  const { exitCode, stderr } = await call(engine, ['pull', '--quiet', image], { signal, withinMs: PULL_MS });
  return exitCode === 0
    ? undefined
    : { reason: 'ErrImagePull', message: `failed to pull image "${image}": ${lastLine(stderr) || `exit code ${exitCode}`}` };
}

/** How it ended, as the engine has it; undefined: it never ran. */
export async function endIn(engine: EngineContainer): Promise<{ isOutOfMemory: boolean } | undefined> {
  const format = '{{.State.StartedAt}} {{.State.OOMKilled}}';
  const { exitCode, stdout } = await call(engine, ['container', 'inspect', '--format', format, engine.name]);
  // Engines have the year 1 for a time that never was.
  if (exitCode !== 0 || stdout.startsWith('0001-')) return undefined;
  return { isOutOfMemory: stdout.trim().endsWith(' true') };
}

export async function signalIn(engine: EngineContainer, name: 'TERM' | 'KILL'): Promise<void> {
  await call(engine, ['kill', '--signal', name, engine.name]);
}

/** Kills it, too. */
export async function removeContainer(engine: EngineContainer): Promise<void> {
  await call(engine, ['rm', '--force', '--volumes', engine.name]);
}

/** A removal fails while another one is at work on the same container, as the engine itself is when a container ends. */
const MOST_REMOVALS = 20;

/** All that a pod has left behind. */
export async function removeContainersOf(engine: Engine, folder: string): Promise<void> {
  for (let time = 1; time <= MOST_REMOVALS; time++) {
    const { stdout } = await call(engine, ['ps', '--all', '--quiet', '--filter', `label=${LABEL}=${folder}`]);
    const ids = stdout.split('\n').filter((id) => id !== '');
    if (ids.length === 0) return;
    await call(engine, ['rm', '--force', '--volumes', ...ids]);
  }
}

const lastLine = (text: string): string =>
  text
    .trim()
    .split('\n')
    .at(-1)
    ?.replace(/^Error(?: response from daemon)?: /, '') ?? '';

interface Called {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Never fails: a command that does not start has failed. */
async function call(
  { word, environment }: Engine,
  args: readonly string[],
  { signal, withinMs = CALL_MS }: { signal?: AbortSignal; withinMs?: number } = {},
): Promise<Called> {
  return await new Promise((resolve) => {
    const child = spawn(word, args, {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: withinMs,
      ...(signal && { signal }),
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.once('error', (error) => resolve({ exitCode: 126, stdout, stderr: error.message }));
    child.once('close', (code) => resolve({ exitCode: code ?? 137, stdout, stderr }));
  });
}

function nanosOf({ resources }: Container, resource: 'cpu' | 'memory'): bigint | undefined {
  const limit = resources?.limits?.[resource];
  return isQuantity(limit) ? parseQuantity(limit).nanos : undefined;
}

/** The container's own goes before the pod's. */
function userOf(container: Container, ofPod: unknown): string | undefined {
  const [own, pod] = [fieldsOf(container['securityContext']), fieldsOf(ofPod)];
  const user = numberOf(own['runAsUser']) ?? numberOf(pod['runAsUser']);
  const group = numberOf(own['runAsGroup']) ?? numberOf(pod['runAsGroup']);
  if (user === undefined) return undefined;
  return group === undefined ? String(user) : `${user}:${group}`;
}
