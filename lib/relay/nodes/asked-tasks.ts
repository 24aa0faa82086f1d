// The tasks of a virtual node as its relay sees them: it reaches no provider, so it asks the functions. A log comes in pieces, and is followed by asking
// again until its container has ended.
import * as v from 'valibot';
import type { Pod } from '../../objects/kubernetes.ts';
import type { LogRequest } from '../../objects/log-request.ts';
import { PODS } from '../../objects/resources.ts';
import { deadlineIn, type Clock } from '../../ports/clock.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { NotFoundError, TerminalError, UnknownOutcomeError } from '../../ports/errors.ts';
import { isRunning } from '../../node-api/container-run.ts';
import type { NamedTask, NodeTasks } from '../../node-api/node-server.ts';
import { FiguresAnswer, RunningTasksAnswer } from '../../wire/questions.ts';
import { LogAnswer } from '../../wire/words/log-words.ts';
import { LogPieces } from './log-pieces.ts';
import type { Questions } from './questions.ts';

const FOLLOW_MS = 2_000;
const POD_MS = 10_000;
/** One after the other, before a log that has begun is broken off. */
const MOST_FAILURES = 5;

export interface AskedTasksSetup {
  node: string;
  questions: Pick<Questions, 'ask'>;
  cluster: Pick<Cluster, 'get'>;
  clock: Clock;
}

export function askedTasks({ node, questions, cluster, clock }: AskedTasksSetup): NodeTasks {
  const containerRuns = async ({ namespace, name, uid }: NamedTask, container: string): Promise<boolean> => {
    try {
      const { object: pod } = await cluster.get<Pod>(PODS, { namespace, name }, deadlineIn(clock, POD_MS));
      return pod.metadata.uid === uid && isRunning(pod, container);
    } catch (error) {
      if (error instanceof NotFoundError) return false;
      throw error;
    }
  };
  return {
    async list() {
      const { running } = answered(RunningTasksAnswer, await questions.ask({ about: 'runningTasks', node }));
      const status = { phase: 'Running' };
      return { tasks: running.map((uid) => ({ uid, attempt: 1, namespace: '', name: '', hasEnded: false, status })) };
    },
    async figures() {
      return answered(FiguresAnswer, await questions.ask({ about: 'figures', node })).figures;
    },
    async *logs({ uid, namespace, name }: NamedTask, wanted: LogRequest, signal: AbortSignal) {
      const pieces = new LogPieces(wanted);
      const read = async (): Promise<{ bytes: Uint8Array; isMore: boolean; isLast: boolean }> => {
        // Asked first: what was written before the end comes with the piece after it.
        const isLast =
          wanted.follow !== true ||
          wanted.previous === true ||
          !(await containerRuns({ uid, attempt: 1, namespace, name }, wanted.container));
        const question = { about: 'taskLog', node, namespace, pod: name, uid, wanted: pieces.next() } as const;
        const { log, isCut } = answered(LogAnswer, await questions.ask(question, signal));
        return { bytes: pieces.take(log, { isCut, isLast }), isMore: isCut, isLast };
      };
      let hasBegun = false;
      let failures = 0;
      while (!signal.aborted) {
        try {
          const { bytes, isMore, isLast } = await read();
          [hasBegun, failures] = [true, 0];
          yield bytes;
          if (pieces.isOver || (isLast && !isMore)) return;
          if (isMore) continue;
        } catch (error) {
          // A reader who asks again would have to find the place alone.
          failures += 1;
          if (!hasBegun || !mayPass(error) || failures > MOST_FAILURES) throw error;
        }
        await clock.wait(FOLLOW_MS, signal);
      }
    },
  };
}

const mayPass = (error: unknown): boolean => !(error instanceof NotFoundError || error instanceof TerminalError);

function answered<Schema extends v.GenericSchema>(schema: Schema, answer: object): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, answer);
  if (!parsed.success) throw new UnknownOutcomeError('the functions answered something else than was asked');
  return parsed.output;
}
