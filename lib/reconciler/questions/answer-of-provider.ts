// Answers a relay's questions about the tasks behind its cluster's virtual nodes, and about no others.
import { nodeKindOf } from '../../kinds/settings.ts';
import { VIRTUAL_POD } from '../../kinds/virtual-pod/facts.ts';
import type { Pod } from '../../objects/kubernetes.ts';
import { hasContainer, loggedRun } from '../../objects/pods/logged-run.ts';
import { PODS } from '../../objects/resources.ts';
import type { Task } from '../../objects/task.ts';
import type { Deadline } from '../../ports/clock.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import { NotFoundError, TerminalError, UnknownOutcomeError } from '../../ports/errors.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Provider } from '../../ports/provider.ts';
import type { Question, WorkloadQuestion } from '../../wire/questions.ts';
import { allTasks, providerFor } from '../live/sights.ts';

export type ProviderQuestion = Exclude<Question, { about: 'log' } | WorkloadQuestion>;

interface Asked {
  record: ClusterRecord;
  question: ProviderQuestion;
  deadline: Deadline;
}

/** @throws the errors of ports/errors.ts: TerminalError where the node is none of this cluster's, or its provider does not offer it */
export async function answerOfProvider(ports: Ports, { record, question, deadline }: Asked): Promise<object> {
  const { node, about } = question;
  const kind = nodeKindOf(record);
  if (!kind?.nodes.namesIn(record).includes(node)) throw new TerminalError(`${node} is none of the virtual nodes of ${record.name}`);
  const provider = providerFor(ports, record, node);
  switch (about) {
    case 'runningTasks':
      return { running: (await tasksOf(ports, record, provider, deadline)).flatMap(({ uid, hasEnded }) => (hasEnded ? [] : [uid])) };
    case 'figures': {
      if (!provider.figures) throw new NotFoundError('its provider measures nothing');
      const [figures, tasks] = await Promise.all([provider.figures(deadline), tasksOf(ports, record, provider, deadline)]);
      const own = new Set(tasks.map(({ uid }) => uid));
      return { figures: figures.filter(({ uid }) => own.has(uid)) };
    }
    case 'taskLog': {
      const { namespace, pod: name, uid } = question;
      const head = await ports.store.readHead({ cluster: record.name, kind: VIRTUAL_POD, namespace, name, uid });
      if (!head) throw new NotFoundError(`no pod ${namespace}/${name} of ${record.name} is known to run there`);
      return await logOf(provider, question, ports.clock.nowMs(), deadline);
    }
  }
}

/** Of one read. */
const HEADS_AT_ONCE = 100;
/** A uid is one cluster's for ever. */
const knownUids = new Set<string>();
const MOST_KNOWN = 50_000;

/** A provider may run pods of other clusters, too, and know no difference: of these nothing is told. */
async function tasksOf(
  { store }: Pick<Ports, 'store'>,
  { name: cluster }: ClusterRecord,
  provider: Provider,
  deadline: Deadline,
): Promise<Task[]> {
  const wordOf = (uid: string): string => `${cluster}/${uid}`;
  const tasks = await allTasks(provider, deadline);
  const unknown = tasks.filter(({ uid }) => !knownUids.has(wordOf(uid)));
  if (knownUids.size > MOST_KNOWN) knownUids.clear();
  for (let at = 0; at < unknown.length; at += HEADS_AT_ONCE) {
    const some = unknown.slice(at, at + HEADS_AT_ONCE);
    const heads = await store.readHeads(some.map(({ namespace, name, uid }) => ({ cluster, kind: VIRTUAL_POD, namespace, name, uid })));
    for (const [place, { uid }] of some.entries()) if (heads[place]) knownUids.add(wordOf(uid));
  }
  return tasks.filter(({ uid }) => knownUids.has(wordOf(uid)));
}

/**
 * The log of a pod on one of the cluster's virtual nodes, as its provider has it. Through the API server it would be a question of the relay, for which
 * another function had to be free.
 * @returns undefined: it is on no virtual node
 */
export async function logOnVirtualNode(
  ports: Ports,
  { record, cluster, deadline }: { record: ClusterRecord; cluster: Pick<Cluster, 'get'>; deadline: Deadline },
  { namespace, pod: name, wanted }: Extract<Question, { about: 'log' }>,
): Promise<{ log: string; isCut: boolean } | undefined> {
  const kind = nodeKindOf(record);
  if (!kind) return undefined;
  const { object: pod } = await cluster.get<Pod>(PODS, { namespace, name }, deadline);
  const { nodeName: node = '', containers } = pod.spec;
  if (!kind.nodes.namesIn(record).includes(node)) return undefined;
  const provider = providerFor(ports, record, node);
  const [only, ...others] = containers.map((each) => each.name);
  const container = wanted.container === '' && others.length === 0 ? (only ?? '') : wanted.container;
  if (!hasContainer(pod, container)) throw new TerminalError(`container ${container || 'of that name'} is not valid for pod ${name}`);
  const found = loggedRun(pod, container, wanted.previous === true);
  if ('refusal' in found) throw new TerminalError(found.refusal);
  const { previous: _previous, ...rest } = wanted;
  const request = { ...rest, container, ...(found.run === 'previous' && { previous: true as const }) };
  return await logOf(provider, { uid: pod.metadata.uid ?? '', wanted: request }, ports.clock.nowMs(), deadline);
}

/** As much as is wanted at most; nothing is followed. */
async function logOf(
  provider: Provider,
  { uid, wanted }: Pick<Extract<ProviderQuestion, { about: 'taskLog' }>, 'uid' | 'wanted'>,
  nowMs: number,
  deadline: Deadline,
): Promise<{ log: string; isCut: boolean }> {
  if (!provider.logs) throw new TerminalError('its provider keeps no logs');
  const { limitBytes } = wanted;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const signal = AbortSignal.timeout(Math.max(deadline.wallMs - nowMs, 1));
  for await (const chunk of provider.logs({ uid, attempt: 1 }, wanted, signal)) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= limitBytes) break;
  }
  if (signal.aborted && bytes < limitBytes) throw new UnknownOutcomeError('its provider did not give the log in time');
  return { log: Buffer.concat(chunks).subarray(0, limitBytes).toString(), isCut: bytes >= limitBytes };
}
