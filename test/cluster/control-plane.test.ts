// The control plane of these tests: it ends with them, and keeps its data where it is restarted.
import { describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { startControlPlane } from './control-plane.ts';

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    // A refused connection is the one sign of a server that is gone; a certificate that is not trusted is one of life.
    (error: Error) => !JSON.stringify(error.cause, ['code']).includes('ECONNREFUSED'),
  );

async function isGone(url: string): Promise<boolean> {
  const until = Date.now() + 30_000;
  while (Date.now() < until) {
    if (!(await answers(url))) return true;
    await sleep(50);
  }
  return false;
}

describe('the control plane', () => {
  test('stop() ends etcd and the API server', async () => {
    const { url, etcdUrl, stop } = await startControlPlane();
    await expect(answers(url)).resolves.toBe(true);
    await stop();
    await expect(Promise.all([isGone(url), isGone(etcdUrl)])).resolves.toEqual([true, true]);
  });

  test('what it started ends with it, even when it is killed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'farloop-killed-')); // a killed process does not clean up
    const source = `
      import { startControlPlane } from ${JSON.stringify(new URL('./control-plane.ts', import.meta.url).href)};
      const { url, etcdUrl } = await startControlPlane({ folder: ${JSON.stringify(folder)} });
      console.log(JSON.stringify([url, etcdUrl]));
      setInterval(() => {}, 1000);
    `;
    const parent = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', source], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line]: unknown[] = await once(createInterface({ input: parent.stdout }), 'line');
    const urls: string[] = JSON.parse(String(line));
    await expect(Promise.all(urls.map(answers))).resolves.toEqual([true, true]);
    parent.kill('SIGKILL');
    await expect(Promise.all(urls.map(isGone))).resolves.toEqual([true, true]);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  });

  test('the API server keeps address and data over a restart, the controller manager comes and goes', async () => {
    const { url, token, startControllerManager, stopControllerManager, restartApiServer, stop } = await startControlPlane();
    await startControllerManager({ controllers: 'namespace-controller', qps: 100, burst: 100 });
    await stopControllerManager();
    await restartApiServer();
    await expect(answers(url)).resolves.toBe(true);
    expect(token).toMatch(/^[0-9a-f]{32}$/);
    await stop();
  });
});
