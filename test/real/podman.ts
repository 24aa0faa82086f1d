// Podman with an image that is made here: a shell and its tools, of the system's own packages, as no registry is reached.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const IMAGE = 'localhost/farloop-test-tools:1';
const PACKAGES = ['podman', 'runc', 'busybox-static'];
const TOOLS = ['sh', 'cat', 'echo', 'env', 'false', 'hostname', 'id', 'ls', 'pwd', 'seq', 'sleep', 'true'];

const isInstalled = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' }).status === 0;

/** @throws Error one sentence, where it cannot be made ready */
export default function makeReady(): void {
  if (!['podman', 'runc', 'busybox'].every(isInstalled)) {
    if (process.geteuid?.() !== 0 || !isInstalled('apt-get'))
      throw new Error(`test:real needs ${PACKAGES.join(', ')}: install them, or run it as root where apt-get is`);
    const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const aptGet = (...args: string[]): void =>
      void execFileSync('apt-get', args, { env: environment, stdio: ['ignore', 'ignore', 'inherit'] });
    aptGet('update');
    aptGet('install', '--yes', '--no-install-recommends', ...PACKAGES);
  }
  const folder = mkdtempSync(join(tmpdir(), 'farloop-test-engine-'));
  // Limits that an unusual machine may not raise, and a runtime for cgroups of either kind.
  const configuration = join(folder, 'containers.conf');
  writeFileSync(configuration, '[engine]\nruntime = "runc"\n[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]\n');
  process.env['CONTAINERS_CONF'] = configuration;
  const root = join(folder, 'root');
  for (const name of ['bin', 'etc', 'tmp']) mkdirSync(join(root, name), { recursive: true });
  copyFileSync(spawnSync('sh', ['-c', 'command -v busybox'], { encoding: 'utf8' }).stdout.trim(), join(root, 'bin', 'busybox'));
  for (const tool of TOOLS) symlinkSync('busybox', join(root, 'bin', tool));
  writeFileSync(join(root, 'etc', 'passwd'), 'root:x:0:0:root:/:/bin/sh\n');
  const archive = join(folder, 'root.tar');
  execFileSync('tar', ['-C', root, '-cf', archive, '.']);
  execFileSync('podman', ['import', '--quiet', '--change', 'ENTRYPOINT ["/bin/sh","-c"]', archive, IMAGE], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  rmSync(root, { recursive: true });
  rmSync(archive);
}
