// Builds the real control plane that the cluster tests run against: etcd, kube-apiserver and kube-controller-manager
// (kubectl and kube-scheduler too, when asked), from their own source through the Go module client. The binaries lie in a
// cache folder outside the repository, are built only when missing, and appear there only when complete.
//
//   node test/cluster/build-control-plane.ts            what the cluster tests need
//   node test/cluster/build-control-plane.ts kubectl    kubectl as well
import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

const kubernetesVersion = '1.36.3';
const etcdVersion = '3.6.6';

export type Binary = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'kubectl';

/** What `startControlPlane` needs. */
const controlPlaneBinaries: readonly Binary[] = ['etcd', 'kube-apiserver', 'kube-controller-manager'];

const lockPatienceMs = 20 * 60_000;
const GO_TRIES = 3;
const GO_PAUSE_MS = 10_000;

/** The folder that holds, or will hold, the built binaries. */
function controlPlaneFolder(): string {
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(cache, 'farloop', 'control-plane', kubernetesVersion);
}

/**
 * The paths of the wanted binaries. `KUBEBUILDER_ASSETS` is asked first, then the cache folder; what is in neither is built
 * (minutes, on all cores). Calls in several processes build once: the others wait.
 *
 * @param say receives one line per step of a build
 * @throws Error with a sentence for people when a binary cannot be had
 */
export async function controlPlanePaths(
  binaries: readonly Binary[] = controlPlaneBinaries,
  say: (line: string) => void = () => {},
): Promise<Map<Binary, string>> {
  const found = await present(binaries);
  if (found.size === binaries.length) return found;
  const folder = controlPlaneFolder();
  await mkdir(folder, { recursive: true });
  const unlock = await lock(join(folder, 'lock.sqlite'), say);
  try {
    const already = await present(binaries);
    const missing = binaries.filter((binary) => !already.has(binary));
    if (missing.length > 0) await build(folder, missing, say);
  } finally {
    unlock();
  }
  return present(binaries);
}

