// `npm run bench relay`: the relay and the JavaScript client's informer at 50,000 pods, by turns on the same lists and the same
// stream of changes. Each runs in a process of its own; events are divided by its processor seconds; of three turns the middle one counts,
// and of memory the worst.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { relayImage } from '../infra/relay-image.ts';
import type { Measured } from './relay/measure.ts';
import { linesOf } from './relay/measure.ts';

const [PODS, JOBS, EVENTS] = [50_000, 50, 100_000];
const TURNS = 3;
const MOST_MEMORY = 100e6;
const folder = join(import.meta.dirname, 'relay');
/** The relay runs as its image runs it, the informer as node runs by itself: those settings would slow it down. */
const image = relayImage();
const settingsOf = (client: string): { nodeOptions: string[]; environment: NodeJS.ProcessEnv } =>
  client === 'relay-client.ts'
    ? { nodeOptions: image.nodeOptions, environment: { ...process.env, ...image.environment } }
    : { nodeOptions: [], environment: process.env };

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
  const { nodeOptions, environment } = settingsOf(client);
  const player = spawn(process.execPath, [join(folder, 'player.ts'), ...[PODS, JOBS, EVENTS].map(String)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const port = (await linesOf(player.stdout).next()).value ?? '';
  const subject = spawn(process.execPath, [...nodeOptions, program, `http://127.0.0.1:${port}`, String(EVENTS), String(PODS)], {
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

/** The middle one of an odd count. */
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

console.log(`${PODS} pods of ${JOBS} Jobs, ${EVENTS} changes\n`);
console.log(`${''.padEnd(30)}events/s of one core   events/s as run   memory after the list   at its peak   after the events`);
const bundles = await mkdtemp(join(tmpdir(), 'farloop-bench-'));
const ours: Measured[] = [];
const theirs: Measured[] = [];
const clients = [
  { name: 'farloop relay', client: 'relay-client.ts', turns: ours },
  { name: '@kubernetes/client-node informer', client: 'informer-client.ts', turns: theirs },
];
for (let turn = 0; turn < TURNS; turn += 1)
  for (const { name, client, turns } of clients) {
    const measured = await measure(client, bundles);
    turns.push(measured);
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
const ratio = median(ours.map(perSecond)) / median(theirs.map(perSecond));
const worst = (when: keyof Measured['rssBytes']): number => Math.max(...ours.map(({ rssBytes }) => rssBytes[when]));
console.log(`\n${ratio > 1 ? 'reached' : 'MISSED'}: ahead of the informer (${ratio.toFixed(2)} times)`);
let isReached = ratio > 1;
for (const [when, bytes] of [
  ['after the list', worst('afterList')],
  ['at its peak', worst('peak')],
  ['after the events', worst('afterEvents')],
] as const) {
  const isSmall = bytes <= MOST_MEMORY;
  isReached &&= isSmall;
  console.log(`${isSmall ? 'reached' : 'MISSED'}: at most ${megabytes(MOST_MEMORY)} ${when} (${megabytes(bytes)})`);
}
if (!isReached) process.exitCode = 1;
