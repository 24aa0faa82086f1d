// YAML means to Farloop what it means to kubectl: the same texts are read by both.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { parseManifests } from '../../lib/cli/manifests/manifest-files.ts';
import { startSandbox } from '../../lib/sandbox/sandbox.ts';
import { MANY_MERGES, withAnchors, YAML_KEYS, YAML_MERGES, YAML_REFUSED, YAML_VALUES } from '../contracts/yaml-values.ts';
import { controlPlanePaths } from './build-control-plane.ts';

const run = promisify(execFile);

/** A config map, whose data kubectl passes on as it was read. */
const manifestOf = (data: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  ${data}\n`;

test('values, repeated keys, keys that are no texts, anchors, merges: kubectl prints what Farloop reads', async () => {
  const kubectl = (await controlPlanePaths(['kubectl'])).get('kubectl') ?? 'kubectl';
  const sandbox = await startSandbox();
  const folder = await mkdtemp(join(tmpdir(), 'farloop-yaml-'));
  try {
    const maps = [...YAML_KEYS.map(([text]) => text), ...YAML_MERGES.map(([text]) => withAnchors(text)), MANY_MERGES];
    const texts = [...YAML_VALUES.map(([text]) => `a: ${text}`), ...maps].map(manifestOf);
    const [config, file] = [join(folder, 'kubeconfig'), join(folder, 'all.yaml')];
    await writeFile(config, sandbox.kubeconfig);
    await writeFile(file, texts.join('---\n'));
    const args = ['--kubeconfig', config, 'create', '--dry-run=client', '--validate=false', '-o', 'json', '-f', file];
    const { stdout } = await run(kubectl, args, { maxBuffer: 10_000_000 });
    // One object after the other, each from the beginning of a line.
    const items = stdout
      .trimEnd()
      .split(/\n(?=\{)/)
      .map((object) => JSON.parse(object) as { data: unknown });
    const read = parseManifests(texts.join('---\n'), 'all.yaml').map(({ document }) => (document as { data: unknown }).data);
    expect(read).toEqual(items.map(({ data }) => data));
    expect(items).toHaveLength(texts.length);
    for (const [text] of YAML_REFUSED) {
      await writeFile(file, `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n---\n${text}`);
      await expect(run(kubectl, args)).rejects.toThrow(/error parsing .*(separator|mapping values|Unicode)/);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
    await sandbox.stop();
  }
}, 120_000);
