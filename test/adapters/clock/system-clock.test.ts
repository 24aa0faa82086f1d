// The clock of a process that runs for real: the contract, and ids that can be typed.
import { expect, test } from '@jest/globals';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
import { clockContract } from '../../contracts/clock.ts';

clockContract('system', () => {
  const clock = new SystemClock();
  return { clock, pass: (ms) => clock.wait(ms) };
});

test('an id can be typed behind a command: no dash in front', () => {
  const clock = new SystemClock();
  for (let time = 0; time < 1_000; time++) expect(clock.randomId()).toMatch(/^\w[-\w]{21}$/);
});
