// The workload that a person asks about, as its API server has it.
import { findFacts } from '../../kinds/facts.ts';
import type { KindFacts } from '../../kinds/rows/kind.ts';
import { counted } from '../../kinds/rows/reasons.ts';
import type { WorkloadObject } from '../../objects/kubernetes.ts';
import type { Answer, Cluster } from '../../ports/cluster.ts';
import type { Deadline } from '../../ports/clock.ts';
import { isInScope, type ClusterRecord } from '../../ports/clusters.ts';
import { NotDoneError, NotFoundError, TerminalError, UnknownOutcomeError } from '../../ports/errors.ts';
import type { Ports } from '../../ports/ports.ts';
import type { WorkloadQuestion } from '../../wire/questions.ts';

export type NamedOwner = Pick<WorkloadQuestion, 'kind' | 'namespace' | 'name'>;

/** Where a question is answered, and until when. */
export interface Asking {
  record: ClusterRecord;
  cluster: Cluster;
  deadline: Deadline;
  facts: KindFacts;
  /** Farloop goes there as the user of a kubeconfig, whose rights nobody registers. */
  isLocal: boolean;
}

/** @throws TerminalError the kind has no owners, or the cluster is not registered for the namespace */
export function askingOf(
  { connect, lookUp }: Pick<Ports, 'connect' | 'lookUp'>,
  record: ClusterRecord,
  { kind, namespace }: Pick<NamedOwner, 'kind' | 'namespace'>,
  deadline: Deadline,
): Asking {
  const facts = findFacts(kind);
  if (!facts) throw new TerminalError(`no kind ${kind} is known to this version of Farloop`);
  if (facts.isOwnerless) throw new TerminalError(`${kind} is no kind of objects: it stands for pods that lost their owner`);
  if (facts.resource.namespaced && !isInScope(record, namespace))
    throw new TerminalError(`${record.name} is not registered for the namespace ${namespace}`);
  return { record, cluster: connect(record), deadline, facts, isLocal: lookUp !== undefined };
}

/** @throws NotFoundError with one sentence */
export async function readOwner(
  { cluster, deadline, facts, record }: Asking,
  { namespace, name }: NamedOwner,
): Promise<Answer<WorkloadObject>> {
  return await cluster.get<WorkloadObject>(facts.resource, { namespace, name }, deadline).catch((error: unknown) => {
    const word = wordOf(facts, name);
    if (error instanceof NotFoundError)
      throw new NotFoundError(`${word} is not ${namespace === '' ? '' : `in ${namespace} `}on ${record.name}, or not any more`, {
        cause: error,
      });
    throw error;
  });
}

/**
 * What does nothing but read, as part of a question.
 * @throws NotDoneError the cluster does not answer. A read that did not come back has changed nothing
 */
export async function readThere<Read>(
  { facts, record }: Pick<Asking, 'facts' | 'record'>,
  { name }: Pick<NamedOwner, 'name'>,
  read: () => Promise<Read>,
): Promise<Read> {
  return await read().catch((error: unknown) => {
    if (!(error instanceof NotDoneError || error instanceof UnknownOutcomeError)) throw error;
    throw new NotDoneError(`${record.name} cannot be asked about ${wordOf(facts, name)}: ${error.message}`, { cause: error });
  });
}

/** A sentence's end: how Farloop is given a right on that cluster. @param registered the way where clusters are registered */
export const givingText = ({ isLocal, record }: Pick<Asking, 'isLocal' | 'record'>, registered: string): string =>
  isLocal ? `give it to the user of its kubeconfig` : `give "farloop cluster add ${record.name}" again${registered}`;

/** As people write it: `job/demo`. */
export const wordOf = ({ kind }: Pick<KindFacts, 'kind'>, name: string): string => `${kind.toLowerCase()}/${name}`;

/** `1 pod`, `2 pods` */
export const podsText = (count: number): string => counted(count, 'pod', 'pods');
