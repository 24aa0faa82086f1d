// What `farloop up` takes of a machine with much memory: V8 alone would let the young generation grow to 64 MB and more.
import { expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const MODULE = new URL('../../../lib/cli/local/local-heap.ts', import.meta.url).href;
const MEGABYTE = 2 ** 20;
/** With the bound it is 48 MB, and a page or two more while V8 collects. Without it: 64 MB and more. */
const MOST = 56 * MEGABYTE;

/** Keeps what it makes for a turn: without a bound the young generation is 64 MB after some five of them. */
const program = `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { boundHeap } from ${JSON.stringify(MODULE)};
  boundHeap();
  let most = 0;
  for (let turn = 0; turn < 30 && most <= ${MOST}; turn += 1) {
    const kept = [];
    for (let at = 0; at < 100_000; at += 1) kept.push({ at, list: [at, turn] });
    most = Math.max(most, getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size);
    await new Promise((next) => setImmediate(next));
  }
  console.log(most);
`;

test('the young generation of a local process grows to what it needs, and no further', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  expect(Number(stdout)).toBeGreaterThanOrEqual(32 * MEGABYTE);
  expect(Number(stdout)).toBeLessThanOrEqual(MOST);
}, 20_000);

/** Long turns that keep what they make, before anybody hears of a collection. */
const longTurns = `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { boundHeap, withoutGrowth } from ${JSON.stringify(MODULE)};
  boundHeap();
  const kept = [];
  const young = () => getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size;
  const keep = () => { for (let at = 0; at < 10_000; at += 1) kept.push({ at, list: [at, kept.length] }); };
  await withoutGrowth(async () => { for (let times = 0; times < 200; times += 1) keep(); });
  const after = young();
  for (let turn = 0; turn < 500 && young() < ${32 * MEGABYTE}; turn += 1) {
    keep();
    await new Promise((next) => setImmediate(next));
  }
  console.log(JSON.stringify([after, young()]));
`;

test('work in long turns of the event loop does not make it grow, and afterwards it grows as ever', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', longTurns]);
  const [after = 0, later = 0]: number[] = JSON.parse(stdout);
  expect(after).toBeLessThanOrEqual(MOST);
  expect(later).toBeGreaterThanOrEqual(32 * MEGABYTE);
  expect(later).toBeLessThanOrEqual(MOST);
}, 20_000);
