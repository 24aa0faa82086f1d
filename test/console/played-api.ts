// The API as the console knows it, with as many made-up workloads as a test wants; the console's own files are the real ones.
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import { carriesToken, createApp } from '../../lib/api/app.ts';
import { RefusedRequestError } from '../../lib/api/routed-request.ts';
import { answerRoute } from '../../lib/api/routes/route-table.ts';
import type { Ports } from '../../lib/ports/ports.ts';
import { listening, type Listening } from '../listening.ts';
import { SilentTelemetry } from '../world/recording-telemetry.ts';

export const TOKEN = 'a-token-of-this-test';

export interface PlayedWorkload {
  cluster: string;
  kind: string;
  namespace: string;
  name: string;
  uid: string;
  state: string;
  reason?: string;
  figures: { name: string; value: number; of?: number }[];
  creationTime: string;
  queued: boolean;
}

const STATES = ['Running', 'Succeeded', 'Succeeded', 'Running', 'Pending', 'Failed', 'Succeeded', 'Waiting'];
const KINDS = ['Job', 'PyTorchJob', 'MPIJob', 'TFJob'];
const BEGAN_MS = Date.parse('2026-05-01T10:00:00Z');

export function playedWorkload(at: number): PlayedWorkload {
  const state = STATES[at % STATES.length] ?? 'Running';
  return {
    cluster: 'east',
    kind: KINDS[at % KINDS.length] ?? 'Job',
    namespace: `team-${at % 7}`,
    name: `report-${String(at).padStart(5, '0')}`,
    uid: `uid-${at}`,
    state,
    ...(state === 'Failed' && { reason: 'BackoffLimitExceeded' }),
    ...(state === 'Waiting' && { reason: 'Unschedulable' }),
    figures: [
      { name: 'succeeded', value: at % 10, of: 10 },
      { name: 'active', value: state === 'Running' ? 2 : 0 },
    ],
    creationTime: new Date(BEGAN_MS + at * 1_000).toISOString(),
    queued: false,
  };
}

export interface PlayedApi extends Listening {
  /** Changed by tests, and shown by the next answer. */
  workloads: PlayedWorkload[];
  asked: number;
  /** Of JSON, before it is compressed. */
  bytes: number;
  /** Sent, with headers. */
  wireBytes: number;
  streams: number;
  /** Answers wait for it. */
  held?: Promise<void>;
}

const CLUSTER_TIME = '2026-05-01T10:00:00Z';
const CLUSTER = {
  name: 'east',
  state: 'Watching',
  states: [{ state: 'Watching', reason: 'all is well' }],
  manages: ['all-jobs'],
  manage: 'all',
  namespaces: [],
  era: 0,
  budget: { writesPerSecond: 100, burst: 200 },
  access: 'direct',
  left: { writes: 200, closedForSeconds: 0 },
  backlog: 0,
};

const ME = { name: 'ops@example.org', mayAct: true, clusters: [{ cluster: 'east', mayAct: true }], kinds: [] };

/** @param hasStream as `farloop up` has; an installation on AWS has none */
export async function playApi(count: number, { hasStream = false } = {}): Promise<PlayedApi> {
  const workloads = Array.from({ length: count }, (_, at) => playedWorkload(at));
  const played = { workloads, asked: 0, bytes: 0, streams: 0 } as unknown as PlayedApi;
  // As the store counts its writes.
  let [shown, changes] = [workloads, 0];
  const countChanges = (): number => {
    if (shown !== played.workloads) changes += 1;
    shown = played.workloads;
    return changes;
  };
  const ports = {
    clock: new SystemClock(),
    telemetry: new SilentTelemetry(),
    ...(hasStream && { changes: countChanges }),
  } as unknown as Ports;
  const answerOf = (path: readonly string[], query: URLSearchParams): unknown => {
    const [, page, ...named] = path;
    if (page === 'clusters') return { items: [CLUSTER] };
    if (page === 'me') return ME;
    if (page === 'queues' || page === 'dead-letters' || page === 'runs') return { items: [] };
    if (page === 'cost') return { asOf: '2026-11-01', region: 'us-east-1', counted: false, dollars: 0, parts: [], clusters: [] };
    if (page === 'rates') return { counted: false, since: CLUSTER_TIME, to: CLUSTER_TIME, stepSeconds: 60 };
    if (page === 'workloads' && named.length === 0) return pageOf(played.workloads, query);
    const found = played.workloads.find(({ name }) => name === named[3]);
    if (page === 'workloads' && found && named.length === 4) return { items: [detailOf(found)] };
    if (page === 'workloads' && named[4] === 'passes') return { items: [] };
    if (page === 'workloads' && named[4] === 'pods') return { items: [], total: 0, counts: {} };
    throw new RefusedRequestError(404, `there is nothing at /${path.join('/')}`);
  };
  const app = createApp({
    answer: async (request) => {
      const { path, query } = request;
      if (path[1] === 'stream') {
        played.streams += 1;
        return await answerRoute(ports, request);
      }
      played.asked += 1;
      await played.held;
      const json = answerOf(path, query);
      played.bytes += JSON.stringify(json).length;
      return { json };
    },
    authorize: (request) => carriesToken(request, TOKEN),
  });
  const server = createServer((request, response) => void app(request, response));
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  Object.defineProperty(played, 'wireBytes', { get: () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0) });
  return Object.assign(played, await listening(server));
}

function pageOf(all: readonly PlayedWorkload[], query: URLSearchParams): object {
  const text = query.get('text') ?? '';
  const states = query.get('state')?.split(',');
  const matching = all.filter(({ name, state }) => name.includes(text) && (!states || states.includes(state)));
  const [from, limit] = [Number(query.get('continue') ?? 0), Number(query.get('limit') ?? 500)];
  return {
    items: matching.slice(from, from + limit),
    total: matching.length,
    totals: Object.fromEntries([...Map.groupBy(matching, ({ state }) => state)].map(([state, { length }]) => [state, length])),
    of: all.length,
    ...(from + limit < matching.length && { next: String(from + limit) }),
  };
}

const detailOf = (workload: PlayedWorkload): object => ({
  ...workload,
  reasons: [{ code: 'PodsRunning', text: '2 pods run' }],
  conditions: [],
  status: {},
  objectKind: workload.kind,
  hasPods: true,
  pods: [],
  podsLeftOut: 0,
  head: {},
});
