// A node that stands for a kubelet: registers itself, takes the pods that have no node, and lets their containers run and end as
// the pods' annotations or plain commands say (node/program.ts). A client of the API like any other, so it plays for the sandbox
// and for a real API server alike. It keeps nothing of its own: started again, it goes on where the pods' statuses are.
import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeClient } from './node-client.ts';
import { SIMULATED_NODE } from './node-name.ts';
import { feedPods } from './pod-feed.ts';
import { PodKeeper } from './pod-keeper.ts';
import { Problems } from './problems.ts';
import { keepRegistered, register } from './registration.ts';

export type { NodeClient, NodeRequest } from './node-client.ts';

export interface SimulatedNodeOptions {
  client: NodeClient;
  /** `simulated-node` unless said otherwise. */
  nodeName?: string;
  /** Pods at the same time; more of them stay Pending. 10,000 unless said otherwise. */
  podCapacity?: number;
  /** A quantity, as the next one: what the pods' requests may come to together. 8 unless said otherwise. */
  cpu?: string;
  /** 32Gi unless said otherwise. */
  memory?: string;
  /** A scheduler places the pods: the node binds none. */
  hasScheduler?: boolean;
  /** Pods that are written about at the same time. */
  concurrency?: number;
  /** The wait before a container's second restart; the first is immediate, each later wait is twice as long, up to 300 s. */
  restartBackoffSeconds?: number;
  /** Milliseconds since 1970, of the clock that deadlines and run times go by. */
  nowMs?: () => number;
  /** Called with each problem once, and once when it is over; the node tries on all the time. */
  onProblem?: (problem: string) => void;
}

export interface SimulatedNode {
  nodeName: string;
  /** Registered, Ready, and all pods listed once. Rejects only when stopped before. */
  ready: Promise<void>;
  /** Stops at once; pods and Node stay as they are. The client is the caller's to close, after this. */
  stop: () => Promise<void>;
}

/** Those of a machine on which somebody tries things. */
export const DEFAULT_NODE_CPU = '8';
export const DEFAULT_NODE_MEMORY = '32Gi';

const reconsiderEveryMs = 30_000;
const stopPatienceMs = 2000;

/** Starts a simulated node. It rides out an API server that is away, refuses or forgets, until it is stopped. */
export function startSimulatedNode(options: SimulatedNodeOptions): SimulatedNode {
  const { client, nodeName = SIMULATED_NODE, concurrency = 64, restartBackoffSeconds = 10 } = options;
  const { podCapacity = 10_000, cpu = DEFAULT_NODE_CPU, memory = DEFAULT_NODE_MEMORY } = options;
  const { nowMs = () => Date.now(), onProblem = () => {}, hasScheduler = false } = options;
  const problems = new Problems(onProblem, nowMs);
  const labels = {
    'kubernetes.io/hostname': nodeName,
    'kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'farloop.dev/simulated': 'true',
  };
  const resources = { cpu, memory, 'ephemeral-storage': '1Ti', pods: String(podCapacity) };
  // An address that no machine has (RFC 5737).
  const identity = { nodeName, labels, hostIp: '192.0.2.1', resources, nowMs, problems, hasScheduler };
  const keeper = new PodKeeper(client, { ...identity, concurrency, restartBackoffMs: restartBackoffSeconds * 1000 });
  const stopping = new AbortController();
  const { promise: listed, resolve: haveListed, reject: stoppedBefore } = Promise.withResolvers<void>();

  const loops = (async () => {
    await register(client, identity, stopping.signal);
    await Promise.all([
      keepRegistered(client, identity, stopping.signal),
      feedPods(
        client,
        {
          listed(pods) {
            keeper.replace(pods);
            haveListed();
          },
          changed: (pod) => keeper.notice(pod),
          deleted: (pod) => keeper.forget(pod.metadata.uid ?? ''),
          problems,
        },
        stopping.signal,
      ),
    ]);
  })();
  const reconsider = setInterval(() => keeper.reconsiderAll(), reconsiderEveryMs);
  listed.catch(() => {}); // awaiting `ready` gets the error

  return {
    nodeName,
    ready: listed,
    async stop() {
      clearInterval(reconsider);
      stopping.abort();
      stoppedBefore(new Error(`the simulated node ${nodeName} was stopped before it was ready`));
      const patience = new AbortController();
      await Promise.race([
        Promise.all([loops, keeper.stop()]),
        sleep(stopPatienceMs, undefined, { signal: patience.signal }).catch(() => {}), // a hanging call then answers nobody
      ]);
      patience.abort();
    },
  };
}
