// Does what a person asks to be done with a workload: once for a token, however often it is asked and wherever a process ended in between; and notes who
// asked. Every write carries its precondition (R8), so that a later namesake is never hit.
import type { WorkloadObject } from '../../objects/kubernetes.ts';
import { ConflictError, NotDoneError, NotFoundError, TerminalError, ThrottledError } from '../../ports/errors.ts';
import type { Ports } from '../../ports/ports.ts';
import type { WorkloadQuestion } from '../../wire/questions.ts';
import type { ActionAnswer } from '../../wire/words/action-words.ts';
import { preconditionedPatch } from '../acting/preconditioned-patch.ts';
import { refuseWithoutRights } from './action-rights.ts';
import { ActionMemory, digestOfAction, isNotedOn, notedWith } from './action-memory.ts';
import { plannedAction, RETRY_TOKEN } from './action-plan.ts';
import type { PlannedAction, Writes } from './planned-action.ts';
import { givingText, readOwner, readThere, wordOf, type Asking } from './asked-workload.ts';
import { evictAll } from './node-drain.ts';

export type ActionQuestion = Extract<WorkloadQuestion, { about: 'action' }>;
type Answered = Omit<ActionAnswer, 'metadata'>;

/** Another writer may get ahead so often. */
const TRIES = 5;

/** @throws the errors of ports/errors.ts, each with one sentence */
export async function actFor(ports: Ports, asking: Asking, question: ActionQuestion): Promise<Answered> {
  refuseWithoutRights(ports, asking.record);
  const { wanted, kind, namespace, name, uid = '', token = '', isDryRun } = question;
  const digestOf = (of: string): string => digestOfAction(token, [kind, namespace, name, of, wanted]);
  if (isDryRun)
    return await readThere(asking, question, async () => await plannedAnswer(asking, question, token === '' ? () => undefined : digestOf));
  if (uid === '' || token === '')
    throw new TerminalError('an action needs the uid of its workload and a token: ask with dryRun first, which answers the uid');
  const digest = digestOf(uid);
  const memory = new ActionMemory(ports.store, asking.record.name, digest);
  const known = await memory.read();
  if (known.answer) return known.answer;
  const done = await carriedOut(asking, question, { digest, memory }).catch(async (error: unknown) => {
    // Begun: the node is cordoned, and part of its pods are evicted.
    if (wanted.action === 'drain' && error instanceof ThrottledError && (await memory.read()).isBegun)
      await note(ports, asking, question, { text: [error.message], digest });
    throw error;
  });
  const by = question.by;
  const answer: ActionAnswer = { metadata: {}, ...done, by, at: new Date(ports.clock.nowMs()).toISOString() };
  if (answer.result === 'done') await note(ports, asking, question, { ...answer, digest });
  await memory.end(answer);
  return answer;
}

async function plannedAnswer(asking: Asking, question: ActionQuestion, digestOf: (uid: string) => string | undefined): Promise<Answered> {
  const owner = await presentOwner(asking, question);
  const { uid = '' } = owner.metadata;
  const planned = await plannedAction(asking, owner, question.wanted, digestOf(uid));
  return { ...answerOf(planned, question, uid), result: planned.writes ? 'planned' : 'unchanged' };
}

/** Another object of the same name stands there. */
class NamesakeError extends TerminalError {}

/** @throws NamesakeError; NotFoundError */
async function presentOwner(asking: Asking, question: ActionQuestion): Promise<WorkloadObject> {
  const { object } = await readOwner(asking, question);
  const { uid } = question;
  if (uid !== undefined && object.metadata.uid !== uid)
    throw new NamesakeError(
      `${wordOf(asking.facts, question.name)} is another one than was asked about: that one is gone, and one of the same name (uid ${object.metadata.uid}) stands in its place`,
      { code: 409 },
    );
  return object;
}

function answerOf(
  { text, button, endingPods, needsName, created }: PlannedAction,
  { wanted: { action } }: ActionQuestion,
  uid: string,
): Omit<Answered, 'result'> {
  return {
    action,
    uid,
    text,
    button,
    ...(endingPods !== undefined && { endingPods }),
    ...(needsName && { needsName }),
    ...(created !== undefined && { created }),
  };
}

