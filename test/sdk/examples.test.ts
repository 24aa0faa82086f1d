// Every example of a training job runs to its end in `farloop up`, as its first line says.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, expect, test } from '@jest/globals';
import { FarloopProcess, root, runFarloop, temporaryFolder } from '../cli/farloop-process.ts';

const files = globSync('examples/training/*.yaml', { cwd: root }).toSorted();
const state = temporaryFolder();
const farloop = new FarloopProcess(['up', '--state', state.path, '--port', '0', ...files.flatMap((file) => ['--apply', file])]);
afterAll(async () => {
  await farloop.destroy();
  state.remove();
});

test.each(files)('%s', async (file) => {
  const { kind, metadata } = load(readFileSync(join(root, file), 'utf8')) as { kind: string; metadata: { name: string } };
  const name = `${kind.toLowerCase()}/${metadata.name}`;
  await farloop.says(new RegExp(`^${name} Succeeded: `, 'm'));
  const { stdout } = await runFarloop(['explain', name, '--state', state.path]);
  expect(stdout).toContain(`${name} in default on local: Succeeded (${kind}Succeeded)`);
});
