// `npm run bench list`: a list of 10,000 workloads of four kinds from summaries in the embedded store: milliseconds of a page, reads and size of
// an answer. Exits 1 when a bound is missed.
import { performance } from 'node:perf_hooks';
import { embeddedPorts } from '../api/embedded-ports.ts';
import { listSummaries, type AskedList } from '../../lib/api/list/list-summaries.ts';
import { STATES } from '../../lib/kinds/rows/state.ts';
import { newHead } from '../../lib/reconciler/head/heads.ts';
import { encodeSummary } from '../../lib/reconciler/summary/summary.ts';
import { bound, misses } from './counting.ts';

const WORKLOADS = 10_000;
const KINDS = ['Job', 'PyTorchJob', 'TFJob', 'MPIJob'];
const ROUNDS = 20;

const ports = await embeddedPorts('local');
const record = await ports.clusters.get('local');
if (!record) throw new Error('local is not registered');
const nowMs = Date.now();
for (let at = 0; at < WORKLOADS; at++) {
  const key = {
    cluster: 'local',
    kind: KINDS[at % KINDS.length] ?? '',
    namespace: `team-${at % 20}`,
    name: `work-${at}`,
    uid: `uid-${at}`,
  };
  await ports.store.createHead(newHead(ports, key, record));
  const body = encodeSummary({
    state: STATES[at % 7] ?? 'Running',
    figures: [{ name: 'succeeded', value: at % 10, of: 10 }],
    fields: { startTime: new Date(nowMs - at * 1_000).toISOString() },
    labels: { team: `team-${at % 20}`, tier: at % 2 === 0 ? 'batch' : 'interactive' },
    creationTime: new Date(nowMs - at * 1_000).toISOString(),
    sinceMs: nowMs - at * 1_000,
  });
  await ports.store.putSummary({ key, atMs: nowMs - (WORKLOADS - at) * 1_000, body });
}

const beganMs = performance.now();
const page: AskedList = { choice: {}, order: { by: 'age', isReversed: true }, page: { limit: 100 } };
const first = await listSummaries(ports, page);
console.log(`first answer of a process, ${first.total} workloads   ${(performance.now() - beganMs).toFixed(0)} ms`);

const chosen: Record<string, AskedList> = {
  'a page of 100 by age': page,
  'a page by need, of those that need a person': { ...page, choice: { needsPerson: true }, order: { by: 'need', isReversed: false } },
  'a page of a namespace, by state and label': {
    ...page,
    choice: { namespace: 'team-3', states: ['Running', 'Waiting'], labels: (labels) => labels?.['tier'] === 'interactive' },
  },
  'a page of those whose name has 77': { ...page, choice: { text: '77' } },
};
for (const [what, asked] of Object.entries(chosen)) {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startMs = performance.now();
    await listSummaries(ports, asked);
    times.push(performance.now() - startMs);
  }
  const median = times.toSorted((a, b) => a - b)[ROUNDS / 2] ?? 0;
  console.log(`${what.padEnd(50)} ${bound(what, median, 100, 1)} ms`);
}

ports.store.meter.reset();
const again = await listSummaries(ports, page);
const { requests, readUnits } = ports.store.meter;
console.log(
  `a poll that finds nothing new                      ${bound('reads of a poll', requests, 2, 0)} reads, ${readUnits} read units`,
);
if (JSON.stringify(again) !== JSON.stringify(first)) misses.push('the answer of an unchanged poll differs, so it has another tag');
ports.close();
if (misses.length > 0) {
  console.error(`missed: ${misses.join('; ')}`);
  process.exitCode = 1;
}
