// `farloop replay`: what the planner of this version decides from what a recorded pass saw, beside what was decided then.
import { Command } from 'commander';
import type { ToldPass } from '../../api/passes.ts';
import { UndecodableMessageError } from '../../wire/words/undecodable.ts';
import type { Replayed } from '../../reconciler/report/recorded-plan.ts';
import { connectToInstance, endpointOption } from '../instance/api-client.ts';
import { FailedError } from '../terminal/exit.ts';
import { stateOption } from '../instance/instance-file.ts';
import type { OutputFormat } from '../terminal/output.ts';
import { outputOption, paint, print } from '../terminal/output.ts';
import { placeText } from './place-text.ts';

/** Neither a failure nor done as before. */
const DECIDES_OTHERWISE = 4;

export const replayCommand = (): Command =>
  new Command('replay')
    .description('Give what a recorded pass saw to the planner of this version, and show where it decides otherwise.')
    .argument('<pass-id>', 'as "farloop explain" prints it')
    .addOption(outputOption())
    .addOption(endpointOption())
    .addOption(stateOption())
    .addHelpText(
      'after',
      '\nNothing is contacted but Farloop itself, and nothing is changed.\n\nExample:\n  farloop replay 4f6c1d2e\n\nExit codes: 0 the same is decided, 4 something else, 1 it cannot be replayed.',
    )
    .action(async (passId: string, { output, state, endpoint }: { output: OutputFormat; state?: string; endpoint?: string }) => {
      const api = connectToInstance({ state, endpoint });
      const { pass, snapshot } = await api.get<{ pass: ToldPass; snapshot?: string }>(`/v1/passes/${encodeURIComponent(passId)}`);
      if (snapshot === undefined) throw new FailedError(`pass ${passId} cannot be replayed: ${absenceText(pass)}`);
      const { replay } = await import('../../reconciler/report/recorded-plan.ts');
      const replayed = readable(() => replay(pass.key.kind, Buffer.from(snapshot, 'base64')), passId);
      if (replayed.differences.length > 0) process.exitCode = DECIDES_OTHERWISE;
      await print({ pass, ...replayed }, output, (shown) => replayText(shown.pass, shown));
    });

/** Of what becomes of a pass, the outcomes in which nothing had been planned. */
const UNPLANNED = new Set(['overtaken', 'unreachable', 'gone', 'putOff', 'notOurs', 'parked', 'unknown', 'failed']);

const absenceText = ({ outcome }: ToldPass): string =>
  UNPLANNED.has(outcome)
    ? `it ended as "${outcome}" without a plan, or its workload is too large for a snapshot`
    : 'its workload was too large for a snapshot, or it was decided by objects read live, which no record keeps';

function readable<Value>(read: () => Value, passId: string): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof UndecodableMessageError)
      throw new FailedError(`pass ${passId} was recorded in a form that this version cannot read: ${error.message}`, { cause: error });
    throw error;
  }
}

function replayText({ key, startTime, passId }: ToldPass, { recorded, differences }: Replayed): string {
  const head = `pass ${passId} of ${key.kind.toLowerCase()}/${key.name} ${placeText(key)}, ${startTime}`;
  if (differences.length === 0)
    return [
      `${head}: decided again as it was`,
      `  outcome ${recorded.outcome}, ${recorded.actions.length} action${recorded.actions.length === 1 ? '' : 's'}`,
      ...recorded.why.map((why) => `  because: ${why}`),
    ].join('\n');
  return [
    `${head}: decided otherwise now (- then, + now)`,
    ...differences.map((line) => `  ${paint(line, line.startsWith('-') ? 'red' : 'green')}`),
  ].join('\n');
}