async function carriedOut(
  asking: Asking,
  question: ActionQuestion,
  { digest, memory }: { digest: string; memory: ActionMemory },
): Promise<Answered> {
  const { wanted, uid = '' } = question;
  const before: Answered = { ...doneBefore(question, wordOf(asking.facts, question.name)), result: 'done' };
  const isDeletion = wanted.action === 'delete';
  /** Nothing is left to be done once it is done. */
  const leavesNothing = isDeletion || wanted.action === 'drain';
  for (let tries = 1; ; tries += 1)
    try {
      const owner = await readThere(asking, question, async () => await presentOwner(asking, question));
      // By an earlier attempt, whose answer was lost, or by one beside this.
      if (isNotedOn(owner.metadata.annotations, digest)) return before;
      const planned = await readThere(asking, question, async () => await plannedAction(asking, owner, wanted, digest));
      const answer = { ...answerOf(planned, question, uid), text: [planned.doneText] };
      if (!planned.writes) return { ...answer, result: leavesNothing && (await memory.read()).isBegun ? 'done' : 'unchanged' };
      await memory.begin();
      await write(asking, owner, planned.writes, digest);
      return { ...answer, result: 'done' };
    } catch (error) {
      // It is gone, and may be so by this very action.
      if (isDeletion && (error instanceof NotFoundError || error instanceof NamesakeError) && (await memory.read()).isBegun) return before;
      if (error instanceof ConflictError && tries < TRIES) continue;
      // Neither this attempt nor an earlier one has come so far as to write.
      if (error instanceof NotDoneError && !(await memory.read()).isBegun)
        throw new NotDoneError(`${error.message}; nothing was done`, { cause: error });
      throw namingRights(error, asking, question);
    }
}

const doneBefore = ({ wanted: { action }, uid = '' }: ActionQuestion, word: string): Omit<Answered, 'result'> => ({
  action,
  uid,
  text: [`${word}: ${action} was done when it was asked for first.`],
  button: action,
});

async function write({ cluster, facts, deadline }: Asking, owner: WorkloadObject, writes: Writes, digest: string): Promise<void> {
  const { namespace = '', name = '', uid = '', resourceVersion, annotations } = owner.metadata;
  switch (writes.by) {
    case 'patch': {
      const body = { ...writes.patch, metadata: { annotations: notedWith(annotations, digest) } };
      const patch = preconditionedPatch(body, { uid, resourceVersion });
      await cluster.patch(facts.resource, { namespace, name, uid }, { type: 'merge', body: patch }, deadline);
      return;
    }
    case 'delete':
      await cluster.delete(facts.resource, { namespace, name, uid, propagationPolicy: 'Background' }, deadline).catch((error: unknown) => {
        if (!(error instanceof NotFoundError)) throw error;
      });
      return;
    case 'drain': {
      if (writes.cordon) await cluster.patch(facts.resource, { namespace, name, uid }, { type: 'merge', body: writes.cordon }, deadline);
      await evictAll({ cluster, deadline, facts }, name, writes.pods);
      await noteOn({ cluster, deadline, facts }, { name, uid }, digest);
      return;
    }
    case 'create':
      await makeRetry({ cluster, facts, deadline }, writes, digest);
  }
}

/** On a node, which others write all the time. */
async function noteOn(
  { cluster, deadline, facts: { resource } }: Pick<Asking, 'cluster' | 'deadline' | 'facts'>,
  { name, uid }: { name: string; uid: string },
  digest: string,
): Promise<void> {
  const target = { namespace: '', name, uid };
  const { object } = await cluster.get<WorkloadObject>(resource, target, deadline, { fields: { metadata: true } });
  const { annotations, resourceVersion } = object.metadata;
  const body = preconditionedPatch({ metadata: { annotations: notedWith(annotations, digest) } }, { uid, resourceVersion });
  await cluster.patch(resource, target, { type: 'merge', body }, deadline);
}

