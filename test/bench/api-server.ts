// `npm run bench api-server [-- --pods N --watchers N]`: what the embedded API server does in a second for a Job's pods, what it costs
// in processor time and memory, and what each further watcher adds.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { ApiClient, mergePatch, strategicPatch } from '../contracts/api-server/client.ts';
import { peakBytesOf, processorSecondsOf } from './processor-time.ts';
import { wholeNumber } from '../../lib/cli/terminal/arguments.ts';
import { LARGEST_NUMBER, script } from '../script-options.ts';

const { pods: podCount, watchers: watcherCount } = script('npm run bench api-server --')
  .option('--pods <number>', 'on the server', wholeNumber({ min: 1, max: LARGEST_NUMBER }), 10_000)
  .option('--watchers <number>', 'of all of them', wholeNumber({ min: 0, max: LARGEST_NUMBER }), 20)
  .parse()
  .opts<{ pods: number; watchers: number }>();
const pageSize = 500;

const path = '/api/v1/namespaces/default/pods';
const podOf = (index: number): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: `job-${index}`,
    labels: { 'batch.kubernetes.io/job-name': 'job', 'batch.kubernetes.io/job-completion-index': String(index) },
    finalizers: ['batch.kubernetes.io/job-tracking'],
  },
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox', command: ['true'] }] },
});

async function measured(watchers: number): Promise<void> {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', new URL('api-server/server.ts', import.meta.url).pathname],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const pid = child.pid ?? 0;
  const [line]: unknown[] = await once(createInterface(child.stdout), 'line');
  const { url, caPem, token }: { url: string; caPem: string; token: string } = JSON.parse(String(line));
  const api = new ApiClient({ url, caPem, token, forgetHistory: async () => {}, close: async () => {} });
  let bytesSeen = 0;
  for (let index = 0; index < watchers; index += 1) await api.drain(`${path}?watch=true`, (bytes) => (bytesSeen += bytes));

  const phase = async (
    name: string,
    run: (index: number) => Promise<{ status: number }>,
    { count = podCount, atATime = 32 } = {},
  ): Promise<void> => {
    const [beganMs, beganCpu] = [performance.now(), processorSecondsOf(pid)];
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < count) {
        next += 1;
        const { status } = await run(next - 1);
        if (status >= 300) throw new Error(`${name}: the sandbox answered ${status}`);
      }
    };
    await Promise.all(Array.from({ length: Math.min(atATime, count) }, worker));
    const [tookMs, cpu] = [performance.now() - beganMs, processorSecondsOf(pid) - beganCpu];
    const rate = `${((count / tookMs) * 1000).toFixed(0)}/s`.padStart(8);
    console.log(`  ${name.padEnd(28)} ${rate}   processor ${((cpu / count) * 1e6).toFixed(0).padStart(6)} µs each`);
  };

  console.log(`${podCount} pods, ${watchers} ${watchers === 1 ? 'watcher' : 'watchers'}`);
  const statusOf = (index: number) => `${path}/job-${index}/status`;
  await phase('create', (index) => api.post(path, podOf(index)));
  await phase('status', (index) => api.patch(statusOf(index), mergePatch, { status: { phase: 'Succeeded' } }));
  await phase('strip the finalizer', (index) =>
    api.patch(`${path}/job-${index}`, strategicPatch, {
      metadata: { '$deleteFromPrimitiveList/finalizers': ['batch.kubernetes.io/job-tracking'] },
    }),
  );
  await phase('list whole', () => api.get(path), { count: 3, atATime: 1 });
  let next = '';
  const pages = Math.ceil(podCount / pageSize);
  await phase(
    `a page of ${pageSize}`,
    async () => {
      const answer = await api.get(`${path}?limit=${pageSize}${next && `&continue=${next}`}`);
      next = answer.body.metadata.continue ?? '';
      return answer;
    },
    { count: pages, atATime: 1 },
  );
  await phase('delete', (index) => api.delete(`${path}/job-${index}`));
  const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MB`;
  console.log(`  memory at most ${megabytes(peakBytesOf(pid))}; watchers were told ${megabytes(bytesSeen)}`);
  api.close();
  child.stdin.end();
  await once(child, 'exit');
}

for (const watchers of new Set([1, watcherCount])) await measured(watchers);
