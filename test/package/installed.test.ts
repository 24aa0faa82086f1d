// The published package: packed, installed into an empty folder, run by the Node that the system has.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root, temporaryFolder } from '../cli/farloop-process.ts';
import { ownEnvironment, pack, succeed } from './packed.ts';

const folder = temporaryFolder();
const bin = join(folder.path, 'node_modules', '.bin', 'farloop');
const { version }: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const environment = ownEnvironment();

function run(
  command: string,
  args: readonly string[],
  cwd: string,
  more: Record<string, string> = {},
): { exitCode: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env: { ...environment, ...more }, encoding: 'utf8' });
  return { exitCode: status, stdout, stderr };
}

beforeAll(() => {
  const tarball = pack(folder.path);
  writeFileSync(join(folder.path, 'package.json'), '{ "private": true }\n');
  succeed('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], folder.path, environment);
}, 600_000);

afterAll(() => folder.remove());

describe('the installed package', () => {
  test('holds the bundle and nothing of the sources', () => {
    const files = globSync('node_modules/farloop/**/*', { cwd: folder.path });
    expect(files.filter((file) => file.endsWith('.ts'))).toEqual([]);
    expect(files).toContain('node_modules/farloop/dist/console/index.html');
    expect(files).toContain('node_modules/farloop/LICENSE');
  });

  test('a console of 60 KB at most on the wire, all pages of it', () => {
    const sizes = globSync('node_modules/farloop/dist/console/*.br', { cwd: folder.path }).map(
      (file) => statSync(join(folder.path, file)).size,
    );
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThanOrEqual(60 * 1024);
  });

  test('answers --version and --help', () => {
    expect(run(bin, ['--version'], folder.path)).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
    const help = run(bin, ['--help'], folder.path);
    expect(help).toMatchObject({ exitCode: 0, stderr: '' });
    expect(help.stdout).toContain('Usage: farloop');
  });

  test('plans, and exits with 2 for unusable input', () => {
    const planned = run(bin, ['plan', '-f', join(root, 'examples', 'job.yaml')], folder.path);
    expect(planned).toMatchObject({ exitCode: 0, stderr: '' });
    expect(planned.stdout).toContain('create Pod: demo-0-');
    expect(run(bin, ['plan', '-f', 'nowhere.yaml'], folder.path).exitCode).toBe(2);
  });

  test('finds the clients of AWS in its bundle', () => {
    const nothing = 'http://127.0.0.1:1';
    const aws = {
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'none',
      AWS_SECRET_ACCESS_KEY: 'none',
      AWS_ENDPOINT_URL: nothing,
      AWS_MAX_ATTEMPTS: '1',
    };
    const kubeconfig = join(folder.path, 'kubeconfig');
    const clusters = [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }];
    writeFileSync(
      kubeconfig,
      JSON.stringify({ clusters, contexts: [{ name: 'c', context: { cluster: 'c', user: '' } }], 'current-context': 'c' }),
    );
    const queues = ['--events-queue-url', `${nothing}/1/events`, '--asks-queue-url', `${nothing}/1/asks`];
    const relay = run(bin, ['relay', '--cluster', 'c', ...queues, '--kubeconfig', kubeconfig], folder.path, aws);
    expect(relay).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('nothing listens there') });
    const list = run(bin, ['cluster', 'list', '--stage', 's'], folder.path, aws);
    expect(list).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('ECONNREFUSED') });
  }, 120_000);

  test('runs up, serves its console, and ends on SIGTERM', async () => {
    const farloop = spawn(bin, ['up', '--state', join(folder.path, 'state'), '--port', '0'], {
      cwd: dirname(folder.path),
      env: environment,
    });
    let stdout = '';
    let stderr = '';
    farloop.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    for await (const text of farloop.stdout.setEncoding('utf8')) {
      stdout += String(text);
      if (stdout.includes('farloop ready\n')) break;
    }
    const [url = ''] = /http:\/\/[\d.:]+/.exec(stdout) ?? [];
    const page = await fetch(url);
    farloop.kill('SIGTERM');
    const [exitCode] = await once(farloop, 'exit');
    expect({ exitCode, stderr, status: page.status }).toEqual({ exitCode: 0, stderr: '', status: 200 });
    expect(await page.text()).toContain('<title>Farloop</title>');
  }, 120_000);
});
