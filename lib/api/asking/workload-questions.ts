// What people ask of a workload beyond the view: answered here where this process reaches its cluster, else by `reconcile`, which alone does so on AWS.
import * as v from 'valibot';
import { deadlineIn } from '../../ports/clock.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { Ports } from '../../ports/ports.ts';
import { refuseWithoutRights } from '../../reconciler/questions/action-rights.ts';
import { failureOf } from '../../reconciler/questions/failure.ts';
import type { Failure } from '../../wire/command-answers.ts';
import type { WorkloadQuestion } from '../../wire/questions.ts';
import { askReconcile } from '../logs/ask-reconcile.ts';
import { RefusedRequestError } from '../routed-request.ts';

const ANSWERED_MS = 16_000;

/** @throws RefusedRequestError with the sentence of whoever refused, and of a missing right its name as `needs` */
export async function askAboutWorkload<Schema extends v.GenericSchema>(
  ports: Ports,
  cluster: string,
  question: WorkloadQuestion,
  answered: Schema,
): Promise<v.InferOutput<Schema>> {
  // By the list: a role that may only list clusters may ask, too.
  const record = (await ports.clusters.list()).find(({ name }) => name === cluster);
  if (!record) throw new RefusedRequestError(404, `there is no cluster ${cluster}`);
  const outcome = await outcomeOf(ports, record, question);
  if ('failure' in outcome) throw refusalOf(outcome.failure, question);
  const answer = v.safeParse(answered, outcome.answer);
  if (!answer.success)
    throw new RefusedRequestError(
      502,
      `the answer of ${cluster} cannot be read: ${answer.issues[0].message}: its functions are of another version`,
    );
  return answer.output;
}

async function outcomeOf(
  ports: Ports,
  record: ClusterRecord,
  question: WorkloadQuestion,
): Promise<{ answer: unknown } | { failure: Failure }> {
  try {
    // Before anything is sent: with actions=off nothing is asked of the cluster.
    if (question.about === 'action' || (question.about === 'manifest' && question.values === 'shown')) refuseWithoutRights(ports, record);
    if (ports.lookUp) {
      const { answerAboutWorkload } = await import('../../reconciler/questions/answer-about-workload.ts');
      const deadline = deadlineIn(ports.clock, ANSWERED_MS);
      return { answer: { metadata: {}, ...(await answerAboutWorkload(ports, { record, question, deadline })) } };
    }
  } catch (error) {
    return { failure: failureOf(error) };
  }
  const [outcome] = await askReconcile(ports, record.name, [question]);
  if (!outcome)
    return {
      failure: {
        kind: 'UnknownOutcome',
        message: `nobody has answered for cluster ${record.name} within 20 s: it is busy or does not answer`,
      },
    };
  return 'failure' in outcome ? outcome : { answer: 'object' in outcome ? outcome.object : undefined };
}

const STATUS_OF: Readonly<Record<Failure['kind'], number>> = {
  NotFound: 404,
  Conflict: 409,
  Throttled: 429,
  Terminal: 422,
  NotDone: 503,
  UnknownOutcome: 504,
  Expired: 503,
};
/** Of a refusal of the API server or our own, which are those of this API, too. */
const KEPT_CODES = new Set([403, 404, 409, 422]);

function refusalOf({ kind, message, code, reason }: Failure, { about, ...question }: WorkloadQuestion): RefusedRequestError {
  const status = kind === 'Terminal' && code !== undefined && KEPT_CODES.has(code) ? code : STATUS_OF[kind];
  const members = status === 403 && reason !== undefined ? { needs: reason } : {};
  const isAsked = about === 'action' && !('isDryRun' in question && question.isDryRun);
  if (kind !== 'UnknownOutcome') return new RefusedRequestError(status, message, members);
  const then = isAsked ? 'it is not known whether it was done: ask again with the same token, which does it once' : 'ask again';
  return new RefusedRequestError(status, `${message}; ${then}`);
}
