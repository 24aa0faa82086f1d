// A process with a small heap ends, though its compilers are at work (nodejs/node#54918). `npm run test:storms` runs this.
import { expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { inParallel } from '../../../lib/reconciler/invocation/parallel.ts';
import { root } from '../farloop-process.ts';

const RUNS = 60;
/** A run takes a quarter of a second. */
const HUNG_MS = 30_000;

/** Many functions that become hot, in a heap that is collected whenever it grows by a hundredth; then the end, at another moment in each run. */
const busyFor = (milliseconds: number): string => `
  import { setFlagsFromString } from 'node:v8';
  import { endProcess } from ${JSON.stringify(join(root, 'lib', 'cli', 'terminal', 'end-process.ts'))};
  setFlagsFromString('--heap-growing-percent=1');
  setFlagsFromString('--optimize-for-size');
  const functions = Array.from({ length: 400 }, (_, nth) => new Function('list', 'by',
    \`let sum = 0; for (const each of list) { sum += each * by + \${nth}; sum += { field\${nth}: sum, list }.field\${nth}; } return [sum, { nth: \${nth} }];\`));
  const list = Array.from({ length: 60 }, (_, at) => at * 1.5);
  let kept = [];
  const endsAtMs = performance.now() + ${milliseconds};
  for (let call = 0; performance.now() < endsAtMs; call++) {
    kept.push(functions[call % functions.length](list, call));
    if (kept.length > 20_000) kept = kept.slice(10_000);
  }
  process.exitCode = 7;
  endProcess();
`;

test(`${RUNS} processes end with their exit code`, async () => {
  const hung: number[] = [];
  const runs = Array.from({ length: RUNS }, (_, nth) => 60 + nth * 4);
  await inParallel(runs, 2, async (milliseconds) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', busyFor(milliseconds)], { stdio: ['ignore', 'ignore', 'inherit'] });
    const bound = setTimeout(() => child.kill('SIGKILL'), HUNG_MS);
    const [exitCode] = await once(child, 'exit');
    clearTimeout(bound);
    if (exitCode !== 7) hung.push(milliseconds);
  });
  expect(hung).toEqual([]);
}, 120_000);
