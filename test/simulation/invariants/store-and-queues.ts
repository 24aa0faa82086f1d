// Invariants of heads, view items, wakes and invocations.
import type { Head, HeadChange } from '../../../lib/ports/store.ts';
import { formatKey, type WorkloadKey } from '../../../lib/objects/workload.ts';
import { unpackPart } from '../../../lib/wire/view-item.ts';
import type { Call } from '../calls.ts';
import type { Invocation } from '../process.ts';
import type { Invariant } from './table.ts';

interface Conditions {
  ifFence?: string;
  ifViewVersion?: number;
}

/** The workload, and the part of its view that the call writes. */
interface WrittenView {
  key: WorkloadKey;
  /** Of the head, or the view item's name. */
  part: string;
  bytes: Uint8Array;
}

function viewIn({ method, args }: Call): WrittenView | undefined {
  const [first, second, third] = args;
  if (method === 'createHead') return viewOf((first as Head).key, (first as Head).view);
  if (method === 'updateHead') return viewOf(first as WorkloadKey, (third as HeadChange).view ?? undefined);
  if (method !== 'putItem') return undefined;
  const { name, bytes } = second as { name: string; bytes: Uint8Array };
  return viewOf(first as WorkloadKey, bytes, name);
}

const viewOf = (key: WorkloadKey, bytes: Uint8Array | undefined, part = 'head'): WrittenView | undefined => bytes && { key, part, bytes };

const OF_PASSES: readonly (keyof HeadChange)[] = ['state'];

