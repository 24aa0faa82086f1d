// Reads logs of a cluster: directly where this process holds access to it, else by asking `reconcile`, which reaches it by itself or through its relay.
import * as v from 'valibot';
import { deadlineIn } from '../../ports/clock.ts';
import type { BoundedLogRequest, ReadLog } from '../../ports/cluster.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { Ports } from '../../ports/ports.ts';
import { failureOf } from '../../reconciler/questions/failure.ts';
import type { Failure } from '../../wire/command-answers.ts';
import { LogAnswer } from '../../wire/words/log-words.ts';
import { askReconcile } from './ask-reconcile.ts';

export interface WantedLog {
  namespace: string;
  pod: string;
  wanted: BoundedLogRequest;
}

export type LogOutcome = ReadLog | { failure: Failure };

const READ_MS = 12_000;

/** @returns of each log at its place; undefined: nobody has answered for any of them in time */
export async function readLogs(
  ports: Pick<Ports, 'lookUp' | 'queue' | 'store' | 'clock'>,
  record: ClusterRecord,
  logs: readonly WantedLog[],
): Promise<LogOutcome[] | undefined> {
  const { lookUp, clock } = ports;
  if (logs.length === 0) return [];
  if (lookUp) {
    const access = lookUp(record);
    const deadline = deadlineIn(clock, READ_MS);
    return await Promise.all(
      logs.map(async ({ namespace, pod: name, wanted }) => {
        try {
          return await access.log({ namespace, name }, wanted, deadline);
        } catch (error) {
          return { failure: failureOf(error) };
        }
      }),
    );
  }
  const outcomes = await askReconcile(
    ports,
    record.name,
    logs.map((log) => ({ about: 'log', ...log })),
  );
  if (outcomes.every((outcome) => outcome === undefined)) return undefined;
  return outcomes.map((outcome) => {
    if (outcome && 'failure' in outcome) return { failure: outcome.failure };
    const answer = v.safeParse(LogAnswer, outcome && 'object' in outcome ? outcome.object : undefined);
    if (!answer.success) return { failure: { kind: 'NotDone', message: 'no answer came in time' } };
    return { text: answer.output.log, isCut: answer.output.isCut };
  });
}
