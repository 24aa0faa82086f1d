// The pods of a cluster as a stream that does not end: list, watch, resume; list again when the server has forgotten where we were.
import type { Pod } from '../objects/kubernetes.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeClient } from './node-client.ts';
import type { Problems } from './problems.ts';
import { RefusedError } from './problems.ts';

export interface PodFeed {
  /** All pods there are: whatever is not among them is gone. */
  listed: (pods: Pod[]) => void;
  changed: (pod: Pod) => void;
  deleted: (pod: Pod) => void;
  problems: Problems;
}

const pageSize = 500;
const watchSeconds = 290;
const firstWaitMs = 200;
const longestWaitMs = 10_000;
const failuresBeforeListing = 3;

/** Feeds until `signal` is aborted. Never throws. */
export async function feedPods(client: NodeClient, feed: PodFeed, signal: AbortSignal): Promise<void> {
  let version: string | undefined;
  let failures = 0;
  while (!signal.aborted) {
    try {
      if (version === undefined) {
        version = await tellAll(client, feed);
        feed.problems.worked('list and watch pods', '');
      }
      const watch: AsyncGenerator<string, 'ended' | 'forgotten'> = watchPods(client, feed, version, signal);
      let step = await watch.next();
      for (; step.done !== true; step = await watch.next()) {
        version = step.value;
        failures = 0;
        feed.problems.worked('list and watch pods', '');
      }
      if (step.value === 'forgotten') {
        version = undefined;
        failures += 1; // a server that forgets at once must not be listed at once, over and over
        if (failures > 1) await wait(failures, signal);
      }
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      feed.problems.failed('list and watch pods', '', error);
      if (failures >= failuresBeforeListing) version = undefined;
      await wait(failures, signal);
    }
  }
}

/** Yields the resourceVersion to resume at. */
async function* watchPods(
  client: NodeClient,
  feed: PodFeed,
  from: string,
  signal: AbortSignal,
): AsyncGenerator<string, 'ended' | 'forgotten'> {
  const path = `/api/v1/pods?watch=true&allowWatchBookmarks=true&timeoutSeconds=${watchSeconds}&resourceVersion=${from}`;
  for await (const line of client.watch({ path, signal })) {
    const { type, object } = eventOf(line);
    if (type === 'ERROR') return 'forgotten';
    const version = object.metadata.resourceVersion;
    if (type === 'DELETED') feed.deleted(object);
    else if (type !== 'BOOKMARK') feed.changed(object);
    if (version !== undefined) yield version;
  }
  return 'ended';
}

/** A call of its own: one that goes on for ever would keep the list. @returns the list's resourceVersion */
async function tellAll(client: NodeClient, feed: PodFeed): Promise<string> {
  const { pods, resourceVersion } = await listPods(client);
  feed.listed(pods);
  return resourceVersion;
}

async function listPods(client: NodeClient): Promise<{ pods: Pod[]; resourceVersion: string }> {
  const pods: Pod[] = [];
  let token = '';
  for (;;) {
    const path = `/api/v1/pods?limit=${pageSize}${token === '' ? '' : `&continue=${encodeURIComponent(token)}`}`;
    const { status, body } = await client.request({ method: 'GET', path });
    if (status === 410 && token !== '') {
      // The pages took too long: begin again.
      pods.length = 0;
      token = '';
      continue;
    }
    if (status !== 200) throw new RefusedError('GET /api/v1/pods', status, body);
    if (!isPodList(body))
      throw new Error('GET /api/v1/pods: the answer is not a list of pods: check that the address is that of an API server');
    pods.push(...body.items);
    token = body.metadata.continue ?? '';
    if (token === '') return { pods, resourceVersion: body.metadata.resourceVersion };
  }
}

async function wait(failures: number, signal: AbortSignal): Promise<void> {
  const ms = Math.min(firstWaitMs * 2 ** (failures - 1), longestWaitMs);
  await sleep(ms * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {});
}

interface PodList {
  metadata: { resourceVersion: string; continue?: string };
  items: Pod[];
}

function isPodList(body: unknown): body is PodList {
  return typeof body === 'object' && body !== null && 'items' in body && Array.isArray(body.items) && 'metadata' in body;
}

interface PodEvent {
  type: string;
  object: Pod;
}

function eventOf(line: unknown): PodEvent {
  if (!isEvent(line)) throw new Error('a line of the watch of pods is no event');
  return line;
}

function isEvent(line: unknown): line is PodEvent {
  return typeof line === 'object' && line !== null && 'type' in line && 'object' in line && typeof line.object === 'object';
}
