// A problem with a cluster is logged once, and again only while it lasts for minutes.
import { expect, test } from '@jest/globals';
import { RecordingTelemetry } from '../world/recording-telemetry.ts';
import { VirtualClock } from '../world/virtual-clock.ts';
import { NotDoneError, TerminalError } from '../../lib/ports/errors.ts';
import { ProblemLog, SAME_AGAIN_MS } from '../../lib/relay/problem-log.ts';

const logged = ({ lines }: RecordingTelemetry): string[] => lines.filter(({ level }) => level !== 'debug').map(({ level }) => level);

test('each sentence once; others, and the same of another namespace, are others', async () => {
  const clock = new VirtualClock();
  const telemetry = new RecordingTelemetry();
  const problems = new ProblemLog({ clock, telemetry, cluster: 'west' });
  for (let second = 0; second < 60; second++) {
    problems.note(new NotDoneError('nothing listens there'));
    await clock.advance(1_000);
  }
  expect(logged(telemetry)).toEqual(['warn']);
  problems.note(new NotDoneError('nothing listens there'), 'team');
  problems.note(new TerminalError('jobs is forbidden'));
  problems.note(new TerminalError('jobs is forbidden'));
  expect(logged(telemetry)).toEqual(['warn', 'warn', 'error']);
  await clock.advance(SAME_AGAIN_MS);
  problems.note(new NotDoneError('nothing listens there'));
  expect(logged(telemetry)).toEqual(['warn', 'warn', 'error', 'warn']);
});

test('sentences that all differ are not kept for ever', () => {
  const telemetry = new RecordingTelemetry();
  const problems = new ProblemLog({ clock: new VirtualClock(), telemetry, cluster: 'west' });
  const note = (): void => problems.note(new NotDoneError('nothing listens there'));
  note();
  for (let number = 0; number < 100; number++) problems.note(new NotDoneError(`request ${number} failed`));
  note();
  expect(logged(telemetry)).toHaveLength(102);
});
