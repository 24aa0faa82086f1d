// `npm run bench relay`: the relay and the JavaScript client's informer at 50,000 pods, one after the other on the same lists and the
// same stream of changes. Each runs in a process of its own; events are divided by its processor seconds.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Measured } from './relay/measure.ts';
import { linesOf } from './relay/measure.ts';

const [PODS, JOBS, EVENTS] = [50_000, 50, 100_000];
const MOST_MEMORY = 100e6;
const folder = join(import.meta.dirname, 'relay');
/** As a container would run it: one arena, for what is freed in another one is not given back. */
const environment = { ...process.env, MALLOC_ARENA_MAX: '1' };

/** Bundled as they are shipped: stripping types alone takes 40 MB. */
async function bundle(client: string, into: string): Promise<string> {
  const outfile = join(into, client.replace(/\.ts$/, '.mjs'));
  const banner = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
  await build({
    entryPoints: [join(folder, client)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    banner: { js: banner },
    logLevel: 'error',
  });
  return outfile;
}

async function measure(client: string, into: string): Promise<Measured> {
  const program = await bundle(client, into);
  const player = spawn(process.execPath, [join(folder, 'player.ts'), ...[PODS, JOBS, EVENTS].map(String)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const port = (await linesOf(player.stdout).next()).value ?? '';
  const subject = spawn(process.execPath, [program, `http://127.0.0.1:${port}`, String(EVENTS), String(PODS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: environment,
  });
  try {
    const lines = linesOf(subject.stdout);
    if ((await lines.next()).value !== 'listed') throw new Error(`${client} did not come through the list`);
    player.stdin.write('go\n');
    const measured: Measured = JSON.parse((await lines.next()).value ?? 'null');
    return measured;
  } finally {
    subject.kill('SIGKILL');
    player.kill('SIGKILL');
    await Promise.all([subject, player].map(async (child) => child.exitCode ?? child.signalCode ?? (await once(child, 'exit'))));
  }
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
const perSecond = ({ processorSeconds }: Measured): number => Math.round(EVENTS / processorSeconds);

console.log(`${PODS} pods of ${JOBS} Jobs, ${EVENTS} changes\n`);
console.log(`${''.padEnd(30)}events/s of one core   events/s as run   memory after the list   at its peak   after the events`);
const results: Record<string, Measured> = {};
const bundles = await mkdtemp(join(tmpdir(), 'farloop-bench-'));
for (const [name, client] of [
  ['farloop relay', 'relay-client.ts'],
  ['@kubernetes/client-node informer', 'informer-client.ts'],
] as const) {
  const measured = await measure(client, bundles);
  results[name] = measured;
  const { afterList, peak, afterEvents } = measured.rssBytes;
  const columns = [
    String(perSecond(measured)).padStart(20),
    String(Math.round(EVENTS / measured.seconds)).padStart(17),
    megabytes(afterList).padStart(23),
    megabytes(peak).padStart(13),
    megabytes(afterEvents).padStart(18),
  ];
  console.log(`${name.padEnd(30)}${columns.join('')}`);
}
await rm(bundles, { recursive: true });
const [ours, theirs] = Object.values(results);
if (ours && theirs) {
  const isAhead = perSecond(ours) > perSecond(theirs);
  const isSmall = ours.rssBytes.afterEvents <= MOST_MEMORY;
  console.log(`\n${isAhead ? 'reached' : 'MISSED'}: ahead of the informer (${(perSecond(ours) / perSecond(theirs)).toFixed(2)} times)`);
  console.log(`${isSmall ? 'reached' : 'MISSED'}: at most ${megabytes(MOST_MEMORY)} (${megabytes(ours.rssBytes.afterEvents)})`);
  if (!isAhead || !isSmall) process.exitCode = 1;
}
