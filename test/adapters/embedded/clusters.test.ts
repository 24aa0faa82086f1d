// The embedded clusters: the contract, in memory and on a file, and what a file adds: restarts, faults, rights.
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { CLUSTERS_FILE, EmbeddedClusters } from '../../../lib/adapters/embedded/clusters.ts';
import { aCluster, clustersContract } from '../../contracts/clusters.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farloop-clusters-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

clustersContract('embedded, in memory', async () => EmbeddedClusters.open());
clustersContract('embedded, on a file', async () => EmbeddedClusters.open({ folder }));

describe('embedded clusters on a file', () => {
  test('a restart finds them, the file is its owner’s only, nothing is left beside it', async () => {
    await EmbeddedClusters.open({ folder }).put(aCluster('one'), 0);
    expect(await EmbeddedClusters.open({ folder }).list()).toEqual([{ ...aCluster('one'), version: 1 }]);
    expect(readdirSync(folder)).toEqual([CLUSTERS_FILE]);
    expect(statSync(join(folder, CLUSTERS_FILE)).mode & 0o777).toBe(0o600);
  });

  test('a write that was cut off leaves the old file', async () => {
    const clusters = EmbeddedClusters.open({ folder });
    await clusters.put(aCluster('one'), 0);
    writeFileSync(join(folder, `${CLUSTERS_FILE}.new`), '{"format":1,"clus');
    expect(await EmbeddedClusters.open({ folder }).list()).toHaveLength(1);
    await clusters.put(aCluster('two'), 0);
    expect(await clusters.list()).toHaveLength(2);
  });

  test.each([
    ['not JSON', 'clusters: []'],
    ['another format', '{"format":2,"clusters":[]}'],
    ['a field of the wrong kind', JSON.stringify({ format: 1, clusters: [{ ...aCluster('one'), manage: 'own', version: 1, era: 'now' }] })],
  ])('%s is refused in one sentence that names the file', (_what, text) => {
    writeFileSync(join(folder, CLUSTERS_FILE), text);
    expect(() => EmbeddedClusters.open({ folder })).toThrow(/^the clusters in .*clusters\.json cannot be read: .*; mend the file/);
  });

  test('the field at fault is named', () => {
    writeFileSync(
      join(folder, CLUSTERS_FILE),
      JSON.stringify({
        format: 1,
        clusters: [{ ...aCluster('one'), manage: 'own', version: 1, budget: { writesPerSecond: -1, burst: 1 } }],
      }),
    );
    expect(() => EmbeddedClusters.open({ folder })).toThrow(/clusters\.0\.budget\.writesPerSecond/);
  });

  test('a record that could not be read again is not written', async () => {
    const clusters = EmbeddedClusters.open({ folder });
    await expect(clusters.put(aCluster('a/b'), 0)).rejects.toThrow(
      /record of cluster a\/b: name: expected a name of 1 to 128 letters, digits and punctuation, without slashes/,
    );
    expect(await clusters.list()).toEqual([]);
  });
});
