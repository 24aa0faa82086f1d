// Chromium of the system's packages: no other build of it is downloaded.
import { execFileSync, spawnSync } from 'node:child_process';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome'];
const PACKAGES = ['chromium', 'fonts-dejavu-core'];

const pathOf = (program: string): string => spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).stdout.trim();

/** @returns undefined where none is installed */
export const findChromium = (): string | undefined => [process.env['CHROMIUM'] ?? '', ...PROGRAMS.map(pathOf)].find((path) => path !== '');

/** @throws Error one sentence, where it cannot be made ready */
export default function makeReady(): void {
  if (findChromium() !== undefined) return;
  if (process.geteuid?.() !== 0 || pathOf('apt-get') === '')
    throw new Error(`test:console needs a Chromium: install one (apt-get install ${PACKAGES.join(' ')}), or name its program in CHROMIUM`);
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const aptGet = (...args: string[]): void =>
    void execFileSync('apt-get', args, { env: environment, stdio: ['ignore', 'ignore', 'inherit'] });
  aptGet('update');
  aptGet('install', '--yes', '--no-install-recommends', ...PACKAGES);
}