export const OF_STORE_AND_QUEUES: readonly Invariant[] = [
  {
    name: 'what passes keep in a head is written under a fence',
    rule: 'R8',
    onSent: ({ call }) => {
      if (call.port !== 'store' || call.method !== 'updateHead') return undefined;
      const [, conditions, change] = call.args as [WorkloadKey, Conditions, HeadChange];
      const isGuarded = OF_PASSES.some((field) => change[field] !== undefined) || change.fence !== undefined;
      return isGuarded && conditions.ifFence === undefined ? `${Object.keys(change).join()} without a fence` : undefined;
    },
  },
  {
    name: 'a view is written under its version',
    rule: 'R8',
    onSent: ({ call }) => {
      if (call.port !== 'store' || call.method !== 'updateHead') return undefined;
      const [, conditions, change] = call.args as [WorkloadKey, Conditions, HeadChange];
      return change.view !== undefined && conditions.ifViewVersion === undefined ? 'a view without its version' : undefined;
    },
  },
  {
    name: 'an event changes the view of its own cluster alone',
    rule: 'R15',
    onSent: ({ call }) => {
      const { invocation } = call;
      if (call.port !== 'store' || invocation?.function !== 'ingest') return undefined;
      const [first] = call.args as [WorkloadKey | { key: WorkloadKey } | string | WorkloadKey[]];
      const reached = Array.isArray(first)
        ? first.map(({ cluster }) => cluster)
        : [typeof first === 'string' ? first : 'key' in first ? first.key.cluster : first.cluster];
      const foreign = reached.find((cluster) => !invocation.clusters.has(cluster));
      return foreign === undefined ? undefined : `messages of ${[...invocation.clusters].join()} reach ${foreign}`;
    },
  },
  {
    // Asked where there are several clusters; of what is gone, the version is that at which its absence was seen.
    name: 'a view holds what its own cluster has shown',
    rule: 'R15',
    onSent: ({ call }, { run, history }) => {
      const written = call.port === 'store' && run.scenario.clusters.length > 1 ? viewIn(call) : undefined;
      if (!written) return undefined;
      const { cluster } = written.key;
      const { resource, owner, children } = unpackPart(written.bytes);
      // Of other children the history keeps no versions.
      const pods = resource === 'pods' ? [...children.values()] : [];
      const objects = [
        ...(owner && !owner.deleted ? [owner.object.metadata] : []),
        ...pods.flatMap(({ presence, child }) => (presence === 'there' ? [child] : [])),
      ];
      const foreign = objects.find((object) => !history.hasShown(cluster, object));
      return foreign && `${foreign.name} ${foreign.uid} at ${foreign.resourceVersion} is none of ${cluster}`;
    },
  },
  {
    name: 'a pod that a view knows to be gone stays gone',
    rule: 'R2',
    onEffect: ({ call }, { checks }) => {
      if (call.port !== 'store') return undefined;
      // A head that was forgotten takes its tombstones along: a late event begins anew, also with a head that has no view yet, and the first
      // pass finds that nothing is there (R1).
      if (call.method === 'createHead') checks.ledger.forgetGone(call.process.installation, (call.args[0] as Head).key);
      const written = viewIn(call);
      if (!written) return undefined;
      const { era, children } = unpackPart(written.bytes);
      // By part: the head may keep older news of a pod whose tombstone lies in an item. Who reads both takes the newer one.
      const gone = checks.ledger.goneOf(call.process.installation, written, era);
      for (const { presence, child } of children.values())
        if (presence === 'deleted') gone.add(child.uid);
        else if (gone.has(child.uid)) return `${child.name} lives again, as it was at ${child.resourceVersion}`;
      return undefined;
    },
  },
  {
    name: 'a delivered wake always opens a pass',
    rule: 'R9',
    onSent: ({ call }, { checks, scheduler }) => {
      const { invocation } = call;
      if (call.port !== 'mapping' || invocation?.function !== 'reconcile') return undefined;
      const [, done] = call.args as [string, Invocation[]];
      const unopened = done.filter((pass) => !checks.ledger.opened.has(pass));
      return unopened.length === 0 ? undefined : `${unopened.map(({ key }) => key?.name).join()} at ${scheduler.elapsedMs}`;
    },
  },
  {
    name: 'the view is read after the opening',
    rule: 'R9',
    onSent: ({ call }, { checks }) => {
      const { invocation } = call;
      if (invocation?.function !== 'reconcile') return undefined;
      const isRead = call.port === 'store' && (call.method === 'read' || call.method === 'readItems');
      return (isRead || call.port === 'cluster') && !checks.ledger.opened.has(invocation)
        ? `${call.port}.${call.method} before it`
        : undefined;
    },
  },
  {
    name: 'a wake carries no facts',
    rule: 'R9',
    onSent: ({ call }) => {
      if (call.port !== 'queue' || call.method !== 'send' || call.args[0] !== 'wakes') return undefined;
      for (const { body, groupId, deduplicationId } of call.args[1] as { body: string; groupId?: string; deduplicationId?: string }[]) {
        // When it was told of, by which lags are measured, is no fact of the workload.
        const { toldAtMs = 0, ...message } = JSON.parse(body) as { toldAtMs?: unknown };
        const fields = Object.keys(message).toSorted();
        if (typeof toldAtMs !== 'number') return body;
        if (!['follows,key', 'cluster,look,version', 'cluster,look,nodes,version'].includes(fields.join())) return body;
        if (!groupId || !deduplicationId) return 'a wake without its group or deduplication id';
      }
      return undefined;
    },
  },
  {
    // More can be only where a pass came by another wake than the one that follows the head's fence, which came back or is of a table that was
    // lost; where a head got a fence from a sweep, which took it for stale; and where an owner is gone and its head forgotten between a wake's
    // sending and its being written down.
    name: 'one wake of a workload is queued at most, beside the one that runs',
    rule: 'R9',
    onEffect: ({ call }, { checks, installations, history }) => {
      if (call.port !== 'queue' || call.method !== 'send' || call.args[0] !== 'wakes') return undefined;
      const wrong = installations
        .flatMap(({ queue }) => checks.ledger.piledUp(queue))
        .filter(({ cluster, uid }) => history.owner(cluster, uid)?.isGone === false);
      return wrong.length > 0 ? wrong.map(({ name }) => name).join() : undefined;
    },
  },
  {
    name: 'timers are no further than a queue can hold',
    rule: 'R11',
    onSent: ({ call }) => {
      if (call.port !== 'queue' || call.method !== 'send' || call.args[0] !== 'timers') return undefined;
      const messages = call.args[1] as { delaySeconds?: number }[];
      return messages.some(({ delaySeconds = 0 }) => delaySeconds < 0 || delaySeconds > 900) ? JSON.stringify(messages) : undefined;
    },
  },
  {
    name: 'a function stays within its own business',
    rule: 'R13',
    onSent: ({ call }) => {
      const { invocation } = call;
      if (call.port !== 'store' || invocation?.function !== 'reconcile' || !invocation.key) return undefined;
      const [first] = call.args as [unknown];
      if (call.method !== 'updateHead' || typeof first !== 'object' || first === null) return undefined;
      const change = call.args[2] as HeadChange;
      return change.state !== undefined && formatKey(first as WorkloadKey) !== formatKey(invocation.key)
        ? formatKey(first as WorkloadKey)
        : undefined;
    },
  },
];
