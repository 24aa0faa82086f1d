// How each kind of version 1 is read: messages, and the items of both tables. What a reader gives, as JSON.
import { createHash } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDbClusters } from '../../lib/adapters/dynamodb/dynamodb-clusters.ts';
import { EmbeddedStore } from '../../lib/adapters/embedded/store.ts';
import { VirtualClock } from '../world/virtual-clock.ts';
import { headOf, noteOf, viewItemOf, type Item } from '../../lib/adapters/dynamodb/table-items.ts';
import type { ClusterRecord } from '../../lib/ports/clusters.ts';
import { budgetLeft } from '../../lib/reconciler/cluster/budget.ts';
import { readMarker } from '../../lib/reconciler/cluster/heartbeats.ts';
import { decodeState } from '../../lib/reconciler/head/pass-state.ts';
import { Reachability, troubleOf } from '../../lib/reconciler/cluster/reachability.ts';
import { decodeAnswer, openOutcomes } from '../../lib/wire/command-answers.ts';
import { decodeCommands } from '../../lib/wire/commands.ts';
import { open } from '../../lib/wire/packing/envelope.ts';
import { decodeEvents } from '../../lib/wire/events.ts';
import { decodeAsk, decodeTimer, decodeWake } from '../../lib/wire/messages.ts';
import { jobTexts } from '../../lib/kinds/job/recorded-texts.ts';
import { snapshotKindOf } from '../../lib/reconciler/report/recorded-plan.ts';
import { snapshotDecoders } from '../../lib/wire/snapshot-words.ts';
import { unpackSnapshot } from '../../lib/wire/snapshot.ts';
import { unpackPart } from '../../lib/wire/view-item.ts';
import type { EventMessage, Observation, WorkloadReport } from '../../lib/wire/words/observations.ts';

const bytesOf = (base64: string): Buffer => Buffer.from(base64, 'base64');

/** Of an item as JSON, with `{ "base64": … }` where it holds bytes. */
const itemOf = (text: string): Item =>
  JSON.parse(text, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && 'base64' in value ? new Uint8Array(bytesOf(String(value.base64))) : value,
  ) as Item;

const view = (bytes: Uint8Array): unknown => {
  const { resource: _pods, children, ...rest } = unpackPart(bytes);
  return { ...rest, pods: [...children.values()].map(podAsFirstWritten) };
};

/** The words of the first day, in which the frozen files say what is read: a pod was deleted or not, and pods were told apart from the others. */
const podAsFirstWritten = ({ presence, child, ...rest }: Observation): object => ({ ...rest, deleted: presence === 'deleted', pod: child });

export function asFirstWritten({ reports, ...rest }: EventMessage): object {
  const firstWritten = ({ children, ...report }: WorkloadReport): object => {
    const pods = children.find(({ resource }) => resource === 'pods');
    const others = children.filter((each) => each !== pods);
    const wholes = others.flatMap(({ resource, whole }) => {
      if (!whole) return [];
      const { slots: _all, ...list } = whole;
      return [{ resource, ...list }];
    });
    return {
      ...report,
      pods: (pods?.children ?? []).map(podAsFirstWritten),
      ...(pods?.whole && { whole: pods.whole }),
      ...(others.length > 0 && { children: others.flatMap((each) => each.children) }),
      ...(wholes.length > 0 && { wholeChildren: wholes }),
    };
  };
  return { ...rest, reports: reports.map(firstWritten) };
}

/** The note of that name, as those who use it read it. */
async function withNote<Told>(
  name: string,
  body: string,
  tell: (store: EmbeddedStore, clock: VirtualClock) => Promise<Told>,
): Promise<Told> {
  const clock = new VirtualClock({ startMs: 1_790_000_010_000 });
  const store = EmbeddedStore.open({ clock });
  try {
    await store.putNote('west-1', name, body, 0);
    return await tell(store, clock);
  } finally {
    store.close();
  }
}

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, count: () => {} };
const RECORD: ClusterRecord = {
  name: 'west-1',
  era: 0,
  manages: ['all-jobs'],
  namespaces: [],
  senders: [],
  budget: { writesPerSecond: 1, burst: 100 },
  version: 1,
};

/** The table of clusters answers that item to every request. */
async function recordIn(item: Item): Promise<unknown> {
  const client = new DynamoDBClient({ region: 'eu-central-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } });
  client.middlewareStack.add(() => async () => ({ output: { $metadata: {}, Item: item }, response: {} }), { step: 'initialize' });
  return await new DynamoDbClusters({ client, tableName: 'clusters', clock: new VirtualClock() }).get('west-1');
}

const READERS: Record<string, (written: string) => unknown> = {
  events: (written) => asFirstWritten(decodeEvents(written)),
  wake: decodeWake,
  delayed: decodeTimer,
  ask: decodeAsk,
  commands: decodeCommands,
  answer: (written) => {
    const { bytes, ...head } = decodeAnswer(written);
    return { ...head, bytes: Buffer.from(bytes).toString('base64') };
  },
  sealed: (written) => {
    const { secret, parts } = JSON.parse(written) as { secret: string; parts: string[] };
    return openOutcomes(parts.map(bytesOf), secret);
  },
  view: (written) => view(bytesOf(written)),
  snapshot: (written) => unpackSnapshot(bytesOf(written), snapshotKindOf('Job')),
  state: decodeState,
  'head item': (written) => {
    const head = headOf(itemOf(written));
    return { ...head, ...(head && { items: head.items.map(({ name }) => name) }), ...(head?.view && { view: view(head.view) }) };
  },
  'view item': (written) => {
    const item = viewItemOf(itemOf(written));
    return item && { ...item, bytes: view(item.bytes) };
  },
  'note item': (written) => noteOf(itemOf(written)),
  'answer item': (written) => itemOf(written)['v']?.B,
  'marker note': (written) => withNote('relay', written, async (store) => await readMarker({ store }, 'west-1')),
  'budget note': (written) => withNote('budget', written, async (store, clock) => await budgetLeft({ store, clock }, RECORD)),
  'reach note': (written) =>
    withNote('reach', written, async (store, clock) => {
      const reachability = new Reachability({ store, clock, telemetry: silent });
      const places = [
        { cluster: 'west-1', namespace: 'default', uid: 'of-one' },
        { cluster: 'west-1', namespace: 'other', uid: 'of-another' },
      ];
      const { probeAtMs: _, ...silence } = (await troubleOf({ store }, 'west-1')) ?? {};
      return { silence, holds: await Promise.all(places.map(async (place) => await reachability.hold(place))) };
    }),
  'cluster item': (written) => recordIn(itemOf(written)),
  /** Every other byte of it is behind this one's back: another text is another version. */
  dictionary: (written) => {
    const { header } = open(bytesOf(written), { bytes: 1_000, unpackedBytes: 100_000 }, snapshotDecoders(jobTexts));
    return { characters: header.length, sha256: createHash('sha256').update(header).digest('hex') };
  },
};

export async function read(kind: string, written: string): Promise<unknown> {
  const reader = READERS[kind];
  if (!reader) throw new Error(`no reader of "${kind}"`);
  const told: unknown = await reader(written);
  return JSON.parse(
    JSON.stringify(told, (_key, value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value)),
  ) as unknown;
}

export const KINDS = Object.keys(READERS);
