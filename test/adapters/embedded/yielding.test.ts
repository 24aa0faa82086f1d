// A pass of many calls leaves the event loop to others.
import { expect, test } from '@jest/globals';
import { yielding } from '../../../lib/adapters/embedded/yielding.ts';

/** Each call takes 5 ms of a made-up clock, as a synchronous one of SQLite would. */
function slowPort() {
  let nowMs = 0;
  let turns = 0;
  let calls = 0;
  const port = {
    call: async (): Promise<number> => {
      nowMs += 5;
      return (calls += 1);
    },
  };
  const count = (): void => {
    turns += 1;
    if (turns < 1_000) setImmediate(count);
  };
  setImmediate(count);
  return { port: yielding(port, () => nowMs), turns: () => turns };
}

test('calls that follow each other at once are made in several turns of the event loop', async () => {
  const { port, turns } = slowPort();
  for (let call = 1; call <= 100; call++) expect(await port.call()).toBe(call);
  // One turn for 20 ms, which are four calls.
  expect(turns()).toBeGreaterThanOrEqual(20);
  expect(turns()).toBeLessThanOrEqual(30);
});

test('calls that are made side by side share the turns', async () => {
  const { port, turns } = slowPort();
  await Promise.all(Array.from({ length: 100 }, () => port.call()));
  expect(turns()).toBeGreaterThanOrEqual(20);
});

test('an error of a call is the port’s own', async () => {
  const port = yielding({
    call: async (): Promise<void> => {
      throw new TypeError('as it is');
    },
  });
  await expect(port.call()).rejects.toThrow(new TypeError('as it is'));
});
