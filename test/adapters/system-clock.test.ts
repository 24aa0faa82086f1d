import { SystemClock } from '../../lib/adapters/system-clock.ts';
import { clockContract } from '../contracts/clock.ts';

clockContract('system', () => {
  const clock = new SystemClock();
  return { clock, pass: (ms) => clock.wait(ms) };
});
