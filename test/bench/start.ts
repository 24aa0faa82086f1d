// `npm run bench start [-- --starts N]`: start of each function as it would be deployed, and the size of its zip.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FUNCTIONS, packageInto, unpack, zipOf } from '../deploy/packaged.ts';
import { medianOf, startOnce } from '../deploy/start.ts';
import { wholeNumber } from '../../lib/cli/terminal/arguments.ts';
import { LARGEST_NUMBER, script } from '../script-options.ts';

const START_MS_MAX = 100;
const ZIP_BYTES_MAX = 1.5 * 1024 * 1024;

const { starts } = script('npm run bench start --')
  .option('--starts <number>', 'of each function', wholeNumber({ min: 1, max: LARGEST_NUMBER }), 21)
  .parse()
  .opts<{ starts: number }>();
const folder = mkdtempSync(join(tmpdir(), 'farloop-start-'));
try {
  await packageInto(folder);
  const bundles = FUNCTIONS.map((name) => ({ name, bundle: unpack(zipOf(folder, name), join(folder, name), name) }));
  const measured = new Map(bundles.map(({ name }) => [name, [startOnce(join(folder, name, 'functions', `${name}.mjs`))].slice(1)]));
  // In turns, so that a busy minute of the machine falls on all of them.
  for (let round = 0; round < starts; round++) for (const { name, bundle } of bundles) measured.get(name)?.push(startOnce(bundle));
  console.log(`start of own code and imports, median of ${starts} fresh processes; at most ${START_MS_MAX} ms, zips at most 1.5 MiB`);
  for (const { name } of bundles) {
    const taken = measured.get(name) ?? [];
    const [wallMs, cpuMs] = [medianOf(taken.map((start) => start.wallMs)), medianOf(taken.map((start) => start.cpuMs))];
    const bestMs = Math.min(...taken.map((start) => start.wallMs));
    const bytes = zipOf(folder, name).length;
    const isWithin = wallMs <= START_MS_MAX && bytes <= ZIP_BYTES_MAX;
    if (!isWithin) process.exitCode = 1;
    console.log(
      `${name.padEnd(10)} ${wallMs.toFixed(0).padStart(4)} ms (best ${bestMs.toFixed(0)}, processor ${cpuMs.toFixed(0)})  zip ${(bytes / 1024).toFixed(0).padStart(4)} KiB  ${isWithin ? 'ok' : 'TOO MUCH'}`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