/** Made whole before it runs: suspended until its status says what is done already. Each step finds what an earlier attempt has made. */
async function makeRetry(
  { cluster, facts: { resource, kind }, deadline }: Pick<Asking, 'cluster' | 'facts' | 'deadline'>,
  { object, remaining }: Extract<Writes, { by: 'create' }>,
  digest: string,
): Promise<void> {
  const { namespace = '', name = '' } = object.metadata;
  const made = await cluster.create<WorkloadObject>(resource, object, deadline).catch(async (error: unknown) => {
    if (!(error instanceof ConflictError) || error.reason !== 'alreadyExists') throw error;
    const found = await cluster.get<WorkloadObject>(resource, { namespace, name }, deadline);
    if (found.object.metadata.annotations?.[RETRY_TOKEN] === digest) return found;
    throw new TerminalError(`${kind.toLowerCase()}/${name}, which the retry would make, is another one's: ask again with another token`, {
      cause: error,
    });
  });
  if (!remaining || isNotedOn(made.object.metadata.annotations, digest)) return;
  const { uid = '', resourceVersion } = made.object.metadata;
  // By version: one that runs already, for another attempt was faster, must not forget what it has done since.
  const status = preconditionedPatch(remaining.status, { uid, resourceVersion });
  const told = await cluster.patch<WorkloadObject>(
    resource,
    { namespace, name, uid, subresource: 'status' },
    { type: 'merge', body: status },
    deadline,
  );
  const body = { ...remaining.goOn, metadata: { annotations: notedWith(told.object.metadata.annotations, digest) } };
  const goOn = preconditionedPatch(body, { uid, resourceVersion: told.object.metadata.resourceVersion });
  await cluster.patch(resource, { namespace, name, uid }, { type: 'merge', body: goOn }, deadline);
}

const VERBS: Readonly<Record<ActionQuestion['wanted']['action'], string>> = {
  suspend: 'patch',
  resume: 'patch',
  scale: 'patch',
  retry: 'create',
  delete: 'delete',
  drain: 'patch',
};

/** Names the right that the cluster does not give. */
function namingRights(error: unknown, asking: Asking, { wanted: { action }, namespace }: ActionQuestion): unknown {
  if (!(error instanceof TerminalError) || error.code !== 403) return error;
  const { facts, record } = asking;
  const isEviction = error.message.includes('eviction');
  const right = isEviction
    ? 'create pods/eviction'
    : `${VERBS[action]} ${facts.resource.plural}${namespace === '' ? '' : ` in ${namespace}`}`;
  return new TerminalError(
    `${record.name} does not let Farloop ${action} it: that needs the right to ${right}; ${givingText(asking, ' with --actions')} (${error.said ?? error.message})`,
    { cause: error, code: 403, reason: right, ...(error.said !== undefined && { said: error.said }) },
  );
}

const PAST: Readonly<Record<ActionQuestion['wanted']['action'], string>> = {
  suspend: 'suspended it',
  resume: 'resumed it',
  scale: 'scaled it',
  retry: 'retried it',
  delete: 'deleted it',
  drain: 'drained it',
};

/** A record of its own beside the passes. Written again by a repeated action, it has the same id, by which readers know it. */
async function note(
  { recorder, telemetry, clock }: Pick<Ports, 'recorder' | 'telemetry' | 'clock'>,
  { record: { name: cluster }, facts: { kind } }: Asking,
  { namespace, name, uid = '', wanted, by }: ActionQuestion,
  { text, created, digest }: Pick<ActionAnswer, 'text' | 'created'> & { digest: string },
): Promise<void> {
  const key = { cluster, kind, namespace, name, uid };
  telemetry.info('a person acted', { ...key, action: wanted.action, by });
  const record = {
    key,
    passId: `person-${digest}`,
    by,
    startedAtMs: clock.nowMs(),
    durationMs: 0,
    outcome: 'acted',
    why: [`${by} ${wanted.action === 'drain' && wanted.undo === true ? 'let it take pods again' : PAST[wanted.action]}`],
    saw: {},
    actions: [{ verb: wanted.action, target: created ?? name, why: text.join(' '), result: 'done' as const }],
  };
  // Not passed over where it fails: asked again with the same token, it is noted after all.
  await recorder.append(record);
}