async function present(binaries: readonly Binary[]): Promise<Map<Binary, string>> {
  const assets = process.env['KUBEBUILDER_ASSETS'];
  const folders = assets === undefined || assets === '' ? [controlPlaneFolder()] : [resolve(assets), controlPlaneFolder()];
  const found = new Map<Binary, string>();
  for (const binary of binaries) {
    for (const folder of folders) {
      const path = join(folder, binary);
      if (!found.has(binary) && (await isExecutable(path))) found.set(binary, path);
    }
  }
  return found;
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** An exclusive lock that a killed holder cannot leave behind: the operating system frees it with the process. */
async function lock(path: string, say: (line: string) => void): Promise<() => void> {
  const database = new DatabaseSync(path, { timeout: 0 });
  const until = Date.now() + lockPatienceMs;
  for (let told = false; ; told = true) {
    try {
      database.exec('begin exclusive');
      return () => database.close();
    } catch (error) {
      if (Date.now() > until) {
        database.close();
        throw new Error(
          `another process has been building the control plane for ${lockPatienceMs / 60_000} minutes (lock ${path}): end it and try again`,
          {
            cause: error,
          },
        );
      }
      if (!told) say(`waiting for another process that builds the control plane (lock ${path})`);
      await sleep(500);
    }
  }
}

async function build(folder: string, missing: readonly Binary[], say: (line: string) => void): Promise<void> {
  const work = join(folder, `building-${process.pid}`);
  await rm(work, { recursive: true, force: true });
  try {
    if (missing.includes('etcd')) {
      await timed('etcd', say, async () => {
        const module = join(work, 'etcd-module');
        await writeModule(module, { 'go.etcd.io/etcd/server/v3': `v${etcdVersion}` }, {}, ['go.etcd.io/etcd/server/v3']);
        await go(module, ['mod', 'tidy', '-e']);
        await go(module, ['build', '-trimpath', '-ldflags', '-s -w', '-o', join(work, 'etcd'), 'go.etcd.io/etcd/server/v3']);
        await rename(join(work, 'etcd'), join(folder, 'etcd'));
      });
    }
    const commands = missing.filter((binary) => binary !== 'etcd');
    if (commands.length === 0) return;
    const module = join(work, 'kubernetes-module');
    await timed('modules of Kubernetes', say, () => prepareKubernetesModule(module, commands));
    for (const command of commands) {
      await timed(command, say, async () => {
        await go(module, [
          'build',
          '-trimpath',
          '-ldflags',
          kubernetesLinkFlags(),
          '-o',
          join(work, command),
          `k8s.io/kubernetes/cmd/${command}`,
        ]);
        await rename(join(work, command), join(folder, command));
      });
    }
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Without these a server calls itself v0.0.0-master, and clients and feature gates misbehave. */
function kubernetesLinkFlags(): string {
  const [major, minor] = kubernetesVersion.split('.');
  const variable = 'k8s.io/component-base/version';
  return `-s -w -X ${variable}.gitVersion=v${kubernetesVersion} -X ${variable}.gitMajor=${major} -X ${variable}.gitMinor=${minor}`;
}

/** The staging modules are required as v0.0.0 and replaced by paths of the source tree; outside it they need published versions. */
async function prepareKubernetesModule(module: string, commands: readonly Binary[]): Promise<void> {
  const version = `v${kubernetesVersion}`;
  await writeModule(module, {}, {}, []);
  const downloaded: unknown = JSON.parse(await go(module, ['mod', 'download', '-json', `k8s.io/kubernetes@${version}`]));
  if (typeof downloaded !== 'object' || downloaded === null || !('GoMod' in downloaded) || typeof downloaded.GoMod !== 'string')
    throw new Error(`go mod download did not say where the go.mod of k8s.io/kubernetes@${version} lies`);
  const goMod = await readFile(downloaded.GoMod, 'utf8');
  const published = `v0.${kubernetesVersion.split('.').slice(1).join('.')}`;
  const replaces: Record<string, string> = {};
  for (const [, name] of goMod.matchAll(/^\s*(?:require\s+)?(k8s\.io\/\S+) v0\.0\.0(?:\s|$)/gm))
    if (name !== undefined) replaces[name] = published;
  await writeModule(
    module,
    { 'k8s.io/kubernetes': version },
    replaces,
    commands.map((command) => `k8s.io/kubernetes/cmd/${command}`),
  );
  await go(module, ['mod', 'tidy', '-e']);
}

async function writeModule(
  folder: string,
  requires: Readonly<Record<string, string>>,
  replaces: Readonly<Record<string, string>>,
  imports: readonly string[],
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const lines = ['module farloop.dev/control-plane', ''];
  for (const [name, version] of Object.entries(requires)) lines.push(`require ${name} ${version}`);
  for (const [name, version] of Object.entries(replaces)) lines.push(`replace ${name} => ${name} ${version}`);
  await writeFile(join(folder, 'go.mod'), `${lines.join('\n')}\n`);
  if (imports.length === 0) return;
  const source = ['//go:build tools', '', 'package tools', '', 'import (', ...imports.map((name) => `\t_ "${name}"`), ')', ''];
  await writeFile(join(folder, 'tools.go'), source.join('\n'));
}

/** Runs the Go command and gives its standard output. What a proxy did not deliver, it may deliver a moment later. */
async function go(folder: string, args: readonly string[]): Promise<string> {
  for (let attempt = 1; ; attempt++)
    try {
      return await goOnce(folder, args);
    } catch (error) {
      if (attempt === GO_TRIES || !(error instanceof GoFailed)) throw error;
      await sleep(attempt * GO_PAUSE_MS);
    }
}

class GoFailed extends Error {
  override name = 'GoFailed';
}

function goOnce(folder: string, args: readonly string[]): Promise<string> {
  return new Promise((done, failed) => {
    const child = spawn('go', [...args], {
      cwd: folder,
      env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=mod -buildvcs=false', GOWORK: 'off' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output: string[] = [];
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => output.push(text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-4000);
    });
    child.on('error', (error: NodeJS.ErrnoException) =>
      failed(
        error.code === 'ENOENT'
          ? new Error(
              `the real control plane (kube-apiserver ${kubernetesVersion}, etcd ${etcdVersion}) is not in ${controlPlaneFolder()} and cannot be built: there is no \`go\` on PATH. Install Go 1.26 or newer, or let KUBEBUILDER_ASSETS name a folder that holds the binaries`,
            )
          : error,
      ),
    );
    child.on('close', (code, signal) => {
      if (code === 0) done(output.join(''));
      else
        failed(
          new GoFailed(
            `the real control plane cannot be built: \`go ${args.slice(0, 2).join(' ')}\` ended with ${code ?? signal}. Is the Go module proxy reachable, and is there room on the disk (6 GB)? Its last words:\n${errors}${output.join('').slice(-1000)}`,
          ),
        );
    });
  });
}

async function timed(what: string, say: (line: string) => void, work: () => Promise<void>): Promise<void> {
  const began = performance.now();
  say(`building ${what} ...`);
  await work();
  say(`${what}: ${minutesSince(began)} min`);
}

function minutesSince(began: number): string {
  return ((performance.now() - began) / 60_000).toFixed(1);
}

if (import.meta.main) {
  const optional: readonly Binary[] = ['kubectl', 'kube-scheduler'];
  const asked = process.argv.slice(2);
  const unknown = asked.find((name) => !optional.some((binary) => binary === name));
  if (unknown !== undefined) {
    console.error(`unknown binary "${unknown}": besides ${controlPlaneBinaries.join(', ')} there are ${optional.join(' and ')}`);
    process.exit(2);
  }
  const began = performance.now();
  try {
    const paths = await controlPlanePaths([...controlPlaneBinaries, ...optional.filter((binary) => asked.includes(binary))], (line) =>
      console.error(line),
    );
    for (const [binary, path] of paths) console.log(`${binary} ${path}`);
    console.log(`control plane ${kubernetesVersion} ready after ${minutesSince(began)} min`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(1);
  }
}
